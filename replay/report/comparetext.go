package report

import (
	"fmt"
	"io"
	"strings"

	"reprise/replay/compare"
)

// CompareText writes a comparison as text: the factors that are not equal, then, when the runs may be compared,
// percentiles side by side, outcomes, traffic and the endpoints that changed most, then the verdict. The
// conclusion is left to the caller: it is the result, the rest is its explanation.
func CompareText(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	if !c.Comparable {
		fmt.Fprintf(&b, "%s: %s\n", c.Verdict, counted(c))
	}
	for _, f := range factorRows(c) {
		if f.State != string(compare.Equal) {
			fmt.Fprintf(&b, "  %-18s A %s | B %s   %s: %s\n", f.Name, f.A, f.B, f.State, f.Why)
		}
	}
	if c.Fix != "" {
		fmt.Fprintf(&b, "  fix: %s\n", clean(c.Fix))
	}
	if c.Numbers {
		compareTables(&b, c)
	}
	for _, warning := range c.Warnings {
		fmt.Fprintf(&b, "warning %s\n", escapeLong(warning))
	}
	if c.Note != "" {
		fmt.Fprintf(&b, "note %s\n", escapeLong(c.Note))
	}
	fmt.Fprintf(&b, "verdict %s", c.Verdict)
	if c.Reason != "" {
		fmt.Fprintf(&b, ": %s", escapeLong(c.Reason))
	}
	b.WriteByte('\n')
	return write(w, b.String())
}

func compareTables(b *strings.Builder, c *compare.Comparison) {
	fmt.Fprintf(b, "%s, n=%d    %s, n=%d\n", side("A", c.A.Label), len(c.A.Runs), side("B", c.B.Label), len(c.B.Runs))
	fmt.Fprintf(b, "%-18s%16s%16s%10s   %s\n", "latency ms", "A", "B", "change", "95% of B/A")
	for _, m := range metricRows(c) {
		fmt.Fprintf(b, " %-17s%16s%16s%10s   %s\n", m.Clock+" "+m.Name, ascii(m.A), ascii(m.B), m.Change, m.Interval)
	}
	fmt.Fprintf(b, "%-26s%22s%22s\n", "requests", "A", "B")
	for _, r := range outcomeRows(c) {
		fmt.Fprintf(b, " %-25s%22s%22s\n", r.Name, r.A, r.B)
	}
	fmt.Fprintf(b, "%-38s%16s%16s\n", "traffic", "A", "B")
	for _, r := range shapeRows(c) {
		fmt.Fprintf(b, " %-37s%16s%16s\n", r.Name, r.A, r.B)
	}
	fmt.Fprintf(b, " %s\n", mixFinding(c))
	const most = 10
	rows := changeRows(c)
	fmt.Fprintf(b, "%-34s%8s%12s%12s%12s\n", "endpoints by change", "", "A ms", "B ms", "change")
	for _, r := range rows[:min(most, len(rows))] {
		fmt.Fprintf(b, " %-33s%8s%12s%12s%12s\n", r.Name, r.Percentile, r.A, r.B, r.Change)
	}
	if n := len(c.Endpoints) - most; n > 0 {
		fmt.Fprintf(b, " %d more\n", n)
	}
}

// ascii spells the one sign that a terminal may lack.
func ascii(s string) string { return strings.ReplaceAll(s, "\u00b1", "+-") }

// CompareMarkdown writes a comparison for a review comment or a job summary, beginning with an empty line as Markdown does.
func CompareMarkdown(w io.Writer, c *compare.Comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n### %s: %s\n\n", c.Verdict, prose(sentence(c.Conclusion)))
	if c.Reason != "" {
		fmt.Fprintf(&b, "%s\n\n", prose(c.Reason))
	}
	if c.Note != "" {
		fmt.Fprintf(&b, "**Note:** %s.\n\n", prose(c.Note))
	}
	b.WriteString("| factor | A | B | |\n|---|---|---|---|\n")
	for _, f := range factorRows(c) {
		if f.State != string(compare.Equal) {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", code(f.Name), code(f.A), code(f.B), prose(f.State+": "+f.Why))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", prose(counted(c)))
	if c.Fix != "" {
		fmt.Fprintf(&b, "\nfix: %s\n", prose(c.Fix))
	}
	if c.Numbers {
		fmt.Fprintf(&b, "\nA is %s (n=%d), B is %s (n=%d)\n\n| latency ms | A | B | change | 95%% of B/A |\n|---|--:|--:|--:|--:|\n",
			code(c.A.Label), len(c.A.Runs), code(c.B.Label), len(c.B.Runs))
		for _, m := range metricRows(c) {
			fmt.Fprintf(&b, "| %s %s | %s | %s | %s | %s |\n", m.Clock, m.Name, mark(m.A), mark(m.B), mark(m.Change), m.Interval)
		}
		b.WriteString("\n| requests and traffic | A | B |\n|---|--:|--:|\n")
		for _, r := range append(outcomeRows(c), shapeRows(c)...) {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", prose(r.Name), prose(r.A), prose(r.B))
		}
		b.WriteString("\n| endpoint | | A ms | B ms | change |\n|---|---|--:|--:|--:|\n")
		rows := changeRows(c)
		for _, r := range rows[:min(10, len(rows))] {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", code(r.Name), r.Percentile, mark(r.A), mark(r.B), mark(r.Change))
		}
	}
	for _, warning := range c.Warnings {
		fmt.Fprintf(&b, "\n- warning: %s", prose(warning))
	}
	return write(w, strings.TrimRight(b.String(), "\n")+"\n")
}
