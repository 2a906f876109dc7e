package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"reprise/replay/result"
)

// Markdown writes a run for a review comment or a job summary. Names from the run stand in code spans. It begins with an
// empty line, so that it can be appended to whatever stands before.
func Markdown(w io.Writer, s *result.Summary) error {
	var b strings.Builder
	verdict := "VALID"
	if !s.Valid {
		verdict = "INVALID"
	}
	fmt.Fprintf(&b, "\n### %s: %s\n\n", verdict, prose(headline(s)))
	fmt.Fprintf(&b, "%s, %s loop, target version %s\n\n", code(s.Scenario), prose(s.Mode), code(s.TargetVersion))
	for _, r := range s.InvalidReasons {
		fmt.Fprintf(&b, "- %s\n", prose(r))
	}
	if len(s.InvalidReasons) > 0 {
		b.WriteString("\n")
	}
	if !s.Valid {
		b.WriteString("The numbers below are not a result.\n\n")
	}
	b.WriteString("| latency ms | p50 | p95 | p99 | p99.9 | max | n |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range latencyRows(s) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Name, mark(r.cell("p50")), mark(r.cell("p95")), mark(r.cell("p99")), mark(r.cell("p99.9")), mark(r.most()), grouped(r.N))
	}
	b.WriteString("\n| offered | completed | rejected | timed out | errors | dropped | unsent |\n|--:|--:|--:|--:|--:|--:|--:|\n")
	fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", grouped(s.Offered), of(s.Completed, s), of(s.Rejected, s), of(s.TimedOut, s), of(s.Errors.Total, s), of(s.Dropped, s), of(s.Unsent, s))
	markdownStatuses(&b, s)
	markdownEndpoints(&b, s)
	for _, warning := range warnings(s) {
		fmt.Fprintf(&b, "\n- warning: %s", prose(warning))
	}
	return write(w, strings.TrimRight(b.String(), "\n")+"\n")
}

func markdownStatuses(b *strings.Builder, s *result.Summary) {
	const most = 8
	a := answered(s)
	if len(a.counts) == 0 {
		return
	}
	b.WriteString("\nStatuses:")
	for i, c := range a.counts[:min(most, len(a.counts))] {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %s %s (%s)", code(c.status), grouped(c.n), mark(share(c.n, a.whole)))
	}
	if n := len(a.counts) - most; n > 0 {
		fmt.Fprintf(b, ", %d more", n)
	}
	if p := a.production(); p != "" {
		b.WriteString("; " + prose(p))
	}
	b.WriteString(".\n")
}

func markdownEndpoints(b *strings.Builder, s *result.Summary) {
	const most = 10
	if len(s.Endpoints) == 0 {
		return
	}
	b.WriteString("\n| endpoint | offered | p50 ms | p99 ms | timed out | rejected | errors |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for i := range s.Endpoints[:min(most, len(s.Endpoints))] {
		e := &s.Endpoints[i]
		p := endpointPopulation(s, e)
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", code(strings.TrimSpace(e.Method+" "+e.Template)), grouped(e.Offered),
			mark(p.cell("p50")), mark(p.cell("p99")), grouped(e.TimedOut), grouped(e.Rejected), grouped(e.Errors))
	}
	if n := len(s.Endpoints) - most; n > 0 {
		fmt.Fprintf(b, "\n%d more endpoints are in the report.\n", n)
	}
}

// mark keeps >= and n< from being read as markup.
func mark(cell string) string {
	if strings.ContainsAny(cell, "<>~") {
		return "`" + cell + "`"
	}
	return cell
}

// of is a count's share of the offered requests as a table cell.
func of(n int64, s *result.Summary) string { return mark(share(n, s.Offered)) }

// JSON writes the summary as it stands in summary.json, indented.
func JSON(w io.Writer, s *result.Summary) error {
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return write(w, string(text)+"\n")
}
