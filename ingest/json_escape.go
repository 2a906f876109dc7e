package ingest

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// unescapeJSON undoes the escapes of a JSON string (RFC 8259 section 7) left to right and in place and returns the
// shortened slice. \xHH, which is no JSON, is what nginx writes without escape=json. An unpaired surrogate becomes
// U+FFFD, as in encoding/json; an escape that is none stays as it is.
func unescapeJSON(s []byte) []byte {
	w := bytes.IndexByte(s, '\\')
	for i := w; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case 'u':
				if r, size := unicodeEscape(s[i:]); size > 0 {
					w += utf8.EncodeRune(s[w:], r) // never longer than the escape
					i += size
					continue
				}
			case '/':
				i++ // the backslash goes
			default:
				if b, size := escaped(s[i:]); size > 0 {
					s[w] = b
					w, i = w+1, i+size
					continue
				}
			}
		}
		s[w] = s[i]
		w, i = w+1, i+1
	}
	return s[:w]
}

// unicodeEscape decodes \uXXXX, or a surrogate pair of them, at the start of s. A size of 0 means that it is none.
func unicodeEscape(s []byte) (r rune, size int) {
	r, ok := fourHex(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if low, ok := fourHex(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return utf8.RuneError, 6
}

// fourHex reads the digits of \uXXXX.
func fourHex(s []byte) (r rune, ok bool) {
	if len(s) < 6 {
		return 0, false
	}
	for _, c := range s[2:6] {
		d := hexDigit(c)
		if d > 15 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}
