package shop

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// stalled reports whether now lies in the stall [from, to).
func (i *injection) stalled(now time.Time) bool {
	return !now.Before(i.from) && now.Before(i.to)
}

// hold returns at the end of the stall when one is on, else at once. It is false when the client gave
// up first. The stall is that of the current setting, not of the one that the request arrived under.
func (f *Faults) hold(ctx context.Context) bool {
	for {
		i := f.current.Load()
		if i == nil || i.spec.Stall == nil {
			return true
		}
		if !i.stalled(time.Now()) {
			return true
		}
		select {
		case <-i.thawed:
			// Not back to the clock: it may stand a moment before the end by its own account.
			if f.current.Load() == i {
				return true
			}
		case <-i.replaced:
		case <-ctx.Done():
			return false
		}
	}
}

// wait sleeps for d, or until the faults are replaced. It is false when the client gave up first.
func (i *injection) wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-i.replaced:
		return true
	case <-ctx.Done():
		return false
	}
}

// delay spends the latency of a slow endpoint. It is false when the client gave up first.
func (i *injection) delay(r *http.Request) bool {
	h, _ := i.slow.Handler(r)
	if extra, ok := h.(latency); ok {
		return i.wait(r.Context(), time.Duration(extra))
	}
	return true
}

// admission is the answer of admit.
type admission int

const (
	unlimited admission = iota // no limit, or it was lifted while waiting: there is no slot to give back
	admitted                   // holds a slot
	refused                    // the queue is full
	abandoned                  // the client gave up in the queue
)

// admit takes a slot of the concurrency limit, waiting in the queue if there is room in it. A channel
// serves its waiting senders in order, so the queue is first in, first out.
func (i *injection) admit(ctx context.Context) admission {
	if i.slots == nil {
		return unlimited
	}
	select {
	case i.slots <- struct{}{}:
		return admitted
	default:
	}
	if i.waiting.Add(1) > int64(i.spec.Reject.Queue) {
		i.waiting.Add(-1)
		return refused
	}
	defer i.waiting.Add(-1)
	select {
	case i.slots <- struct{}{}:
		return admitted
	case <-i.replaced:
		return unlimited
	case <-ctx.Done():
		return abandoned
	}
}

// heldWriter lets nothing of a response out while a stall is on: a request that was in service when the
// stall began answers after it.
type heldWriter struct {
	http.ResponseWriter
	faults *Faults
	ctx    context.Context // of the request that the writer belongs to
}

var heldWriters = sync.Pool{New: func() any { return new(heldWriter) }}

// WriteHeader waits for the end of a stall.
func (w *heldWriter) WriteHeader(status int) {
	w.faults.hold(w.ctx)
	w.ResponseWriter.WriteHeader(status)
}

// Write waits for the end of a stall.
func (w *heldWriter) Write(b []byte) (int, error) {
	w.faults.hold(w.ctx)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the writer below.
func (w *heldWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
