package report

import (
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// comparePage is what the template "compare" shows.
type comparePage struct {
	Style      template.CSS
	Policy     string
	Title      string
	Comparable bool
	Numbers    bool
	Verdict    string
	Reason     string
	Conclusion string
	Fix        string
	Warnings   []string
	About      []fact
	A, B       string
	Counted    string
	Factors    []factorRow
	Metrics    []metricRow
	Plot       chart
	Lanes      []chart
	Outcomes   []countRow
	Shapes     []countRow
	Mix        string
	Changes    []changeRow
	More       int
}

// CompareHTML writes the page of a comparison, under the same limits as HTML. Runs that must not be compared give
// the factors and the fix, and no chart unless the comparison was forced.
func CompareHTML(w io.Writer, c *compare.Comparison) error {
	if c == nil || len(c.A.Runs) == 0 || len(c.B.Runs) == 0 {
		return errors.New("report: comparison has no runs")
	}
	p := comparePage{
		Style: template.CSS(style), Policy: policy, Title: "comparison", Comparable: c.Comparable, Numbers: c.Numbers,
		Verdict: string(c.Verdict), Reason: escapeLong(c.Reason), Conclusion: sentence(escapeLong(c.Conclusion)), Fix: escapeLong(c.Fix),
		Warnings: cleaned(c.Warnings), A: side("A", c.A.Label), B: side("B", c.B.Label), Counted: counted(c), Factors: factorRows(c),
	}
	p.About = []fact{
		{Name: "A", Value: fmt.Sprintf("%s, %s", clean(c.A.Runs[0].Scenario), runsOf(c.A))}, {Name: "B", Value: fmt.Sprintf("%s, %s", clean(c.B.Runs[0].Scenario), runsOf(c.B))},
		{Name: "varied", Value: "nothing"}, {Name: "pairs", Value: fmt.Sprintf("%d (a verdict needs %d)", c.Pairs, compare.MinPairs)},
	}
	if c.Vary != compare.Nothing {
		p.About[2].Value = clean(string(c.Vary))
	}
	if c.Numbers {
		p.Metrics, p.Outcomes, p.Shapes, p.Changes = metricRows(c), outcomeRows(c), shapeRows(c), changeRows(c)
		p.Plot, p.Lanes, p.Mix = overlay(c), rates(c), mixFinding(c)
		p.More = len(c.Endpoints) - len(p.Changes)
	}
	return execute(w, "compare", p)
}

func runsOf(s compare.Side) string {
	mode := clean(s.Runs[0].Mode) + " loop"
	if len(s.Runs) == 1 {
		return "1 " + mode + " run"
	}
	return fmt.Sprintf("%d %s runs", len(s.Runs), mode)
}

// sentence starts with a capital: a conclusion may begin with a label in lower case.
func sentence(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// overlay draws the response of both sides, with their repeats as thin lines.
func overlay(c *compare.Comparison) chart {
	const repeats = 5
	curves := []curve{responseCurve(c.A.Runs[0], "a", side("A", c.A.Label)), responseCurve(c.B.Runs[0], "b", side("B", c.B.Label))}
	for i := 1; i < min(repeats, max(len(c.A.Runs), len(c.B.Runs))); i++ {
		if i < len(c.A.Runs) {
			curves = append(curves, responseCurve(c.A.Runs[i], "a-repeat", ""))
		}
		if i < len(c.B.Runs) {
			curves = append(curves, responseCurve(c.B.Runs[i], "b-repeat", ""))
		}
	}
	timeout := 0.0
	if c.A.Outcomes.TimedOut+c.B.Outcomes.TimedOut > 0 {
		timeout = c.A.Runs[0].TimeoutMS
	}
	return percentilePlot(overlayFinding(c), "Response from the intended instant; the further apart the lines, the more the sides differ at that percentile.", timeout, curves...)
}

// overlayFinding names the percentile at which the sides differ most.
func overlayFinding(c *compare.Comparison) string {
	best, size := "", 0.0
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if d := math.Abs(math.Log(m.Ratio.Value)); m.Clock == "response" && m.Ratio.Value > 0 && m.A.Bound == compare.Exact && m.B.Bound == compare.Exact && d > size {
			size = d
			best = fmt.Sprintf("They differ most at %s: %s ms in A, %s ms in B", m.Name, millis(m.A.Median), millis(m.B.Median))
		}
	}
	if size < math.Log(1.05) {
		return "No percentile differs by more than 5 %"
	}
	return best
}

// rates are the planned rates of both sides, one over the other on the same scales.
func rates(c *compare.Comparison) []chart {
	runs := []*result.Summary{c.A.Runs[0], c.B.Runs[0]}
	var all [2][]float64
	high, seconds := 0.0, 0.0
	for i, s := range runs {
		t := rebin(s, maxBins)
		all[i] = scaled(t.planned, 1/t.width)
		if s.Mode == "closed" {
			all[i] = scaled(t.started, 1/t.width)
		}
		if len(all[i]) == 0 {
			return nil
		}
		high, seconds = math.Max(high, slices.Max(all[i])), math.Max(seconds, float64(len(all[i]))*t.width)
	}
	y := linear(high, 84)
	var out []chart
	for i, s := range runs {
		letter, of := []string{"A", "B"}[i], []compare.Side{c.A, c.B}[i]
		title := fmt.Sprintf("%s sends %.4g a second, the busiest second has %s", side(letter, of.Label), of.Shape.OfferedRPS, grouped(of.Shape.PeakSecond))
		if of.Shape.Peak > 0 {
			title += ", " + times(of.Shape.Peak) + " the mean"
		}
		t := rebin(s, maxBins)
		// Both lanes cover the longer duration, so that one second is equally wide in both.
		padded := append(slices.Clone(all[i]), make([]float64, max(0, int(math.Round(seconds/t.width))-len(all[i])))...)
		lane := chart{Title: title, How: "Requests per second, on the same scale as the other side.", Height: 84, Full: 98, Y: y.ticks("/s"),
			Areas: []shape{styled([]string{"a-rate", "b-rate"}[i], "", area(padded, y))}}
		lane.Alt = lane.Title
		if i == 1 {
			lane.X, lane.Full = timeTicks(len(padded), t.width), 84+32
		}
		out = append(out, lane)
	}
	return out
}
