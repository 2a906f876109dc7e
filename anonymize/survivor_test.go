package anonymize_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/ingest"

	"github.com/cespare/xxhash/v2"
)

// canaries are values that must be gone: what people and machines put into addresses.
var canaries = []string{"annika.svensson", "annika@corp.example", "annika%40corp.example", "annika%2540corp.example", "+4917012345678", "13912345678",
	"4111111111111111", "11010519491231002X", "DE89370400440532013000", "0a1b2c3d-1111-4222-8046-1234567ea002", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExIn0",
	"sk_live_Qx7vK2mW9pLz", "Hauptstrasse", "%E5%8C%97%E4%BA%AC%E8%B7%AF", "北京路", "52.5200066", "QW5uaWthIFN2ZW5zc29u", "198.50.77.88", "2a02:810a:77::88",
	"550e8400e29b41d4a716446655440000"}

// canaryLog is a log in the combined format with the canaries in every field that can hold one.
func canaryLog() []byte {
	var b bytes.Buffer
	place := []string{"/p/%s", "/u/%s/profile.html", "/%s", "/search?q=%s", "/search?%s", "/search?%s=1", "/search?token=%s", "/search?page=%s", "/search?a=1;%s",
		"/p;id=%s/1", "/search#%s", "/search?next=/u/%s", "/files/%s.pdf", "http://%s/p/1", "http://u:%s@shop.test/", "/search?ids=1,%s", "/a/b/c/d/e/f/g/h/i/j/k/l/m/%s"}
	for i, c := range canaries {
		for j, p := range place {
			fmt.Fprintf(&b, "241.0.%d.%d - - [22/Jan/2019:03:56:%02d +0330] \"GET %s HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0\"\n", i, j, i%60, fmt.Sprintf(p, c))
		}
		fmt.Fprintf(&b, "%s - - [22/Jan/2019:03:57:00 +0330] \"GET / HTTP/1.1\" 200 5 \"-\" \"Mozilla/5.0\"\n", c)
		fmt.Fprintf(&b, "241.1.1.1 - %s [22/Jan/2019:03:57:01 +0330] \"GET / HTTP/1.1\" 200 5 \"http://x.example/?u=%s\" \"Mozilla/5.0 %s\"\n", c, c, c)
		fmt.Fprintf(&b, "241.1.1.1 - - [22/Jan/2019:03:57:02 +0330] \"%s / HTTP/1.1\" 200 5 \"-\" \"%s/7.0\"\n", c, c)
	}
	return b.Bytes()
}

// templates learns from a log.
func templates(t *testing.T, name string) *endpoint.Set {
	t.Helper()
	l := endpoint.NewLearner()
	for r, err := range rawRecords(t, name) {
		if err != nil {
			t.Fatal(err)
		}
		l.AddTarget(r.Target, endpoint.ClientHash(r.Client), r.Status)
	}
	return l.Set()
}

func rawRecords(t *testing.T, name string) func(func(*ingest.Record, error) bool) {
	t.Helper()
	r, err := ingest.Open(context.Background(), []string{name}, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r.Records(context.Background())
}

// traceOf writes the trace of a log, as the command does, and returns the text of the file.
func traceOf(t *testing.T, name string, a *anonymize.Anonymizer) string {
	t.Helper()
	var b bytes.Buffer
	s, err := trace.NewSorter(trace.SorterOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for lines, err := range a.Stream(context.Background(), rawRecords(t, name), 2) {
		if err != nil {
			t.Fatal(err)
		}
		if err := s.AddLines(lines); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Write(context.Background(), &b, recordfile.Header{Tool: "test"}, recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	r, err := recordfile.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var text strings.Builder
	for {
		line, err := r.Next()
		if err != nil {
			break
		}
		text.Write(line)
		text.WriteByte('\n')
	}
	if r.Trailer().Records == 0 {
		t.Fatal("the trace is empty")
	}
	return text.String()
}

func TestCanariesAreGone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "canary.log")
	if err := os.WriteFile(name, canaryLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := anonymize.New(testKey(t, 1), templates(t, name), anonymize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := traceOf(t, name, a)
	if n := strings.Count(text, "\n"); n < 19*len(canaries) {
		t.Errorf("only %d records are in the trace", n)
	}
	var buf [512]byte
	decoded := string(endpoint.Unescape(make([]byte, len(text)), []byte(text)))
	for _, c := range canaries {
		plain := string(endpoint.Unescape(buf[:], []byte(c)))
		for _, form := range []string{c, plain, strings.ToLower(plain)} {
			if strings.Contains(text, form) || strings.Contains(decoded, form) {
				t.Errorf("canary %q is in the trace", form)
			}
		}
	}
	for _, part := range []string{"annika", "svensson", "corp", "Qx7vK2mW9pLz", "370400440532013000"} {
		if strings.Contains(strings.ToLower(decoded), strings.ToLower(part)) {
			t.Errorf("a part of a canary, %q, is in the trace", part)
		}
	}
}

var (
	mailForm  = regexp.MustCompile(`[A-Za-z0-9._+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+`)
	uuidForm  = regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`)
	tokenForm = regexp.MustCompile(`[0-9A-Za-z]{12,}`)
)

// sensitive are the values of queries that must not survive, found by means that the package does not use.
func sensitive(target []byte, into map[string]bool) {
	_, query, _ := bytes.Cut(target, []byte("?"))
	for range 3 {
		for _, form := range []*regexp.Regexp{mailForm, uuidForm, tokenForm} {
			for _, m := range form.FindAll(query, -1) {
				into[string(m)] = true
			}
		}
		query = endpoint.Unescape(make([]byte, len(query)), query)
	}
	// Names of parameters are no values, unless they look like some.
	for pair := range bytes.SplitSeq(query, []byte("&")) {
		if key, _, ok := bytes.Cut(pair, []byte("=")); ok {
			for _, m := range tokenForm.FindAll(key, -1) {
				delete(into, string(m))
			}
		}
	}
}

// What a raw log has in its queries is gone, and clients have other addresses, but by chance.
func TestRealLogsLeaveNothing(t *testing.T) {
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		t.Skip("REPRISE_LOGS is not set: no real logs")
	}
	for _, log := range []string{"nginx-blog-2012", "apache-vhost-2020", "nginx-shop-2019"} {
		t.Run(log, func(t *testing.T) {
			name := filepath.Join(dir, log+".log.gz")
			a, err := anonymize.New(testKey(t, 1), templates(t, name), anonymize.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var out trace.Record
			secrets, clients, agents := make(map[string]bool), make(map[string]string), 0
			var kept []string
			for r, err := range rawRecords(t, name) {
				if err != nil {
					t.Fatal(err)
				}
				sensitive(r.Target, secrets)
				if a.Record(r, &out) != nil {
					continue
				}
				if addr, err := netip.ParseAddr(string(r.Client)); err == nil && !addr.IsLoopback() {
					clients[string(r.Client)] = string(out.Client)
				}
				if _, query, ok := bytes.Cut(out.Target, []byte("?")); ok && len(kept) < 1<<20 {
					kept = append(kept, string(query))
				}
				if len(out.Agent) > 24 {
					agents++
				}
			}
			checkClients(t, clients)
			checkQueries(t, secrets, kept)
			if agents > 0 {
				t.Errorf("%d user agents are longer than a family and a version", agents)
			}
			t.Logf("%d clients, %d sensitive values, %d queries", len(clients), len(secrets), len(kept))
		})
	}
}

// checkClients: n addresses permuted within 2^28 keep their own with probability n/2^28, and no two merge.
func checkClients(t *testing.T, clients map[string]string) {
	t.Helper()
	seen := make(map[string]bool)
	same, others := 0, 0
	for raw, clean := range clients {
		if raw == clean {
			same++
		}
		if _, ok := clients[clean]; ok && raw != clean {
			others++
		}
		seen[clean] = true
	}
	if same > 1 {
		t.Errorf("%d of %d clients kept their address", same, len(clients))
	}
	if n := float64(len(clients)); float64(others) > 4+4*n*n/(1<<28) { // expected n*n/2^28, Poisson
		t.Errorf("%d pseudonyms are other addresses of the log", others)
	}
	if len(seen) != len(clients) {
		t.Errorf("%d clients have %d pseudonyms", len(clients), len(seen))
	}
}

func checkQueries(t *testing.T, secrets map[string]bool, kept []string) {
	t.Helper()
	if len(secrets) == 0 {
		return
	}
	hits := 0
	for _, query := range kept {
		plain := endpoint.Unescape(make([]byte, len(query)), []byte(query))
		for _, text := range [][]byte{[]byte(query), plain} {
			for _, form := range []*regexp.Regexp{mailForm, uuidForm, tokenForm} {
				for _, m := range form.FindAll(text, -1) {
					if secrets[string(m)] {
						hits++
					}
				}
			}
		}
	}
	if hits > 0 {
		t.Errorf("%d sensitive values of queries survived", hits)
	}
}

// The trace of a real log is the same for any number of workers.
func TestRealLogIsTheSameForAnyWorkers(t *testing.T) {
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		t.Skip("REPRISE_LOGS is not set: no real logs")
	}
	name := filepath.Join(dir, "apache-vhost-2020.log.gz")
	set := templates(t, name)
	var sums [2]uint64
	for i, workers := range []int{1, 2} {
		a, err := anonymize.New(testKey(t, 1), set, anonymize.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, n, err := lines(t, a, rawRecords(t, name), workers)
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
		sums[i] = xxhash.Sum64(got)
	}
	if sums[0] != sums[1] {
		t.Error("two workers give other bytes than one")
	}
}

// BenchmarkLog is parse, templates, policy and trace file over a real log.
func BenchmarkLog(b *testing.B) {
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		b.Skip("REPRISE_LOGS is not set: no real logs")
	}
	packed, err := os.Open(filepath.Join(dir, "nginx-blog-2012.log.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer packed.Close()
	var text bytes.Buffer
	if z, err := gzip.NewReader(packed); err != nil {
		b.Fatal(err)
	} else if _, err := text.ReadFrom(z); err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "plain.log")
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		a := anonymizer(b, 1)
		r, err := ingest.Open(context.Background(), []string{name}, ingest.Options{SkipHash: true})
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range a.Stream(context.Background(), r.Records(context.Background()), 2) {
			if err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
}
