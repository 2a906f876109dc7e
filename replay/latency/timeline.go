package latency

import "reprise/replay/result"

const (
	second = int64(1e9)
	// slack covers what happens after a deadline: noticing it and handing over the outcome.
	slack = second
	// intervalLimit bounds the intervals kept for the interval log; beyond it neighbours are merged.
	intervalLimit = 1200
)

// Second is the run in one second of intended time. Seconds without any offered request are zero.
type Second struct {
	Offered  int64
	Started  int64
	Kinds    [result.Unsent + 1]int64 // outcomes by kind
	P50, P99 int64                    // response of completed and timed out, nanoseconds; 0 without any
	LagP99   int64                    // nanoseconds
}

// timeline keeps the open seconds with their histograms and the closed ones without.
type timeline struct {
	timeout int64
	seconds []Second
	open    map[int64]*openSecond
	free    []*openSecond
	first   int64 // oldest second that may still be open
	horizon int64 // the newest intended second seen: all earlier ones were dispatched
	width   int64 // of an interval, in seconds
	spans   []*sparse
}

type openSecond struct{ response, lag *sparse }

func (t *timeline) observe(o *result.Outcome) {
	s := o.Intended / second
	if s < 0 {
		s = 0
	}
	for int64(len(t.seconds)) <= s {
		t.seconds = append(t.seconds, Second{})
	}
	c := &t.seconds[s]
	c.Offered++
	c.Kinds[o.Kind]++
	if o.Kind != result.Dropped && o.Kind != result.Unsent {
		c.Started++
	}
	if o.Dispatched == result.Unset {
		return
	}
	h := t.histograms(s)
	h.lag.record(o.Lag())
	if o.Kind == result.Completed || o.Kind == result.TimedOut {
		h.response.record(o.Response())
	}
	t.horizon = max(t.horizon, s)
	// The dispatcher takes arrivals in order, so a second is whole once a later one was taken and its
	// deadlines are over.
	for t.first < t.horizon && (t.first+1)*second+t.timeout+slack <= max(o.Done, o.Dispatched) {
		t.closeSecond(t.first)
		t.first++
	}
}

func (t *timeline) histograms(s int64) *openSecond {
	h := t.open[s]
	if h != nil {
		return h
	}
	if n := len(t.free); n > 0 {
		h, t.free = t.free[n-1], t.free[:n-1]
	} else {
		h = &openSecond{response: newSparse(), lag: newSparse()}
	}
	t.open[s] = h
	t.first = min(t.first, s)
	return h
}

func (t *timeline) closeSecond(s int64) {
	h := t.open[s]
	if h == nil {
		return
	}
	delete(t.open, s)
	c := &t.seconds[s]
	c.P50, c.P99 = h.response.quantile(.5), h.response.quantile(.99)
	c.LagP99 = h.lag.quantile(.99)
	t.keep(s, h.response)
	h.response.reset()
	h.lag.reset()
	t.free = append(t.free, h)
}

// keep adds a second's histogram to its interval. Intervals double in width when there are too many.
func (t *timeline) keep(s int64, h *sparse) {
	t.width = max(t.width, 1)
	for s/t.width >= intervalLimit {
		for i := 0; i < len(t.spans); i += 2 {
			merged := t.spans[i]
			if i+1 < len(t.spans) {
				merged.merge(t.spans[i+1])
			}
			t.spans[i/2] = merged
		}
		t.spans = t.spans[:(len(t.spans)+1)/2]
		t.width *= 2
	}
	for int64(len(t.spans)) <= s/t.width {
		t.spans = append(t.spans, newSparse())
	}
	t.spans[s/t.width].merge(h)
}

func (t *timeline) close() {
	for s := range t.open {
		t.closeSecond(s)
	}
}
