package inspect

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// textWidth is the number of columns that WriteText keeps to.
const textWidth = 80

// labelWidth is the number of columns of a row's label.
const labelWidth = 16

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
	p.wrapped(fmt.Sprintf("%-*s", labelWidth, label), fmt.Sprintf(format, args...))
}

// share writes a sentence about n of the requests, and nothing when there are none.
func (p *printer) share(n, all int64, format string, args ...any) {
	if n > 0 {
		p.wrapped(fmt.Sprintf("%10d %5s %%  ", n, percent(n, all)), fmt.Sprintf(format, args...))
	}
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

// counts lists the most frequent names of m with their counts.
func counts(m map[string]int64, n int, total int64) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names[:min(n, len(names))] {
		parts = append(parts, fmt.Sprintf("%s %s %%", name, percent(m[name], total)))
	}
	if more := len(names) - n; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// percent is the part that n is of total; what is there is never 0.0.
func percent(n, total int64) string {
	switch part := 100 * float64(n) / float64(max(total, 1)); {
	case n > 0 && part < 0.05:
		return "<0.1"
	default:
		return fmt.Sprintf("%.1f", part)
	}
}

// plural is a number and its noun.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// digits draws counts as digits 0 to 9, relative to the greatest, and none as a dot.
func digits(counts []int64) string {
	greatest := slices.Max(counts)
	var b strings.Builder
	for _, n := range counts {
		if n == 0 {
			b.WriteByte('.')
		} else {
			b.WriteByte(byte('0' + 9*n/greatest))
		}
	}
	return b.String()
}

// barRows is the height of bars.
const barRows = 4

// bars draws counts as columns of a chart that starts at zero, from the top row to the bottom one; a dot is half a row.
func bars(counts []int64) [barRows]string {
	greatest := slices.Max(counts)
	var rows [barRows]string
	for row := range rows {
		var b strings.Builder
		for _, n := range counts {
			halves := (n*2*barRows + greatest/2) / greatest
			switch below := int64(2 * (barRows - 1 - row)); {
			case halves >= below+2:
				b.WriteString(" #")
			case halves == below+1, n > 0 && row == barRows-1:
				b.WriteString(" .")
			default:
				b.WriteString("  ")
			}
		}
		rows[row] = strings.TrimRight(b.String(), " ")
	}
	return rows
}
