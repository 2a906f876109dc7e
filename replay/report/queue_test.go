package report_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"reprise/replay/latency"
	"reprise/replay/result"
)

// queue is the model behind every fixture: first come, first served by a number of slots, with a stall, a
// timeout and a limit on the backlog. Instants are seconds.
type queue struct {
	mode      string
	scenario  string
	source    string
	seconds   int
	rate      func(second int) float64
	workers   int // closed loop
	slots     int
	serviceMS float64 // median
	stall     [2]float64
	timeout   float64
	backlog   float64 // longest wait before the target rejects; 0 = none
	cap       int     // in flight; 0 = none
	endpoints int
	lagMS     float64 // the generator's own delay, scaled at random
	invalid   []string
	seed      uint64
	requests  int // at most; 0 = no limit
	targetEnv string
	sha       string
	warmup    float64
	freeSlots []float64
}

func steady(rate float64) func(int) float64 { return func(int) float64 { return rate } }

// bursty is a rate with a slow swell and short bursts, as logs have.
func bursty(rate float64) func(int) float64 {
	return func(s int) float64 {
		v := rate * (1 + 0.35*math.Sin(float64(s)/37))
		if s%23 == 11 || s%41 == 17 {
			v *= 1.9
		}
		return v
	}
}

func (q *queue) summary(t testing.TB) *result.Summary {
	t.Helper()
	rng := rand.New(rand.NewPCG(q.seed, 1))
	q.freeSlots = make([]float64, q.slots)
	send := q.open
	if q.mode == "closed" {
		send = q.closed
	}
	outcomes := send(rng)
	rec := latency.NewRecorder(latency.Options{})
	led := result.Ledger{Arrivals: int64(len(outcomes))}
	for i := range outcomes {
		led.Add(&outcomes[i])
		if err := rec.Observe(&outcomes[i]); err != nil {
			t.Fatal(err)
		}
	}
	rec.Close()
	if err := led.Check(); err != nil {
		t.Fatal(err)
	}
	return q.fill(t, rec, &led, outcomes)
}

// serve gives the outcome of one request that is dispatched at the given instant.
func (q *queue) serve(rng *rand.Rand, intended, lag float64, seq int) result.Outcome {
	o := result.Outcome{Seq: int64(seq), Status: 200, Logged: 200, Written: true, Reused: rng.Float64() < 0.99}
	o.Endpoint = int32(math.Min(float64(q.endpoints-1), rng.ExpFloat64()*float64(q.endpoints)/5))
	at := intended + lag
	o.Intended, o.Dispatched, o.SentAt = ns(intended), ns(at), ns(at+20e-6)
	k := 0
	for i := range q.freeSlots {
		if q.freeSlots[i] < q.freeSlots[k] {
			k = i
		}
	}
	start := math.Max(at, q.freeSlots[k])
	if start >= q.stall[0] && start < q.stall[1] {
		start = q.stall[1]
	}
	if q.backlog > 0 && start-at > q.backlog {
		o.Kind, o.Status, o.Done = result.Rejected, 503, ns(at+0.002)
		o.FirstByte = o.Done - 1000
		return o
	}
	slow := 1 + float64(o.Endpoint%5)/3
	done := start + q.serviceMS/1000*slow*math.Exp(0.45*rng.NormFloat64())
	q.freeSlots[k] = done
	o.Done, o.FirstByte = ns(done), ns(done-100e-6)
	switch {
	case done-intended > q.timeout:
		o.Kind, o.Cause, o.Status = result.TimedOut, result.CauseFirstByte, 0
		o.Done, o.FirstByte = ns(intended+q.timeout+rng.Float64()*0.003), result.Unset
	case rng.Float64() < 0.0004:
		o.Kind, o.Cause, o.Status = result.Failed, result.CauseReset, 0
	}
	return o
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

func (q *queue) open(rng *rand.Rand) []result.Outcome {
	var at []float64
	for s := range q.seconds {
		n := q.rate(s)
		whole := int(n)
		if rng.Float64() < n-float64(whole) {
			whole++
		}
		for range whole {
			at = append(at, float64(s)+rng.Float64())
		}
	}
	slices.Sort(at)
	if q.requests > 0 {
		at = at[:min(len(at), q.requests)]
	}
	out := make([]result.Outcome, len(at))
	var busy []int64
	for i, t := range at {
		busy = slices.DeleteFunc(busy, func(done int64) bool { return done <= ns(t) })
		if q.cap > 0 && len(busy) >= q.cap {
			out[i] = result.Outcome{Seq: int64(i), Kind: result.Dropped, Cause: result.CauseCap, Intended: ns(t), Dispatched: ns(t), SentAt: result.Unset, FirstByte: result.Unset, Done: result.Unset}
			continue
		}
		out[i] = q.serve(rng, t, q.lagMS/1000*rng.ExpFloat64()/3, i)
		busy = append(busy, out[i].Done)
	}
	return out
}

func (q *queue) closed(rng *rand.Rand) []result.Outcome {
	next := make([]float64, q.workers)
	var out []result.Outcome
	for {
		w := 0
		for i := range next {
			if next[i] < next[w] {
				w = i
			}
		}
		if next[w] >= float64(q.seconds) {
			return out
		}
		o := q.serve(rng, next[w], 0, len(out))
		next[w] = float64(o.Done)/1e9 + 50e-6
		out = append(out, o)
	}
}

// startedAt is another instant for every fixture.
func (q *queue) startedAt() string {
	at := time.Date(2026, 11, 27, 20, int(q.seed), len(q.mode)+int(q.serviceMS), 123456789, time.UTC)
	return at.Format(time.RFC3339Nano)
}

func (q *queue) fill(t testing.TB, rec *latency.Recorder, led *result.Ledger, outcomes []result.Outcome) *result.Summary {
	t.Helper()
	hdr, err := rec.Response.Encode()
	if err != nil {
		t.Fatal(err)
	}
	seconds := float64(q.seconds)
	fano := dispersion(outcomes, q.seconds)
	s := &result.Summary{
		Version: result.SummaryVersion, Mode: q.mode, Scenario: q.scenario, Seed: q.seed, Rate: float64(led.Offered) / seconds,
		DurationSeconds: seconds, TimeoutMS: q.timeout * 1000, Offered: led.Offered, Started: led.Started, Planned: led.Arrivals,
		Completed: led.Kinds[result.Completed], TimedOut: led.Kinds[result.TimedOut], Rejected: led.Kinds[result.Rejected],
		Finished: led.Finished(), Dropped: led.Kinds[result.Dropped], DroppedBy: map[string]int64{}, Written: led.Written,
		RPSCompleted: float64(led.Kinds[result.Completed]) / seconds, OfferedRPS: float64(led.Offered) / seconds, WallSeconds: seconds + 0.4,
		LatencyMS: rec.Response.Percentiles(), LatencyCompletedMS: rec.Completed.Percentiles(), ServiceMS: rec.Service.Percentiles(),
		RejectedMS: rec.Rejected.Percentiles(), ErrorsMS: rec.Errors.Percentiles(), LagMS: rec.Lag.Percentiles(),
		WaitMS: rec.Wait.Percentiles(), FirstByteMS: rec.FirstByte.Percentiles(),
		Latency:     result.Latency{Clock: "intended", Population: "completed+timed_out", N: rec.Response.Count(), Censored: rec.Censored(), HDR: hdr},
		Environment: "linux/amd64 go1.26.0", StartedAt: q.startedAt(), ToolVersion: "0.1.0",
		TargetEnvironment: q.targetEnv, TargetVersion: "2.7.1", Errors: result.Errors{Total: led.Kinds[result.Failed], ByKind: map[string]int64{"reset": led.Kinds[result.Failed]}},
		TimedOutBy: map[string]int64{"first_byte": led.Kinds[result.TimedOut]}, Status: map[string]int64{},
		Connections: result.Connections{Policy: "reuse", New: 24, Reused: led.Started - 24}, Warmup: result.Warmup{Seconds: q.warmup, Requests: 1200},
		Arrivals:  result.Arrivals{Source: q.source, Model: "measured", Speed: 60, PlanSHA256: q.sha, KeyID: "7f3a", Fano1s: &fano},
		Generator: result.Generator{Cores: 2, CPU: 0.23, GCPauseMaxMS: 0.4, SchedP99MS: 0.2, FDsMax: 164, Go: "go1.26.0"},
		Valid:     len(q.invalid) == 0, InvalidReasons: q.invalid, Warnings: []string{},
		Contract: map[string]string{"latency_def": "1", "max_in_flight": "2000", "reject_status": "429,503", "data_set": "sha256:41c0"},
	}
	if s.Dropped > 0 {
		s.DroppedBy["cap"] = s.Dropped
	}
	if lo, hi, ok := rec.P99Interval(); ok {
		s.Latency.P99CI95 = [2]float64{float64(lo.Microseconds()) / 1000, float64(hi.Microseconds()) / 1000}
	}
	for status, n := range led.Statuses {
		s.Status[strconv.Itoa(int(status))] = n
	}
	q.endpointTable(s, rec)
	q.timeline(s, rec, outcomes)
	return s
}

// dispersion is the variance of the per-second counts over their mean.
func dispersion(outcomes []result.Outcome, seconds int) float64 {
	counts := make([]float64, seconds+1)
	for i := range outcomes {
		counts[min(int64(seconds), outcomes[i].Intended/1e9)]++
	}
	var sum, squares float64
	for _, c := range counts[:seconds] {
		sum, squares = sum+c, squares+c*c
	}
	mean := sum / float64(seconds)
	return (squares/float64(seconds) - mean*mean) / mean
}

func (q *queue) endpointTable(s *result.Summary, rec *latency.Recorder) {
	words := []string{"/p/{id}", "/search", "/", "/cart", "/c/{name}", "/account", "/api/stock/{id}", "/help/{name}"}
	for _, e := range rec.Endpoints(50) {
		row := result.Endpoint{Method: "GET", Template: words[max(0, int(e.Index))%len(words)], Offered: e.Offered,
			Completed: e.Kinds[result.Completed], TimedOut: e.Kinds[result.TimedOut], Rejected: e.Kinds[result.Rejected],
			Errors: e.Kinds[result.Failed], Dropped: e.Kinds[result.Dropped], LatencyMS: e.Response.Percentiles(), ServiceMS: e.Service.Percentiles()}
		switch n := int(e.Index) / len(words); {
		case e.Index < 0:
			row.Method, row.Template = "", "others"
		case n > 0:
			row.Template += fmt.Sprintf("/v%d", n)
		}
		s.Endpoints = append(s.Endpoints, row)
	}
}

func (q *queue) timeline(s *result.Summary, rec *latency.Recorder, outcomes []result.Outcome) {
	seconds := rec.Seconds()
	n := len(seconds)
	l := result.Timeline{BinSeconds: 1, Planned: make([]int64, n), Started: make([]int64, n), InFlightMax: make([]int64, n)}
	type edge struct{ at, step int64 }
	var edges []edge
	for i := range outcomes {
		o := &outcomes[i]
		l.Planned[o.Intended/1e9]++
		if o.Kind != result.Dropped {
			l.Started[min(int64(n-1), o.Dispatched/1e9)]++
			edges = append(edges, edge{o.Dispatched, 1}, edge{o.Done, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int {
		if a.at != b.at {
			return int(max(-1, min(1, a.at-b.at)))
		}
		return int(a.step - b.step)
	})
	var open int64
	for _, e := range edges {
		open += e.step
		if i := e.at / 1e9; i < int64(n) {
			l.InFlightMax[i] = max(l.InFlightMax[i], open)
		}
		s.MaxInFlight = max(s.MaxInFlight, open)
	}
	for i, sec := range seconds {
		s.Arrivals.PeakSecond = max(s.Arrivals.PeakSecond, l.Planned[i])
		l.Completed = append(l.Completed, sec.Kinds[result.Completed])
		l.TimedOut = append(l.TimedOut, sec.Kinds[result.TimedOut])
		l.Rejected = append(l.Rejected, sec.Kinds[result.Rejected])
		l.Errors = append(l.Errors, sec.Kinds[result.Failed])
		l.Dropped = append(l.Dropped, sec.Kinds[result.Dropped])
		l.P50 = append(l.P50, float64(sec.P50)/1e6)
		l.P99 = append(l.P99, float64(sec.P99)/1e6)
		l.LagP99 = append(l.LagP99, float64(sec.LagP99)/1e6)
	}
	s.Timeline = l
}
