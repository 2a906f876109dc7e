package shop

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"reprise/arrival"
)

// Faults injects the faults of a FaultSpec into any handler. The zero value injects none until Set. It
// is safe for concurrent use and must not be copied.
type Faults struct {
	setting sync.Mutex // orders Set calls
	current atomic.Pointer[injection]
}

// FaultStatus tells what is in force now.
type FaultStatus struct {
	Faults FaultSpec `json:"faults"`
	// Age is the time since the faults were set, in milliseconds; a stall's offset counts from there.
	Age int64 `json:"age_ms"`
	// Requests is the number of requests that the faults were drawn for.
	Requests uint64 `json:"requests"`
	// Stalled tells whether a stall is on.
	Stalled bool `json:"stalled"`
}

// injection is one setting of the faults, immutable but for its counters.
type injection struct {
	spec     FaultSpec
	since    time.Time
	from, to time.Time      // of the stall; both zero without one
	slow     *http.ServeMux // nil without slow endpoints
	slots    chan struct{}  // one element per request in service; nil without a limit
	waiting  atomic.Int64
	requests atomic.Uint64
	replaced chan struct{} // closed by the next Set, which ends every wait
	// thawed is closed at the end of the stall: one event for all, so that the held requests go on in the
	// order in which they came. A timer each would let them go in any order.
	thawed chan struct{}
	thaw   *time.Timer
}

// NewFaults returns faults as Set would leave them.
func NewFaults(spec FaultSpec) (*Faults, error) {
	f := new(Faults)
	return f, f.Set(spec)
}

// Set puts spec in force from now on, in the place of what was: a stall's offset and the request count
// begin at this instant, and requests held by an older stall, latency or queue are let go. A stall holds
// the requests that are in service already, too. An invalid spec changes nothing.
func (f *Faults) Set(spec FaultSpec) error {
	if err := spec.validate(); err != nil {
		return err
	}
	spec = spec.clone()
	n := &injection{spec: spec, since: time.Now(), replaced: make(chan struct{})}
	if s := spec.Stall; s != nil {
		n.from = n.since.Add(s.After)
		n.to = n.from.Add(s.For)
		n.thawed = make(chan struct{})
		n.thaw = time.AfterFunc(n.to.Sub(n.since), func() { close(n.thawed) })
	}
	if len(spec.Slow) > 0 {
		n.slow, _ = slowRoutes(spec.Slow) // validate has tried it
	}
	if r := spec.Reject; r != nil && r.Concurrency > 0 {
		n.slots = make(chan struct{}, r.Concurrency)
	}
	f.setting.Lock()
	defer f.setting.Unlock()
	if old := f.current.Swap(n); old != nil {
		if old.thaw != nil {
			old.thaw.Stop()
		}
		close(old.replaced)
	}
	return nil
}

// Restart sets the request count back to zero, so that the same requests in the same order meet the
// same faults again. A stall's clock goes on.
func (f *Faults) Restart() {
	if n := f.current.Load(); n != nil {
		n.requests.Store(0)
	}
}

// Status returns what is in force.
func (f *Faults) Status() FaultStatus {
	n := f.current.Load()
	if n == nil {
		return FaultStatus{}
	}
	now := time.Now()
	return FaultStatus{
		Faults:   n.spec,
		Age:      now.Sub(n.since).Milliseconds(),
		Requests: n.requests.Load(),
		Stalled:  n.stalled(now),
	}
}

// The faults that are drawn; each has dice of its own.
const (
	diceReset uint64 = iota + 1
	diceReject
	diceError
)

// drawn reports whether request number n, from 1, meets the fault that dice stands for: each dice have a
// stream of their own, and each request its number of it.
func (i *injection) drawn(dice, n uint64, share float64) bool {
	if share <= 0 {
		return false
	}
	seeds := arrival.Stream{State: i.spec.Seed}
	seeds.Skip(dice - 1)
	throws := arrival.Stream{State: seeds.Uint64()}
	throws.Skip(n - 1)
	return throws.Float64() < share
}

// Wrap returns next behind the faults in force at each request.
//
// A request whose client gives up while it waits is dropped without an answer and without reaching next.
func (f *Faults) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !f.hold(r.Context()) {
			return
		}
		held := heldWriters.Get().(*heldWriter)
		*held = heldWriter{ResponseWriter: w, faults: f, ctx: r.Context()}
		defer func() {
			f.hold(r.Context()) // net/http sends the end of the response after this
			*held = heldWriter{}
			heldWriters.Put(held)
		}()
		if i := f.current.Load(); i != nil {
			i.serve(held, r, next)
			return
		}
		next.ServeHTTP(held, r)
	})
}

func (i *injection) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	n := i.requests.Add(1)
	spec := &i.spec
	switch {
	case spec.Reset != nil && i.drawn(diceReset, n, spec.Reset.Share):
		breakConnection(w)
		return
	case spec.Reject != nil && i.drawn(diceReject, n, spec.Reject.Share):
		i.reject(w)
		return
	case spec.Errors != nil && i.drawn(diceError, n, spec.Errors.Share):
		status := spec.Errors.Status
		if status == 0 {
			status = http.StatusInternalServerError
		}
		http.Error(w, "fault: error", status)
		return
	}
	switch i.admit(r.Context()) {
	case refused:
		i.reject(w)
		return
	case abandoned:
		return
	case admitted:
		if i.slots != nil {
			defer func() { <-i.slots }()
		}
	case unlimited:
	}
	if i.slow != nil && !i.delay(r) {
		return
	}
	next.ServeHTTP(w, r)
}

func (i *injection) reject(w http.ResponseWriter) {
	status := i.spec.Reject.Status
	if status == 0 {
		status = http.StatusTooManyRequests
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "fault: rejected", status)
}

// breakConnection ends the connection with a reset, as a crashed server does. Where the connection
// cannot be taken over, HTTP/2 for one, it aborts the response instead.
func breakConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's way to abort; it logs nothing
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // close then sends RST instead of FIN
	}
	conn.Close()
}

// latency is the handler that stands behind a slow pattern. It is never served: it only carries the
// value through the router.
type latency time.Duration

// ServeHTTP does nothing.
func (latency) ServeHTTP(http.ResponseWriter, *http.Request) {}

// slowRoutes routes the patterns of slow to their latencies. The router panics at a pattern that is
// malformed or ambiguous; that becomes an error.
func slowRoutes(slow []Slow) (mux *http.ServeMux, err error) {
	at := 0
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("shop: slow[%d]: endpoint is no pattern of net/http.ServeMux or conflicts with an earlier one", at)
		}
	}()
	mux = http.NewServeMux()
	for n, s := range slow {
		at = n
		mux.Handle(s.Endpoint, latency(s.Latency))
	}
	return mux, nil
}
