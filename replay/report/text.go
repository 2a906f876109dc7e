package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// Text writes the table at the end of a run, at most 80 columns wide apart from reasons and names, in ASCII:
// VALID or INVALID first, then latencies on both clocks, then where every arrival ended.
func Text(w io.Writer, s *result.Summary) error {
	var b strings.Builder
	validity(&b, s)
	latencyTable(&b, s)
	ledger(&b, s)
	textStatuses(&b, s)
	for _, warning := range warnings(s) {
		fmt.Fprintf(&b, "warning %s\n", escapeLong(warning))
	}
	return write(w, b.String())
}

func write(w io.Writer, text string) error {
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func validity(b *strings.Builder, s *result.Summary) {
	if !s.Valid {
		fmt.Fprintf(b, "INVALID %s\n", strings.Join(causes(s), "; "))
		for _, r := range s.InvalidReasons {
			fmt.Fprintf(b, "        %s\n", escapeLong(r))
		}
		return
	}
	if s.Mode == "closed" {
		fmt.Fprintf(b, "VALID   %d started, each after an answer: a closed loop hides queueing\n", s.Started)
		return
	}
	lag := "p99 " + millis(s.LagMS.P99)
	if s.LagMS.N < compare.Floor(0.99) {
		lag = "at most " + millis(s.LagMS.Max)
	}
	fmt.Fprintf(b, "VALID   %d/%d started: lag %s ms, limit %s\n", s.Started, s.Offered, lag, lagRule(s))
}

func orDash(n int64, v float64) string {
	if n == 0 {
		return "-"
	}
	return millis(v)
}

// row is one line of the latency table.
type row struct {
	Name string
	population
	Brief string // of at most 14 columns
	Note  string
}

// latencyRows are the populations that both the text and the other formats show.
func latencyRows(s *result.Summary) []row {
	rows := []row{
		{"response (headline)", responses(s), "with timeouts", "completed and timed out, from the intended instant"},
		{"service, from send", services(s), "naive clock", "what tools show that only clock from the send"},
		{"completed only", population{Percentiles: s.LatencyCompletedMS}, "", "without those that timed out"},
		{"rejected", population{Percentiles: s.RejectedMS}, "by the target", "by the target, in no other row"},
		{"errors", population{Percentiles: s.ErrorsMS}, "no response", "no whole response, in no other row"},
		{"connection wait", population{Percentiles: s.WaitMS}, "", "from the dispatch to the send"},
		{"first byte", population{Percentiles: s.FirstByteMS}, "from send", "from the send"},
		{"dispatch lag", population{Percentiles: s.LagMS}, "our own", "the generator's own delay"},
	}
	return slices.DeleteFunc(rows, func(r row) bool {
		return r.N == 0 && !strings.HasPrefix(r.Name, "response") && !strings.HasPrefix(r.Name, "service")
	})
}

func latencyTable(b *strings.Builder, s *result.Summary) {
	fmt.Fprintf(b, "%-20s%7s%7s%7s%7s%7s%8s%s\n", "latency ms", "p50", "p95", "p99", "p99.9", "max", "n", noResult(s, "   "))
	for _, r := range latencyRows(s) {
		line := fmt.Sprintf(" %-19s%7s%7s%7s%7s%7s%8d   %s", r.Name, r.cell("p50"), r.cell("p95"), r.cell("p99"), r.cell("p99.9"), r.most(), r.N, r.Brief)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// noResult marks the numbers of an INVALID run.
func noResult(s *result.Summary, before string) string {
	if s.Valid {
		return ""
	}
	return before + "not a result"
}

func ledger(b *strings.Builder, s *result.Summary) {
	fmt.Fprintf(b, "planned %d = offered %d + withheld %d%s\n", s.Planned, s.Offered, s.Withheld, reasons(s.WithheldBy))
	fmt.Fprintf(b, "offered %d = started %d + dropped %d%s + unsent %d\n", s.Offered, s.Started, s.Dropped, reasons(s.DroppedBy), s.Unsent)
	fmt.Fprintf(b, "started %d = completed %d + rejected %d + timed out %d%s\n", s.Started, s.Completed, s.Rejected, s.TimedOut, reasons(s.TimedOutBy))
	fmt.Fprintf(b, "        + errors %d%s + in flight at end %d\n", s.Errors.Total, reasons(s.Errors.ByKind), s.InFlightAtEnd)
}

// reasons lists counts by name, largest first: " (cap 3, late 1)".
func reasons(by map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		if by[a] != by[b] {
			return int(max(-1, min(1, by[b]-by[a])))
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, n := range names {
		if by[n] > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", clean(n), by[n]))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
