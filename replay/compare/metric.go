package compare

import (
	"cmp"
	"math"
	"slices"

	"reprise/replay/result"
)

// Bound says how far a percentile can be trusted.
type Bound string

// The bounds of a percentile.
const (
	Exact   Bound = ""
	AtLeast Bound = ">=" // it lies among timed-out requests: the true value is longer
	TooFew  Bound = "n<" // fewer values than a finite 95 % limit needs
)

// Floor is the smallest n for which quantile p in (0, 1) has a finite two-sided 95 % order-statistic
// interval: the largest value lies below the quantile with at most 2.5 %, and the smallest above it. 6 for the
// median, 72 for p95, 368 for p99, 3688 for p99.9. Outside (0, 1) no n is enough.
func Floor(p float64) int64 {
	if !(p > 0 && p < 1) {
		return math.MaxInt64
	}
	return int64(math.Ceil(math.Log(0.025) / math.Log(math.Max(p, 1-p))))
}

// Spread is a percentile over the runs of one side, in milliseconds.
type Spread struct {
	Median, Min, Max float64
	Runs             int
	Bound            Bound // the worst of the runs
}

// Metric is one percentile on one clock, side by side.
type Metric struct {
	Clock     string  // response or service
	Name      string  // p50, p95, p99, p99.9
	P         float64 // 0.5 to 0.999
	A, B      Spread
	Ratio     Ratio
	Judged    bool    // counts for the verdict: response p50 to p99 with exact values on both sides
	Tolerance float64 // how much worse B may be, as a share
	Verdict   Verdict // of this metric alone; empty when not judged
	Needed    int     // pairs that would pass, see Ratio.Needed
}

var quantiles = []struct {
	name  string
	p     float64
	of    func(*result.Percentiles) float64
	share float64 // of the tolerance; 0 = not judged
}{
	{"p50", 0.5, func(p *result.Percentiles) float64 { return p.P50 }, 0.5},
	{"p95", 0.95, func(p *result.Percentiles) float64 { return p.P95 }, 1},
	{"p99", 0.99, func(p *result.Percentiles) float64 { return p.P99 }, 1},
	{"p99.9", 0.999, func(p *result.Percentiles) float64 { return p.P999 }, 0},
}

func metrics(a, b []*result.Summary, tolerance float64) []Metric {
	clocks := []struct {
		name string
		of   func(*result.Summary) (result.Percentiles, float64)
	}{
		{"response", func(s *result.Summary) (result.Percentiles, float64) { return s.LatencyMS, s.Latency.Censored }},
		{"service", func(s *result.Summary) (result.Percentiles, float64) { return s.ServiceMS, serviceCensored(s) }},
	}
	var out []Metric
	for _, clock := range clocks {
		for _, q := range quantiles {
			m := Metric{Clock: clock.name, Name: q.name, P: q.p}
			read := func(runs []*result.Summary) ([]float64, Spread) {
				values, bound := make([]float64, len(runs)), Exact
				for i, s := range runs {
					pct, censored := clock.of(s)
					values[i] = q.of(&pct)
					bound = weaker(bound, boundOf(pct.N, q.p, censored))
				}
				return values, spread(values, bound)
			}
			var va, vb []float64
			va, m.A = read(a)
			vb, m.B = read(b)
			m.Ratio = Paired(va, vb)
			m.Judged = clock.name == "response" && q.share > 0 && m.A.Bound == Exact && m.B.Bound == Exact && m.Ratio.Pairs > 0
			if m.Judged {
				m.Tolerance = math.Max(tolerance*q.share, 1/m.A.Median)
				m.Verdict = m.Ratio.Verdict(m.Tolerance)
				m.Needed = m.Ratio.Needed(m.Tolerance)
			}
			out = append(out, m)
		}
	}
	return out
}

// serviceCensored is the censored share of the service population, which lacks what expired in the queue.
func serviceCensored(s *result.Summary) float64 {
	if s.ServiceMS.N <= 0 {
		return 0
	}
	return float64(s.TimedOut-s.TimedOutBy["wait"]) / float64(s.ServiceMS.N)
}

func boundOf(n int64, p, censored float64) Bound {
	switch {
	case n < Floor(p):
		return TooFew
	case censored > 0 && censored >= 1-p-1e-12:
		return AtLeast
	}
	return Exact
}

// weaker is the bound that says less.
func weaker(a, b Bound) Bound {
	rank := map[Bound]int{Exact: 0, AtLeast: 1, TooFew: 2}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func spread(values []float64, bound Bound) Spread {
	return Spread{Median: median(values), Min: slices.Min(values), Max: slices.Max(values), Runs: len(values), Bound: bound}
}

func median[T cmp.Ordered](values []T) T {
	s := slices.Sorted(slices.Values(values))
	return s[(len(s)-1)/2]
}
