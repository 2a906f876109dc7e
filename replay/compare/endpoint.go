package compare

import (
	"math"
	"slices"
	"strings"

	"reprise/replay/result"
)

// Endpoint is one method and path template on both sides: medians over the runs.
type Endpoint struct {
	Method, Template string
	A, B             EndpointSide
	Percentile       string  // the highest percentile that both sides have enough requests for; empty: none
	Ratio            float64 // B/A of that percentile; 0 when there is none
}

// EndpointSide is an endpoint's part in one side. A side that never offered it has Offered 0.
type EndpointSide struct {
	Offered   int64   // sum over the runs
	Share     float64 // of the offered requests of the side
	N         int64   // fewest latencies of a run
	Value     float64 // Percentile, milliseconds
	Bound     Bound
	Failures  int64 // errors, timed out and dropped, sum over the runs
	Rejected  int64
	latencies []result.Percentiles
	censored  float64
}

type endpointKey struct{ method, template string }

// endpoints joins both sides by method and template and computes the distance of their mixes (total
// variation: half the sum of the absolute differences of the shares).
func endpoints(a, b []*result.Summary) ([]Endpoint, float64) {
	as, bs := gather(a), gather(b)
	keys := make(map[endpointKey]bool)
	for k := range as {
		keys[k] = true
	}
	for k := range bs {
		keys[k] = true
	}
	out := make([]Endpoint, 0, len(keys))
	mix := 0.0
	for k := range keys {
		e := Endpoint{Method: k.method, Template: k.template}
		if s := as[k]; s != nil {
			e.A = *s
		}
		if s := bs[k]; s != nil {
			e.B = *s
		}
		e.measure()
		mix += math.Abs(e.A.Share-e.B.Share) / 2
		out = append(out, e)
	}
	slices.SortFunc(out, byChange)
	return out, mix
}

func gather(runs []*result.Summary) map[endpointKey]*EndpointSide {
	m := make(map[endpointKey]*EndpointSide)
	var offered int64
	for _, s := range runs {
		for i := range s.Endpoints {
			e := &s.Endpoints[i]
			k := endpointKey{e.Method, e.Template}
			side := m[k]
			if side == nil {
				side = &EndpointSide{N: math.MaxInt64}
				m[k] = side
			}
			side.Offered += e.Offered
			side.Failures += e.Errors + e.TimedOut + e.Dropped
			side.Rejected += e.Rejected
			side.N = min(side.N, e.LatencyMS.N)
			side.latencies = append(side.latencies, e.LatencyMS)
			if e.LatencyMS.N > 0 {
				side.censored = max(side.censored, float64(e.TimedOut)/float64(e.LatencyMS.N))
			}
			offered += e.Offered
		}
	}
	for _, side := range m {
		if offered > 0 {
			side.Share = float64(side.Offered) / float64(offered)
		}
	}
	return m
}

// measure takes the highest percentile that both sides can support, so that a rare endpoint is compared by
// its median rather than by its slowest request.
func (e *Endpoint) measure() {
	if e.A.Offered == 0 || e.B.Offered == 0 {
		return
	}
	for _, q := range slices.Backward(quantiles[:3]) {
		if min(e.A.N, e.B.N) < Floor(q.p) {
			continue
		}
		e.Percentile = q.name
		for _, s := range []*EndpointSide{&e.A, &e.B} {
			values := make([]float64, len(s.latencies))
			for i := range s.latencies {
				values[i] = q.of(&s.latencies[i])
			}
			s.Value, s.Bound = median(values), boundOf(s.N, q.p, s.censored)
		}
		if e.A.Value > 0 && e.B.Value > 0 {
			e.Ratio = e.B.Value / e.A.Value
		}
		return
	}
}

// byChange puts the largest change of latency first, then what is on one side only, then names.
func byChange(x, y Endpoint) int {
	size := func(e *Endpoint) float64 {
		if e.Ratio == 0 {
			return -1
		}
		return math.Abs(math.Log(e.Ratio))
	}
	switch cx, cy := size(&x), size(&y); {
	case cx > cy:
		return -1
	case cx < cy:
		return 1
	}
	if d := (y.A.Offered + y.B.Offered) - (x.A.Offered + x.B.Offered); d != 0 {
		if d > 0 {
			return 1
		}
		return -1
	}
	return strings.Compare(x.Method+" "+x.Template, y.Method+" "+y.Template)
}
