package httptarget

import (
	"sync"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// queue holds shots that wait for a connection, in order of their deadlines. Its owner guards it.
type queue struct {
	shots []*replay.Shot
	late  []*replay.Shot // left the queue because their deadline had passed
}

func (q *queue) push(s *replay.Shot) { q.shots = append(q.shots, s) }

// first is the first shot whose time is not over, nil without one.
func (q *queue) first() *replay.Shot {
	q.retire(false)
	if len(q.shots) == 0 {
		return nil
	}
	return q.shots[0]
}

// drop removes the first shot.
func (q *queue) drop() {
	q.shots[0] = nil
	q.shots = q.shots[1:]
}

// retire takes what expired out of the queue, or everything.
func (q *queue) retire(all bool) {
	n := 0
	for n < len(q.shots) && (all || q.shots[n].Now() >= q.shots[n].Deadline) {
		n++
	}
	q.late = append(q.late, q.shots[:n]...)
	clear(q.shots[:n])
	q.shots = q.shots[n:]
}

// expired gives the shots whose deadline has passed, or all.
func (q *queue) expired(all bool) []*replay.Shot {
	q.retire(all)
	out := q.late
	q.late = nil
	return out
}

// dialling holds the shots for which a connection is being dialled. They take whichever connection is there first,
// a dialled one or one that another exchange frees: without that, a moment's lack of connections makes
// dials, dials make work, and the work makes the lack last. A shot that waits longer than the dial it gets is
// queued for a connection, which its wait shows.
//
// A shot's SentAt is the instant at which a dial was begun for it. One that has none when its deadline passes
// has waited only.
type dialling struct {
	mu    sync.Mutex
	dials int    // under way
	free  *stack // wanted exactly while the queue is not empty
	queue
}

// add queues the shot, unless a connection has become idle meanwhile: that one is returned, with the shot attached.
// The goroutine that pops from the stack calls it.
func (d *dialling) add(s *replay.Shot) *conn {
	d.mu.Lock()
	defer d.mu.Unlock()
	for !d.free.want() {
		if c := d.free.take(s, s.Now()); c != nil {
			return c
		}
	}
	d.push(s)
	return nil
}

// take removes the first live shot, nil without one.
func (d *dialling) take() *replay.Shot {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.first()
	if s != nil {
		d.drop()
	}
	d.shrunk()
	return s
}

// shrunk keeps the mark of the stack in step with the queue.
func (d *dialling) shrunk() {
	if len(d.shots) == 0 {
		d.free.unwant()
	}
}

// dialLimit bounds the dials under way. A target that is slow to accept is not helped by more of them, and
// every one takes its share of this process.
const dialLimit = 64

// orphan begins a dial for the first live shot that has had none, and gives its deadline. It is false when there are
// as many dials as shots: one whose shot found another connection serves the next.
func (d *dialling) orphan() (deadline time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retire(false)
	d.shrunk()
	if d.dials >= min(len(d.shots), dialLimit) {
		return time.Time{}, false
	}
	for _, s := range d.shots { // those with a dial are the first, and few
		if s.Outcome.SentAt == result.Unset {
			s.Outcome.SentAt = s.Now()
			d.dials++
			return s.Time(s.Deadline), true
		}
	}
	return time.Time{}, false
}

// dialled counts one dial less.
func (d *dialling) dialled() {
	d.mu.Lock()
	d.dials--
	d.mu.Unlock()
}

// expire gives the shots whose deadline has passed, or all.
func (d *dialling) expire(all bool) []*replay.Shot {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.expired(all)
	d.shrunk()
	return out
}
