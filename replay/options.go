package replay

import (
	"context"
	"errors"
	"time"

	"reprise/replay/latency"
)

// Options of an open-loop run. The zero value is usable.
type Options struct {
	// Timeout is the deadline of every request, counted from its intended instant. 0 means 30 s; at most
	// one hour.
	Timeout time.Duration
	// MaxInFlight is the number of requests that may be open at once; an arrival beyond it is dropped at
	// once. 0 means 10,000.
	MaxInFlight int
	// Drain is how long open requests may still take after the run was cut. 0 means Timeout.
	Drain time.Duration
	// LookAhead is the number of arrivals decoded and serialised ahead. 0 means 4096.
	LookAhead int
	// LookAheadBytes bounds the bytes of those requests. 0 means 16 MiB.
	LookAheadBytes int64
	// Pacer waits for the intended instants. Nil means the most precise one of the system.
	Pacer Pacer
	// Gates are the limits of validity.
	Gates Gates
}

// Gates are the limits beyond which the generator did not do its job.
type Gates struct {
	// MaxLag limits the 99th percentile of the dispatch lag. 5 % of the p99 response is allowed in any
	// case. 0 means 5 ms.
	MaxLag time.Duration
	// MinStarted is the least share of offered requests that must have been started. 0 means 0.999.
	MinStarted float64
}

// Pacer lets the dispatcher wait.
type Pacer interface {
	// Wait returns at the instant or as soon after it as it can, and early only when ctx has ended.
	Wait(ctx context.Context, until time.Time)
}

// SleepPacer waits with the runtime's timers: late by about a millisecond, but without a thread of its
// own, and with the fake clock of testing/synctest.
type SleepPacer struct{}

// Wait implements Pacer.
func (SleepPacer) Wait(ctx context.Context, until time.Time) {
	d := time.Until(until)
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

const (
	defaultTimeout     = 30 * time.Second
	defaultMaxInFlight = 10_000
	defaultLookAhead   = 4096
	defaultBytes       = 16 << 20
	// afterDeadline is what a target may need to notice a deadline and finish the shot.
	afterDeadline = time.Second
)

// validate fills in the defaults.
func (o Options) validate() (Options, error) {
	if o.Timeout < 0 || o.Timeout > latency.Highest {
		return o, errors.New("timeout must lie between 1 ns and 1 h")
	}
	if o.MaxInFlight < 0 || o.LookAhead < 0 || o.LookAheadBytes < 0 || o.Drain < 0 {
		return o, errors.New("max in flight, look-ahead and drain must not be negative")
	}
	if o.Gates.MinStarted < 0 || o.Gates.MinStarted > 1 || o.Gates.MaxLag < 0 {
		return o, errors.New("gates: min started must lie in 0..1 and max lag must not be negative")
	}
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.MaxInFlight = orDefault(o.MaxInFlight, defaultMaxInFlight)
	o.Drain = orDefault(o.Drain, o.Timeout)
	o.LookAhead = orDefault(o.LookAhead, defaultLookAhead)
	o.LookAheadBytes = orDefault(o.LookAheadBytes, defaultBytes)
	o.Gates.MaxLag = orDefault(o.Gates.MaxLag, 5*time.Millisecond)
	o.Gates.MinStarted = orDefault(o.Gates.MinStarted, .999)
	return o, nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
