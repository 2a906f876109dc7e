package httptarget_test

import (
	"runtime"
	"testing"
	"time"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/result"
)

// An exchange on a kept connection allocates nothing: not in the write, not in the reader, not for its
// deadline. The server of this test allocates nothing per request either.
func TestExchangeDoesNotAllocate(t *testing.T) {
	target := open(t, minimalServer(t), func(o *httptarget.Options) { o.Policy = httptarget.PolicyReuse })
	mallocs := func(d time.Duration) (requests int64, used uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		totals, err := replay.RunClosed(t.Context(), steady(10_000, 1), target, nil, replay.ClosedOptions{Workers: 2, Duration: d})
		runtime.ReadMemStats(&after)
		if err != nil || totals.Ledger.Kinds[result.Completed] != totals.Ledger.Started {
			t.Fatalf("%+v, %v", totals.Ledger, err)
		}
		return totals.Ledger.Started, after.Mallocs - before.Mallocs
	}
	mallocs(50 * time.Millisecond)
	n, short := mallocs(50 * time.Millisecond)
	m, long := n, short
	for d := time.Second; m-n < 1000; d *= 2 { // as long as it takes on a busy machine
		m, long = mallocs(d)
	}
	// What is left is the look-ahead reading the plan again, the timers' ticks and new histogram buckets.
	if per := float64(int64(long)-int64(short)) / float64(m-n); per >= .2 {
		t.Errorf("%.3f allocations per request (%d in %d requests, %d in %d)", per, short, n, long, m)
	}
}
