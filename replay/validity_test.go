package replay_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// oversleeper is a pacer on a machine that is too busy.
type oversleeper struct{ by time.Duration }

func (o oversleeper) Wait(ctx context.Context, until time.Time) {
	replay.SleepPacer{}.Wait(ctx, until.Add(o.by))
}

// burner is a target whose Start takes time that belongs to the dispatcher.
type burner struct {
	*slots
	takes time.Duration
}

func (b burner) Start(s *replay.Shot) bool {
	time.Sleep(b.takes)
	return b.slots.Start(s)
}

func TestStarvedGeneratorIsInvalid(t *testing.T) {
	f := func(want string, target func() replay.Target, o replay.Options) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			t.Helper()
			totals, _ := run(t.Context(), t, at(every(5*time.Millisecond, 1000)...), target(), o)
			ok, why := totals.Valid()
			if ok || !strings.Contains(strings.Join(why, "\n"), want) {
				t.Errorf("valid %v, reasons %q, want one with %q", ok, why, want)
			}
		})
	}
	quick := func() replay.Target { return newSlots(8, time.Millisecond) }
	f("dispatch lag p99 is 6 ms (limit 5 ms)", quick, replay.Options{Pacer: oversleeper{6 * time.Millisecond}})
	f("dispatch lag p99", func() replay.Target { return burner{newSlots(8, time.Millisecond), 20 * time.Millisecond} }, replay.Options{})
	f("too late", func() replay.Target { return burner{newSlots(8, time.Millisecond), 20 * time.Millisecond} }, replay.Options{Timeout: 100 * time.Millisecond})
	f("of second 0, 8 of 200 requests were started", func() replay.Target { return newSlots(8, time.Second) },
		replay.Options{MaxInFlight: 8, Gates: replay.Gates{MinStarted: .01}})
	f("dropped at the in-flight cap", func() replay.Target { return newSlots(8, time.Second) }, replay.Options{MaxInFlight: 20})
	synctest.Test(t, func(t *testing.T) {
		// Requests that start within the limit, but in the next second, are no infidelity.
		totals, _ := run(t.Context(), t, at(every(5*time.Millisecond, 1000)...), quick(),
			replay.Options{Pacer: oversleeper{40 * time.Millisecond}, Gates: replay.Gates{MaxLag: 50 * time.Millisecond}})
		if ok, why := totals.Valid(); !ok {
			t.Errorf("40 ms of lag are within a limit of 50 ms: %q", why)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		totals, _ := run(t.Context(), t, at(every(5*time.Millisecond, 1000)...), quick(), replay.Options{Pacer: oversleeper{4 * time.Millisecond}})
		if ok, why := totals.Valid(); !ok {
			t.Errorf("4 ms of lag are within the limit: %q", why)
		}
		if w := totals.Warnings(); len(w) == 0 {
			t.Error("4 ms of lag give no warning")
		}
	})
}

func TestLateArrivalsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// One Start of 1 s makes the next ten arrivals late; those beyond their 500 ms are not sent.
		target := &stall{slots: newSlots(8, time.Millisecond)}
		totals, l := run(t.Context(), t, at(every(100*time.Millisecond, 20)...), target, replay.Options{Timeout: 500 * time.Millisecond})
		if n := totals.Ledger.Causes[result.Dropped][result.CauseLate]; n != 5 {
			t.Errorf("%d dropped as late, want 5 (intended at 100 .. 500 ms)", n)
		}
		for _, o := range l {
			if o.Kind == result.Dropped && o.Lag() < int64(500*time.Millisecond) {
				t.Errorf("request %d was dropped with a lag of %v", o.Seq, time.Duration(o.Lag()))
			}
		}
	})
}

// stall blocks the dispatcher once.
type stall struct {
	*slots
	once bool
}

func (s *stall) Start(shot *replay.Shot) bool {
	if !s.once {
		s.once = true
		time.Sleep(time.Second)
	}
	return s.slots.Start(shot)
}

func TestOptionsAreValidated(t *testing.T) {
	for _, o := range []replay.Options{
		{Timeout: -1}, {Timeout: 2 * time.Hour}, {MaxInFlight: -1}, {LookAhead: -1}, {Drain: -1}, {Gates: replay.Gates{MinStarted: 2}},
	} {
		if _, err := replay.Run(t.Context(), at(), forgetful{}, nil, o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if _, err := replay.RunClosed(t.Context(), at(0), forgetful{}, nil, replay.ClosedOptions{Workers: 1}); err == nil {
		t.Error("a closed loop without a duration is accepted")
	}
}

func TestWarmupSendsOnlyWhatIsHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := func(yield func(*plan.Arrival, error) bool) {
			for i, m := range []string{"GET", "POST", "HEAD", "DELETE"} {
				a := plan.Arrival{At: int64(i), Method: m, Target: []byte("/"), Endpoint: "/"}
				if i == 2 {
					a.Withheld = plan.Unbound
				}
				if !yield(&a, nil) {
					return
				}
			}
		}
		seen := &methods{slots: newSlots(4, time.Millisecond)}
		w, err := replay.Warmup(t.Context(), src, seen, replay.WarmupOptions{Duration: 2 * time.Second, Rate: 50, Pacer: replay.SleepPacer{}})
		if err != nil || w.Requests != 100 || w.Errors != 0 || w.Seconds != 2 {
			t.Errorf("warm-up %+v, %v; want 100 requests", w, err)
		}
		if len(seen.count) != 1 || seen.count["GET"] != 100 {
			t.Errorf("sent %v, want 100 GET", seen.count)
		}
		if seen.last != int64(1980*time.Millisecond) {
			t.Errorf("the last one at %v, want 1.98 s", time.Duration(seen.last))
		}
	})
}

// methods counts what it is sent.
type methods struct {
	*slots
	count map[string]int
	last  int64
}

func (m *methods) Start(s *replay.Shot) bool {
	if m.count == nil {
		m.count = make(map[string]int)
	}
	m.count[s.Arrival.Method]++
	m.last = s.Now()
	return m.slots.Start(s)
}
