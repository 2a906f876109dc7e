package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"reprise/replay/plan"
)

// ClosedOptions of a closed-loop run.
type ClosedOptions struct {
	// Workers is the number of requests that are open at any time. It must be positive.
	Workers int
	// Duration is how long new requests are started. It must be positive.
	Duration time.Duration
	// Timeout is the deadline of every request from its send. 0 means 30 s; at most one hour.
	Timeout time.Duration
	// Drain is how long open requests may still take when ctx ends. 0 means Timeout.
	Drain time.Duration
	// Gates are the limits of validity.
	Gates Gates
}

// RunClosed sends the content of src in its order, again from its start when it is used up, with a fixed
// number of workers that each send, wait for the answer and send again. The plan's instants mean nothing: a
// request is intended when it is dispatched, so a slow target slows the load and hides its own queue.
// src must be iterable more than once. The rest is as in Run.
func RunClosed(ctx context.Context, src iter.Seq2[*plan.Arrival, error], t Target, obs Observer, o ClosedOptions) (*Totals, error) {
	if o.Workers <= 0 || o.Duration <= 0 {
		return nil, errors.New("closed loop options: workers and duration must be positive")
	}
	open, err := Options{Timeout: o.Timeout, Drain: o.Drain, Gates: o.Gates, MaxInFlight: o.Workers}.validate()
	if err != nil {
		return nil, fmt.Errorf("closed loop options: %w", err)
	}
	e := newEngine(t, obs, open)
	e.ready = make(chan struct{}, o.Workers)
	for range o.Workers {
		e.ready <- struct{}{}
	}
	return e.run(ctx, "closed",
		func(ctx context.Context) { e.dispatchClosed(ctx, o.Duration) },
		func() { e.ahead.cycle(src) })
}

// dispatchClosed starts a shot for every idle worker until the time is over.
func (e *engine) dispatchClosed(ctx context.Context, d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			return
		case <-e.ready:
		}
		now := e.clock.Now()
		if now >= int64(d) || e.cut.Load() {
			return
		}
		s := e.ring.pop()
		if s == nil {
			return
		}
		now = e.clock.Now()
		s.Intended, s.Deadline = now, now+int64(e.options.Timeout)
		s.Outcome.Intended, s.Outcome.Dispatched = now, now
		e.start(s, now, e.started-e.finished.Load()+1)
	}
}
