package replay_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/plan"
)

// A plan that invents endpoints and reasons takes no more memory than one that does not, and all is counted.
func TestInventedNamesAreCountedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 12_000
		src := func(yield func(*plan.Arrival, error) bool) {
			for i := range n {
				a := plan.Arrival{At: int64(i), Method: "GET", Target: []byte("/"), Endpoint: fmt.Sprint("/", i)}
				if i%2 == 1 {
					a.Withheld = plan.Withheld(fmt.Sprint("because", i))
				}
				if !yield(&a, nil) {
					return
				}
			}
			for i := range n {
				if !yield(&plan.Arrival{At: n, Method: "GET", Target: []byte("/"), Endpoint: fmt.Sprint("/", i)}, nil) {
					return
				}
			}
		}
		totals, err := replay.Run(t.Context(), src, newSlots(8, time.Microsecond), nil, replay.Options{Pacer: replay.SleepPacer{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := totals.Ledger.WithheldTotal(); got != n/2 || len(totals.Ledger.Withheld) > 17 {
			t.Errorf("%d withheld for %d reasons, want %d for at most 17", got, len(totals.Ledger.Withheld), n/2)
		}
		if len(totals.Endpoints) > 10_001 {
			t.Errorf("%d endpoints are told apart", len(totals.Endpoints))
		}
		if err := totals.Ledger.Check(); err != nil {
			t.Error(err)
		}
	})
}
