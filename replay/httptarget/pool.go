package httptarget

import (
	"sync"
	"sync/atomic"

	"reprise/replay"
)

// stack holds idle connections without a lock, the most recently used on top. Any goroutine may push;
// only one may pop at a time, which is what keeps it free of the ABA problem.
type stack struct {
	top  atomic.Pointer[conn]
	dead atomic.Int64 // connections in the stack that the server has closed
}

func (k *stack) push(c *conn) {
	for {
		t := k.top.Load()
		c.next = t
		if k.top.CompareAndSwap(t, c) {
			return
		}
	}
}

func (k *stack) pop() *conn {
	for {
		t := k.top.Load()
		if t == nil || k.top.CompareAndSwap(t, t.next) {
			return t
		}
	}
}

// sweepAt is how many dead connections may lie in the stack before it is sorted out.
const sweepAt = 64

// take pops a connection and attaches the shot to it. It is nil when there is no live one.
func (k *stack) take(s *replay.Shot) *conn {
	if k.dead.Load() > sweepAt {
		k.sweep()
	}
	for {
		c := k.pop()
		if c == nil || c.attach(s, s.Outcome.Dispatched) {
			return c
		}
		k.dead.Add(-1)
	}
}

// sweep drops the dead connections.
func (k *stack) sweep() {
	var live []*conn
	for c := k.pop(); c != nil; c = k.pop() {
		if c.state.Load() == stateDead {
			k.dead.Add(-1)
			continue
		}
		live = append(live, c)
	}
	for i := len(live) - 1; i >= 0; i-- {
		k.push(live[i])
	}
}

// bounded is the pool for a limited number of connections and for connections per user. It takes a lock,
// since a queue and its connections must change together.
type bounded struct {
	mu    sync.Mutex
	limit int // 0 = none
	open  int // connections and dials
	user  bool
	idle  []*conn
	queue
}

// grant says what a shot may do.
type grant struct {
	conn  *conn // send on this one, attached
	evict *conn // close this one of another user first
	dial  bool  // dial
}

// ask finds a connection for the shot, or queues it.
func (b *bounded) ask(s *replay.Shot) grant {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.shots) == 0 {
		if g, ok := b.serve(s); ok {
			return g
		}
	}
	b.push(s)
	return grant{}
}

// serve finds a connection or the right to dial one.
func (b *bounded) serve(s *replay.Shot) (grant, bool) {
	for i := len(b.idle) - 1; i >= 0; i-- {
		c := b.idle[i]
		if b.user && c.user != [16]byte(s.Arrival.User) {
			continue
		}
		b.remove(i)
		if c.attach(s, s.Now()) {
			return grant{conn: c}, true
		}
	}
	if b.limit == 0 || b.open < b.limit {
		b.open++
		return grant{dial: true}, true
	}
	for len(b.idle) > 0 { // only with users: the longest idle one makes room
		c := b.idle[0]
		b.remove(0)
		if c.state.CompareAndSwap(stateIdle, stateDead) {
			return grant{evict: c, dial: true}, true // its place goes to the new one
		}
	}
	return grant{}, false
}

func (b *bounded) remove(i int) {
	b.idle = append(b.idle[:i], b.idle[i+1:]...)
}

// put makes a connection idle and serves the queue.
func (b *bounded) put(c *conn) (*replay.Shot, grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = append(b.idle, c)
	return b.next()
}

// leave gives up the place of a connection that ended and serves the queue. known says that the
// connection may be among the idle ones.
func (b *bounded) leave(c *conn, known bool) (*replay.Shot, grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known {
		for i, v := range b.idle {
			if v == c {
				b.remove(i)
				break
			}
		}
	}
	b.open--
	return b.next()
}

// next serves the first in the queue, if it can.
func (b *bounded) next() (*replay.Shot, grant) {
	s := b.first()
	if s == nil {
		return nil, grant{}
	}
	g, ok := b.serve(s)
	if !ok {
		return nil, grant{}
	}
	b.drop()
	return s, g
}

// expire gives the queued shots whose deadline has passed, or all.
func (b *bounded) expire(all bool) []expiredShot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.expired(all)
}
