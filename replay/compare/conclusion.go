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
	sentence := c.relate(m) + "."
	if d := c.Failures; math.Abs(d.Value) >= 0.01 {
		sentence += fmt.Sprintf(" Failed requests: %s of A, %s of B.", percent(d.A), percent(d.B))
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
		if x, y := c.A.Runs[0].Mode, c.B.Runs[0].Mode; x != y {
			if x == "closed" {
				a, b = b, a
			}
			return c.hides(m, b, a)
		}
	case Traffic, Arrivals:
		// What stands in for the real traffic is the synthetic side, else the one with invented instants, else B.
		if x, y := invented(c.A.Shape), invented(c.B.Shape); x > y {
			a, b = b, a
		}
		return c.hides(m, b, a)
	}
	against := fmt.Sprintf("%s against %s (%s)", b.value(), a.value(), c.evidence(m))
	switch ratio := b.Median / a.Median; {
	case alikeEnough(m):
		return fmt.Sprintf("%s of B is the same as A's: %s", m.Name, against)
	case ratio > 1:
		return fmt.Sprintf("%s of B is %s%.0f %% above A's: %s", m.Name, b.least(), 100*(ratio-1), against)
	default:
		return fmt.Sprintf("%s of B is %s%.0f %% below A's: %s", m.Name, a.least(), 100*(1-ratio), against)
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

// invented ranks how far traffic is from a log: 0 its requests at its instants, 1 its requests at other instants,
// 2 requests of a scenario.
func invented(s Shape) int {
	switch {
	case s.Source != "trace" && s.Source != "":
		return 2
	case s.Model == "measured" || s.Model == "logged" || s.Model == "":
		return 0
	}
	return 1
}

// alikeEnough is the case where a difference means nothing: within 5 % or 1 ms, or an interval around 1.
func alikeEnough(m *Metric) bool {
	r := m.B.Median / m.A.Median
	return math.Abs(r-1) <= 0.05 || math.Abs(m.B.Median-m.A.Median) < 1 ||
		m.Ratio.Pairs >= MinPairs && m.Ratio.Low <= 1 && m.Ratio.High >= 1
}

// hides says what a stand-in shows of the percentile under the real conditions, in either direction.
func (c *Comparison) hides(m *Metric, standIn, reality view) string {
	what := "the tail"
	if m.P <= 0.5 {
		what = "the usual wait"
	}
	numbers := fmt.Sprintf("its %s is %s, %s's %s", m.Name, standIn.value(), reality.label, reality.value())
	ratio := reality.Median / standIn.Median
	switch {
	case alikeEnough(m):
		return fmt.Sprintf("%s hides nothing of %s: %s (%s)", standIn.label, what, numbers, c.evidence(m))
	case ratio >= 2:
		return fmt.Sprintf("%s hides most of %s: %s (%s%s; %s)", standIn.label, what, numbers, reality.least(), times(ratio), c.evidence(m))
	case ratio > 1:
		return fmt.Sprintf("%s hides part of %s: %s (%s%s; %s)", standIn.label, what, numbers, reality.least(), times(ratio), c.evidence(m))
	default:
		return fmt.Sprintf("%s hides nothing of %s but makes it look worse: %s (%s%s too high; %s)", standIn.label, what, numbers, standIn.least(), times(1/ratio), c.evidence(m))
	}
}

// evidence says how many pairs of runs stand behind a sentence.
func (c *Comparison) evidence(m *Metric) string {
	if c.Pairs < MinPairs {
		return fmt.Sprintf("%s, no interval", plural(c.Pairs, "pair of runs", "pairs of runs"))
	}
	if m.Ratio.Low == 0 {
		return plural(c.Pairs, "pair of runs", "pairs of runs")
	}
	return fmt.Sprintf("B/A %s, 95 %% interval %s to %s, %d pairs", significant(m.Ratio.Value), significant(m.Ratio.Low), significant(m.Ratio.High), m.Ratio.Pairs)
}

func millis(v float64) string { return significant(v) + " ms" }

// significant prints three significant digits, at most three decimals and never an exponent.
func significant(v float64) string {
	digits := 0
	if v > 0 && v < 99.95 {
		digits = 2 - int(math.Floor(math.Log10(v)))
	}
	return strconv.FormatFloat(v, 'f', min(digits, 3), 64)
}

// times prints a factor with two significant digits and never an exponent.
func times(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + " times"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + " times"
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + " %" }
