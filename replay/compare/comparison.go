package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"reprise/replay/result"
)

// Options configure a comparison.
type Options struct {
	// Vary is the one declared difference; the zero value declares none.
	Vary Vary
	// Force computes the numbers of runs that are not comparable or INVALID. The verdict stays the refusal.
	Force bool
	// Tolerance is how much worse B's p95 and p99 may be: 0.1 is 10 %, and so is the zero value. The median
	// gets half of it, and no tolerance is below 1 ms. Negative values and values above 10 are refused.
	Tolerance float64
}

func (o *Options) validate() error {
	if _, ok := varies[o.Vary]; !ok {
		return fmt.Errorf("vary is none of traffic, arrivals, target, mode")
	}
	if !(o.Tolerance >= 0 && o.Tolerance <= 10) {
		return fmt.Errorf("tolerance %v is not in 0 to 10", o.Tolerance)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 0.1
	}
	return nil
}

// Comparison is A against B. Without Numbers only Factors, Verdict, Fix and Conclusion are set.
type Comparison struct {
	Vary       Vary
	Factors    []Factor
	Comparable bool
	Numbers    bool // the runs were compared: comparable, or forced
	A, B       Side

	Metrics   []Metric   // p50, p95, p99, p99.9 of the response, then of the service
	Failures  Difference // (errors + timed out + dropped + 5xx not rejected) / offered
	Endpoints []Endpoint // largest change first
	Mix       float64    // share of requests that would have to change endpoint to turn A's mix into B's

	Pairs      int
	Verdict    Verdict
	Reason     string // of the verdict, one clause
	Conclusion string // one plain sentence
	Note       string // what the conclusion must not be read without: that it was forced; empty when it stands by itself
	Fix        string // what makes the runs comparable; empty when they are
	Warnings   []string
}

// Side is one side of a comparison: the repeats of one run.
type Side struct {
	Label    string // what sets it apart from the other side
	Runs     []*result.Summary
	Outcomes Outcomes
	Shape    Shape
}

// Outcomes are sums over the runs of a side.
type Outcomes struct {
	Offered, Completed, Rejected, TimedOut, Errors, Dropped, Unsent int64
	Failures                                                        int64 // as in Comparison.Failures
}

// Runs compares the repeats of A with those of B: a[i] and b[i] are a pair. It fails only on unusable
// arguments; runs that must not be compared give a Comparison that says so.
func Runs(a, b []*result.Summary, o Options) (*Comparison, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if err := check(a, b); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	c := &Comparison{Vary: o.Vary, Factors: factors(a, b, o.Vary), Pairs: min(len(a), len(b))}
	c.A, c.B = side(a), side(b)
	c.A.Label, c.B.Label = labels(a[0], b[0], o.Vary)
	c.Comparable, c.Verdict, c.Reason = true, Inconclusive, ""
	for _, f := range c.Factors {
		if f.State == Blocks {
			c.Comparable = false
			c.refuse(f)
		}
	}
	c.Fix = fix(c.Factors)
	c.Numbers = c.Comparable || o.Force
	c.warn(a, b)
	if c.Numbers {
		c.Metrics = metrics(a, b, o.Tolerance)
		c.Failures = Shares(c.A.Outcomes.Failures, c.A.Outcomes.Offered, c.B.Outcomes.Failures, c.B.Outcomes.Offered)
		c.Endpoints, c.Mix = endpoints(a, b)
		c.warnOfLag()
	}
	if c.Numbers && !c.Comparable {
		c.Note = "forced: these runs must not be compared, so the numbers prove nothing"
	}
	if c.Comparable {
		c.decide(o.Tolerance)
	}
	c.Conclusion = c.conclude()
	return c, nil
}

func check(a, b []*result.Summary) error {
	if len(a) == 0 || len(b) == 0 {
		return errors.New("a side has no run")
	}
	for _, runs := range [][]*result.Summary{a, b} {
		for i, s := range runs {
			if s == nil {
				return fmt.Errorf("run %d has no summary", i+1)
			}
			if s.Version != result.SummaryVersion {
				return fmt.Errorf("run %d has summary version %d, this reprise reads %d", i+1, s.Version, result.SummaryVersion)
			}
		}
	}
	return once(slices.Concat(a, b))
}

// once refuses a run that stands twice among those compared: it would agree with itself and prove nothing.
// Runs of one plan never start at the same instant.
func once(runs []*result.Summary) error {
	type identity struct{ startedAt, plan, mode string }
	seen := make(map[identity]bool)
	for _, s := range runs {
		id := identity{s.StartedAt, s.Arrivals.PlanSHA256, s.Mode}
		if id.startedAt != "" && seen[id] {
			return fmt.Errorf("the run started at %.40q is named twice: a run says nothing about itself, name another run", id.startedAt)
		}
		seen[id] = true
	}
	return nil
}

// refuse records a blocking factor. INVALID is the stronger refusal of the two.
func (c *Comparison) refuse(f Factor) {
	if f.Name == "valid" {
		c.Verdict = Invalid
	} else if c.Verdict != Invalid {
		c.Verdict = NotComparable
	}
	if c.Reason == "" {
		c.Reason = f.Name + ": " + f.Why
	}
}

func (c *Comparison) warn(a, b []*result.Summary) {
	if len(a) != len(b) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("A has %d runs and B has %d: the first %d of each are paired", len(a), len(b), c.Pairs))
	}
	declared := false
	for _, f := range c.Factors {
		declared = declared || f.State == Declared
		if f.State == Unproven {
			c.Warnings = append(c.Warnings, f.Name+" is not recorded in either run: equality is assumed")
		}
	}
	if c.Vary != Nothing && !declared {
		c.Warnings = append(c.Warnings, "--vary "+string(c.Vary)+" was declared, but nothing of it differs")
	}
}

// warnOfLag doubts a difference of the tail of which the generator's own delay may be more than a third.
func (c *Comparison) warnOfLag() {
	m := c.tail()
	if m == nil || alikeEnough(m) {
		return
	}
	var lag float64
	for _, runs := range [][]*result.Summary{c.A.Runs, c.B.Runs} {
		lags := make([]float64, len(runs))
		for i, s := range runs {
			lags[i] = s.LagMS.P99
		}
		lag = max(lag, median(lags))
	}
	if d := math.Abs(m.B.Median - m.A.Median); lag > d/3 {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the generator itself was up to %s late (dispatch lag p99), and %s differs by %s: part of the difference may be the generator's; repeat both runs on a quieter machine",
			millis(lag), m.Name, millis(d)))
	}
}

// decide combines the metrics: PASS when all pass, FAIL when one fails at the corrected level.
func (c *Comparison) decide(tolerance float64) {
	if c.Pairs < MinPairs {
		c.Verdict = Inconclusive
		c.Reason = fmt.Sprintf("%s, a verdict needs %d", plural(c.Pairs, "pair of runs", "pairs of runs"), MinPairs)
		return
	}
	var p []float64
	pass, open := true, ""
	for i := range c.Metrics {
		m := &c.Metrics[i]
		if !m.Judged {
			continue
		}
		p = append(p, m.Ratio.worse(m.Tolerance))
		if m.Verdict != Pass {
			pass, open = false, m.Name
		}
	}
	const point = 0.001
	switch {
	case holm(p):
		c.Verdict, c.Reason = Fail, fmt.Sprintf("B is worse by more than the tolerance of %.6g %%", 100*tolerance)
	case c.Failures.Low > point:
		c.Verdict, c.Reason = Fail, "B fails more requests by more than 0.1 points"
	case len(p) == 0:
		c.Verdict, c.Reason = Inconclusive, "no percentile has enough requests or is free of the timeout's cut"
	case !pass:
		c.Verdict, c.Reason = Inconclusive, "the interval of "+open+" includes the tolerance"
	case c.Failures.High > point:
		c.Verdict, c.Reason = Inconclusive, "the failures could have grown by more than 0.1 points"
	default:
		c.Verdict, c.Reason = Pass, fmt.Sprintf("B is within the tolerance of %.6g %%", 100*tolerance)
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
