package inspect

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// textWidth is the number of columns that WriteText keeps to.
const textWidth = 80

// WriteText renders s for people, at most 80 columns wide, with every byte that is not printable ASCII escaped.
func (s Summary) WriteText(w io.Writer) error {
	p := &printer{w: bufio.NewWriter(w)}
	s.writeFiles(p)
	s.writeTimes(p)
	s.writeContent(p)
	s.writeLimits(p)
	for _, warning := range s.Warnings {
		p.wrapped("warning: ", warning)
	}
	return p.w.Flush()
}

func (s Summary) writeFiles(p *printer) {
	for _, f := range s.Files {
		p.line("%s", f.Name)
		p.line("  format %s (%s), time stamp = %s, resolution %s", cmp.Or(f.Format, "none"), f.Codec, f.Stamp, f.Precision)
		for _, warning := range f.Warnings {
			p.wrapped("  warning: ", warning)
		}
	}
	p.line("")
	p.row("lines", "%d = %d records + %d no request + %d rejected + %d skipped", s.Lines, s.Records, s.NoRequest, s.Rejected, s.Skipped)
	if s.Rejected > 0 {
		p.row("rejected for", "%s", counts(s.Reasons, 6, s.Rejected))
	}
}

func (s Summary) writeTimes(p *printer) {
	if s.Records == 0 {
		return
	}
	p.row("from", "%s", s.FirstStart)
	p.row("to", "%s", s.LastStart)
	p.row("busiest second", "%d requests, %s", s.PeakSecond, s.PeakSecondAt)
	if r := s.PeakSliding; r.AtLeast == r.AtMost {
		p.row("any second", "%d requests at most", r.AtMost)
	} else {
		p.row("any second", "between %d and %d requests at most (the stamps tell no more)", r.AtLeast, r.AtMost)
	}
	p.row("busy seconds", "%d", s.BusySeconds)
	if s.LongestGap.Seconds > 0 {
		p.row("longest gap", "%d s after %s", s.LongestGap.Seconds, s.LongestGap.After)
	}
	p.row("disorder", "%d lines late, by up to %g s", s.Disorder.LateLines, s.Disorder.MaxSeconds)
	if s.warped() {
		p.row("minute of hour", "%s", histogram(s.MinuteOfHour))
	}
}

// warped tells whether the requests stand unevenly in the hour: one minute holds more than a tenth.
func (s Summary) warped() bool {
	return slices.Max(s.MinuteOfHour[:])*10 > s.Records
}

func (s Summary) writeContent(p *printer) {
	p.line("")
	about := ""
	if !s.ClientsExact {
		about = "about "
	}
	p.row("clients", "%s%d", about, s.Clients)
	p.row("methods", "%s", counts(s.Methods, 6, s.Records))
	p.row("statuses", "%s", counts(s.Statuses, 6, s.Records))
	p.row("endpoints", "%d, those with the most answered requests:", s.Endpoints)
	for _, e := range s.TopEndpoints {
		p.line("  %8d %5.1f %%  %s", e.Answered, percent(e.Answered, s.Records), e.Path)
	}
}

// writeLimits says what a replay cannot take from this log as it is.
func (s Summary) writeLimits(p *printer) {
	if s.Records == 0 {
		return
	}
	p.line("")
	p.line("For a replay:")
	f := func(n int64, what string) {
		if n > 0 {
			p.wrapped(fmt.Sprintf("  %8d %5.1f %%  ", n, percent(n, s.Records)), what)
		}
	}
	f(s.Shares.Mutating, "may change data: sent only with --allow-writes and a reset step")
	f(s.Shares.BodyMissing, "POST, PUT or PATCH: the log does not hold their bodies")
	f(s.Shares.Bots, "from programs that say so in their user agent")
	f(s.Shares.ClientGone, "left by the client before the response (499)")
	f(s.Shares.AbsoluteURI, "absolute URIs: sent to the target given, nowhere else")
	f(s.Shares.Connect, "CONNECT: never replayed")
	f(s.Shares.NoDuration, "without a response time in the log")
	f(s.Shares.DerivedStart, "start = logged end - logged duration")
}

// counts lists the most frequent names of m with their counts.
func counts(m map[string]int64, n int, total int64) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %.1f %%", name, percent(m[name], total)))
	}
	if more := len(names) - n; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

func percent(n, total int64) float64 {
	if total == 0 {
		return 0
	}
	return 100 * float64(n) / float64(total)
}

// histogram draws 60 counts as digits 0 to 9, relative to the greatest.
func histogram(minutes [60]int64) string {
	greatest := slices.Max(minutes[:])
	var b strings.Builder
	for _, n := range minutes {
		switch {
		case n == 0:
			b.WriteByte('.')
		default:
			b.WriteByte(byte('0' + 9*n/greatest))
		}
	}
	return b.String()
}

// printer writes lines that fit the width and are safe for a terminal.
type printer struct{ w *bufio.Writer }

func (p *printer) line(format string, args ...any) {
	text := printable(fmt.Sprintf(format, args...))
	if len(text) > textWidth {
		text = text[:textWidth-3] + "..."
	}
	fmt.Fprintln(p.w, text) // the Writer keeps its error for Flush
}

func (p *printer) row(label, format string, args ...any) {
	p.wrapped(fmt.Sprintf("%-16s", label), fmt.Sprintf(format, args...))
}

// wrapped writes text behind head and breaks it between words, so that it stays in its column.
func (p *printer) wrapped(head, text string) {
	indent, line := strings.Repeat(" ", len(head)), head
	for i, word := range strings.Fields(printable(text)) {
		if i > 0 && len(line)+1+len(word) > textWidth {
			p.line("%s", line)
			line = indent
		}
		if len(line) > len(head) {
			line += " "
		}
		line += word
	}
	p.line("%s", line)
}

// printable escapes what is not printable ASCII, as in file names and path shapes.
func printable(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c >= ' ' && c < 0x7f {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
	}
	return b.String()
}
