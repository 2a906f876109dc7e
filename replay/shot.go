package replay

import (
	"errors"
	"sync/atomic"
	"time"

	"reprise/replay/plan"
	"reprise/replay/result"
)

// Target is what requests are sent to. Start is called by one goroutine at a time and must not block: it
// sends the shot, or arranges that it is sent, and returns. When the exchange has ended, by its deadline at the
// latest, the target fills the shot's Outcome and calls its Finish, from any goroutine and also from
// within Start. Deadlines do not decrease from one call to the next. False means that the target did not take
// the shot and will not finish it; it counts as dropped.
type Target interface {
	Start(*Shot) bool
}

// Preparer is a Target that makes a shot ready before its time, typically by serialising the request
// into Shot.Wire. The arrival is borrowed. Prepare is called by one goroutine, another than Start's.
// ErrUnreplayable withholds the arrival; any other error ends the run. A target that is no Preparer finds
// the request in Shot.Arrival.
type Preparer interface {
	Prepare(*plan.Arrival, *Shot) error
}

// Aborter is a Target that can end all open shots at once. Abort finishes each of them as InFlight with
// CauseAborted, before it returns.
type Aborter interface {
	Abort()
}

// Connector is a Target that tells how the exchanges so far met connections. A run on it answers for the time
// that its requests wait for a connection, unless the connections were limited on purpose or the target was
// slow to take them.
type Connector interface {
	Connections() result.Connections
}

// Observer sees every outcome once. Observe is called by one goroutine; the outcome is borrowed. An error
// ends the run.
type Observer interface {
	Observe(*result.Outcome) error
}

// Observers is a list of observers as one.
type Observers []Observer

// Observe calls each in turn up to the first error.
func (l Observers) Observe(o *result.Outcome) error {
	for _, v := range l {
		if err := v.Observe(o); err != nil {
			return err
		}
	}
	return nil
}

// ErrUnreplayable says that an arrival cannot be sent as it is.
var ErrUnreplayable = errors.New("the request cannot be replayed")

// Clock counts nanoseconds since t0, on the monotonic clock.
type Clock struct{ t0 time.Time }

// Now is the present instant.
func (c *Clock) Now() int64 { return int64(time.Since(c.t0)) }

// Time is the instant ns after t0.
func (c *Clock) Time(ns int64) time.Time { return c.t0.Add(time.Duration(ns)) }

// Shot is one request on its way. The engine owns it before Start and after Finish, the target between
// them. Instants are nanoseconds after t0.
type Shot struct {
	Arrival  plan.Arrival // a copy whose slices are nil, unless Keep was called
	Wire     []byte       // for the target's serialised request; its memory is reused
	Intended int64
	Deadline int64
	// Outcome is filled by the target before Finish: Kind, Cause, Status, Written, Reused, SentAt,
	// FirstByte, Done and BytesIn. The instants come as Unset; the other fields are the engine's.
	Outcome result.Outcome

	engine *engine
	state  atomic.Uint32
	next   *Shot
	kept   []byte
	weight int64 // bytes held while in the ring
}

// The states of a shot.
const (
	stateIdle  uint32 = iota // the engine's
	stateOpen                // the target's
	stateEnded               // ended by the engine; a late Finish means nothing
)

// Now is the present instant on the run's clock.
func (s *Shot) Now() int64 { return s.engine.clock.Now() }

// Time is the wall instant ns after t0, with the monotonic reading that deadlines of connections need.
func (s *Shot) Time(ns int64) time.Time { return s.engine.clock.Time(ns) }

// Keep copies the arrival into the shot, so that its slices live as long as the shot.
func (s *Shot) Keep(a *plan.Arrival) {
	b := append(append(append(s.kept[:0], a.Target...), a.Header...), a.Body...)
	t, h := len(a.Target), len(a.Target)+len(a.Header)
	s.kept = b
	s.Arrival = *a
	s.Arrival.Target, s.Arrival.Header, s.Arrival.Body = b[:t:t], b[t:h:h], b[h:]
}

// Finish gives the shot back with its Outcome. It must be called exactly once, and the shot must not be
// touched after it.
func (s *Shot) Finish() {
	e := s.engine
	if !s.state.CompareAndSwap(stateOpen, stateIdle) {
		return // the engine had stopped waiting for it
	}
	e.finished.Add(1)
	e.done.push(s)
	if e.ready != nil {
		e.ready <- struct{}{}
	}
}

// reset readies the outcome for a new journey.
func (s *Shot) reset(seq int64, endpoint int32) {
	s.Outcome = result.Outcome{
		Seq: seq, Endpoint: endpoint, Logged: s.Arrival.Status, Intended: s.Intended,
		Dispatched: result.Unset, SentAt: result.Unset, FirstByte: result.Unset, Done: result.Unset,
	}
}
