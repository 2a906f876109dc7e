package latency

import (
	"time"

	"reprise/replay/result"
)

// endpointLimit bounds the endpoints with histograms of their own. Templates are learned before a run,
// so more than this means that they were not; the rest is recorded as one.
const endpointLimit = 1024

// Options of a Recorder.
type Options struct {
	// Timeout is the deadline of a request, counted from its intended instant. A second can only be closed
	// once its last deadline has passed. 0 means one hour.
	Timeout time.Duration
}

// Recorder collects the latencies of one run. It belongs to one goroutine; the histograms may be read
// when the run has ended and Close was called.
type Recorder struct {
	Response  *Histogram // completed and timed out, from the intended instant: the headline
	Completed *Histogram // completed only, from the intended instant
	Service   *Histogram // completed and timed out, from the send
	Rejected  *Histogram // from the intended instant
	Errors    *Histogram // from the intended instant, up to the error
	Lag       *Histogram // everything that the dispatcher took, dropped arrivals included
	Wait      *Histogram // started: from the dispatch until a connection was taken
	FirstByte *Histogram // completed and timed out: from the send to the first byte

	endpoints []*endpoint
	others    *endpoint
	timeline  timeline
}

// endpoint is what is known of one endpoint.
type endpoint struct {
	offered           int64
	kinds             [result.Unsent + 1]int64
	response, service *sparse
}

// NewRecorder returns an empty recorder; it takes about 2 MB.
func NewRecorder(o Options) *Recorder {
	if o.Timeout <= 0 {
		o.Timeout = Highest
	}
	return &Recorder{
		Response: NewHistogram(), Completed: NewHistogram(), Service: NewHistogram(), Rejected: NewHistogram(),
		Errors: NewHistogram(), Lag: NewHistogram(), Wait: NewHistogram(), FirstByte: NewHistogram(),
		timeline: timeline{timeout: int64(o.Timeout), open: make(map[int64]*openSecond)},
	}
}

// Observe records one outcome. It never fails; the error is part of the engine's observer contract.
func (r *Recorder) Observe(o *result.Outcome) error {
	e := r.endpoint(o.Endpoint)
	e.offered++
	e.kinds[o.Kind]++
	r.timeline.observe(o)
	if o.Dispatched != result.Unset {
		r.Lag.Record(o.Lag())
	}
	if o.Kind == result.Dropped || o.Kind == result.Unsent {
		return nil
	}
	switch {
	case o.SentAt != result.Unset:
		r.Wait.Record(o.Wait())
	case o.Done != result.Unset:
		r.Wait.Record(o.Done - o.Dispatched)
	}
	switch o.Kind {
	case result.Completed:
		r.Completed.Record(o.Response())
		r.population(o, e)
	case result.TimedOut:
		r.population(o, e)
	case result.Rejected:
		r.Rejected.Record(o.Response())
	case result.Failed:
		r.Errors.Record(o.Response())
	}
	return nil
}

// population records a member of the headline population.
func (r *Recorder) population(o *result.Outcome, e *endpoint) {
	r.Response.Record(o.Response())
	e.response.record(o.Response())
	if o.SentAt == result.Unset {
		return // expired in the queue: it has no service
	}
	r.Service.Record(o.Service())
	e.service.record(o.Service())
	if o.FirstByte != result.Unset {
		r.FirstByte.Record(o.FirstByte - o.SentAt)
	}
}

func (r *Recorder) endpoint(i int32) *endpoint {
	if i < 0 || i >= endpointLimit {
		if r.others == nil {
			r.others = newEndpoint()
		}
		return r.others
	}
	for int(i) >= len(r.endpoints) {
		r.endpoints = append(r.endpoints, newEndpoint())
	}
	return r.endpoints[i]
}

func newEndpoint() *endpoint { return &endpoint{response: newSparse(), service: newSparse()} }

// Close ends the recording: the seconds still open are closed. Observe must not be called after it.
func (r *Recorder) Close() { r.timeline.close() }

// Censored is the share of the headline population that timed out: their true latency is longer than
// what was recorded.
func (r *Recorder) Censored() float64 {
	n := r.Response.Count()
	if n == 0 {
		return 0
	}
	return float64(n-r.Completed.Count()) / float64(n)
}

// Clipped is the number of values of any kind outside 1 us .. 1 h.
func (r *Recorder) Clipped() int64 {
	var n int64
	for _, h := range []*Histogram{r.Response, r.Service, r.Rejected, r.Errors, r.Lag, r.Wait} {
		n += h.Clipped()
	}
	return n
}
