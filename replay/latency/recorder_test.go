package latency_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"reprise/replay/latency"
	"reprise/replay/result"
)

const ms = int64(time.Millisecond)

// outcome is a completed one without lag and wait.
func outcome(intended, service int64) result.Outcome {
	return result.Outcome{Kind: result.Completed, Status: 200, Intended: intended, Dispatched: intended, SentAt: intended,
		FirstByte: intended + service, Done: intended + service}
}

func TestPopulations(t *testing.T) {
	r := latency.NewRecorder(latency.Options{Timeout: time.Second})
	put := func(o result.Outcome) { _ = r.Observe(&o) }
	full := outcome(0, 0)
	full.Dispatched, full.SentAt, full.FirstByte, full.Done = 1*ms, 3*ms, 7*ms, 15*ms
	put(full)
	cut := full
	cut.Kind, cut.Cause, cut.FirstByte, cut.Done = result.TimedOut, result.CauseFirstByte, result.Unset, 1000*ms
	put(cut)
	queued := cut
	queued.Cause, queued.SentAt = result.CauseWait, result.Unset
	put(queued)
	rejected := full
	rejected.Kind = result.Rejected
	put(rejected)
	failed := full
	failed.Kind, failed.Cause = result.Failed, result.CauseReset
	put(failed)
	dropped := result.Outcome{Kind: result.Dropped, Cause: result.CauseCap, Dispatched: 2 * ms, SentAt: result.Unset, FirstByte: result.Unset, Done: 2 * ms}
	put(dropped)
	unsent := result.Outcome{Kind: result.Unsent, Dispatched: result.Unset, SentAt: result.Unset, FirstByte: result.Unset, Done: result.Unset}
	put(unsent)
	flying := cut
	flying.Kind, flying.Cause = result.InFlight, result.CauseAborted
	put(flying)
	r.Close()
	f := func(name string, h *latency.Histogram, n int64, largest int64) {
		t.Helper()
		if h.Count() != n || int64(h.Max()) != largest {
			t.Errorf("%s: n %d, max %v; want %d, %v", name, h.Count(), h.Max(), n, time.Duration(largest))
		}
	}
	f("response", r.Response, 3, 1000*ms)
	f("completed", r.Completed, 1, 15*ms)
	f("service", r.Service, 2, 997*ms)
	f("rejected", r.Rejected, 1, 15*ms)
	f("errors", r.Errors, 1, 15*ms)
	f("lag", r.Lag, 7, 2*ms)
	f("wait", r.Wait, 6, 999*ms)
	f("first byte", r.FirstByte, 1, 4*ms)
	if got := r.Censored(); got < .66 || got > .67 {
		t.Errorf("censored %g, want 2/3", got)
	}
	s := r.Seconds()
	if len(s) != 1 || s[0].Offered != 8 || s[0].Started != 6 || s[0].Kinds[result.TimedOut] != 2 || s[0].P99 != 1000*ms {
		t.Errorf("seconds %+v", s)
	}
}

// Seconds are closed while the run goes on, whatever the order in which requests end.
func TestSecondsAndLog(t *testing.T) {
	const seconds, perSecond = 3000, 10
	r := latency.NewRecorder(latency.Options{Timeout: 2 * time.Second})
	var all []result.Outcome
	for s := range int64(seconds) {
		for i := range int64(perSecond) {
			all = append(all, outcome(s*1000*ms+i*100*ms, (s%50+1)*ms))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := 0; i+perSecond <= len(all); i += perSecond {
		rnd.Shuffle(perSecond, func(a, b int) { all[i+a], all[i+b] = all[i+b], all[i+a] })
	}
	for i := range all {
		_ = r.Observe(&all[i])
	}
	r.Close()
	for i, s := range r.Seconds() {
		if want := (int64(i)%50 + 1) * ms; s.Offered != perSecond || s.P50 < want || s.P50 > want+want/1000+1000 || s.P99 != s.P50 {
			t.Fatalf("second %d: %+v, want %v", i, s, time.Duration(want))
		}
	}
	var b bytes.Buffer
	start := time.Date(2026, 11, 30, 19, 0, 0, 0, time.UTC)
	if err := r.WriteLog(&b, start); err != nil {
		t.Fatal(err)
	}
	log := hdr.NewHistogramLogReader(&b)
	sum := hdr.New(1, int64(time.Hour/time.Microsecond), latency.Digits)
	n, first := 0, int64(0)
	for {
		h, err := log.NextIntervalHistogram()
		if err != nil || h == nil {
			break
		}
		if n++; n == 1 {
			first = h.StartTimeMs()
		}
		if sum.Merge(h) != 0 {
			t.Fatal("the log's histograms have another range")
		}
	}
	if n == 0 || n > 1200 || sum.TotalCount() != seconds*perSecond || first != start.UnixMilli() {
		t.Errorf("%d intervals with %d values from %d, want at most 1200 with %d from %d", n, sum.TotalCount(), first, seconds*perSecond, start.UnixMilli())
	}
}

func TestEndpoints(t *testing.T) {
	r := latency.NewRecorder(latency.Options{})
	for e := range int32(1500) {
		for range 1 + e%7 {
			o := outcome(0, int64(e+1)*ms)
			o.Endpoint = e
			_ = r.Observe(&o)
		}
	}
	r.Close()
	list := r.Endpoints(50)
	if len(list) != 51 || list[0].Index != 6 || list[0].Offered != 7 || list[50].Index != -1 {
		t.Fatalf("%d endpoints, the first %+v", len(list), list[0])
	}
	var offered, counted int64
	for _, e := range list {
		offered += e.Offered
		counted += e.Response.Count()
	}
	if offered != r.Response.Count() || counted != r.Response.Count() {
		t.Errorf("offered %d, in histograms %d, want %d", offered, counted, r.Response.Count())
	}
}

// The percentile distribution has the columns that HdrHistogram's plotter wants, up to the maximum.
func TestDistribution(t *testing.T) {
	h := latency.NewHistogram()
	for i := range int64(1000) {
		h.Record(i * ms)
	}
	var b strings.Builder
	if err := h.WriteDistribution(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if strings.Join(strings.Fields(lines[0]), " ") != "Value Percentile TotalCount 1/(1-Percentile)" || !strings.Contains(b.String(), "#[Mean") {
		t.Errorf("header %q", lines[0])
	}
	var value, share float64
	var n int64
	var last string
	for _, l := range lines[2:] {
		if strings.HasPrefix(l, "#") || l == "" {
			continue
		}
		if _, err := fmt.Sscan(l, &value, &share, &n, &last); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
	}
	if n != 1000 || share != 1 || last != "inf" || value < 999 || value > 1000 {
		t.Errorf("the last line is %g %g %d %s", value, share, n, last)
	}
}

func TestRecordingDoesNotAllocate(t *testing.T) {
	r := latency.NewRecorder(latency.Options{Timeout: time.Second})
	all := mixed(4096)
	for i := range all {
		_ = r.Observe(&all[i])
	}
	i := 0
	if n := testing.AllocsPerRun(1000, func() { _ = r.Observe(&all[i%len(all)]); i++ }); n != 0 {
		t.Errorf("%g allocations per outcome", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	r := latency.NewRecorder(latency.Options{Timeout: time.Second})
	all := mixed(4096)
	b.ReportAllocs()
	for i := range b.N {
		_ = r.Observe(&all[i%len(all)])
	}
}

// mixed gives outcomes of a plausible run within one second.
func mixed(n int) []result.Outcome {
	rnd := rand.New(rand.NewPCG(3, 4))
	all := make([]result.Outcome, n)
	for i := range all {
		all[i] = outcome(int64(i)*1000*ms/int64(n), int64(rnd.ExpFloat64()*20*float64(ms)))
		all[i].Endpoint = int32(rnd.IntN(20))
	}
	return all
}
