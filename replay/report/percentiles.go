package report

import (
	"math"
	"slices"

	"reprise/replay/compare"
	"reprise/replay/latency"
	"reprise/replay/result"
)

// curve is a latency by percentile: a line of the percentile plot.
type curve struct {
	class, name string
	points      []point
	n           int64
}

// point is one percentile: share q below it, milliseconds.
type point struct{ q, ms float64 }

// longestHDR bounds the text of an encoded histogram that is decoded; one of 3 digits over 1 us to 1 h has a few KB.
const longestHDR = 1 << 20

// responseCurve is exact when the summary carries its histogram, else it joins the percentiles that it has.
func responseCurve(s *result.Summary, class, name string) curve {
	return histogramCurve(s.Latency.HDR, s.LatencyMS, class, name)
}

func histogramCurve(hdr string, p result.Percentiles, class, name string) curve {
	c := curve{class: class, name: name, n: p.N}
	if p.N <= 0 {
		return c
	}
	if hdr != "" && len(hdr) <= longestHDR {
		if h, err := latency.Decode(hdr); err == nil && h.Count() > 0 {
			c.n = h.Count()
			c.points = sampled(h)
			return c
		}
	}
	for _, at := range []point{{0.5, p.P50}, {0.9, p.P90}, {0.95, p.P95}, {0.99, p.P99}, {0.999, p.P999}} {
		if at.q <= 1-1/float64(p.N) {
			c.points = append(c.points, at)
		}
	}
	c.points = append(c.points, point{1 - 1/float64(p.N), p.Max})
	return c
}

// sampled reads the histogram at even steps of the plot's axis.
func sampled(h *latency.Histogram) []point {
	const steps = 240
	far := math.Log10(math.Max(2, float64(h.Count())))
	marks := []float64{0.5, 0.9, 0.95, 0.99, 0.999} // those that are printed are met exactly
	for i := range steps {
		marks = append(marks, 1-math.Pow(10, -far*float64(i)/steps))
	}
	slices.Sort(marks)
	out := make([]point, 0, len(marks)+1)
	for _, q := range marks {
		if q < 1-math.Pow(10, -far) {
			out = append(out, point{q, millisOf(h.Quantile(q).Microseconds())})
		}
	}
	return append(out, point{1 - math.Pow(10, -far), millisOf(h.Max().Microseconds())})
}

func millisOf(us int64) float64 { return float64(us) / 1000 }

// percentilePlot draws latency against percentile, both on logarithmic axes, so that the tail takes as much
// room as the rest.
func percentilePlot(title, how string, timeout float64, curves ...curve) chart {
	const height = 250
	c := chart{Title: title, How: how, Height: height, Full: height + 34, Alt: title}
	low, high, n := math.Inf(1), 0.0, int64(0)
	for _, k := range curves {
		n = max(n, k.n)
		for _, p := range k.points {
			if p.ms > 0 {
				low, high = math.Min(low, p.ms), math.Max(high, p.ms)
			}
		}
	}
	if high == 0 {
		return c
	}
	y := logarithmic(low, high, height)
	far := math.Log10(math.Max(2, float64(n)))
	x := func(q float64) float64 { return math.Min(1, -math.Log10(math.Max(1-q, 1e-12))/far) }
	c.Y = y.ticks(" ms")
	c.X = percentileTicks(x, far)
	for _, k := range curves {
		if len(k.points) == 0 {
			continue
		}
		line := styled(k.class, k.name, k.path(x, y))
		c.Lines = append(c.Lines, line)
		if k.name != "" {
			c.Legend = append(c.Legend, line)
		}
	}
	for i, k := range curves {
		if v, ok := k.at(0.99); ok && k.n >= compare.Floor(0.99) && i < 2 {
			label := "p99 " + millis(v) + " ms"
			if timeout > 0 && v >= timeout {
				label = "p99 >=" + millis(timeout) + " ms"
			}
			c.Dots = append(c.Dots, dot{X: percent(x(0.99)), Y: y.y(v), Label: label, Class: k.class, Fill: looks[k.class].Stroke, Anchor: "end"})
		}
	}
	if len(c.Dots) == 2 {
		c.separate()
	}
	if timeout > 0 && timeout >= y.low && timeout <= y.high {
		c.Rules = append(c.Rules, rule{Y: y.y(timeout), Label: "timeout " + millis(timeout) + " ms: above it nothing is known"})
	}
	// A finite 95 % interval needs Floor(q) values, about 3.7 above the quantile.
	from := math.Max(0, (far-math.Log10(3.69))/far)
	c.Bands = []band{{X: percent(from), Width: percent(1 - from), At: percent(1), Label: "too few"}}
	return c
}

// separate keeps the labels of two dots apart, or leaves one out where both say the same.
func (c *chart) separate() {
	a, b := &c.Dots[0], &c.Dots[1]
	switch {
	case math.Abs(a.Y-b.Y) < 2:
		b.Label = ""
	case math.Abs(a.Y-b.Y) < 18 && a.Y <= b.Y:
		b.Anchor = "start"
	case math.Abs(a.Y-b.Y) < 18:
		a.Anchor = "start"
	}
}

func (k curve) path(x func(float64) float64, y scale) string {
	var p pen
	op := byte('M')
	for _, at := range k.points {
		if at.ms > 0 {
			p.to(op, x(at.q)*plane, y.y(at.ms))
			op = 'L'
		}
	}
	return string(p.b)
}

// at is the latency at q, from the nearest point at or above.
func (k curve) at(q float64) (float64, bool) {
	for _, p := range k.points {
		if p.q >= q-1e-9 {
			return p.ms, true
		}
	}
	return 0, false
}

func percentileTicks(x func(float64) float64, far float64) []tick {
	out := []tick{{X: "0%", Label: "fastest", Anchor: "start"}}
	for _, at := range []struct {
		q     float64
		label string
	}{{0.9, "90 %"}, {0.99, "99 %"}, {0.999, "99.9 %"}, {0.9999, "99.99 %"}, {0.99999, "99.999 %"}, {0.999999, "99.9999 %"}} {
		if f := x(at.q); -math.Log10(1-at.q) <= far && f < 0.8 {
			out = append(out, tick{X: percent(f), Label: at.label, Anchor: "middle"})
		}
	}
	if far < 2 {
		out = append(out, tick{X: percent(x(0.5)), Label: "50 %", Anchor: "middle"})
	}
	return append(out, tick{X: "100%", Label: "slowest", Anchor: "end"})
}
