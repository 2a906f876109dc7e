package audit_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/audit"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
	Errorf(string, ...any)
}

// key is the key whose secret is n, n+1, n+2 ...
func key(t failer, n byte) *anonymize.Key {
	t.Helper()
	var secret [32]byte
	for i := range secret {
		secret[i] = n + byte(i)
	}
	k, err := anonymize.ReadKey(strings.NewReader("reprise-key-v1 "+base64.RawURLEncoding.EncodeToString(secret[:])+"\n"), "test")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// subject is a log with the trace that the anonymizer makes of it.
type subject struct {
	log     string // its file
	rules   *rules.Rules
	set     *endpoint.Set
	key     *anonymize.Key
	header  recordfile.Header
	stats   anonymize.Stats
	records []*trace.Record
}

// newSubject anonymizes a log with templates that are learned from it.
func newSubject(t failer, dir, text string, r *rules.Rules) *subject {
	t.Helper()
	s := &subject{log: filepath.Join(dir, "access.log"), rules: r, key: key(t, 1)}
	if err := os.WriteFile(s.log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := endpoint.NewLearner()
	s.each(t, func(rec *ingest.Record) { l.AddTarget(rec.Target, endpoint.ClientHash(rec.Client), rec.Status) })
	s.set = l.Set()
	a, err := anonymize.New(s.key, s.set, anonymize.Options{Rules: r})
	if err != nil {
		t.Fatal(err)
	}
	var out trace.Record
	report := s.each(t, func(rec *ingest.Record) {
		if a.Record(rec, &out) == nil {
			s.records = append(s.records, out.Clone())
		}
	})
	s.stats = a.Stats()
	s.header = recordfile.Header{Tool: "reprise test", KeyID: s.key.ID(), Options: map[string]any{"endpoints": s.set.Digest(), "rules": r.Digest()},
		Inputs: []recordfile.Input{{Name: "access.log", SHA256: report.Files[0].SHA256}}}
	return s
}

func (s *subject) open(ctx context.Context) (*ingest.Reader, error) {
	return ingest.Open(ctx, []string{s.log}, ingest.Options{})
}

func (s *subject) each(t failer, yield func(*ingest.Record)) ingest.Report {
	t.Helper()
	r, err := s.open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.Records(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		yield(rec)
	}
	return r.Report()
}

// leak changes records before they are written.
func (s *subject) leak(change func(r *trace.Record)) *subject {
	c := *s
	c.records = nil
	for _, r := range s.records {
		r = r.Clone()
		change(r)
		c.records = append(c.records, r)
	}
	return &c
}

// leakOne changes the record in the middle only.
func (s *subject) leakOne(change func(r *trace.Record)) *subject {
	c := *s
	c.records = slices.Clone(s.records)
	at := len(c.records) / 2
	c.records[at] = c.records[at].Clone()
	change(c.records[at])
	return &c
}

// file is the trace as a file.
func (s *subject) file(t failer) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, s.header)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	details, err := json.Marshal(map[string]any{"replaced": s.stats})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recordfile.Trailer{Details: details}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// options are those of an audit with everything at hand.
func (s *subject) options(t failer) audit.Options {
	t.Helper()
	file := s.file(t)
	return audit.Options{Trace: func() (io.Reader, error) { return bytes.NewReader(file), nil }, Logs: s.open, Rules: s.rules, Endpoints: s.set, Key: s.key}
}

// audit runs an audit and checks that no report has a value of the log.
func (s *subject) audit(t failer, change func(*audit.Options)) *audit.Report {
	t.Helper()
	o := s.options(t)
	if change != nil {
		change(&o)
	}
	report, err := audit.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, raw := range personal {
		if strings.Contains(text.String(), raw) {
			t.Errorf("the report holds a value of the log: %s", raw)
		}
	}
	return report
}

// personal are values that the generated logs hold.
var personal = []string{"annika.svensson", "nordmail", "4539578763621486", "4917612345678", "Hauptstrasse", "9f8Kq2LmX7vTzR4w", "7c1f0a1b-2d3e-4f50-8a61-b7c8d9e0f1a2", "svenssonova"}

// shopLog is a log of a small shop: visitors with ids, mails, phone numbers, tokens and searches.
func shopLog(seed uint64, lines int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	agents := []string{"Mozilla/5.0 (Windows NT 6.1) Chrome/86.0.4240.111 Safari/537.36", "curl/7.64.1", "Mozilla/5.0 (X11; Linux) Firefox/115.0"}
	query := func(user int) string {
		switch r.IntN(8) {
		case 0:
			return fmt.Sprintf("/search?q=lamp+%d&page=%d&sort=price", r.IntN(90000), r.IntN(20))
		case 1:
			return fmt.Sprintf("/users/%d/orders/%08d?lang=de", 100000+user*37, r.IntN(1e8))
		case 2:
			return fmt.Sprintf("/login?mail=user%d%%40nordmail-%d.de&token=%016x", user, user%7, r.Uint64())
		case 3:
			return fmt.Sprintf("/p/%d.html?ref=%%E5%%8C%%97%%E4%%BA%%AC-%d", r.IntN(100000), user)
		case 4:
			return fmt.Sprintf("/api/call?phone=%%2B49176%08d&id=%08x-1111-4222-8333-%012x", r.IntN(1e8), r.Uint32(), r.Uint64()>>16)
		case 5:
			return fmt.Sprintf("/item;color=blue;v=%d/view", r.IntN(5000))
		case 6:
			return "/cart?data=" + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "User:%d", 100000+user*37))
		}
		return "/static/app.js?v=1.7.2"
	}
	for i := range lines {
		user := r.IntN(200)
		fmt.Fprintf(&b, "%d.%d.%d.%d - user%d [22/Jan/2019:%02d:%02d:%02d +0000] \"GET %s HTTP/1.1\" 200 %d \"https://www.shop-nord.de/p/%d?u=%d\" \"%s\"\n",
			241+user%14, user, user%50, user*7%256, user, 3+i/3600%20, i/60%60, i%60, query(user), r.IntN(9000), r.IntN(1000), user, agents[user%len(agents)])
	}
	return b.String()
}

// rich is a line with one of each kind of personal value.
const rich = `85.214.132.117 - annika.svensson [22/Jan/2019:23:59:01 +0000] "GET /users/738465/mail/annika.svensson%40nordmail.de?phone=%2B4917612345678&card=4539578763621486&address=Hauptstrasse+47+Leverkusen&session=9f8Kq2LmX7vTzR4w&id=7c1f0a1b-2d3e-4f50-8a61-b7c8d9e0f1a2 HTTP/1.1" 200 5 "https://www.svenssonova.de/blog" "Mozilla/5.0 (SvenssonPhone 7; serial 8Q3TTY21K9)"` + "\n"

func shop(t testing.TB) *subject {
	t.Helper()
	return newSubject(t, t.TempDir(), shopLog(1, 600)+rich, rules.Default())
}
