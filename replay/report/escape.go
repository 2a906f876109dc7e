package report

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the number of runes of a name that reports show.
const longest = 160

// clean makes a string harmless on a terminal and in a line: what is not printable becomes an escape, bytes
// that are not UTF-8 too, and what is too long is cut with an ellipsis.
func clean(s string) string { return escape(s, "", longest) }

// escapeLong is clean for sentences and commands, which may be longer than names.
func escapeLong(s string) string { return escape(s, "", 2000) }

// code is s as a Markdown code span, inside which nothing is markup. The two characters that could end it, the
// backtick and the table's pipe, are escaped like control bytes.
func code(s string) string {
	s = escape(s, "`|", longest)
	if strings.TrimSpace(s) == "" {
		return "-"
	}
	return "`" + s + "`"
}

func escape(s, special string, most int) string {
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n > most {
			b.WriteString("...")
			break
		}
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r) && !strings.ContainsRune(special, r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// prose is a sentence of ours with hostile parts, made harmless for Markdown: a character that could be markup where
// it stands becomes an entity. Round brackets and the exclamation mark mean something only beside square ones,
// which are always replaced; a colon only inside a link or an emoji, an underscore only at the edge of a word, and a
// list's or a heading's sign only at the beginning.
func prose(s string) string {
	const always, first = "\\`*[]<>#|&~@$", "+-="
	var b strings.Builder
	runes := []rune(escapeLong(s))
	letter := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	for i, r := range runes {
		switch {
		case strings.ContainsRune(always, r), i == 0 && strings.ContainsRune(first, r),
			r == ':' && i+1 < len(runes) && runes[i+1] != ' ', r == '_' && !(letter(i-1) && letter(i+1)):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return wwwDot.ReplaceAllString(b.String(), "$1&#46;")
}

var wwwDot = regexp.MustCompile(`(?i)(www)\.`)
