package replay

import (
	"context"
	"time"

	"reprise/replay/result"
)

// dispatch is the open loop: it waits for each intended instant and starts the shot.
func (e *engine) dispatch(ctx context.Context) {
	pacer := e.options.Pacer
	if pacer == nil {
		pacer = newThreadPacer()
	}
	limit := int64(e.options.MaxInFlight)
	for {
		s := e.ring.pop()
		if s == nil {
			return
		}
		if !e.cut.Load() {
			pacer.Wait(ctx, e.clock.Time(s.Intended))
		}
		now := e.clock.Now()
		if e.cut.Load() || now < s.Intended {
			e.refuse(s, result.Unsent, result.CauseNone)
			continue
		}
		s.Outcome.Dispatched = now
		inFlight := e.started - e.finished.Load()
		switch {
		case now >= s.Deadline:
			s.Outcome.Done = now
			e.refuse(s, result.Dropped, result.CauseLate)
		case inFlight >= limit:
			s.Outcome.Done = now
			e.refuse(s, result.Dropped, result.CauseCap)
		default:
			e.start(s, now, inFlight+1)
		}
	}
}

// start gives the shot to the target.
func (e *engine) start(s *Shot, now, inFlight int64) {
	e.started++
	e.collector.handed.Add(1)
	s.state.Store(stateOpen)
	if !e.target.Start(s) {
		s.state.Store(stateIdle)
		e.started--
		s.Outcome.Done = now
		s.Outcome.Kind, s.Outcome.Cause = result.Dropped, result.CauseCap
		e.done.push(s)
		if e.ready != nil {
			e.ready <- struct{}{}
		}
		return
	}
	e.maxInFlight = max(e.maxInFlight, inFlight)
	second := int(now / int64(time.Second))
	for len(e.pulse) <= second {
		e.pulse = append(e.pulse, pulse{})
	}
	p := &e.pulse[second]
	p.started++
	p.inFlight = max(p.inFlight, inFlight)
}

// refuse ends a shot that the target never saw.
func (e *engine) refuse(s *Shot, k result.Kind, c result.Cause) {
	s.Outcome.Kind, s.Outcome.Cause = k, c
	e.collector.handed.Add(1)
	e.done.push(s)
}
