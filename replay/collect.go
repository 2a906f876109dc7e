package replay

import (
	"sync/atomic"
	"time"

	"reprise/replay/latency"
	"reprise/replay/result"
)

// collector is the one goroutine that sees outcomes: it keeps the ledger and the histograms, tells the
// observer and gives the shots back to the look-ahead.
//
// One recorder behind a lock-free pile was chosen over one per processor: the exchange pays one
// compare-and-swap, the histograms stay in one cache, nothing needs merging, and observers need no lock.
type collector struct {
	engine   *engine
	recorder *latency.Recorder
	ledger   result.Ledger
	observed int64
	ended    []int64      // started shots by the second of their end
	handed   atomic.Int64 // shots that will come back
	expect   atomic.Int64 // the final value of handed, -1 before it is known
	stopped  atomic.Bool
	drained  chan struct{}
}

// batchPause lets outcomes gather, so that the collector wakes at most a thousand times a second.
const batchPause = time.Millisecond

func (c *collector) run() {
	p := &c.engine.done
	for {
		if c.collect() {
			if c.expect.Load() < 0 {
				time.Sleep(batchPause)
			}
			continue
		}
		if c.observed == c.expect.Load() {
			close(c.drained)
			return
		}
		if c.stopped.Load() {
			return
		}
		p.parked.Store(true)
		if p.head.Load() != nil || c.observed == c.expect.Load() || c.stopped.Load() {
			p.parked.Store(false)
			continue
		}
		<-p.woken
	}
}

// collect observes the finished shots. It is false when there were none.
func (c *collector) collect() bool {
	s := c.engine.done.take()
	if s == nil {
		return false
	}
	for s != nil {
		next := s.next
		c.observe(&s.Outcome)
		c.engine.ahead.recycled.push(s)
		s = next
	}
	return true
}

func (c *collector) observe(o *result.Outcome) {
	c.observed++
	c.ledger.Add(o)
	c.end(o)
	_ = c.recorder.Observe(o) // never fails
	if c.engine.observer == nil {
		return
	}
	if err := c.engine.observer.Observe(o); err != nil {
		c.engine.fail(err)
	}
}

// end counts the end of a started shot in its second.
func (c *collector) end(o *result.Outcome) {
	if o.Kind == result.Dropped || o.Kind == result.Unsent || o.Done < 0 {
		return
	}
	second := int(o.Done / int64(time.Second))
	for len(c.ended) <= second {
		c.ended = append(c.ended, 0)
	}
	c.ended[second]++
}

// expectTotal says how many outcomes there will be.
func (c *collector) expectTotal(n int64) {
	c.expect.Store(n)
	wake(&c.engine.done.parked, c.engine.done.woken)
}

// giveUp stops waiting for the target.
func (c *collector) giveUp() {
	c.stopped.Store(true)
	wake(&c.engine.done.parked, c.engine.done.woken)
}

// sweep ends what the target still holds after everything else has stopped. The outcome is made of the engine's own
// fields, since the target may still write to the shot's.
func (c *collector) sweep() {
	for c.observed < c.expect.Load() {
		now := c.engine.clock.Now()
		for _, s := range c.engine.ahead.all {
			if s.state.CompareAndSwap(stateOpen, stateEnded) {
				c.observe(&result.Outcome{
					Seq: s.Outcome.Seq, Endpoint: s.Outcome.Endpoint, Kind: result.InFlight, Cause: result.CauseAborted,
					Logged: s.Outcome.Logged, Intended: s.Intended, Dispatched: s.Outcome.Dispatched,
					SentAt: result.Unset, FirstByte: result.Unset, Done: now,
				})
			}
		}
		if !c.collect() && c.observed < c.expect.Load() {
			time.Sleep(batchPause) // a Finish is between its two steps
		}
	}
}
