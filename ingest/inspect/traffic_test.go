package inspect_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"reprise/ingest"
	"reprise/ingest/inspect"
)

const second = int64(1e9)

// A poller comes like a clock, a loop comes when it can, and people come once.
func TestRepeatedRequests(t *testing.T) {
	var records []*ingest.Record
	add := func(start int64, client, method, target string, status int) {
		records = append(records, &ingest.Record{
			Start: start, Duration: ingest.Unknown, Client: []byte(client), Method: []byte(method), Target: []byte(target), Status: status, Agent: []byte("agent"),
		})
	}
	for k := range int64(500) {
		add(k*60*second+k%3*second, "203.0.113.1", "GET", "/users/evelyn/feed?since="+fmt.Sprint(k), 304)
		add(k*k%977*31*second, "203.0.113.2", "POST", fmt.Sprintf("/wp-cron.php?doing_wp_cron=%d", k), 499)
		for n := range int64(5) {
			add(k*60*second, fmt.Sprintf("203.0.113.%d", 10+n), "GET", fmt.Sprintf("/products/%d", k), 200)
		}
	}
	slices.SortStableFunc(records, func(a, b *ingest.Record) int { return int((a.Start - b.Start) / second) })
	want := []inspect.Repeat{
		{Method: "GET", Path: "/users/{word}/feed", Status: "304", Requests: 500, Steady: true, IntervalSeconds: 60},
		{Method: "POST", Path: "/wp-cron.php", Status: "499", Requests: 500},
	}
	check := func(s inspect.Summary) {
		t.Helper()
		got := slices.SortedFunc(slices.Values(s.Repeats), func(a, b inspect.Repeat) int { return len(b.Path) - len(a.Path) })
		for k := range got {
			if off := got[k].IntervalSeconds - want[k].IntervalSeconds; off > -2 && off < 2 {
				got[k].IntervalSeconds = want[k].IntervalSeconds
			}
		}
		if !slices.Equal(got, want) || s.Shares.Repeated != 1000 || s.Shares.Polling != 500 {
			t.Errorf("repeats %+v, %d repeated, %d polling", got, s.Shares.Repeated, s.Shares.Polling)
		}
	}
	check(summaryOf(inspect.Options{}, records))
	check(summaryOf(inspect.Options{}, records[:1000], records[1000:2000], records[2000:])) // a rotated log
}

// A repeated request is found among many others, whatever falls into its slot.
func TestRepeatedAmongOthers(t *testing.T) {
	i := inspect.New(inspect.Options{})
	for k := range int64(200_000) {
		r := ingest.Record{Start: k * second, Client: fmt.Appendf(nil, "client-%d", k), Method: []byte("GET"), Target: []byte("/"), Status: 200}
		if k%100 == 0 {
			r.Client = []byte("203.0.113.9")
		}
		i.Add(&r)
	}
	s := i.Finish(ingest.Report{})
	if len(s.Repeats) != 1 || s.Repeats[0].Requests < 1900 || s.Repeats[0].Requests > 2000 || !s.Repeats[0].Steady {
		t.Errorf("%+v", s.Repeats)
	}
}

func TestTrap36SharesAreToldAndNothingIsFiltered(t *testing.T) {
	f := func(want inspect.Shares, r ingest.Record) {
		t.Helper()
		i := inspect.New(inspect.Options{})
		i.Add(&r)
		if got := i.Finish(ingest.Report{}).Shares; got != want {
			t.Errorf("%s %s: %+v, want %+v", r.Method, r.Target, got, want)
		}
	}
	get := func(target, agent string) ingest.Record {
		return ingest.Record{Method: []byte("GET"), Target: []byte(target), Status: 200, Agent: []byte(agent), Client: []byte("203.0.113.7")}
	}
	plain := get("/a", "Mozilla/5.0")
	f(inspect.Shares{}, plain)
	for _, agent := range []string{"kube-probe/1.30", "ELB-HealthChecker/2.0", "GoogleHC/1.0", "Amazon-Route53-Health-Check-Service", "Consul Health Check",
		"a betteruptime", "NAGIOS", "x Check_HTTP/2"} {
		f(inspect.Shares{Bots: 1, HealthChecks: 1}, get("/a", agent))
	}
	for _, agent := range []string{"Examplebot/2.1", "curl/8.5", "Go-http-client/1.1", "aBot", "BOTH"} {
		f(inspect.Shares{Bots: 1}, get("/a", agent))
	}
	for _, agent := range []string{"", "b", "bo", "curl", "cra wl", "Go-htt", "http client"} {
		f(inspect.Shares{}, get("/a", agent))
	}
	for _, path := range []string{"/health", "/healthz?full=1", "/api/v1/healthz/", "/ping", "/ready", "/live", "/status", "/HealthCheck", "/__heartbeat__", "/a/SERVER-STATUS//", "/_health",
		"/up.php", "http://other.example/livez"} {
		r := get(path, "")
		want := inspect.Shares{HealthChecks: 1}
		if path[0] != '/' {
			want.AbsoluteURI = 1
		}
		f(want, r)
	}
	for _, path := range []string{"/orders/status", "/mental-health", "/blog/live", "/healthy-food", "/1server-status", "health", "/", "//", "*", ""} {
		f(inspect.Shares{}, get(path, ""))
	}
	for _, client := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "unix:", "localhost"} {
		r := plain
		r.Client = []byte(client)
		f(inspect.Shares{Loopback: 1}, r)
	}
	for upstream, retried := range map[string]int64{"": 0, "-": 0, "0.040": 0, "0.040, 0.002": 1, "0.004 : 0.012": 1, "-, 0.1": 1} {
		r := plain
		r.Upstream, r.UpstreamUnit = []byte(upstream), second
		f(inspect.Shares{Retried: retried}, r)
	}
	r := plain
	r.Method, r.Status, r.Duration, r.Origin, r.Flags = []byte("PATCH"), 499, 5, ingest.OriginDerived, ingest.FlagTruncated
	f(inspect.Shares{Mutating: 1, BodyMissing: 1, ClientGone: 1, DerivedStart: 1, Truncated: 1}, r)
	r = plain
	r.Method, r.Status, r.Duration = []byte("BREW"), -1, ingest.Unknown
	f(inspect.Shares{Mutating: 1, NoStatus: 1, NoDuration: 1}, r)
	r.Method, r.Target = []byte("CONNECT"), []byte("other.example:443")
	f(inspect.Shares{Connect: 1, NoStatus: 1, NoDuration: 1}, r)
}

// A log of 30 years is counted in coarser bins, the same for any order, and says so; what a file's own busiest second was
// stays known.
func TestLongLog(t *testing.T) {
	parts := make([][]*ingest.Record, 3)
	for p := range parts {
		for k := range int64(6000) {
			at := (int64(p)*6000 + k) * 50_000 * second
			for range 1 + k%300/299*int64(3+p) {
				parts[p] = append(parts[p], &ingest.Record{Start: at, Client: []byte("203.0.113.7"), Method: []byte("GET"), Target: []byte("/"), Status: 200})
			}
		}
	}
	s := summaryOf(inspect.Options{}, parts...)
	if s.BinSeconds < 2 || s.PeakSecond != 6 || s.PeakSliding.AtLeast != 6 || s.PeakSliding.AtMost < 6 {
		t.Errorf("bins of %d s, peak %d, sliding %+v", s.BinSeconds, s.PeakSecond, s.PeakSliding)
	}
	if gap := s.LongestGap.Seconds; gap > 50_000 || gap < 50_000-2*s.BinSeconds {
		t.Errorf("the longest gap is %d s", gap)
	}
	slices.Reverse(parts)
	if other := summaryOf(inspect.Options{}, parts...); !reflect.DeepEqual(other, s) {
		t.Errorf("in another order:\n%+v\n%+v", other, s)
	}
}

// Requests that come up to 96 seconds late are in the sliding peak; files of the same time leave only bounds.
func TestSlidingPeakOfLateLines(t *testing.T) {
	record := func(ms int64) *ingest.Record {
		return &ingest.Record{Start: ms * 1e6, Precision: ingest.PrecisionMillisecond, Method: []byte("GET"), Target: []byte("/")}
	}
	records := []*ingest.Record{record(500), record(90_000), record(600), record(1400), record(1550)}
	f := func(want inspect.Range, parts ...[]*ingest.Record) {
		t.Helper()
		if got := summaryOf(inspect.Options{}, parts...).PeakSliding; got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	f(inspect.Range{AtLeast: 3, AtMost: 4}, records)
	f(inspect.Range{AtLeast: 3, AtMost: 4}, records[:2], records[2:])                              // at the same time
	f(inspect.Range{AtLeast: 2, AtMost: 4}, []*ingest.Record{records[0], records[2]}, records[3:]) // one after the other
	f(inspect.Range{AtLeast: 2, AtMost: 2}, []*ingest.Record{records[0], records[2]}, []*ingest.Record{record(5000), records[1]})
}
