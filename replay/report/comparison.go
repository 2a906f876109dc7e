package report

import (
	"fmt"
	"math"
	"strings"

	"reprise/replay/compare"
)

// factorRow, metricRow, countRow and changeRow are the lines of the tables that every format of a comparison
// shows. Their strings are clean.
type factorRow struct {
	Name, A, B, State, Why string
	Blocks                 bool
}

type metricRow struct{ Clock, Name, A, B, Change, Interval string }

type countRow struct{ Name, A, B string }

type changeRow struct {
	Name, Percentile, A, B, Change, ShareA, ShareB, FailedA, FailedB string
	Large                                                            bool
}

func factorRows(c *compare.Comparison) []factorRow {
	var out []factorRow
	for _, f := range c.Factors {
		out = append(out, factorRow{clean(f.Name), factorValue(f.Name, f.A), factorValue(f.Name, f.B), string(f.State), clean(f.Why), f.State == compare.Blocks})
	}
	return out
}

// counted says how many factors are in which state.
func counted(c *compare.Comparison) string {
	n := map[compare.State]int{}
	for _, f := range c.Factors {
		n[f.State]++
	}
	parts := []string{fmt.Sprintf("%d factors: %d equal", len(c.Factors), n[compare.Equal])}
	for _, s := range []compare.State{compare.Declared, compare.Blocks, compare.Noted, compare.Unproven} {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], strings.ToLower(string(s))))
		}
	}
	return strings.Join(parts, ", ")
}

func metricRows(c *compare.Comparison) []metricRow {
	var out []metricRow
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if max(m.A.Max, m.B.Max) == 0 {
			continue
		}
		row := metricRow{Clock: m.Clock, Name: m.Name, A: spreadCell(m.P, m.A), B: spreadCell(m.P, m.B), Change: "-", Interval: "-"}
		if m.A.Bound != compare.TooFew && m.B.Bound != compare.TooFew && m.Ratio.Value > 0 {
			row.Change = ratioCell(m.Ratio.Value)
			switch {
			case m.A.Bound == compare.AtLeast && m.B.Bound == compare.AtLeast:
				row.Change = "unknown"
			case m.B.Bound == compare.AtLeast:
				row.Change = ">=" + row.Change
			case m.A.Bound == compare.AtLeast:
				row.Change = "<=" + row.Change
			}
			if m.Ratio.Low > 0 && m.Ratio.Pairs >= compare.MinPairs && row.Change == ratioCell(m.Ratio.Value) {
				row.Interval = digits(m.Ratio.Low, 4) + " to " + digits(m.Ratio.High, 4)
				if m.Ratio.Low <= 1 && m.Ratio.High >= 1 {
					row.Change = "~"
				}
			}
		}
		out = append(out, row)
	}
	return out
}

// spreadCell is the median of the runs and how far they lie apart, as half their range in percent.
func spreadCell(p float64, s compare.Spread) string {
	switch s.Bound {
	case compare.TooFew:
		return fmt.Sprintf("n<%d", compare.Floor(p))
	case compare.AtLeast:
		return ">=" + millis(s.Median)
	}
	if s.Runs > 1 && s.Median > 0 {
		return fmt.Sprintf("%s \u00b1%.0f%%", millis(s.Median), 50*(s.Max-s.Min)/s.Median)
	}
	return millis(s.Median)
}

// ratioCell is B/A as a change in percent up to a factor of ten, else as a factor.
func ratioCell(r float64) string {
	if r >= 10 {
		return times(r)
	}
	return fmt.Sprintf("%+.1f%%", 100*(r-1))
}

func outcomeRows(c *compare.Comparison) []countRow {
	a, b := &c.A.Outcomes, &c.B.Outcomes
	row := func(name string, x, y int64) countRow {
		return countRow{name, fmt.Sprintf("%s (%s)", grouped(x), share(x, a.Offered)), fmt.Sprintf("%s (%s)", grouped(y), share(y, b.Offered))}
	}
	return []countRow{
		{"offered", grouped(a.Offered), grouped(b.Offered)}, row("completed", a.Completed, b.Completed),
		row("rejected by the target", a.Rejected, b.Rejected), row("timed out", a.TimedOut, b.TimedOut), row("errors", a.Errors, b.Errors),
		row("dropped by the generator", a.Dropped, b.Dropped), row("failed in all", a.Failures, b.Failures),
	}
}

func shapeRows(c *compare.Comparison) []countRow {
	a, b := c.A.Shape, c.B.Shape
	number := func(v float64, text, unit string) string {
		if math.IsNaN(v) || v == 0 {
			return "unknown"
		}
		return text + unit
	}
	fano := func(v float64) string { // of an even load it is 0
		if math.IsNaN(v) {
			return "unknown"
		}
		return digits(v, 3)
	}
	return []countRow{
		{"source and arrivals", clean(a.Source + " " + a.Model), clean(b.Source + " " + b.Model)},
		{"mean rate", number(a.OfferedRPS, rate(a.OfferedRPS), "/s"), number(b.OfferedRPS, rate(b.OfferedRPS), "/s")},
		{"busiest second", number(float64(a.PeakSecond), grouped(a.PeakSecond), ""), number(float64(b.PeakSecond), grouped(b.PeakSecond), "")},
		{"busiest second / mean", number(a.Peak, digits(a.Peak, 3), "x"), number(b.Peak, digits(b.Peak, 3), "x")},
		{"burstiness (Fano, 1 s; Poisson is 1)", fano(a.Fano1s), fano(b.Fano1s)},
		{"endpoints", grouped(int64(a.Endpoints)), grouped(int64(b.Endpoints))},
	}
}

func changeRows(c *compare.Comparison) []changeRow {
	var out []changeRow
	for i := range c.Endpoints[:min(len(c.Endpoints), topEndpoints)] {
		e := &c.Endpoints[i]
		row := changeRow{Name: name(e.Method, e.Template), Percentile: e.Percentile, A: "-", B: "-", Change: "-",
			ShareA: share(e.A.Offered, c.A.Outcomes.Offered), ShareB: share(e.B.Offered, c.B.Outcomes.Offered), FailedA: grouped(e.A.Failures), FailedB: grouped(e.B.Failures)}
		switch {
		case e.A.Offered == 0:
			row.Change = "only in B"
		case e.B.Offered == 0:
			row.Change = "only in A"
		case e.Percentile == "":
			row.Change = "too few"
		default:
			row.A, row.B = string(e.A.Bound)+millis(e.A.Value), string(e.B.Bound)+millis(e.B.Value)
			if e.Ratio > 0 {
				row.Change = ratioCell(e.Ratio)
				row.Large = e.Ratio > 1.5 || e.Ratio < 1/1.5
			}
		}
		out = append(out, row)
	}
	return out
}

// side is the heading of a column.
func side(letter, label string) string {
	if label == letter {
		return letter
	}
	return letter + ": " + clean(label)
}

// mixFinding says how far apart the endpoint mixes are.
func mixFinding(c *compare.Comparison) string {
	if c.Mix < 0.005 {
		return "Both sides ask for the same mix of endpoints"
	}
	return fmt.Sprintf("%.0f of 100 requests of A would have to go to another endpoint to make B's mix", math.Max(1, 100*c.Mix))
}
