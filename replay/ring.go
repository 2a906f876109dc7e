package replay

import "sync/atomic"

// ring hands shots from the look-ahead to the dispatcher: one producer, one consumer, no lock. Either
// side blocks only when there is nothing to do; the producer is woken when half of the ring is free, so
// that a steady run does not switch goroutines for every shot.
type ring struct {
	slots  []*Shot
	bytes  atomic.Int64 // held by the shots inside
	limit  int64        // of bytes
	head   atomic.Uint64
	tail   atomic.Uint64
	closed atomic.Bool // by the producer: no more shots
	gone   atomic.Bool // by the consumer: shots are not wanted any more

	starved, blocked   atomic.Bool
	arrived, freed     chan struct{}
	primed             chan struct{}
	primedOnce         bool
	consumed, produced uint64 // own positions of either side
}

func newRing(shots int, bytes int64) *ring {
	return &ring{
		slots: make([]*Shot, shots), limit: bytes,
		arrived: make(chan struct{}, 1), freed: make(chan struct{}, 1), primed: make(chan struct{}),
	}
}

// push adds a shot. It is false when the consumer is gone.
func (r *ring) push(s *Shot) bool {
	for r.full() {
		r.prime()
		r.blocked.Store(true)
		if !r.full() || r.gone.Load() {
			r.blocked.Store(false)
		} else {
			<-r.freed
		}
		if r.gone.Load() {
			return false
		}
	}
	if r.gone.Load() {
		return false
	}
	r.bytes.Add(s.weight)
	r.slots[r.produced%uint64(len(r.slots))] = s
	r.produced++
	r.tail.Store(r.produced)
	wake(&r.starved, r.arrived)
	return true
}

func (r *ring) full() bool {
	n := r.produced - r.head.Load()
	return n == uint64(len(r.slots)) || n > 0 && r.bytes.Load() >= r.limit
}

// close says that no more shots come.
func (r *ring) close() {
	r.closed.Store(true)
	r.prime()
	wake(&r.starved, r.arrived)
}

// prime tells whoever waits for the first filling.
func (r *ring) prime() {
	if !r.primedOnce {
		r.primedOnce = true
		close(r.primed)
	}
}

// pop takes the next shot, nil after the last one.
func (r *ring) pop() *Shot {
	for r.consumed == r.tail.Load() {
		if r.closed.Load() {
			if r.consumed == r.tail.Load() {
				return nil
			}
			break
		}
		r.starved.Store(true)
		if r.consumed != r.tail.Load() || r.closed.Load() {
			r.starved.Store(false)
			continue
		}
		<-r.arrived
	}
	i := r.consumed % uint64(len(r.slots))
	s := r.slots[i]
	r.slots[i] = nil
	r.consumed++
	r.head.Store(r.consumed)
	left := r.bytes.Add(-s.weight)
	if r.tail.Load()-r.consumed <= uint64(len(r.slots))/2 && left <= r.limit/2 {
		wake(&r.blocked, r.freed)
	}
	return s
}

// leave says that the consumer takes no more.
func (r *ring) leave() {
	r.gone.Store(true)
	wake(&r.blocked, r.freed)
}

// wake sends one token when the flag says that the other side sleeps or is about to.
func wake(flag *atomic.Bool, c chan struct{}) {
	if flag.Load() && flag.CompareAndSwap(true, false) {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// pile collects shots from any number of goroutines for one taker, without a lock. Since the taker takes
// all at once, a shot that comes back cannot confuse it (no ABA).
type pile struct {
	head   atomic.Pointer[Shot]
	parked atomic.Bool
	woken  chan struct{}
}

func (p *pile) push(s *Shot) {
	for {
		h := p.head.Load()
		s.next = h
		if p.head.CompareAndSwap(h, s) {
			break
		}
	}
	wake(&p.parked, p.woken)
}

// take returns all shots, oldest first, linked by next.
func (p *pile) take() *Shot {
	var oldest *Shot
	for s := p.head.Swap(nil); s != nil; {
		next := s.next
		s.next = oldest
		oldest, s = s, next
	}
	return oldest
}
