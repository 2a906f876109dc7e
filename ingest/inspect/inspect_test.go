package inspect_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/ingest"
	"reprise/ingest/inspect"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// inspectLog reads a log given as text and returns its summary.
func inspectLog(t testing.TB, text string, o inspect.Options) inspect.Summary {
	t.Helper()
	r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	return summarize(t, t.Context(), r, o)
}

func summarize(t testing.TB, ctx context.Context, r *ingest.Reader, o inspect.Options) inspect.Summary {
	t.Helper()
	s, err := inspect.Read(ctx, r, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// smallLog has one of everything that a Summary tells.
const smallLog = `203.0.113.7 - - [12/Mar/2025:09:14:03 +0100] "GET /api/products/17?q=secret HTTP/1.1" 200 512 "-" "Mozilla/5.0"
203.0.113.7 - - [12/Mar/2025:09:14:03 +0100] "GET /api/products/18 HTTP/1.1" 200 512 "-" "Mozilla/5.0"
203.0.113.8 - - [12/Mar/2025:09:14:04 +0100] "POST /api/cart HTTP/1.1" 201 5 "-" "Mozilla/5.0"
203.0.113.9 - - [12/Mar/2025:09:14:02 +0100] "GET /api/products/19 HTTP/1.1" 499 0 "-" "examplebot/1.0"
203.0.113.9 - - [12/Mar/2025:09:14:04 +0100] "-" 400 0 "-" "-"
203.0.113.9 - - [12/Mar/2025:09:14:05 +0100] "\x16\x03\x01" 400 0 "-" "-"

203.0.113.9 - - [12/Mar/2025:10:00:00 +0100] "CONNECT other.example:443 HTTP/1.1" 405 0 "-" "-"
203.0.113.9 - - [12/Mar/2025:10:00:00 +0100] "GET http://other.example/ HTTP/1.1" 404 0 "-" "-"
203.0.113.9 - - [12/Mar/2025:10:00:01 +0100] "GET  HTTP/1.1" 400 0 "-" "-"
203.0.113.9 - - [12/Mar/2025:10:00:01 +0100] "DELETE /api/cart HTTP/1.1" 204 0 "-" "-"
`

func TestSummary(t *testing.T) {
	s := inspectLog(t, smallLog, inspect.Options{})
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"lines":11,"records":7,"no_request":2,"rejected":1,"skipped":1,"reasons":{"request_line":1}`,
		`"first_start":"2025-03-12T08:14:02Z","last_start":"2025-03-12T09:00:01Z"`,
		`"peak_second":2,"peak_second_at":"2025-03-12T08:14:03Z","peak_sliding_second":{"at_least":2,"at_most":3}`,
		`"busy_seconds":5,"longest_gap":{"seconds":2755,"after":"2025-03-12T08:14:04Z"}`,
		`"disorder":{"late_lines":1,"max_seconds":2}`,
		`"clients":3,"clients_exact":true`,
		`"methods":{"CONNECT":1,"DELETE":1,"GET":4,"POST":1}`,
		`"statuses":{"200":2,"201":1,"204":1,"404":1,"405":1,"499":1}`,
		`"shares":{"bots":1,"health_checks":0,"loopback":0,"repeated":0,"polling":0,"mutating":2,"body_missing":1,"absolute_uri":1,"connect":1,"client_gone":1,"no_status":0,"no_duration":7,"derived_starts":0,"upstream_retries":0,"truncated":0}`,
		`{"path":"/api/products/{int}","answered":2}`,
	} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the JSON lacks %s\n%s", want, got)
		}
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	s := inspectLog(t, smallLog, inspect.Options{})
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "small.txt", b.Bytes())
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "small.json", append(text, '\n'))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A summary is shown on a terminal: whatever the log holds, lines are short and printable, and neither
// clients nor queries nor agents are repeated.
func TestTextIsSafe(t *testing.T) {
	hostile := smallLog + strings.Repeat(`203.0.113.77 - evelyn [12/Mar/2025:10:00:01 +0100] "GET /`+strings.Repeat(`very-long-segment-`, 9)+`\xc3\xa9/x?token=tok4711 HTTP/1.1" 200 0 "-" "agent4711"`+"\n", 3)
	s := inspectLog(t, hostile, inspect.Options{})
	s.Files[0].Name = "evil\x1b[31m\nname"
	s.TopEndpoints = append(s.TopEndpoints, inspect.Endpoint{Path: "/\x1b]0;title\x07"})
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
		for _, c := range []byte(line) {
			if c < ' ' || c > '~' {
				t.Fatalf("byte %#x in %q", c, line)
			}
		}
	}
	for _, personal := range []string{"203.0.113", "evelyn", "tok4711", "agent4711"} {
		if strings.Contains(b.String(), personal) {
			t.Errorf("the text repeats %q", personal)
		}
	}
}

func TestClientsBeyondTheLimitAreEstimated(t *testing.T) {
	i := inspect.New(inspect.Options{Clients: 100})
	const n = 50_000
	for k := range n {
		i.Add(&ingest.Record{Client: fmt.Appendf(nil, "client-%d", k), Method: []byte("GET"), Target: []byte("/"), Status: 200})
	}
	s := i.Finish(ingest.Report{})
	if s.ClientsExact {
		t.Error("50,000 clients are called exact with a limit of 100")
	}
	if off := float64(s.Clients)/n - 1; off < -0.03 || off > 0.03 { // more than three standard errors
		t.Errorf("%d clients, estimated %d", n, s.Clients)
	}
	if len(s.Warnings) != 1 {
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestNamesAreBounded(t *testing.T) {
	i := inspect.New(inspect.Options{})
	for k := range 1000 {
		i.Add(&ingest.Record{Method: fmt.Appendf(nil, "M%d", k), Target: []byte("/"), Status: 10_000 + k})
	}
	s := i.Finish(ingest.Report{})
	if len(s.Methods) != 1 || s.Methods["other"] != 1000 || len(s.Statuses) > 33 || s.Statuses["others"] != 1000-32 {
		t.Errorf("methods %v, %d statuses, others %d", s.Methods, len(s.Statuses), s.Statuses["others"])
	}
}

func TestSlidingPeakOfFineStamps(t *testing.T) {
	i := inspect.New(inspect.Options{})
	for _, ms := range []int64{0, 600, 700, 800, 1100, 1200, 1650, 5000} {
		i.Add(&ingest.Record{Start: ms * 1e6, Precision: ingest.PrecisionMillisecond, Method: []byte("GET"), Target: []byte("/")})
	}
	s := i.Finish(ingest.Report{})
	// 700 to 1650 are five in a second; 600 to 1650 are six in eleven neighbouring tenths.
	if want := (inspect.Range{AtLeast: 5, AtMost: 6}); s.PeakSecond != 4 || s.PeakSliding != want {
		t.Errorf("peak %d, sliding %+v; want 4, %+v", s.PeakSecond, s.PeakSliding, want)
	}
}

func TestWarpedStampsAreNamed(t *testing.T) {
	i := inspect.New(inspect.Options{})
	for hour := range int64(10) {
		i.Add(&ingest.Record{Start: (hour*3600 + 5*60) * 1e9, Method: []byte("GET"), Target: []byte("/")})
	}
	s := i.Finish(ingest.Report{})
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], ":05") {
		t.Errorf("warnings %q", s.Warnings)
	}
}

// One busy minute of a quiet day is a burst.
func TestABurstIsNoWarpedStamp(t *testing.T) {
	i := inspect.New(inspect.Options{})
	for second := range int64(50) {
		i.Add(&ingest.Record{Start: second * 1e9, Method: []byte("GET"), Target: []byte("/")})
	}
	for hour := range int64(20) {
		i.Add(&ingest.Record{Start: (hour*3637 + 300) * 1e9, Method: []byte("GET"), Target: []byte("/")})
	}
	if s := i.Finish(ingest.Report{}); len(s.Warnings) > 0 {
		t.Errorf("warnings %q", s.Warnings)
	}
}

func TestNothingToInspect(t *testing.T) {
	s := inspect.New(inspect.Options{}).Finish(ingest.Report{})
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil || s.FirstStart != "" || s.PeakSecond != 0 {
		t.Errorf("%v %+v", err, s)
	}
}

// The peaks are those of logs/README.md, without the lines that hold no request.
func TestRealLogs(t *testing.T) {
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		t.Skip("REPRISE_LOGS is not set: it names the folder with the real access logs")
	}
	f := func(name string, peak, clients int64, warnings int) {
		t.Helper()
		r, err := ingest.Open(t.Context(), []string{filepath.Join(dir, name)}, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := summarize(t, t.Context(), r, inspect.Options{})
		if s.PeakSecond != peak || s.Clients != clients || len(s.Warnings) != warnings {
			t.Errorf("%s: peak %d, clients %d, warnings %q; want %d, %d, %d", name, s.PeakSecond, s.Clients, s.Warnings, peak, clients, warnings)
		}
		if s.Lines != s.Records+s.NoRequest+s.Rejected+s.Skipped {
			t.Errorf("%s: lines do not add up: %+v", name, s)
		}
	}
	f("nginx-blog-2012.log.gz", 39, 9515, 0)
	f("nasa-common-1995.log.gz", 7, 416, 0)
	f("nginx-shop-2019.log.gz", 23, 101, 0)
	f("apache-combined-2015.log.gz", 9, 1753, 1)
	f("apache-vhost-2020.log.gz", 95, 380, 0)
	f("scan-netsparker-2016.log.gz", 355, 1, 0)
}

func TestAddDoesNotAllocate(t *testing.T) {
	i := inspect.New(inspect.Options{})
	records := parse(t, variedLog(1<<20))
	add := func() {
		for k := range records {
			i.Add(&records[k])
		}
	}
	add()
	if n := testing.AllocsPerRun(5, add); n != 0 {
		t.Errorf("%g allocations for %d records whose names are known", n, len(records))
	}
}

// A word that stands where a method belongs is not shown, and one person with many addresses makes no vocabulary.
func TestNothingPersonalIsShown(t *testing.T) {
	i := inspect.New(inspect.Options{})
	add := func(n int, client, method, target string) {
		for k := range n {
			i.Add(&ingest.Record{Client: fmt.Appendf(nil, client, k), Method: []byte(method), Target: []byte(target), Status: 200})
		}
	}
	add(70, "203.0.113.%d", "GET", "/")
	add(1, "203.0.113.%d", "METHODOWSKI", "/")
	add(40, "2a02:810a:7700:42::%x", "GET", "/kowalski")
	s := i.Finish(ingest.Report{})
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "OWSKI") || strings.Contains(string(text), "kowalski") {
		t.Errorf("the summary is %s", text)
	}
	if s.Methods["other"] != 1 || s.Methods["GET"] != 110 || s.Clients != 110 {
		t.Errorf("methods %v, %d clients", s.Methods, s.Clients)
	}
}
