package replay

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"reprise/replay/latency"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// engine is the state of one run, shared by its goroutines. Every field belongs to one of them unless it
// is atomic.
type engine struct {
	clock    Clock
	target   Target
	observer Observer
	options  Options

	ring     *ring
	done     pile
	finished atomic.Int64  // shots that the target gave back
	cut      atomic.Bool   // no more dispatching
	ready    chan struct{} // closed loop: one token per idle worker

	ahead     lookAhead
	collector collector

	// the dispatcher's
	started     int64
	maxInFlight int64
	pulse       []pulse
	offering    time.Duration // until nothing more was dispatched

	failOnce sync.Once
	failure  error
	failed   chan struct{}
}

// pulse is one second of the dispatcher.
type pulse struct{ started, inFlight int64 }

func newEngine(t Target, obs Observer, o Options) *engine {
	e := &engine{
		target: t, observer: obs, options: o, failed: make(chan struct{}),
		ring: newRing(o.LookAhead, o.LookAheadBytes),
		done: pile{woken: make(chan struct{}, 1)},
	}
	e.ahead.engine = e
	e.ahead.index = make(map[EndpointName]int32)
	if p, ok := t.(Preparer); ok {
		e.ahead.prepare = p.Prepare
	} else {
		e.ahead.prepare = func(a *plan.Arrival, s *Shot) error { s.Keep(a); return nil }
	}
	e.collector.engine = e
	e.collector.recorder = latency.NewRecorder(latency.Options{Timeout: o.Timeout})
	e.collector.expect.Store(-1)
	e.collector.drained = make(chan struct{})
	return e
}

// fail ends the run with the first error.
func (e *engine) fail(err error) {
	e.failOnce.Do(func() {
		e.failure = err
		e.cut.Store(true)
		close(e.failed)
	})
}

// Run replays the arrivals of src against t in an open loop and returns when every request has ended.
// The first arrival is offered at t0 plus its instant; t0 is set when the first arrivals are ready. obs
// may be nil.
//
// When ctx ends, nothing more is dispatched, open requests get Options.Drain to end, the rest is InFlight,
// and the arrivals not dispatched are counted as unsent: src is read to its end for that, so it must not
// end with the same ctx. The totals then say Interrupted, and the error is nil. An error of src, of the
// target's Prepare or of obs ends the run in the same way and is returned with the totals so far.
func Run(ctx context.Context, src iter.Seq2[*plan.Arrival, error], t Target, obs Observer, o Options) (*Totals, error) {
	o, err := o.validate()
	if err != nil {
		return nil, fmt.Errorf("replay options: %w", err)
	}
	e := newEngine(t, obs, o)
	return e.run(ctx, "open", func(ctx context.Context) { e.dispatch(ctx) }, func() { e.ahead.read(src) })
}

// run starts the goroutines, waits for the dispatcher and for what it left open, and sums up.
func (e *engine) run(ctx context.Context, mode string, dispatch func(context.Context), read func()) (*Totals, error) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { e.cut.Store(true) })
	defer stop()
	go func() { // a failure also ends the pacer's wait
		select {
		case <-e.failed:
			cancel()
		case <-inner.Done():
		}
	}()
	gauge, before := startGauge(), e.connections()
	var sides sync.WaitGroup
	sides.Go(read)
	e.prime(ctx)
	e.clock.t0 = time.Now()
	sides.Go(e.collector.run)
	dispatched := make(chan struct{})
	go func() {
		defer close(dispatched)
		dispatch(inner)
	}()
	<-dispatched
	e.offering = time.Duration(e.clock.Now())
	e.drain(ctx)
	e.ring.leave()
	sides.Wait()
	e.collector.sweep()
	wall := e.clock.Now()
	e.collector.recorder.Close()
	totals := e.totals(mode, time.Duration(wall))
	totals.Generator = gauge.stop()
	totals.Connections = e.connections()
	totals.Connections.New -= before.New
	totals.Connections.Reused -= before.Reused
	totals.Connections.Slow -= before.Slow
	totals.Interrupted = ctx.Err() != nil
	if e.failure != nil {
		return totals, e.failure
	}
	if err := totals.Ledger.Check(); err != nil {
		return totals, fmt.Errorf("the run does not add up, which is a bug: %w", err)
	}
	return totals, nil
}

// connections asks the target, if it can tell.
func (e *engine) connections() result.Connections {
	if c, ok := e.target.(Connector); ok {
		return c.Connections()
	}
	return result.Connections{}
}

// prime waits until the look-ahead is full, so that the first arrivals are not late by the time that
// decoding takes to get going.
func (e *engine) prime(ctx context.Context) {
	limit := time.NewTimer(time.Second)
	defer limit.Stop()
	select {
	case <-e.ring.primed:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// drain waits until all open shots have ended. What is still open when its time is up is aborted.
func (e *engine) drain(ctx context.Context) {
	total := e.collector.handed.Load()
	e.collector.expectTotal(total)
	limit := e.options.Timeout + afterDeadline
	if e.cut.Load() {
		limit = e.options.Drain
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	cut := ctx.Done()
	for {
		select {
		case <-e.collector.drained:
			return
		case <-cut:
			cut = nil
			timer.Reset(e.options.Drain)
			continue
		case <-timer.C:
		}
		break
	}
	if a, ok := e.target.(Aborter); ok {
		a.Abort()
		timer.Reset(afterDeadline)
		select {
		case <-e.collector.drained:
			return
		case <-timer.C:
		}
	}
	e.collector.giveUp()
}
