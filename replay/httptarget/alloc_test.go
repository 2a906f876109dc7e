package httptarget_test

import (
	"runtime"
	"testing"
	"time"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// sized counts the shots that the engine makes, and gives each its buffer at once: two allocations per shot, which
// are not the exchange's.
type sized struct {
	*httptarget.Target
	made int64
}

func (z *sized) Prepare(a *plan.Arrival, s *replay.Shot) error {
	if cap(s.Wire) == 0 {
		z.made++
		s.Wire = make([]byte, 0, 1<<10)
	}
	return z.Target.Prepare(a, s)
}

// An exchange on a kept connection allocates nothing: not in the write, not in the reader, not for its
// deadline. The server of this test allocates nothing per request either.
func TestExchangeDoesNotAllocate(t *testing.T) {
	target := &sized{Target: open(t, minimalServer(t), nil)}
	mallocs := func(d time.Duration) (requests, used int64) {
		var before, after runtime.MemStats
		target.made = 0
		runtime.ReadMemStats(&before)
		totals, err := replay.RunClosed(t.Context(), steady(10_000, 1), target, nil, replay.ClosedOptions{Workers: 16, Duration: d})
		runtime.ReadMemStats(&after)
		if err != nil || totals.Ledger.Kinds[result.Completed] != totals.Ledger.Started {
			t.Fatalf("%+v, %v", totals.Ledger, err)
		}
		return totals.Ledger.Started, int64(after.Mallocs-before.Mallocs) - 2*target.made
	}
	mallocs(50 * time.Millisecond) // connections and their buffers
	const enough = 50_000          // requests, beside which the fixed cost of a run is nothing
	n, used := int64(0), int64(0)
	for d := time.Second; n < enough; d *= 2 { // as long as it takes on a busy machine
		n, used = mallocs(d)
	}
	// What is left is the run itself, the look-ahead reading the plan again, and new histogram buckets.
	t.Logf("%d allocations in %d requests, beside %d shots", used, n, target.made)
	if per := float64(used) / float64(n); per >= .05 {
		t.Errorf("%.3f allocations per request (%d in %d requests)", per, used, n)
	}
}
