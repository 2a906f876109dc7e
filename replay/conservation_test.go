package replay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"reprise/replay"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// moody is a target that ends requests in a random way at a random time, or at once, or refuses them, or
// forgets them.
type moody struct {
	delay  []int // milliseconds; -1 refuses, -2 forgets, -3 finishes within Start
	served int
}

func (m *moody) Start(s *replay.Shot) bool {
	d := m.delay[m.served%len(m.delay)]
	m.served++
	switch d {
	case -1:
		return false
	case -2:
		return true
	case -3:
		m.end(s, result.Failed, result.CauseReset)
		return true
	}
	after := time.Duration(d) * time.Millisecond
	left := time.Duration(s.Deadline - s.Now())
	kind, cause := result.Completed, result.CauseNone
	if after > left {
		after, kind, cause = left, result.TimedOut, result.CauseBody
	}
	time.AfterFunc(after, func() { m.end(s, kind, cause) })
	return true
}

func (m *moody) end(s *replay.Shot, k result.Kind, c result.Cause) {
	o := &s.Outcome
	o.Kind, o.Cause, o.SentAt, o.Done, o.Status = k, c, o.Dispatched, s.Now(), 200
	s.Finish()
}

// scenario is one random run.
type scenario struct {
	gaps        []int // milliseconds
	withheld    []bool
	delay       []int
	maxInFlight int
	lookAhead   int
	cutAfter    time.Duration
}

func drawScenario(rt *rapid.T) scenario {
	n := rapid.IntRange(0, 200).Draw(rt, "n")
	return scenario{
		gaps:        rapid.SliceOfN(rapid.IntRange(0, 30), n, n).Draw(rt, "gaps"),
		withheld:    rapid.SliceOfN(rapid.Bool(), n, n).Draw(rt, "withheld"),
		delay:       rapid.SliceOfN(rapid.IntRange(-3, 800), 1, 50).Draw(rt, "delay"),
		maxInFlight: rapid.IntRange(1, 40).Draw(rt, "cap"),
		lookAhead:   rapid.IntRange(1, 64).Draw(rt, "ahead"),
		cutAfter:    time.Duration(rapid.IntRange(0, 4000).Draw(rt, "cut")) * time.Millisecond,
	}
}

func (c scenario) plan() iter.Seq2[*plan.Arrival, error] {
	return func(yield func(*plan.Arrival, error) bool) {
		a := plan.Arrival{Method: "GET", Target: []byte("/"), Endpoint: "/"}
		for i, g := range c.gaps {
			a.At += int64(g) * 1000
			a.Withheld = plan.Sent
			if c.withheld[i] {
				a.Withheld = plan.Write
			}
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// check runs the scenario and says what does not add up.
func (c scenario) check(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if c.cutAfter > 0 {
		defer time.AfterFunc(c.cutAfter, cancel).Stop()
	}
	var l log
	totals, err := replay.Run(ctx, c.plan(), &moody{delay: c.delay}, &l, replay.Options{
		Timeout: 500 * time.Millisecond, MaxInFlight: c.maxInFlight, LookAhead: c.lookAhead, Pacer: replay.SleepPacer{}})
	if err != nil {
		return err
	}
	if err := totals.Ledger.Check(); err != nil {
		return err
	}
	if totals.Ledger.Arrivals != int64(len(c.gaps)) || totals.Ledger.Offered != int64(len(l)) {
		return fmt.Errorf("%d arrivals, %d outcomes; ledger %+v", len(c.gaps), len(l), totals.Ledger)
	}
	if totals.MaxInFlight > int64(c.maxInFlight) {
		return fmt.Errorf("%d in flight over the cap of %d", totals.MaxInFlight, c.maxInFlight)
	}
	seen := make(map[int64]bool)
	for _, o := range l {
		if seen[o.Seq] {
			return fmt.Errorf("request %d has two outcomes", o.Seq)
		}
		seen[o.Seq] = true
		if o.SentAt != result.Unset && o.Response() != o.Lag()+o.Wait()+o.Service() {
			return fmt.Errorf("request %d: response is not lag + wait + service: %+v", o.Seq, o)
		}
	}
	var planned, started int64
	for _, s := range totals.Seconds {
		planned += s.Planned
		started += s.Started
	}
	if planned != totals.Ledger.Offered || started != totals.Ledger.Started {
		return fmt.Errorf("seconds hold %d planned and %d started; ledger %+v", planned, started, totals.Ledger)
	}
	return nil
}

func TestEveryArrivalEndsInOneBucket(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := drawScenario(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = c.check(t.Context()) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

// The first Ctrl-C stops the dispatching, drains, and counts what was not sent.
func TestCutDrainsAndCountsTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(1005*time.Millisecond, cancel).Stop()
		server := newSlots(1000, 3*time.Second)
		totals, l := run(ctx, t, at(every(10*time.Millisecond, 500)...), server,
			replay.Options{Timeout: time.Minute, Drain: 2500 * time.Millisecond})
		// Sent at 0, 10 ... 1000 ms. The drain ends at 3505 ms: those sent up to 500 ms have completed.
		k := &totals.Ledger.Kinds
		if k[result.Completed] != 51 || k[result.InFlight] != 50 || k[result.Unsent] != 399 {
			t.Errorf("completed %d, in flight %d, unsent %d; want 51, 50, 399", k[result.Completed], k[result.InFlight], k[result.Unsent])
		}
		if !totals.Interrupted || totals.Wall != 3505*time.Millisecond || server.abandons != 50 {
			t.Errorf("interrupted %v after %v, %d aborted", totals.Interrupted, totals.Wall, server.abandons)
		}
		if ok, why := totals.Valid(); ok {
			t.Errorf("an interrupted run is valid: %v", why)
		}
		if len(l) != 500 {
			t.Errorf("%d outcomes of 500", len(l))
		}
	})
}

// forgetful takes every shot and never finishes one.
type forgetful struct{}

func (forgetful) Start(*replay.Shot) bool { return true }

func TestTargetThatForgetsIsNotWaitedForForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		totals, _ := run(t.Context(), t, at(every(time.Millisecond, 100)...), forgetful{}, replay.Options{Timeout: time.Second})
		if totals.Ledger.Kinds[result.InFlight] != 100 || totals.Wall > 3*time.Second {
			t.Errorf("ledger %+v after %v", totals.Ledger, totals.Wall)
		}
	})
}

func TestErrorsEndTheRun(t *testing.T) {
	broken := errors.New("broken")
	f := func(name string, src iter.Seq2[*plan.Arrival, error], obs replay.Observer) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			t.Helper()
			totals, err := replay.Run(t.Context(), src, newSlots(1, time.Millisecond), obs, replay.Options{Pacer: replay.SleepPacer{}})
			if !errors.Is(err, broken) || totals == nil {
				t.Errorf("%s: totals %v, error %v", name, totals, err)
			}
		})
	}
	f("plan", func(yield func(*plan.Arrival, error) bool) {
		for a := range at(0, time.Hour) {
			if !yield(a, nil) {
				return
			}
		}
		yield(nil, broken)
	}, nil)
	f("observer", at(every(time.Second, 1000)...), failing{broken})
	synctest.Test(t, func(t *testing.T) {
		_, err := replay.Run(t.Context(), at(time.Second, 0), newSlots(1, 0), nil, replay.Options{Pacer: replay.SleepPacer{}})
		if err == nil {
			t.Error("a plan that goes back in time is replayed")
		}
		if _, err = replay.RunClosed(t.Context(), at(), newSlots(1, 0), nil, replay.ClosedOptions{Workers: 1, Duration: time.Second}); err == nil {
			t.Error("an empty plan is replayed in a closed loop")
		}
	})
}

type failing struct{ err error }

func (f failing) Observe(*result.Outcome) error { return f.err }
