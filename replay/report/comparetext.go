package report

import (
	"fmt"
	"io"
	"strings"

	"reprise/replay/compare"
)

// CompareText writes a comparison for a terminal, in ASCII: whether the runs may be compared and why not,
// then the percentiles side by side, where the requests ended, and the conclusion.
func CompareText(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	contractText(&b, c)
	if c.Numbers {
		fmt.Fprintf(&b, "\n%-24s%12s%12s   %s\n", "", "A", "B", "B/A")
		fmt.Fprintf(&b, "%-24s%12s%12s\n", "", clip(c.A.Label, 11), clip(c.B.Label, 11))
		for _, m := range c.Metrics {
			fmt.Fprintf(&b, "%-24s%12s%12s   %s\n", m.Clock+" "+m.Name+" ms", cell(m.A, m.P), cell(m.B, m.P), ratioText(m))
		}
		a, o := c.A.Outcomes, c.B.Outcomes
		for _, r := range []struct {
			name string
			a, b int64
		}{{"offered", a.Offered, o.Offered}, {"completed", a.Completed, o.Completed}, {"rejected", a.Rejected, o.Rejected},
			{"timed out", a.TimedOut, o.TimedOut}, {"errors", a.Errors, o.Errors}, {"dropped", a.Dropped, o.Dropped}} {
			fmt.Fprintf(&b, "%-24s%12d%12d\n", r.name, r.a, r.b)
		}
		fmt.Fprintf(&b, "%-24s%12d%12d\n", "peak second", c.A.Shape.PeakSecond, c.B.Shape.PeakSecond)
	}
	fmt.Fprintf(&b, "\n%s", c.Verdict)
	if c.Reason != "" {
		fmt.Fprintf(&b, ": %s", escapeLong(c.Reason))
	}
	b.WriteByte('\n')
	if c.Fix != "" {
		fmt.Fprintf(&b, "  fix: %s\n", escapeLong(c.Fix))
	}
	for _, warning := range c.Warnings {
		fmt.Fprintf(&b, "warning %s\n", escapeLong(warning))
	}
	return write(w, b.String())
}

// contractText lists the factors that are not simply equal.
func contractText(b *strings.Builder, c *compare.Comparison) {
	equal := 0
	for _, f := range c.Factors {
		if f.State == compare.Equal {
			equal++
		}
	}
	state := "COMPARABLE"
	if !c.Comparable {
		state = "NOT COMPARABLE"
	}
	fmt.Fprintf(b, "%s: %d of %d factors equal\n", state, equal, len(c.Factors))
	for _, f := range c.Factors {
		if f.State == compare.Equal {
			continue
		}
		fmt.Fprintf(b, "  %-20s %-20s | %-20s %s", clean(f.Name), clip(f.A, 20), clip(f.B, 20), f.State)
		if f.State == compare.Blocks && f.Why != "" {
			fmt.Fprintf(b, ": %s", escapeLong(f.Why))
		}
		b.WriteByte('\n')
	}
}

// clip is clean, cut to n columns.
func clip(s string, n int) string {
	s = clean(s)
	if len(s) > n {
		return s[:n-2] + ".."
	}
	return s
}

func cell(s compare.Spread, p float64) string {
	if s.Bound == compare.TooFew {
		return fmt.Sprintf("n<%d", compare.Floor(p))
	}
	return string(s.Bound) + millis(s.Median)
}

func ratioText(m compare.Metric) string {
	switch {
	case m.Ratio.Value == 0:
		return "-"
	case m.Ratio.Pairs < 2:
		return fmt.Sprintf("%.3f", m.Ratio.Value)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", m.Ratio.Value, m.Ratio.Low, m.Ratio.High)
}
