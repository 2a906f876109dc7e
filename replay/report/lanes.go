package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"reprise/replay/result"
)

// lanes are the charts over one time axis, top to bottom.
func lanes(s *result.Summary) []chart {
	t := rebin(s, maxBins)
	if len(t.planned) == 0 {
		return nil
	}
	out := []chart{rateLane(s, t), outcomeLane(s, t), latencyLane(s, t), inFlightLane(s, t)}
	if s.Mode != "closed" {
		out = append(out, lagLane(s, t))
	}
	for i := range out {
		c := &out[i]
		c.Full = c.Height + 14
		if i == len(out)-1 {
			c.X, c.Full = timeTicks(len(t.planned), t.width), c.Height+32
		}
		if c.Height == 0 { // a sentence says it all
			c.Full = 0
		}
		c.Alt = c.Title + ". " + c.How
	}
	return out
}

func rateLane(s *result.Summary, t series) chart {
	planned, started := scaled(t.planned, 1/t.width), scaled(t.started, 1/t.width)
	y := linear(max(slices.Max(planned), slices.Max(started)), 84)
	c := chart{Title: find(s, Rate), Height: 84, Y: y.ticks("/s"),
		How:   "Both lines together: the plan was kept. A gap is the generator's fault.",
		Areas: []shape{styled("flow", "", area(started, y))},
		Lines: []shape{styled("planned", "planned per second", steps(planned, y.y)), styled("started", "started per second", steps(started, y.y))}}
	if s.Mode == "closed" {
		c.How = "A closed loop has no plan in time: when the target slows down, so does the load."
		c.Lines = c.Lines[1:]
	}
	c.Legend = c.Lines
	return c
}

func outcomeLane(s *result.Summary, t series) chart {
	kinds := []struct {
		class, name string
		values      []float64
		total       int64
	}{
		{"completed", "completed", t.completed, s.Completed}, {"rejected", "rejected by the target", t.rejected, s.Rejected},
		{"timedout", "timed out", t.timedOut, s.TimedOut}, {"errors", "error", t.errs, s.Errors.Total}, {"dropped", "dropped by the generator", t.dropped, s.Dropped},
	}
	if s.Completed == s.Offered && s.Completed > 0 {
		return chart{Title: find(s, Outcome), How: "Nothing was rejected, timed out, failed or was dropped at any moment, so there is nothing to draw."}
	}
	low, all := make([]float64, len(t.planned)), make([]float64, len(t.planned))
	for _, k := range kinds {
		for i, v := range k.values {
			all[i] += v
		}
	}
	c := chart{Title: find(s, Outcome), Height: 46, How: "How the requests of every moment ended, in shares of the height."}
	for _, k := range kinds {
		high := slices.Clone(low)
		for i, v := range k.values {
			if all[i] > 0 {
				high[i] = math.Round((low[i]+v/all[i])*1e4) / 1e4
			}
		}
		if k.total > 0 || k.class == "completed" {
			shape := styled(k.class, k.name+" "+share(k.total, s.Offered), between(low, high, 46))
			c.Areas = append(c.Areas, shape)
			c.Legend = append(c.Legend, shape)
		}
		low = high
	}
	return c
}

func latencyLane(s *result.Summary, t series) chart {
	low, high := math.Inf(1), 0.0
	for i := range t.p50 {
		for _, v := range []float64{t.p50[i], t.p99[i]} {
			if v > 0 {
				low, high = math.Min(low, v), math.Max(high, v)
			}
		}
	}
	c := chart{Title: find(s, Latency), Height: 130, How: "By the second in which a request was due; the scale is logarithmic."}
	if high == 0 {
		return c
	}
	if s.TimeoutMS > 0 && s.TimedOut > 0 {
		high = math.Max(high, s.TimeoutMS)
	}
	y := logarithmic(low, high, 130)
	c.Y = y.ticks(" ms")
	slow := "p99 of the second"
	if perSecond(s) <= 100 { // so few that the nearest rank is the last one
		slow = "the slowest of the second"
	}
	c.Lines = []shape{styled("p99", slow, gaps(t.p99, y)), styled("p50", "p50", gaps(t.p50, y))}
	if t.width > bin(s) {
		c.Lines[0].Name = fmt.Sprintf("%s, the worst of every %s", slow, clock(t.width))
	}
	c.Legend = c.Lines
	if s.TimedOut > 0 && s.TimeoutMS >= y.low && s.TimeoutMS <= y.high {
		c.Rules = []rule{{Y: y.y(s.TimeoutMS), Label: "timeout " + millis(s.TimeoutMS) + " ms"}}
	}
	return c
}

// gaps draws a staircase that is broken where there is no value.
func gaps(values []float64, y scale) string {
	var b strings.Builder
	n := float64(len(values))
	for i := 0; i < len(values); i++ {
		if values[i] <= 0 {
			continue
		}
		var p pen
		op := byte('M')
		for ; i < len(values) && values[i] > 0; i++ {
			p.to(op, float64(i)*plane/n, y.y(values[i]))
			p.to('L', float64(i+1)*plane/n, y.y(values[i]))
			op = 'L'
		}
		b.Write(p.b)
	}
	return b.String()
}

func inFlightLane(s *result.Summary, t series) chart {
	mean := little(s)
	y := linear(math.Max(slices.Max(t.flights), mean), 70)
	c := chart{Title: find(s, InFlight), Height: 70, Y: y.ticks(""),
		How:   "Requests waiting for an answer at once, the most of every moment.",
		Areas: []shape{styled("flight", "in flight", area(t.flights, y))}}
	if mean > 0 && s.Mode != "closed" {
		c.Rules = []rule{{Y: y.y(mean), Label: "rate x latency = " + digits(mean, 3)}}
	}
	return c
}

func lagLane(s *result.Summary, t series) chart {
	limit := lagLimit(s)
	high := slices.Max(t.lag)
	y := linear(math.Max(high, limit*1.15), 60)
	return chart{Title: find(s, Lag), Height: 60, Y: y.ticks(" ms"),
		How:   "The generator's own delay, p99 of every second. The limit holds for the p99 of the whole run; a second above it is only a bad second.",
		Areas: []shape{styled("lag", "dispatch lag", area(t.lag, y))},
		Rules: []rule{{Y: y.y(limit), Label: "limit for the run " + millis(limit) + " ms"}}}
}

// hover is a stretch of the time axis with its figures as a tool tip.
type hover struct{ X, Width, Text string }

func hovers(s *result.Summary) []hover {
	t := rebin(s, 200)
	n := float64(len(t.planned))
	out := make([]hover, len(t.planned))
	for i := range out {
		var p pen
		x := string(p.number(float64(i) * plane / n))
		var q pen
		out[i] = hover{X: x, Width: string(q.number(plane / n)), Text: fmt.Sprintf("%s  planned %.0f, started %.0f, completed %.0f, rejected %.0f, timed out %.0f, errors %.0f, dropped %.0f, p50 %s ms, p99 %s ms, in flight %.0f, lag %s ms",
			clock(float64(i)*t.width), t.planned[i], t.started[i], t.completed[i], t.rejected[i], t.timedOut[i], t.errs[i], t.dropped[i],
			millis(t.p50[i]), millis(t.p99[i]), t.flights[i], millis(t.lag[i]))}
	}
	return out
}
