package httptarget

import (
	"context"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

const (
	// watchRest and watchMin bound the pause between two looks at the deadlines. Timers per request would cost
	// more than this: a look at a thousand connections takes a few microseconds.
	watchRest = 2 * time.Millisecond
	watchMin  = 200 * time.Microsecond
)

// watch enforces the deadlines: it wakes the readers of connections whose time is over, which then end
// their exchange, and ends what expired in the queue.
func (t *Target) watch() {
	timer := time.NewTimer(watchRest)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-t.quit:
			return
		}
		now := int64(time.Since(t.base))
		pause := min(t.poke(now)-now, int64(watchRest))
		t.expire(false)
		timer.Reset(time.Duration(max(pause, int64(watchMin))))
	}
}

// poke wakes the readers whose deadline is over and returns the earliest of the others. A wake-up that comes too
// late, for the next exchange of the connection, is ignored there, and repeated here as long as it is
// due. It must never concern the writing: the next request would fail, and nobody would know that it was us.
func (t *Target) poke(now int64) int64 {
	next := int64(never)
	t.roll.each(func(c *conn) {
		switch d := c.deadline.Load(); {
		case d <= now:
			_ = c.nc.SetReadDeadline(past)
		default:
			next = min(next, d)
		}
	})
	return next
}

// expire ends the shots without a connection whose deadline has passed, or all of them.
func (t *Target) expire(all bool) {
	late := t.dialling.expire(all)
	if t.bounded != nil {
		late = append(late, t.bounded.expire(all)...)
	}
	for _, s := range late {
		phase := result.CauseWait
		if s.Outcome.SentAt != result.Unset {
			phase = result.CauseConnect // a dial was begun for it
		}
		t.giveUp(s, phase)
	}
}

// giveUp ends a shot that got no connection.
func (t *Target) giveUp(s *replay.Shot, phase result.Cause) {
	s.Outcome.Kind, s.Outcome.Cause, s.Outcome.Done = result.TimedOut, phase, s.Now()
	if s.Outcome.Done < s.Deadline {
		s.Outcome.Kind, s.Outcome.Cause = result.InFlight, result.CauseAborted
	}
	t.finish(s)
}

// Abort ends all open shots as InFlight: their connections are closed. It must not run at the same time
// as Start. The target can be used again after it.
func (t *Target) Abort() {
	t.aborting.Store(true)
	t.dials.Load().cancel()
	for t.open.Load() > 0 {
		t.expire(true)
		t.roll.each(func(c *conn) {
			if c.shot.Load() != nil {
				_ = c.nc.SetReadDeadline(past)
			}
		})
		time.Sleep(watchMin)
	}
	t.aborting.Store(false)
	t.dials.Store(newSpan())
}

// span is the time in which dials may go on.
type span struct {
	ctx    context.Context
	cancel context.CancelFunc
}

func newSpan() *span {
	ctx, cancel := context.WithCancel(context.Background())
	return &span{ctx, cancel}
}
