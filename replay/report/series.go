package report

import (
	"math"
	"slices"

	"reprise/replay/result"
)

// maxBins is the most bins that a chart over time has, whatever the duration.
const maxBins = 600

// series is the timeline in at most maxBins bins: counts are summed, in flight, p99 and lag are the largest
// of a bin's seconds, p50 is the middle one.
type series struct {
	width                                                                   float64 // seconds of a bin
	planned, started, completed, timedOut, rejected, errs, dropped, flights []float64
	p50, p99, lag                                                           []float64
}

func rebin(s *result.Summary, most int) series {
	t := &s.Timeline
	n := 0
	for _, l := range []int{len(t.Planned), len(t.Started), len(t.Completed), len(t.TimedOut), len(t.Rejected), len(t.Errors),
		len(t.Dropped), len(t.InFlightMax), len(t.P50), len(t.P99), len(t.LagP99)} {
		n = max(n, l)
	}
	per := max(1, (n+most-1)/most)
	bins := (n + per - 1) / per
	return series{
		width:   bin(s) * float64(per),
		planned: fold(t.Planned, bins, per, sum), started: fold(t.Started, bins, per, sum), completed: fold(t.Completed, bins, per, sum),
		timedOut: fold(t.TimedOut, bins, per, sum), rejected: fold(t.Rejected, bins, per, sum), errs: fold(t.Errors, bins, per, sum),
		dropped: fold(t.Dropped, bins, per, sum), flights: fold(t.InFlightMax, bins, per, slices.Max[[]float64]),
		p50: fold(t.P50, bins, per, middle), p99: fold(t.P99, bins, per, slices.Max[[]float64]), lag: fold(t.LagP99, bins, per, slices.Max[[]float64]),
	}
}

// fold merges every per values into one. A list that is too short counts as zeros: a summary from elsewhere must
// not break the page.
func fold[T int64 | float64](values []T, bins, per int, merge func([]float64) float64) []float64 {
	out, part := make([]float64, bins), make([]float64, 0, per)
	for i := range out {
		part = part[:0]
		for j := i * per; j < min(len(values), (i+1)*per); j++ {
			if v := float64(values[j]); v >= 0 && !math.IsInf(v, 0) {
				part = append(part, v)
			}
		}
		if len(part) > 0 {
			out[i] = merge(part)
		}
	}
	return out
}

func sum(v []float64) float64 {
	total := 0.0
	for _, x := range v {
		total += x
	}
	return total
}

// middle is the middle of the values that are not zero: a second without answers has no median.
func middle(v []float64) float64 {
	v = slices.DeleteFunc(slices.Sorted(slices.Values(v)), func(x float64) bool { return !(x > 0) })
	if len(v) == 0 {
		return 0
	}
	return v[(len(v)-1)/2]
}

// scaled is every value times a factor.
func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * by
	}
	return out
}
