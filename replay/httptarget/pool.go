package httptarget

import (
	"sync"
	"sync/atomic"

	"reprise/replay"
)

// stack holds idle connections without a lock, the most recently used on top. Any goroutine may push;
// only one may pop at a time, which is what keeps it free of the ABA problem.
//
// One word says which of the two there is, idle connections or shots that wait for one: while shots wait its top is
// wanted. So a connection cannot become idle beside a shot that has just begun to wait.
type stack struct {
	top  atomic.Pointer[conn]
	dead atomic.Int64 // connections in the stack that the server has closed
}

// wanted is the top of an empty stack while shots wait.
var wanted = new(conn)

// want marks that shots wait. It is false when there is a connection instead.
func (k *stack) want() bool {
	return k.top.Load() == wanted || k.top.CompareAndSwap(nil, wanted)
}

// unwant marks that no shot waits any more.
func (k *stack) unwant() { k.top.CompareAndSwap(wanted, nil) }

// push is false when shots wait: the connection is theirs.
func (k *stack) push(c *conn) bool {
	for {
		t := k.top.Load()
		if t == wanted {
			return false
		}
		c.next = t
		if k.top.CompareAndSwap(t, c) {
			return true
		}
	}
}

func (k *stack) pop() *conn {
	for {
		t := k.top.Load()
		if t == nil || t == wanted {
			return nil
		}
		if k.top.CompareAndSwap(t, t.next) {
			return t
		}
	}
}

// sweepAt is how many dead connections may lie in the stack before it is sorted out.
const sweepAt = 64

// take pops a connection and attaches the shot to it, as of the given instant. It is nil when there is no live one.
func (k *stack) take(s *replay.Shot, at int64) *conn {
	if k.dead.Load() > sweepAt {
		k.sweep()
	}
	for {
		c := k.pop()
		if c == nil || c.attach(s, at) {
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
		k.push(live[i]) // always: only the caller's goroutine wants
	}
}

// bounded is the pool for a limited number of connections and for connections per user. It takes a lock,
// since a queue and its connections must change together.
type bounded struct {
	mu    sync.Mutex
	limit int // 0 = none
	open  int // connections and dials
	user  bool
	idle  idles
	queue
}

// idleLimit is how many idle connections per user are kept where no other limit is set: the one that has been idle
// longest makes room. Every one takes a file descriptor and a goroutine here and more at the target.
const idleLimit = 1024

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
	owner := b.owner(s)
	for c := b.idle.users[owner]; c != nil; c = b.idle.users[owner] {
		b.idle.remove(c)
		if c.attach(s, s.Now()) {
			return grant{conn: c}, true
		}
	}
	if b.limit == 0 || b.open < b.limit {
		b.open++
		return grant{dial: true}, true
	}
	if c := b.evict(); c != nil { // only with users
		return grant{evict: c, dial: true}, true // its place goes to the new one
	}
	return grant{}, false
}

// owner is whose connections the shot may use: everybody's have the zero owner.
func (b *bounded) owner(s *replay.Shot) [16]byte {
	if b.user {
		return [16]byte(s.Arrival.User)
	}
	return [16]byte{}
}

// evict ends the connection that has been idle longest, nil without one.
func (b *bounded) evict() *conn {
	for c := b.idle.oldest; c != nil; c = b.idle.oldest {
		b.idle.remove(c)
		if c.state.CompareAndSwap(stateIdle, stateDead) {
			return c
		}
	}
	return nil
}

// put makes a connection idle and serves the queue.
func (b *bounded) put(c *conn) (*replay.Shot, grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle.add(c)
	if b.limit == 0 && b.idle.n > idleLimit { // without a limit nothing queues
		g := grant{evict: b.evict()}
		if g.evict != nil {
			b.open--
		}
		return nil, g
	}
	return b.next()
}

// leave gives up the place of a connection that ended and serves the queue.
func (b *bounded) leave(c *conn) (*replay.Shot, grant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle.remove(c)
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
func (b *bounded) expire(all bool) []*replay.Shot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.expired(all)
}
