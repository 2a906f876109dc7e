package httptarget

import "sync"

// roll lists the open connections for those who walk over them: the watchdog, an abort and the end. Whoever opens
// a connection takes a lock that a walk holds for a moment only, and who closes one takes none: a walk finds out by
// itself, and drops it.
type roll struct {
	mu       sync.Mutex
	arrivals []*conn // since the last walk
	closed   bool

	walking sync.Mutex
	all     []*conn
}

// add enters a connection. After close it closes it at once.
func (r *roll) add(c *conn) {
	r.mu.Lock()
	closed := r.closed
	if !closed {
		r.arrivals = append(r.arrivals, c)
	}
	r.mu.Unlock()
	if closed {
		_ = c.nc.Close()
	}
}

// each calls f for every connection that is not dead.
func (r *roll) each(f func(*conn)) {
	r.walking.Lock()
	defer r.walking.Unlock()
	r.mu.Lock()
	r.all = append(r.all, r.arrivals...)
	clear(r.arrivals)
	r.arrivals = r.arrivals[:0]
	r.mu.Unlock()
	live := r.all[:0]
	for _, c := range r.all {
		if c.state.Load() != stateDead {
			f(c)
			live = append(live, c)
		}
	}
	clear(r.all[len(live):])
	r.all = live
}

// close closes every connection, those too that are entered later: a dial may end after its target.
func (r *roll) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.each(func(c *conn) { _ = c.nc.Close() })
}
