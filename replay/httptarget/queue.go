package httptarget

import (
	"sync"
	"sync/atomic"
	"time"

	"reprise/replay"
)

// queue holds shots that wait for a connection, in order of their deadlines. Its owner guards it.
type queue struct {
	shots []*replay.Shot
	dials int           // under way for the first of them
	late  []expiredShot // left the queue because their deadline had passed
}

// expiredShot is a shot whose deadline passed in the queue.
type expiredShot struct {
	shot    *replay.Shot
	dialled bool // while a dial was under way for it
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
	for i, s := range q.shots[:n] {
		q.late = append(q.late, expiredShot{s, i < q.dials})
	}
	clear(q.shots[:n])
	q.shots = q.shots[n:]
}

// expired gives the shots whose deadline has passed, or all.
func (q *queue) expired(all bool) []expiredShot {
	q.retire(all)
	out := q.late
	q.late = nil
	return out
}

// dialling holds the shots for which a connection is being dialled. They take whichever connection is there first,
// a dialled one or one that another exchange frees: without that, a moment's lack of connections makes
// dials, dials make work, and the work makes the lack last. A shot that waits longer than the dial it gets is
// queued for a connection, which its wait shows.
type dialling struct {
	mu sync.Mutex
	n  atomic.Int64 // shots in the queue
	queue
}

func (d *dialling) add(s *replay.Shot) {
	d.mu.Lock()
	d.push(s)
	d.n.Store(int64(len(d.shots)))
	d.mu.Unlock()
}

// take removes the first live shot, nil without one. While none waits it costs one load.
func (d *dialling) take() *replay.Shot {
	if d.n.Load() == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.first()
	if s != nil {
		d.drop()
	}
	d.n.Store(int64(len(d.shots)))
	return s
}

// dialLimit bounds the dials under way. A target that is slow to accept is not helped by more of them, and
// every one takes its share of this process.
const dialLimit = 64

// orphan counts one more dial and gives its deadline, when a live shot has no dial of its own yet.
func (d *dialling) orphan() (deadline time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.first() == nil || d.dials >= min(len(d.shots), dialLimit) {
		return time.Time{}, false
	}
	s := d.shots[d.dials]
	d.dials++
	return s.Time(s.Deadline), true
}

// dialled counts one dial less. What expired during the dial leaves the queue first, since it is the connect that
// took its time.
func (d *dialling) dialled() {
	d.mu.Lock()
	d.retire(false)
	d.n.Store(int64(len(d.shots)))
	d.dials--
	d.mu.Unlock()
}

// expire gives the shots whose deadline has passed, or all.
func (d *dialling) expire(all bool) []expiredShot {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := d.expired(all)
	d.n.Store(int64(len(d.shots)))
	return out
}
