package ingest_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"reprise/ingest"
)

// converter writes requests as one server logs them, with that server's escapes.
type converter struct {
	name  string // of the format, as detection must find it
	head  string // lines above the first request
	unit  int64  // nanoseconds: what the format can tell of a start and a duration
	lacks string // names of recordFields that the format does not log
	write func(b []byte, r *ingest.Record) []byte
	// holds tells the requests that the format can write without loss; nil = all.
	holds func(r *ingest.Record) bool
	// reads changes a request to what its line can tell, where an encoding is not one to one; nil = nothing.
	reads func(r *ingest.Record)
}

var converters = slices.Concat(clfConverters, proxyConverters, awsConverters, w3cConverters, jsonConverters)

// recordFields are what every format must give back, and what stands in a record whose format lacks it.
var recordFields = []struct {
	name   string
	text   func(r *ingest.Record) string
	absent string
}{
	{"start", func(r *ingest.Record) string { return time.Unix(0, r.Start).UTC().Format(time.RFC3339Nano) }, ""},
	{"duration", func(r *ingest.Record) string { return strconv.FormatInt(r.Duration, 10) }, "-1"},
	{"client", func(r *ingest.Record) string { return string(r.Client) }, ""},
	{"user", func(r *ingest.Record) string { return string(r.User) }, ""},
	{"host", func(r *ingest.Record) string { return string(r.Host) }, ""},
	{"method", func(r *ingest.Record) string { return string(r.Method) }, ""},
	{"target", func(r *ingest.Record) string { return string(r.Target) }, ""},
	{"protocol", func(r *ingest.Record) string { return string(r.Protocol) }, "HTTP/1.0"},
	{"status", func(r *ingest.Record) string { return strconv.Itoa(r.Status) }, "0"},
	{"bytes", func(r *ingest.Record) string { return strconv.FormatInt(r.Bytes, 10) }, "-1"},
	{"referer", func(r *ingest.Record) string { return string(r.Referer) }, ""},
	{"agent", func(r *ingest.Record) string { return string(r.Agent) }, ""},
}

const site = "shop.example"

// requests yields the records of a combined log as a server would have seen them: with a host, and with a
// duration that is made up from the place in the file.
func requests(ctx context.Context, name string, stdin io.Reader) iter.Seq2[*ingest.Record, error] {
	return func(yield func(*ingest.Record, error) bool) {
		r, err := ingest.Open(ctx, []string{name}, ingest.Options{Format: "combined", Stdin: stdin, SkipHash: true})
		if err != nil {
			yield(nil, err)
			return
		}
		for record, err := range r.Records(ctx) {
			if err == nil {
				if len(record.Host) == 0 { // else the target names it
					record.Host = []byte(site)
				}
				record.Duration = record.Pos.Line * 7919 % 4000 * 1e6
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// collect copies requests, so that every converter can be given the same.
func collect(t *testing.T, all iter.Seq2[*ingest.Record, error]) []*ingest.Record {
	t.Helper()
	var copies []*ingest.Record
	for r, err := range all {
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, r.Clone())
	}
	return copies
}

// held yields copies of those requests that c can write, as c can write them.
func (c *converter) held(all iter.Seq[*ingest.Record]) iter.Seq[*ingest.Record] {
	return func(yield func(*ingest.Record) bool) {
		for r := range all {
			if c.holds != nil && !c.holds(r) {
				continue
			}
			one := *r
			one.Duration -= one.Duration % c.unit
			if !yield(&one) {
				return
			}
		}
	}
}

// convert writes requests to w.
func (c *converter) convert(w io.Writer, all iter.Seq[*ingest.Record]) error {
	b := bufio.NewWriterSize(w, 1<<16)
	_, _ = b.WriteString(c.head)
	var line []byte
	for r := range c.held(all) {
		line = append(c.write(line[:0], r), '\n')
		_, _ = b.Write(line) // a bufio.Writer keeps its error for Flush
	}
	return b.Flush()
}

// check converts the requests and reads them back.
func (c *converter) check(t *testing.T, all []*ingest.Record) (records int64) {
	t.Helper()
	var text bytes.Buffer
	if err := c.convert(&text, slices.Values(all)); err != nil {
		t.Fatal(err)
	}
	reader, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: &text, SkipHash: true})
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull(c.held(slices.Values(all)))
	defer stop()
	for got, err := range reader.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		want, ok := next()
		if !ok {
			t.Fatalf("line %d is more than was written", got.Pos.Line)
		}
		if diff := c.compare(got, want); diff != "" {
			t.Fatalf("line %d: %s\n%s", got.Pos.Line, diff, c.write(nil, want))
		}
	}
	f := reader.Report().Files[0]
	if _, more := next(); more || f.Rejected+f.NoRequest != 0 {
		t.Errorf("records are missing: %+v", f)
	}
	checkBalance(t, f)
	if f.Format != c.name {
		t.Errorf("detected as %s, want %s", f.Format, c.name)
	}
	return f.Records
}

// compare returns the first field in which two records differ.
func (c *converter) compare(got, want *ingest.Record) string {
	if c.reads != nil {
		c.reads(want)
	}
	lacks := strings.Fields(c.lacks)
	for _, f := range recordFields {
		w := f.text(want)
		if slices.Contains(lacks, f.name) && !(f.name == "host" && w != site) { // an absolute target tells the host in any format
			w = f.absent
		}
		if g := f.text(got); g != w {
			return fmt.Sprintf("%s is %q, want %q", f.name, g, w)
		}
	}
	return ""
}

// generated makes n combined lines of all the kinds that servers write: odd methods and targets, both servers'
// escapes, bytes that are no UTF-8, statuses of no response, users with spaces, IPv6 and host names.
func generated(n int, seed uint64) []byte {
	d := rand.New(rand.NewPCG(seed, 3))
	pick := func(of ...string) string { return of[d.IntN(len(of))] }
	at := time.Date(2025, 3, 12, 8, 14, 3, 0, time.UTC)
	var b bytes.Buffer
	for range n {
		at = at.Add(time.Duration(d.IntN(3)) * time.Second)
		target := pick("/", "/a/b.html", "/50%-off", "/caf\\xC3\\xA9", "/caf\\xE9", "/%E4%B8%AD%20x", "/a b.html", "/index.php", `/q\x22uo\x22te`, `/back\\slash`, "/a|b{c}#d,e;f", "/~u/[1]", "http://ex.example:8080/a") +
			pick("", "", "?q=1", "?a=b+c&d=%2B", "?x=%zz&y=<>'", "?u=http://ex.example/", "?a=1?b=2&&=", `?j={\"k\":1}`)
		protocol := pick("HTTP/1.0", "HTTP/1.1", "HTTP/2.0")
		if target[0] != '/' {
			protocol = "HTTP/1.1" // HTTP/2 has no absolute form
		}
		fmt.Fprintf(&b, "%s - %s [%s] \"%s %s %s\" %s %d \"%s\" \"%s\"\n",
			pick("203.0.113.7", "198.51.100.23", "2001:db8::7", "192.0.2.200"),
			pick("-", "-", "-", "ann", "ann@ex.example", "Ann B"),
			at.In(time.FixedZone("", 3600)).Format("02/Jan/2006:15:04:05 -0700"),
			pick("GET", "GET", "GET", "POST", "HEAD", "PUT", "PROPFIND", "SSTP_DUPLEX_POST"), target, protocol,
			pick("200", "200", "304", "404", "499", "503", "000"), pick0(d),
			pick("-", "https://ex.example/", "https://ex.example/s?q=a%20b", `https://ex.example/?q=\"x\"`),
			pick("-", "curl/8.5", "Mozilla/5.0 (X11; Linux x86_64)", `a \"b\" c`, `back\\slash`, "caf\\xe9", "tab\\tbed", "Bot/2.1 (+http://ex.example/bot)", "{a|b}#c"))
	}
	return b.Bytes()
}

// pick0 draws a size: none, small, or beyond 32 bits.
func pick0(d *rand.Rand) int64 {
	switch d.IntN(8) {
	case 0:
		return 0
	case 1:
		return 1<<32 + d.Int64N(1<<20)
	}
	return d.Int64N(60_000)
}

// TestConvertedLogs reads the same requests as every server writes them.
func TestConvertedLogs(t *testing.T) {
	const n = 3000
	all := collect(t, requests(t.Context(), "-", bytes.NewReader(generated(n, 1))))
	for i := range converters {
		c := &converters[i]
		t.Run(c.name, func(t *testing.T) {
			records := c.check(t, all)
			if records < n/2 || c.holds == nil && records != n {
				t.Errorf("the format held only %d of %d requests", records, n)
			}
		})
	}
}

// unusual yields the requests that hold bytes which some server must escape, and one in fifteen of the others.
func unusual(all iter.Seq2[*ingest.Record, error]) iter.Seq2[*ingest.Record, error] {
	special := func(s []byte) bool {
		for _, c := range s {
			if c < ' ' || c >= 0x7f || strings.IndexByte(`"<>\{|}`, c) >= 0 {
				return true
			}
		}
		return false
	}
	return func(yield func(*ingest.Record, error) bool) {
		n := 0
		for r, err := range all {
			n++
			if err == nil && n%15 != 0 && r.Target[0] == '/' && !hasByte(r.Target, ' ') && !special(r.Target) && !special(r.Referer) && !special(r.Agent) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// The requests of a real log as every server writes them: of its 178,514, every unusual one and a share of the rest.
func TestConvertedRealLog(t *testing.T) {
	all := collect(t, unusual(requests(t.Context(), realLog(t, "nginx-blog-2012.log.gz"), nil)))
	for i := range converters {
		c := &converters[i]
		t.Run(c.name, func(t *testing.T) {
			records := c.check(t, all)
			if records < 12_000 {
				t.Errorf("the format held only %d requests", records)
			}
		})
	}
}
