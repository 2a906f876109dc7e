package anonymize

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"reprise/anonymize/internal/pseudonym"
)

// mailIn finds the first mail address in a text that has something around it.
func mailIn(text []byte) (start, end int, ok bool) {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '@')
		if i < 0 {
			return 0, 0, false
		}
		at := from + i
		start = at
		for start > from {
			r, n := utf8.DecodeLastRune(text[from:start])
			if !isMailRune(r) && r != '%' && r != '+' && r != '\'' {
				break
			}
			start -= n
		}
		end = at + 1
		for end < len(text) {
			r, n := utf8.DecodeRune(text[end:])
			if !isMailRune(r) {
				break
			}
			end += n
		}
		end = at + len(bytes.TrimRight(text[at:end], "._-"))
		if (start > 0 || end < len(text)) && pseudonym.IsMail(text[start:end]) {
			return start, end, true
		}
		from = at + 1
	}
}

// isMailRune tells whether r may stand on both sides of the @: letters and digits of any script, dots, dashes, underscores.
func isMailRune(r rune) bool {
	return r == '.' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r)
}

// mails replaces the mail addresses of a text, and what stands around them, one by one. A sign beyond ASCII right before or
// after an address stays, so that no letter takes its place, with which the address would be another one.
func (a *Anonymizer) mails(dst, text []byte, e *entity) []byte {
	for {
		start, end, ok := mailIn(text)
		if !ok {
			break
		}
		sign := start
		if r, n := utf8.DecodeLastRune(text[:start]); n > 1 && unicode.IsPunct(r) {
			sign -= n
		}
		if sign > 0 {
			dst = a.part(dst, text[:sign], e)
		}
		dst = append(dst, text[sign:start]...)
		dst = a.part(dst, text[start:end], e)
		text = text[end:]
		if r, n := utf8.DecodeRune(text); n > 1 && unicode.IsPunct(r) {
			dst, text = append(dst, text[:n]...), text[n:]
		}
	}
	if len(text) > 0 {
		dst = a.part(dst, text, e)
	}
	return dst
}
