package compare

import (
	"fmt"
	"math"
	"strconv"
)

// conclude is the one sentence that a reader takes home. It is computed from the numbers and says it too
// when the expected effect is absent or runs the other way.
func (c *Comparison) conclude() string {
	if !c.Numbers {
		n := 0
		for _, f := range c.Factors {
			if f.State == Blocks {
				n++
			}
		}
		return fmt.Sprintf("These runs cannot be compared: %s.", plural(n, "factor stands in the way", "factors stand in the way"))
	}
	m := c.tail()
	if m == nil {
		return "The runs have too few latencies to compare even a median."
	}
	sentence := c.relate(m) + c.evidence(m) + "."
	if d := c.Failures; math.Abs(d.Value) >= 0.01 {
		sentence += fmt.Sprintf(" Failed requests: %s of A, %s of B.", percent(d.A), percent(d.B))
	}
	if !c.Comparable {
		sentence = "Forced, so this proves nothing: " + sentence
	}
	return sentence
}

// tail is the highest response percentile up to p99 that both sides have enough requests for.
func (c *Comparison) tail() *Metric {
	var best *Metric
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if m.Clock == "response" && m.P <= 0.99 && m.A.Bound != TooFew && m.B.Bound != TooFew && m.A.Median > 0 && m.B.Median > 0 {
			best = m
		}
	}
	return best
}

func (c *Comparison) relate(m *Metric) string {
	a, b := view{c.A.Label, m.A}, view{c.B.Label, m.B}
	if m.A.Bound == AtLeast && m.B.Bound == AtLeast {
		return fmt.Sprintf("%s is cut by the timeout on both sides (%s and %s), so how they differ is not known", m.Name, a.value(), b.value())
	}
	switch c.Vary {
	case Mode:
		if c.A.Runs[0].Mode != c.B.Runs[0].Mode {
			if c.A.Runs[0].Mode == "closed" {
				a, b = b, a
			}
			return hidesShare(m, b, a)
		}
	case Traffic, Arrivals:
		// What stands in for the real traffic is the synthetic side, else B.
		if synthetic(c.A.Shape) && !synthetic(c.B.Shape) {
			a, b = b, a
		}
		return hidesTimes(m, b, a)
	}
	switch ratio := b.Median / a.Median; {
	case alikeEnough(m):
		return fmt.Sprintf("%s of B is the same as A's: %s against %s", m.Name, b.value(), a.value())
	case ratio > 1:
		return fmt.Sprintf("%s of B is %s%.0f %% above A's: %s against %s", m.Name, b.least(), 100*(ratio-1), b.value(), a.value())
	default:
		return fmt.Sprintf("%s of B is %s%.0f %% below A's: %s against %s", m.Name, a.least(), 100*(1-ratio), b.value(), a.value())
	}
}

// view is one side of the sentence.
type view struct {
	label string
	Spread
}

func (v view) value() string {
	if v.Bound == AtLeast {
		return ">= " + millis(v.Median)
	}
	return millis(v.Median)
}

func (v view) least() string {
	if v.Bound == AtLeast {
		return "at least "
	}
	return ""
}

// synthetic reports whether the arrivals were invented by a scenario and not taken from a trace.
func synthetic(s Shape) bool { return s.Source != "trace" && s.Source != "" }

// alikeEnough is the case where a difference means nothing: within 5 % or 1 ms, or an interval around 1.
func alikeEnough(m *Metric) bool {
	r := m.B.Median / m.A.Median
	return math.Abs(r-1) <= 0.05 || math.Abs(m.B.Median-m.A.Median) < 1 ||
		m.Ratio.Pairs >= MinPairs && m.Ratio.Low <= 1 && m.Ratio.High >= 1
}

// hidesTimes says how many times larger the percentile is under the real traffic than under its stand-in.
func hidesTimes(m *Metric, standIn, reality view) string {
	against := fmt.Sprintf("%s against %s under %s", standIn.value(), reality.value(), reality.label)
	ratio := reality.Median / standIn.Median
	switch {
	case alikeEnough(m):
		return fmt.Sprintf("%s hides nothing of %s: %s", standIn.label, m.Name, against)
	case ratio > 1:
		return fmt.Sprintf("%s hides %s%s of %s: %s", standIn.label, reality.least(), times(ratio), m.Name, against)
	default:
		return fmt.Sprintf("%s hides nothing of %s but overstates it %s%s: %s", standIn.label, m.Name, standIn.least(), times(1/ratio), against)
	}
}

// hidesShare says which share of the open loop's percentile the closed loop does not show.
func hidesShare(m *Metric, closed, open view) string {
	against := fmt.Sprintf("%s against %s in %s", closed.value(), open.value(), open.label)
	share := 1 - closed.Median/open.Median
	switch {
	case alikeEnough(m):
		return fmt.Sprintf("%s hides nothing of %s: %s", closed.label, m.Name, against)
	case share > 0:
		return fmt.Sprintf("%s hides %s%.0f %% of %s: %s", closed.label, open.least(), 100*share, m.Name, against)
	default:
		return fmt.Sprintf("%s hides nothing of %s, it is slower itself: %s", closed.label, m.Name, against)
	}
}

func (c *Comparison) evidence(m *Metric) string {
	if c.Pairs < MinPairs {
		return fmt.Sprintf(" (%s, no interval)", plural(c.Pairs, "pair of runs", "pairs of runs"))
	}
	if m.Ratio.Low == 0 {
		return ""
	}
	return fmt.Sprintf(" (B/A %.3g, 95 %% interval %.3g to %.3g, %d pairs)", m.Ratio.Value, m.Ratio.Low, m.Ratio.High, m.Ratio.Pairs)
}

// millis prints three significant digits and never an exponent.
func millis(v float64) string {
	digits := 0
	if v > 0 && v < 99.95 {
		digits = 2 - int(math.Floor(math.Log10(v)))
	}
	return strconv.FormatFloat(v, 'f', min(digits, 3), 64) + " ms"
}

// times prints a ratio with two significant digits and never an exponent.
func times(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + "x"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + "x"
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }
