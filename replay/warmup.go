package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"reprise/replay/plan"
	"reprise/replay/result"
)

// WarmupOptions of Warmup.
type WarmupOptions struct {
	// Duration is how long requests are sent. It must be positive.
	Duration time.Duration
	// Rate is the number of requests per second, the plan's mean rate. It must be positive.
	Rate float64
	// Timeout is the deadline of a request. 0 means 30 s.
	Timeout time.Duration
	// MaxInFlight as in Options.
	MaxInFlight int
	// Pacer as in Options.
	Pacer Pacer
}

// Warmup sends the GET and HEAD requests of src from its start, evenly spaced, and again from its start
// when there are too few. It is a run of its own before t0: it is in no ledger and in no histogram of the
// run that follows. Errors counts what did not complete. A ctx that ends cuts it short without an error.
func Warmup(ctx context.Context, src iter.Seq2[*plan.Arrival, error], t Target, o WarmupOptions) (result.Warmup, error) {
	if o.Duration <= 0 || !(o.Rate > 0) || o.Rate > 1e7 {
		return result.Warmup{}, errors.New("warm-up: duration and rate must be positive")
	}
	totals, err := Run(ctx, evenly(src, o), t, nil, Options{Timeout: o.Timeout, MaxInFlight: o.MaxInFlight, Pacer: o.Pacer})
	if err != nil {
		return result.Warmup{}, fmt.Errorf("warm-up: %w", err)
	}
	return result.Warmup{
		Seconds: o.Duration.Seconds(), Requests: totals.Ledger.Started,
		Errors: totals.Ledger.Offered - totals.Ledger.Kinds[result.Completed] - totals.Ledger.Kinds[result.Unsent],
	}, nil
}

// evenly gives the harmless requests of src one after the other at the warm-up's rate.
func evenly(src iter.Seq2[*plan.Arrival, error], o WarmupOptions) iter.Seq2[*plan.Arrival, error] {
	return func(yield func(*plan.Arrival, error) bool) {
		limit := int64(o.Duration.Seconds() * o.Rate)
		var n int64
		for {
			before := n
			for a, err := range src {
				if err != nil {
					yield(nil, err)
					return
				}
				if n >= limit {
					return
				}
				if a.Withheld != plan.Sent || a.Method != "GET" && a.Method != "HEAD" {
					continue
				}
				c := *a
				c.At = int64(float64(n) / o.Rate * 1e6)
				n++
				if !yield(&c, nil) {
					return
				}
			}
			if n == before || n >= limit {
				return
			}
		}
	}
}
