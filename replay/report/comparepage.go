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
	Note       string
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
		Verdict: string(c.Verdict), Reason: escapeLong(c.Reason), Conclusion: sentence(escapeLong(c.Conclusion)), Fix: escapeLong(c.Fix), Note: escapeLong(c.Note),
		Warnings: cleaned(c.Warnings), A: side("A", c.A.Label), B: side("B", c.B.Label), Counted: counted(c), Factors: factorRows(c),
	}
	p.About = []fact{
		{Name: "A", Value: runsOf(c.A)}, {Name: "B", Value: runsOf(c.B)},
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

// runsOf says what a side is: scenario, number and mode of the runs, target.
func runsOf(s compare.Side) string {
	first := s.Runs[0]
	count := "1 " + clean(first.Mode) + " loop run"
	if len(s.Runs) > 1 {
		count = fmt.Sprintf("%d %s loop runs", len(s.Runs), clean(first.Mode))
	}
	return fmt.Sprintf("%s, %s, target version %s", clean(first.Scenario), count, clean(first.TargetVersion))
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

// rates are the planned rates of both sides, one over the other: on one time axis, and on one scale unless the
// rates are more than a factor of ten apart.
func rates(c *compare.Comparison) []chart {
	const apart = 10
	runs := []*result.Summary{c.A.Runs[0], c.B.Runs[0]}
	var all [2]series
	var values [2][]float64
	var high [2]float64
	seconds := 0.0
	for i, s := range runs {
		t := rebin(s, maxBins)
		values[i] = scaled(t.planned, 1/t.width)
		if s.Mode == "closed" {
			values[i] = scaled(t.started, 1/t.width)
		}
		if len(values[i]) == 0 {
			return nil
		}
		all[i], high[i], seconds = t, slices.Max(values[i]), math.Max(seconds, float64(len(values[i]))*t.width)
	}
	how := "Requests per second, on the same scale as the other side."
	if top := max(high[0], high[1]); top <= apart*min(high[0], high[1]) {
		high = [2]float64{top, top}
	} else {
		how = "Requests per second. Each side has a scale of its own, since the rates are more than ten times apart: compare the shapes, not the heights."
	}
	var out []chart
	for i := range runs {
		// Both lanes cover the longer duration, so that one second is equally wide in both.
		padded := append(slices.Clone(values[i]), make([]float64, max(0, int(math.Round(seconds/all[i].width))-len(values[i])))...)
		y := linear(high[i], 84)
		lane := chart{Title: rateTitle(c, i), How: how, Height: 84, Full: 98, Y: y.ticks("/s"),
			Areas: []shape{styled([]string{"a-rate", "b-rate"}[i], "", area(padded, y))}}
		lane.Alt = lane.Title
		if i == 1 {
			lane.X, lane.Full = timeTicks(len(padded), all[i].width), 84+32
		}
		out = append(out, lane)
	}
	return out
}

func rateTitle(c *compare.Comparison, i int) string {
	letter, of := []string{"A", "B"}[i], []compare.Side{c.A, c.B}[i]
	title := side(letter, of.Label) + " sends " + rate(of.Shape.OfferedRPS) + " a second"
	if of.Shape.PeakSecond > 0 {
		title += ", the busiest second has " + grouped(of.Shape.PeakSecond)
	}
	if of.Shape.Peak > 1.05 {
		title += ", " + times(of.Shape.Peak) + " the mean"
	}
	return title
}
