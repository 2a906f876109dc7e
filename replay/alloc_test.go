package replay_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// instant answers within Start.
type instant struct{}

func (instant) Start(s *replay.Shot) bool {
	o := &s.Outcome
	o.Kind, o.Status, o.Written = result.Completed, 200, true
	o.SentAt, o.FirstByte, o.Done = o.Dispatched, o.Dispatched, s.Now()
	s.Finish()
	return true
}

// reusedTimer is a pacer without an allocation of its own.
type reusedTimer struct{ t *time.Timer }

func (p *reusedTimer) Wait(_ context.Context, until time.Time) {
	if p.t == nil {
		p.t = time.NewTimer(0)
		<-p.t.C
	}
	if d := time.Until(until); d > 0 {
		p.t.Reset(d)
		<-p.t.C
	}
}

// mallocs is the number of allocations of a whole run of n requests at 100,000/s, in virtual time.
func mallocs(t *testing.T, n int) uint64 {
	var used uint64
	synctest.Test(t, func(t *testing.T) {
		plan := at(every(10*time.Microsecond, n)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		totals, err := replay.Run(t.Context(), plan, instant{}, nil, replay.Options{LookAhead: 256, Timeout: time.Second, Pacer: &reusedTimer{}})
		runtime.ReadMemStats(&after)
		if err != nil || totals.Ledger.Kinds[result.Completed] != int64(n) {
			t.Fatalf("%+v, %v", totals.Ledger, err)
		}
		used = after.Mallocs - before.Mallocs
	})
	return used
}

// The whole path of a request from the plan to the histograms allocates nothing once the run is on its way.
func TestRequestDoesNotAllocate(t *testing.T) {
	mallocs(t, 1000)
	short, long := mallocs(t, 20_000), mallocs(t, 60_000)
	// The rest is per second or per new histogram bucket, not per request.
	if per := float64(int64(long)-int64(short)) / 40_000; per > .01 {
		t.Errorf("%.3f allocations per request: %d in a short run, %d in a long one", per, short, long)
	}
}

// BenchmarkEngine is the engine without a network: plan, look-ahead, dispatch, collect and record, as fast
// as it goes.
func BenchmarkEngine(b *testing.B) {
	b.ReportAllocs()
	totals, err := replay.Run(b.Context(), at(make([]time.Duration, b.N)...), instant{}, nil, replay.Options{Timeout: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(totals.Ledger.Offered)/totals.Wall.Seconds(), "req/s")
}
