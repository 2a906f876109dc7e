package testdata_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"reprise/testdata"
)

// entry is a line of the log that is a request.
type entry struct {
	at           int64 // Unix seconds
	client, user string
	method       string
	target       string
	status       int
	agent        string
}

// combined is a slow reading of the format, independent of package ingest.
var combined = regexp.MustCompile(`^(\S+) - (\S+) \[([^\]]+)\] "([A-Z]+) (\S+) HTTP/[0-9.]+" ([0-9]{3}) [0-9]+ "[^"]*" "([^"]*)"$`)

func text(t testing.TB) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(testdata.ShopLog))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func entries(t testing.TB) (all []entry, others []string) {
	t.Helper()
	for line := range strings.Lines(string(text(t))) {
		line = strings.TrimSuffix(line, "\n")
		m := combined.FindStringSubmatch(line)
		if m == nil {
			others = append(others, line)
			continue
		}
		at, err := time.Parse("02/Jan/2006:15:04:05 -0700", m[3])
		if err != nil {
			t.Fatal(err)
		}
		e := entry{at: at.Unix(), client: m[1], user: m[2], method: m[4], target: m[5], agent: m[7]}
		fmt.Sscan(m[6], &e.status)
		all = append(all, e)
	}
	return all, others
}

func inPeak(all []entry) (peak []entry) {
	for _, e := range all {
		if e.at >= testdata.PeakFrom && e.at < testdata.PeakTo {
			peak = append(peak, e)
		}
	}
	return peak
}

// within reports a measure outside lo..hi.
func within(t *testing.T, what string, got, lo, hi float64) {
	t.Helper()
	if !(got >= lo && got <= hi) {
		t.Errorf("%s is %.4g, want %g to %g", what, got, lo, hi)
	}
}

// TestGenerated runs the generator afresh: it must make the very bytes that are embedded.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	log, list := filepath.Join(dir, "log.gz"), filepath.Join(dir, "planted.txt")
	if out, err := exec.Command("go", "run", "./shoplog", "-o", log, "-planted", list).CombinedOutput(); err != nil {
		t.Fatalf("shoplog: %v\n%s", err, out)
	}
	got, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if sha256.Sum256(got) != sha256.Sum256(testdata.ShopLog) {
		t.Error("the generator makes another log than the one that is bundled; run go generate ./testdata/...")
	}
	words, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(strings.Fields(string(words)), " ") != strings.Join(testdata.Planted, " ") {
		t.Error("the generator makes another list than the one that is bundled; run go generate ./testdata/...")
	}
	within(t, "size of the packed log in bytes", float64(len(testdata.ShopLog)), 100_000, 1_500_000)
	if testdata.ShopLog[3] != 0 || !bytes.Equal(testdata.ShopLog[4:8], make([]byte, 4)) {
		t.Error("the gzip header has a name or a time")
	}
}

// TestDay wants a day as shops have it: quiet nights, an evening peak, 26 hours across midnight UTC.
func TestDay(t *testing.T) {
	all, _ := entries(t)
	within(t, "requests", float64(len(all)), 36_000, 50_000)
	first, last := all[0].at, all[len(all)-1].at
	within(t, "span in hours", float64(last-first)/3600, 25.9, 26)
	if time.Unix(first, 0).UTC().Day() == time.Unix(last, 0).UTC().Day() {
		t.Error("the log does not cross midnight UTC")
	}
	perHour := make(map[int64]float64)
	back := 0
	for i, e := range all {
		perHour[(e.at-first)/3600]++
		if i > 0 && e.at < all[i-1].at {
			back++
			within(t, "step back in seconds", float64(all[i-1].at-e.at), 1, 2)
		}
	}
	within(t, "lines out of order", float64(back), 20, 3000)
	within(t, "hour from 20:00 against the one from 03:00", perHour[20]/perHour[3], 5, 20)
	within(t, "hour from 12:00 against the one from 03:00", perHour[12]/perHour[3], 2, 8)
}

// TestPeak wants bursts that a Poisson process of the same mean would not have.
func TestPeak(t *testing.T) {
	all, _ := entries(t)
	var counts [testdata.PeakTo - testdata.PeakFrom]float64
	for _, e := range inPeak(all) {
		counts[e.at-testdata.PeakFrom]++
	}
	mean, top := 0.0, 0.0
	for _, n := range counts {
		mean += n / float64(len(counts))
		top = max(top, n)
	}
	variance := 0.0
	for _, n := range counts {
		variance += (n - mean) * (n - mean) / float64(len(counts)-1)
	}
	within(t, "requests of the peak", mean*float64(len(counts)), 3000, 4500)
	within(t, "mean of the peak in requests per second", mean, 5, 8)
	within(t, "highest second of the peak", top, 25, 60)
	within(t, "index of dispersion at one second", variance/mean, 2, 10)
	// The chance that 600 Poisson seconds of this mean reach 25 is about 600 * 1e-7.
}

// TestMix counts the lines by kind and status.
func TestMix(t *testing.T) {
	all, others := entries(t)
	digits := regexp.MustCompile(`[0-9]+`)
	n := make(map[string]float64)
	products := make(map[string]float64)
	for _, e := range all {
		path, _, _ := strings.Cut(e.target, "?")
		n[fmt.Sprintf("%s %s %d", e.method, digits.ReplaceAllString(path, "N"), e.status)]++
		n[fmt.Sprint(e.status)]++
		if e.user != "-" {
			n["logged in"]++
		}
		if strings.Contains(e.client, ":") {
			n["IPv6"]++
		}
		if strings.HasPrefix(path, "/products/") {
			products[path]++
		}
	}
	total := float64(len(all))
	share := func(kind string, lo, hi float64) { t.Helper(); within(t, "share of "+kind, n[kind]/total, lo, hi) }
	share("GET /products/N 200", .25, .50)
	share("GET /products 200", .10, .25)
	share("GET /healthz 200", .15, .30)
	share("GET /search 200", .05, .15)
	share("GET / 200", .05, .15)
	share("GET /cart 200", .02, .06)
	share("POST /cart/items 201", .01, .04)
	share("logged in", .20, .50)
	share("IPv6", .05, .15)
	share("404", .01, .03)
	share("401", .005, .03)
	for kind, least := range map[string]float64{"POST /orders 201": 150, "GET /orders/N 200": 300, "GET /users/N 200": 150, "GET /cart 401": 150,
		"GET /orders/N 403": 20, "GET /products/N 404": 150, "POST /cart/items 401": 50, "HEAD /products/N 200": 30, "GET /.env 404": 6} {
		within(t, kind, n[kind], least, total)
	}
	within(t, "different products", float64(len(products)), 500, 700)
	for kind := range n {
		if strings.HasPrefix(kind, "5") || kind == "304" {
			t.Errorf("%v requests with status %s, which the reference shop does not answer", n[kind], kind)
		}
	}
	within(t, "lines that are no request", float64(len(others)), 10, 40)
	for name, pattern := range map[string]string{"handshake": `"\\x16\\x03`, "no request": `"-" 4`, "torn": `^[^"]*"GET [^"]*" 200 [^"]*"[^"]*" "[^"]*$`, "empty": `^$`} {
		if !regexp.MustCompile(`(?m)` + pattern).MatchString(strings.Join(others, "\n")) {
			t.Errorf("no line of the kind %q", name)
		}
	}
	long := 0
	for line := range strings.Lines(string(text(t))) {
		if len(line) > 1<<20 {
			long++
		}
	}
	within(t, "lines over a mebibyte", float64(long), 1, 1)
	if !strings.Contains(string(text(t)), `\x22QuoteBot\x22`) {
		t.Error("no agent with quotes")
	}
}

// TestNAT wants addresses behind which several customers stand.
func TestNAT(t *testing.T) {
	all, _ := entries(t)
	users := make(map[string]map[string]bool)
	for _, e := range all {
		if users[e.client] == nil {
			users[e.client] = make(map[string]bool)
		}
		users[e.client][e.user] = true
	}
	shared := 0
	for _, names := range users {
		if len(names) >= 4 {
			shared++
		}
	}
	within(t, "addresses with four users or more", float64(shared), 3, 50)
}

// TestPlanted: what must not survive must be there to begin with, in the peak too.
func TestPlanted(t *testing.T) {
	all, _ := entries(t)
	var peak strings.Builder
	for _, e := range inPeak(all) {
		fmt.Fprintln(&peak, e.client, e.user, e.target)
	}
	within(t, "planted values", float64(len(testdata.Planted)), 40, 100)
	for _, s := range testdata.Planted {
		if len(s) < 8 {
			t.Errorf("%q is so short that chance could make it", s)
		}
		if !strings.Contains(peak.String(), s) {
			t.Errorf("%q is not in the peak", s)
		}
	}
}
