package compare_test

import (
	"math"
	"strings"
	"testing"

	"reprise/replay/compare"
	"reprise/replay/result"
)

func TestVerdict(t *testing.T) {
	check := func(want compare.Verdict, b ...float64) {
		t.Helper()
		a := []float64{62.0, 60.5, 63.1, 61.2, 62.7}
		c := many(t, runs(a[:len(b)]...), runs(b...), compare.Options{})
		if c.Verdict != want || c.Reason == "" {
			t.Errorf("%v: %s (%s), want %s", b, c.Verdict, c.Reason, want)
		}
	}
	// The fixture's percentiles move together, so the median's tolerance of 1 ms decides with the tail's.
	check(compare.Pass, 62.9, 61.0, 63.0, 62.2, 63.9)
	check(compare.Fail, 79.9, 76.0, 83.3, 78.8, 80.1)
	check(compare.Inconclusive, 60.0, 70.2, 66.1, 75.9, 61.4)
	check(compare.Inconclusive, 79.9, 76.0, 83.3, 78.8)
}

func TestVerdictCountsFailures(t *testing.T) {
	b := runs(60, 60.1, 59.9, 60, 60)
	for _, s := range b {
		s.Completed -= 100
		s.Status = map[string]int64{"200": 9800, "500": 100}
		s.Errors.Total = 100
	}
	c := many(t, runs(60, 60, 60, 60, 60), b, compare.Options{})
	if c.Verdict != compare.Fail || math.Abs(c.Failures.B-0.02) > 1e-12 {
		t.Errorf("verdict %s, failures %+v: errors and 500s are 2 %% of B", c.Verdict, c.Failures)
	}
	if !strings.Contains(c.Conclusion, "Failed requests: 0.0 % of A, 2.0 % of B.") {
		t.Errorf("conclusion %q", c.Conclusion)
	}
}

// A status that the run counts as rejected is no failure, whichever it is.
func TestFailuresLeaveRejectionsOut(t *testing.T) {
	check := func(contract string, present bool, want int64) {
		t.Helper()
		s := changed(func(s *result.Summary) {
			s.Status = map[string]int64{"200": 1, "500": 10, "503": 100, "429": 1000, "599": 5}
			delete(s.Contract, "reject_status")
			if present {
				s.Contract["reject_status"] = contract
			}
		})
		if got := one(t, s, s, compare.Options{}).A.Outcomes.Failures; got != want {
			t.Errorf("reject_status %q: %d failures, want %d", contract, got, want)
		}
	}
	check("", false, 15)
	check("", true, 115)
	check("500,503", true, 5)
}

func TestTimeoutsMakeLowerBounds(t *testing.T) {
	cut := changed(func(s *result.Summary) {
		s.Completed, s.TimedOut, s.Latency.Censored = 9800, 200, 0.02
		s.TimedOutBy = map[string]int64{"wait": 150, "first_byte": 50}
		s.LatencyMS.P99 = 501
	})
	c := one(t, run(60), cut, compare.Options{Vary: compare.Target})
	for _, m := range c.Metrics {
		want := compare.Exact
		if m.Clock == "response" && m.P >= 0.99 || m.Clock == "service" && m.P >= 0.999 {
			want = compare.AtLeast
		}
		if m.B.Bound != want || m.A.Bound != compare.Exact {
			t.Errorf("%s %s: bounds %q %q, want B %q", m.Clock, m.Name, m.A.Bound, m.B.Bound, want)
		}
	}
	if !strings.Contains(c.Conclusion, "at least 735 % above") {
		t.Errorf("conclusion %q", c.Conclusion)
	}
	if c := one(t, cut, cut, compare.Options{}); !strings.Contains(c.Conclusion, "is not known") {
		t.Errorf("both cut: %q", c.Conclusion)
	}
}

func TestConclusion(t *testing.T) {
	p1 := func(p99 float64) *result.Summary {
		s := run(p99)
		s.Scenario, s.Arrivals.Source, s.Arrivals.Model, s.Arrivals.PlanSHA256 = "P1", "P1", "poisson", "p1"
		return s
	}
	closed := func(p99 float64) *result.Summary {
		s := run(p99)
		s.Mode, s.Rate = "closed", 0
		return s
	}
	even := func(p99 float64) *result.Summary {
		s := run(p99)
		s.Arrivals.Model, s.Arrivals.PlanSHA256 = "constant", "even"
		return s
	}
	few := func(p99 float64, n int64) *result.Summary {
		s := run(p99)
		s.LatencyMS.N = n
		return s
	}
	check := func(a, b *result.Summary, vary compare.Vary, want string) {
		t.Helper()
		if got := one(t, a, b, compare.Options{Vary: vary}).Conclusion; !strings.HasPrefix(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	check(run(212.7), p1(96.3), compare.Traffic, "P1 hides most of the tail: its p99 is 96.3 ms, the replay's 213 ms (2.2 times; 1 pair of runs, no interval).")
	check(p1(96.3), run(212.7), compare.Traffic, "P1 hides most of the tail: its p99 is 96.3 ms, the replay's 213 ms (2.2 times; ")
	check(run(132), p1(90), compare.Traffic, "P1 hides part of the tail: its p99 is 90.0 ms, the replay's 132 ms (1.5 times; ")
	check(run(96), p1(97), compare.Traffic, "P1 hides nothing of the tail: its p99 is 97.0 ms, the replay's 96.0 ms (1 pair of runs, no interval).")
	check(run(96.3), p1(212.7), compare.Traffic, "P1 hides nothing of the tail but makes it look worse: its p99 is 213 ms, the replay's 96.3 ms (2.2 times too high; ")
	check(run(12000), p1(100), compare.Traffic, "P1 hides most of the tail: its p99 is 100 ms, the replay's 12000 ms (120 times; ")
	check(few(60, 10), p1(10), compare.Traffic, "P1 hides most of the usual wait: its p50 is 2.50 ms, the replay's 15.0 ms")
	check(run(200), even(90), compare.Arrivals, "the constant load hides most of the tail: its p99 is 90.0 ms, the measured load's 200 ms (2.2 times; ")
	check(even(90), run(200), compare.Arrivals, "the constant load hides most of the tail: its p99 is 90.0 ms, the measured load's 200 ms (2.2 times; ")
	check(run(1450), closed(63), compare.Mode, "the closed loop hides most of the tail: its p99 is 63.0 ms, the open loop's 1450 ms (23 times; ")
	check(closed(63), run(1450), compare.Mode, "the closed loop hides most of the tail: its p99 is 63.0 ms, the open loop's 1450 ms (23 times; ")
	check(run(60), closed(60.5), compare.Mode, "the closed loop hides nothing of the tail: its p99 is 60.5 ms, the open loop's 60.0 ms (1 pair")
	check(run(60), closed(120), compare.Mode, "the closed loop hides nothing of the tail but makes it look worse: its p99 is 120 ms, the open loop's 60.0 ms (2.0 times too high; ")
	check(run(60), run(67), compare.Nothing, "p99 of B is 12 % above A's: 67.0 ms against 60.0 ms (1 pair of runs, no interval).")
	check(run(60), run(45), compare.Nothing, "p99 of B is 25 % below A's: 45.0 ms against 60.0 ms")
	check(run(0.3), run(0.6), compare.Nothing, "p99 of B is the same as A's: 0.600 ms against 0.300 ms")
	check(few(60, 367), run(90), compare.Nothing, "p95 of B is 50 % above A's")
	check(few(60, 5), run(90), compare.Nothing, "The runs have too few latencies")
	check(run(60), changed(func(s *result.Summary) { s.TimeoutMS = 1 }), compare.Nothing, "These runs cannot be compared: 1 factor stands in the way.")
	c := many(t, runs(62.0, 60.5, 63.1, 61.2, 62.7), runs(79.9, 76.0, 83.3, 78.8, 80.1), compare.Options{})
	if !strings.HasSuffix(c.Conclusion, "(B/A 1.29, 95 % interval 1.26 to 1.31, 5 pairs).") {
		t.Errorf("conclusion %q", c.Conclusion)
	}
}

func TestEndpointsByChange(t *testing.T) {
	b := changed(func(s *result.Summary) {
		s.Endpoints[1].LatencyMS.P99 = 388
		s.Endpoints = append(s.Endpoints, result.Endpoint{Method: "POST", Template: "/cart", Offered: 500, LatencyMS: result.Percentiles{N: 500, P99: 3}})
		s.Endpoints = append(s.Endpoints, result.Endpoint{Method: "GET", Template: "/rare", Offered: 4, LatencyMS: result.Percentiles{N: 4, P50: 3}})
	})
	a := changed(func(s *result.Summary) {
		s.Endpoints = append(s.Endpoints, result.Endpoint{Method: "GET", Template: "/rare", Offered: 5, LatencyMS: result.Percentiles{N: 5, P50: 300}})
	})
	c := one(t, a, b, compare.Options{})
	var got []string
	for _, e := range c.Endpoints {
		got = append(got, e.Template)
	}
	if want := "/search /p/{id} /cart /rare"; strings.Join(got, " ") != want {
		t.Errorf("order %v, want %s", got, want)
	}
	if e := c.Endpoints[0]; e.Percentile != "p99" || math.Abs(e.Ratio-388.0/60) > 1e-12 {
		t.Errorf("search: %s %g", e.Percentile, e.Ratio)
	}
	if e := c.Endpoints[3]; e.Percentile != "" || e.Ratio != 0 {
		t.Errorf("rare: %s %g, but five requests support no percentile", e.Percentile, e.Ratio)
	}
	// Shares of A are 9000, 1000, 5 of 10005; of B 9000, 1000, 500, 4 of 10504.
	want := (math.Abs(9000./10005-9000./10504) + math.Abs(1000./10005-1000./10504) + 500./10504 + math.Abs(5./10005-4./10504)) / 2
	if math.Abs(c.Mix-want) > 1e-12 {
		t.Errorf("mix %g, want %g", c.Mix, want)
	}
	if c.A.Shape.PeakSecond != 130 || c.A.Shape.Peak != 1.3 || c.A.Shape.Fano1s != 1 || c.A.Shape.Endpoints != 3 {
		t.Errorf("shape %+v", c.A.Shape)
	}
}

// The ratio of a busiest second to its mean cannot be below one: what says so is not known, and a closed loop asks its own
// timeline.
func TestPeakIsNeverBelowTheMean(t *testing.T) {
	fast := changed(func(s *result.Summary) {
		s.Mode, s.OfferedRPS, s.Arrivals.PeakSecond = "closed", 18280, 130
	})
	if s := one(t, run(60), fast, compare.Options{Vary: compare.Mode}).B.Shape; s.Peak != 0 {
		t.Errorf("peak %g of a mean of %g", s.Peak, s.OfferedRPS)
	}
	fast.Timeline = result.Timeline{BinSeconds: 1, Started: []int64{18000, 20108, 0}}
	if s := one(t, run(60), fast, compare.Options{Vary: compare.Mode}).B.Shape; s.PeakSecond != 20108 || math.Abs(s.Peak-1.1) > 1e-12 {
		t.Errorf("peak second %d, %g times the mean", s.PeakSecond, s.Peak)
	}
}

func TestNoExponents(t *testing.T) {
	b := run(8e6)
	if c := one(t, run(1), b, compare.Options{}); !strings.Contains(c.Conclusion, "8000000 ms against 1.00 ms") {
		t.Errorf("conclusion %q", c.Conclusion)
	}
	a := runs(1, 1.01, 1, 1, 1)
	if c := many(t, a, runs(8e6, 8e6, 8e6, 8e6, 8e6), compare.Options{Tolerance: 10}); strings.Contains(c.Conclusion+c.Reason, "e+") || !strings.Contains(c.Reason, "1000 %") {
		t.Errorf("conclusion %q, reason %q", c.Conclusion, c.Reason)
	}
}

// A difference of the tail that is no three times as large as the generator's own delay is doubted.
func TestLagAgainstTheDifference(t *testing.T) {
	late := func(p99, lag float64) *result.Summary {
		s := run(p99)
		s.LagMS = result.Percentiles{N: 10000, P99: lag}
		return s
	}
	check := func(a, b *result.Summary, want int) {
		t.Helper()
		if c := one(t, a, b, compare.Options{}); len(c.Warnings) != want || want > 0 && !strings.Contains(c.Warnings[0], "4.00 ms late (dispatch lag p99), and p99 differs by 10.0 ms") {
			t.Errorf("warnings %q, want %d", c.Warnings, want)
		}
	}
	check(late(60, 1), late(70, 4), 1)
	check(late(70, 4), late(60, 1), 1)
	check(late(60, 1), late(70, 3), 0)
	check(late(60, 4), late(60.5, 4), 0)
}
