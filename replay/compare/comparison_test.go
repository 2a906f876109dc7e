package compare_test

import (
	"encoding/json"
	"strings"
	"testing"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// run is an open-loop run of 10,000 requests with the given p99 that nothing went wrong in.
func run(p99 float64) *result.Summary {
	fano := 1.0
	latencies := result.Percentiles{N: 10000, P50: p99 / 4, P90: p99 / 2, P95: p99 / 1.5, P99: p99, P999: p99 * 1.5, Max: p99 * 2, Mean: p99 / 3}
	return &result.Summary{
		Version: result.SummaryVersion, Mode: "open", Scenario: "shop-replay", Seed: 7, Rate: 100, DurationSeconds: 100,
		TimeoutMS: 500, Offered: 10000, Started: 10000, Completed: 10000, Finished: 10000, Planned: 10000, Written: 10000,
		RPSCompleted: 100, MaxInFlight: 12, LatencyMS: latencies, ServiceMS: latencies, OfferedRPS: 100, WallSeconds: 100,
		Environment: "linux/amd64 go1.26.0", ToolVersion: "1.0.0", TargetEnvironment: "sha256:aa", TargetVersion: "1.4.2",
		Status: map[string]int64{"200": 10000}, Connections: result.Connections{Policy: "reuse"},
		Warmup:   result.Warmup{Seconds: 5, Requests: 500},
		Latency:  result.Latency{Clock: "intended", Population: "completed+timed_out", N: 10000},
		Arrivals: result.Arrivals{Source: "trace", Model: "measured", Speed: 1, PlanSHA256: "abc", PeakSecond: 130, Fano1s: &fano},
		Endpoints: []result.Endpoint{
			{Method: "GET", Template: "/p/{id}", Offered: 9000, Completed: 9000, LatencyMS: withN(latencies, 9000)},
			{Method: "GET", Template: "/search", Offered: 1000, Completed: 1000, LatencyMS: withN(latencies, 1000)},
		},
		Valid:    true,
		Contract: map[string]string{"max_in_flight": "300", "reject_status": "429,503", "latency_def": "1", "data_set": "d1"},
	}
}

func withN(p result.Percentiles, n int64) result.Percentiles { p.N = n; return p }

func changed(change func(*result.Summary)) *result.Summary {
	s := run(60)
	change(s)
	return s
}

func one(t *testing.T, a, b *result.Summary, o compare.Options) *compare.Comparison {
	t.Helper()
	return many(t, []*result.Summary{a}, []*result.Summary{b}, o)
}

func many(t *testing.T, a, b []*result.Summary, o compare.Options) *compare.Comparison {
	t.Helper()
	c, err := compare.Runs(a, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func runs(p99 ...float64) []*result.Summary {
	var out []*result.Summary
	for _, v := range p99 {
		out = append(out, run(v))
	}
	return out
}

// Every factor blocks by itself, is named with a reason, and is let through by exactly the declarations that cover it.
func TestContract(t *testing.T) {
	check := func(name string, change func(*result.Summary), covered ...compare.Vary) {
		t.Helper()
		for _, vary := range []compare.Vary{compare.Nothing, compare.Traffic, compare.Arrivals, compare.Target, compare.Mode} {
			want := compare.Blocks
			for _, v := range covered {
				if v == vary {
					want = compare.Declared
				}
			}
			c := one(t, run(60), changed(change), compare.Options{Vary: vary})
			for _, f := range c.Factors {
				switch {
				case f.Name == name && (f.State != want || f.Why == ""):
					t.Errorf("%s with --vary %q: %s (%q), want %s", name, vary, f.State, f.Why, want)
				case f.Name != name && f.State != compare.Equal:
					t.Errorf("%s changed, but %s is %s", name, f.Name, f.State)
				}
			}
			if blocked := want == compare.Blocks; c.Comparable == blocked || c.Numbers == blocked ||
				blocked && (c.Verdict != compare.NotComparable || c.Fix == "" || len(c.Metrics) > 0) {
				t.Errorf("%s with --vary %q: comparable %v, verdict %s, fix %q, %d metrics", name, vary, c.Comparable, c.Verdict, c.Fix, len(c.Metrics))
			}
		}
	}
	entry := func(name, value string) func(*result.Summary) {
		return func(s *result.Summary) { s.Contract[name] = value }
	}
	check("mode", func(s *result.Summary) { s.Mode = "closed" }, compare.Mode)
	check("workers", entry("workers", "8"), compare.Mode)
	check("scenario", func(s *result.Summary) { s.Scenario = "P1" }, compare.Traffic)
	check("rate", func(s *result.Summary) { s.Rate = 101 }, compare.Traffic, compare.Mode)
	check("arrivals_model", func(s *result.Summary) { s.Arrivals.Model = "poisson" }, compare.Traffic, compare.Arrivals, compare.Mode)
	check("plan_sha256", func(s *result.Summary) { s.Arrivals.PlanSHA256 = "def" }, compare.Traffic, compare.Arrivals)
	check("target_environment", func(s *result.Summary) { s.TargetEnvironment = "sha256:bb" }, compare.Target)
	check("target_version", func(s *result.Summary) { s.TargetVersion = "1.4.3" }, compare.Target)
	check("duration_seconds", func(s *result.Summary) { s.DurationSeconds = 99 })
	check("warmup_seconds", func(s *result.Summary) { s.Warmup.Seconds = 0 })
	check("timeout_ms", func(s *result.Summary) { s.TimeoutMS = 2000 })
	check("connections_policy", func(s *result.Summary) { s.Connections.Policy = "new" })
	check("connections_max", func(s *result.Summary) { s.Connections.Max = 4 })
	check("max_in_flight", entry("max_in_flight", "600"), compare.Mode)
	check("reject_status", entry("reject_status", "429"))
	check("latency_def", entry("latency_def", "2"))
	check("data_set", entry("data_set", "d2"))
	check("something_new", entry("something_new", "1"))
}

func TestContractTreatsSpellingsOfANumberAsEqual(t *testing.T) {
	a, b := run(60), run(60)
	a.Contract["timeout_ms"], b.Contract["timeout_ms"] = "500", "500.0"
	if c := one(t, a, b, compare.Options{}); !c.Comparable {
		t.Errorf("500 and 500.0 block: %+v", c.Factors)
	}
}

// A run that sums its connections up in one factor is not asked about them twice.
func TestContractConnectionsInOneFactor(t *testing.T) {
	a, b := run(60), changed(func(s *result.Summary) { s.Connections.Max = 4 })
	a.Contract["connections"], b.Contract["connections"] = "reuse max=0", "reuse max=4"
	var blocking []string
	for _, f := range one(t, a, b, compare.Options{}).Factors {
		if f.State == compare.Blocks {
			blocking = append(blocking, f.Name)
		}
	}
	if len(blocking) != 1 || blocking[0] != "connections" {
		t.Errorf("blocking %v, want connections alone", blocking)
	}
}

func TestContractShowsWhatProvesNothing(t *testing.T) {
	a, b := run(60), run(60)
	a.TargetEnvironment, b.TargetEnvironment = "unknown", ""
	b.Environment = "linux/arm64 go1.26.0"
	c := one(t, a, b, compare.Options{})
	if !c.Comparable || len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], "target_environment") {
		t.Errorf("comparable %v, warnings %q", c.Comparable, c.Warnings)
	}
	states := map[string]compare.State{}
	for _, f := range c.Factors {
		states[f.Name] = f.State
	}
	if states["target_environment"] != compare.Unproven || states["generator"] != compare.Noted {
		t.Errorf("states %v", states)
	}
	b.TargetEnvironment = "sha256:bb"
	if c := one(t, a, b, compare.Options{}); c.Comparable {
		t.Error("an unknown environment passes for a known one")
	}
}

func TestInvalidRunsAreRefusedUnlessForced(t *testing.T) {
	bad := changed(func(s *result.Summary) { s.Valid = false; s.TimeoutMS = 1 })
	if c := one(t, run(60), bad, compare.Options{}); c.Verdict != compare.Invalid || c.Numbers {
		t.Errorf("verdict %s, numbers %v", c.Verdict, c.Numbers)
	}
	c := one(t, run(60), bad, compare.Options{Force: true})
	if c.Verdict != compare.Invalid || !c.Numbers || len(c.Metrics) != 8 || c.Comparable {
		t.Errorf("forced: verdict %s, numbers %v, %d metrics", c.Verdict, c.Numbers, len(c.Metrics))
	}
	if !strings.HasPrefix(c.Note, "forced") || strings.Contains(strings.ToLower(c.Conclusion), "forced") {
		t.Errorf("note %q, conclusion %q: the note stands apart", c.Note, c.Conclusion)
	}
	if c := one(t, run(60), run(61), compare.Options{Force: true}); c.Note != "" {
		t.Errorf("comparable runs have the note %q", c.Note)
	}
}

// Repeats may use a plan per pair; the rest of a side's contract must not move.
func TestRepeatsOfASide(t *testing.T) {
	a, b := runs(60, 60), runs(60, 60)
	a[1].Arrivals.PlanSHA256, b[1].Arrivals.PlanSHA256 = "second", "second"
	if c := many(t, a, b, compare.Options{}); !c.Comparable {
		t.Errorf("a plan per pair blocks: %s", c.Reason)
	}
	a[1].Arrivals.PlanSHA256 = "third"
	if c := many(t, a, b, compare.Options{}); c.Comparable {
		t.Error("a pair with two plans passes")
	}
	a, b = runs(60, 60), runs(60, 60)
	a[1].TimeoutMS, b[1].TimeoutMS = 900, 900
	if c := many(t, a, b, compare.Options{}); c.Comparable || !strings.Contains(c.Reason, "timeout_ms") {
		t.Errorf("a side with two timeouts: %v, %q", c.Comparable, c.Reason)
	}
	c := many(t, runs(60, 61, 62), runs(60), compare.Options{})
	if c.Pairs != 1 || len(c.Warnings) != 1 {
		t.Errorf("%d pairs, warnings %q", c.Pairs, c.Warnings)
	}
}

func TestUnusableArguments(t *testing.T) {
	old := run(60)
	old.Version = 9
	for name, f := range map[string]func() error{
		"no run":    func() error { _, err := compare.Runs(nil, runs(1), compare.Options{}); return err },
		"nil":       func() error { _, err := compare.Runs(runs(1), []*result.Summary{nil}, compare.Options{}); return err },
		"version":   func() error { _, err := compare.Runs(runs(1), []*result.Summary{old}, compare.Options{}); return err },
		"vary":      func() error { _, err := compare.Runs(runs(1), runs(1), compare.Options{Vary: "seed"}); return err },
		"tolerance": func() error { _, err := compare.Runs(runs(1), runs(1), compare.Options{Tolerance: -1}); return err },
	} {
		if err := f(); err == nil || !strings.HasPrefix(err.Error(), "compare: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestARunIsNotComparedWithItself(t *testing.T) {
	at := func(second string) *result.Summary {
		return changed(func(s *result.Summary) { s.StartedAt = "2026-11-27T20:00:" + second + "Z" })
	}
	check := func(a, b []*result.Summary, refused bool) {
		t.Helper()
		_, err := compare.Runs(a, b, compare.Options{Vary: compare.Mode})
		if got := err != nil && strings.Contains(err.Error(), `started at "2026-11-27T20:00:01Z" is named twice`); got != refused {
			t.Errorf("error %v, refused %v", err, refused)
		}
	}
	side := func(s ...*result.Summary) []*result.Summary { return s }
	closed := at("01")
	closed.Mode = "closed"
	check(side(at("01")), side(at("01")), true)
	check(side(at("01"), at("01")), side(at("02"), at("03")), true)
	check(side(at("01")), side(at("02")), false)
	check(side(at("01")), side(closed), false)
	check(runs(60), runs(60), false) // nothing says when they started
}

// An open loop has no workers, which is not the same as not knowing how many.
func TestWorkersOfAnOpenLoop(t *testing.T) {
	closed := changed(func(s *result.Summary) { s.Mode, s.Contract["workers"] = "closed", "8" })
	for _, f := range one(t, run(60), closed, compare.Options{Vary: compare.Mode}).Factors {
		if f.Name == "workers" && (f.A != "-" || f.B != "8" || f.State != compare.Declared) {
			t.Errorf("workers: A %s, B %s, %s", f.A, f.B, f.State)
		}
	}
}

// The fix for an INVALID run names a command that exists.
func TestFixOfAnInvalidRun(t *testing.T) {
	c := one(t, run(60), changed(func(s *result.Summary) { s.Valid = false }), compare.Options{})
	if !strings.Contains(c.Fix, "reprise report RUN") || strings.Contains(c.Fix, "explain") {
		t.Errorf("fix %q", c.Fix)
	}
}

func TestArgumentsAreNotChanged(t *testing.T) {
	a, b := runs(60, 62, 61), runs(70, 72, 71)
	before, _ := json.Marshal([][]*result.Summary{a, b})
	many(t, a, b, compare.Options{})
	if after, _ := json.Marshal([][]*result.Summary{a, b}); string(after) != string(before) {
		t.Error("comparing changed the summaries")
	}
}
