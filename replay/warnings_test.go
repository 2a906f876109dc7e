package replay_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// queueing is a target whose requests wait for a connection.
type queueing struct {
	*slots
	wait  time.Duration
	conns result.Connections
}

func (q *queueing) Start(s *replay.Shot) bool {
	time.AfterFunc(q.wait, func() { q.slots.Start(s) })
	return true
}

// silent does not tell how its requests met connections.
type silent struct{ replay.Target }

// Connections implements replay.Connector: after the run it has opened twice as many as before.
func (q *queueing) Connections() result.Connections {
	c := q.conns
	q.conns.New, q.conns.Slow = 2*c.New, 2*c.Slow
	return c
}

// Waiting for a connection is the generator's fault, unless the connections are limited or the target does not
// take them.
func TestWaitForAConnection(t *testing.T) {
	f := func(name string, wait time.Duration, c result.Connections, hide bool, reason, warning string) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			t.Helper()
			var target replay.Target = &queueing{newSlots(1000, time.Millisecond), wait, c}
			if hide {
				target = silent{target}
			}
			totals, _ := run(t.Context(), t, at(every(5*time.Millisecond, 1000)...), target, replay.Options{})
			ok, why := totals.Valid()
			if ok != (reason == "") || !strings.Contains(strings.Join(why, "\n"), reason) {
				t.Errorf("%s: valid %v, reasons %q, want %q", name, ok, why, reason)
			}
			totals.Generator = result.Generator{} // the real one's pauses are not the matter
			if w := strings.Join(totals.Warnings(), "\n"); !strings.Contains(w, warning) || warning == "" && w != "" {
				t.Errorf("%s: warnings %q, want %q", name, w, warning)
			}
		})
	}
	free := result.Connections{Policy: "reuse", New: 7}
	f("dialling", 42*time.Millisecond, free, false, "waited 42 ms for a connection at p99 (limit 5 ms): the generator could not open connections fast enough, 7 new ones", "")
	f("short", 4*time.Millisecond, free, false, "", "")
	f("limited", 42*time.Millisecond, result.Connections{Policy: "reuse", Max: 4}, false, "", "")
	f("slow to accept", 42*time.Millisecond, result.Connections{Policy: "reuse", Slow: 3}, false, "", "the target did not take connections fast enough (0 refused, 0 not answered in time, 3 answered after 1 s or more)")
	f("unknown", 42*time.Millisecond, free, true, "", "")
	synctest.Test(t, func(t *testing.T) {
		totals, _ := run(t.Context(), t, at(every(5*time.Millisecond, 1000)...), &queueing{newSlots(1000, time.Millisecond), 42 * time.Millisecond, free}, replay.Options{})
		totals.Ledger.Causes[result.Failed][result.CauseConnect] = 5
		if ok, _ := totals.Valid(); ok {
			t.Error("refused connects, which end at once, excuse a queue")
		}
		totals.Ledger.Causes[result.TimedOut][result.CauseConnect] = 5
		if ok, why := totals.Valid(); !ok {
			t.Errorf("connects without an answer do not excuse a queue: %q", why)
		}
	})
}

// calm is a valid run without a warning, to be changed.
func calm(t *testing.T) *replay.Totals {
	var totals *replay.Totals
	synctest.Test(t, func(t *testing.T) {
		totals, _ = run(t.Context(), t, at(every(10*time.Millisecond, 1000)...), newSlots(8, time.Millisecond), replay.Options{})
	})
	totals.Generator = result.Generator{Cores: 2, CPU: .04, SchedP99MS: 4.9, GCPauseMaxMS: 4.9}
	return totals
}

func TestWarnings(t *testing.T) {
	f := func(name string, change func(*replay.Totals), want ...string) {
		t.Helper()
		totals := calm(t)
		change(totals)
		got := totals.Warnings()
		if len(got) != len(want) {
			t.Errorf("%s: %q, want %d", name, got, len(want))
			return
		}
		for i, w := range want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%s: %q, want %q", name, got[i], w)
			}
		}
		if ok, why := totals.Valid(); !ok {
			t.Errorf("%s: %q", name, why)
		}
	}
	end := func(k result.Kind, c result.Cause, n int64) func(*replay.Totals) {
		return func(t *replay.Totals) {
			t.Ledger.Kinds[k] += n
			t.Ledger.Causes[k][c] += n
			t.Ledger.Kinds[result.Completed] -= n
		}
	}
	f("nothing", func(*replay.Totals) {})
	f("1 % failed", end(result.Failed, result.CauseReset, 10))
	f("more", end(result.Failed, result.CauseReset, 11), "1.1% of the started requests failed (reset 11): look at the target's log")
	f("gone", func(t *replay.Totals) {
		end(result.Failed, result.CauseReset, 4)(t)
		end(result.Failed, result.CauseConnect, 706)(t)
	}, "71% of the started requests failed (connect 706, reset 4): the target went away")
	f("all but one", end(result.Failed, result.CauseTLS, 999), "99.9% of the started requests failed (tls 999): the TLS handshake failed")
	f("slow", end(result.TimedOut, result.CauseFirstByte, 20), "2.0% of the started requests failed (timed out 20): the target did not answer within the timeout of 30s")
	f("90 % as in production", func(t *replay.Totals) { t.Ledger.Matches = result.StatusMatch{Same: 900, Other: 60, SameClass: 40} })
	f("fewer", func(t *replay.Totals) { t.Ledger.Matches = result.StatusMatch{Same: 899, Other: 61, SameClass: 40} }, "only 89% of 1000 answers had the status that production logged")
	f("unknown statuses", func(t *replay.Totals) { t.Ledger.Matches = result.StatusMatch{Unknown: 1000} })
	f("no bound ids", func(t *replay.Totals) { t.Ledger.Matches = result.StatusMatch{Other: 1000} }, "--bind")
	f("busy", func(t *replay.Totals) { t.Generator.CPU = .8 }, "80% of its 2 cores (good runs stay below 70%)")
	f("pauses", func(t *replay.Totals) { t.Generator.GCPauseMaxMS = 6 }, "pause was 6 ms (good runs stay below 1 ms)")
	f("scheduler", func(t *replay.Totals) { t.Generator.SchedP99MS, t.Generator.OthersCPU = 50, 1.9 },
		"waited 50 ms for a processor at p99 (good runs stay below 1 ms), which is part of the latencies; reprise used 4% of its 2 cores, other work on this machine 1.9")
	f("small beside the response", func(t *replay.Totals) {
		for range 10_000 {
			t.Latency.Response.Record(int64(time.Second))
		}
		t.Generator.GCPauseMaxMS, t.Generator.SchedP99MS = 60, 60
	})
}

// The advice for a late generator names what made it late.
func TestLatenessIsExplained(t *testing.T) {
	f := func(g result.Generator, want string) {
		t.Helper()
		totals := calm(t)
		for range 100 {
			totals.Latency.Lag.Record(int64(20 * time.Millisecond))
		}
		totals.Generator = g
		if ok, why := totals.Valid(); ok || len(why) != 1 || !strings.Contains(why[0], want) || !strings.Contains(why[0], "--max-lag") {
			t.Errorf("%+v: %q, want %q", g, why, want)
		}
	}
	f(result.Generator{Cores: 2, CPU: .93}, "reprise used 93% of its 2 cores: use a larger host or lower the rate")
	f(result.Generator{Cores: 2, CPU: .04, OthersCPU: 1.8}, "reprise used 4% of its 2 cores, other work on this machine 1.8: stop that")
	f(result.Generator{Cores: 2, CPU: .04}, "its own work is not the cause")
	f(result.Generator{Cores: 8, CPU: .5, OthersCPU: 1}, "its own work is not the cause")
}
