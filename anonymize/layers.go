package anonymize

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"reprise/anonymize/endpoint"
)

// layers is a value with its encodings undone, and what each byte was encoded with, so that a pseudonym
// can be written in the same way.
type layers struct {
	text  []byte  // decoded
	depth []uint8 // of each byte: rounds of percent-encoding, or asPlus; nil when nothing was encoded
	lower bool    // an escape had lower-case hex digits

	textBuf  []byte
	depthBuf []uint8
	form     composed
	signs    [256]uint8 // of encode: depthOf plus one, of those signs of a long text that were asked for
}

// longText is the length in bytes from which depthOf, which looks through all of the text, is asked once for each sign.
const longText = 256

// composed is a text in normal form C, and the depths of its bytes.
type composed struct {
	text  []byte
	depth []uint8
}

const (
	maxRounds = 3
	asPlus    = 0x10 // a space written as +
)

// decode undoes up to three rounds of percent-encoding, and + where form is true, and brings the text into Unicode's
// normal form C: a letter with its accent is one text, whether one rune or two.
func (l *layers) decode(raw []byte, form bool) {
	l.unescape(raw, form)
	if i := firstBeyondASCII(l.text); i < len(l.text) && !norm.NFC.IsNormal(l.text) {
		l.compose(l.depthAt(i))
	}
}

func firstBeyondASCII(s []byte) int {
	for i, c := range s {
		if c >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// compose brings the text into normal form C (Unicode Standard Annex 15). What is beyond ASCII counts as encoded in
// depth rounds, all else like the first of its kind.
func (l *layers) compose(depth uint8) {
	f := &l.form
	f.text, f.depth = norm.NFC.Append(f.text[:0], l.text...), f.depth[:0]
	var first [utf8.RuneSelf]uint8
	for i := len(l.text) - 1; i >= 0; i-- {
		if c := l.text[i]; c < utf8.RuneSelf {
			first[c] = l.depthAt(i)
		}
	}
	for _, c := range f.text {
		d := depth
		if c < utf8.RuneSelf {
			d = first[c]
		}
		f.depth = append(f.depth, d)
	}
	l.text, l.depth = f.text, f.depth
}

// unescape undoes the encodings.
func (l *layers) unescape(raw []byte, form bool) {
	l.text, l.depth, l.lower = raw, nil, false
	if bytes.IndexByte(raw, '%') < 0 && (!form || bytes.IndexByte(raw, '+') < 0 || isPlusMail(raw)) {
		return
	}
	l.textBuf = append(l.textBuf[:0], raw...)
	l.depthBuf = l.depthBuf[:0]
	for range raw {
		l.depthBuf = append(l.depthBuf, 0)
	}
	l.text, l.depth = l.textBuf, l.depthBuf
	for range maxRounds {
		if !l.round() {
			break
		}
	}
	form = form && !isPlusMail(l.text)
	for i, c := range l.text {
		if form && c == '+' && l.depth[i] == 0 {
			l.text[i], l.depth[i] = ' ', asPlus
		}
	}
}

// isPlusMail tells whether + is part of a mail address rather than a space: no + stands after the last @, none where an
// address would begin, and the address not between brackets, as after a name.
func isPlusMail(text []byte) bool {
	at := bytes.LastIndexByte(text, '@')
	if at < 0 || bytes.IndexByte(text[at:], '+') >= 0 || bytes.ContainsAny(text, `<>()"`) {
		return false
	}
	for i, c := range text[:at] {
		if c == '+' && (i == 0 || strings.IndexByte(separators+joints+" ", text[i-1]) >= 0) {
			return false
		}
	}
	return true
}

// round undoes one round in place and reports whether there was one.
func (l *layers) round() bool {
	out, found := 0, false
	for i := 0; i < len(l.text); i++ {
		c, d := l.text[i], l.depth[i]
		if c == '%' && i+2 < len(l.text) && d < maxRounds {
			hi, lo := endpoint.HexDigit(l.text[i+1]), endpoint.HexDigit(l.text[i+2])
			if hi < 16 && lo < 16 {
				l.lower = l.lower || l.text[i+1] >= 'a' || l.text[i+2] >= 'a'
				c, d = hi<<4|lo, d+1
				i += 2
				found = true
			}
		}
		l.text[out], l.depth[out] = c, d
		out++
	}
	l.text, l.depth = l.text[:out], l.depth[:out]
	return found
}

// encode appends value with the encodings of the text. If the lengths are equal, a byte is encoded like the one in its
// place, unless it is a sign that stood elsewhere; such a sign, and all signs of a value of another length, are encoded like
// the first of its kind in the text. Letters and digits of a value of another length are encoded if all of the text was. A
// sign that the text had not, but for @, : and those that URLs take everywhere, and what may not stand in a target, is
// always encoded.
func (l *layers) encode(dst, value []byte) []byte {
	same := len(value) == len(l.text)
	all := uint8(0)
	if len(l.depth) > 0 {
		all = maxRounds
		for _, d := range l.depth {
			all = min(all, d)
		}
	}
	if len(l.text) > longText {
		clear(l.signs[:])
	}
	for i, c := range value {
		d := all
		switch {
		case same && (isAlnum(c) || c == l.text[i] || c >= utf8.RuneSelf && l.text[i] >= utf8.RuneSelf):
			d = l.depthAt(i)
		case !isAlnum(c):
			d = l.depthOfSign(c, all)
		}
		switch {
		case d == asPlus && c == ' ':
			dst = append(dst, '+')
		case d == 0 && mayStand(c):
			dst = append(dst, c)
		default:
			dst = l.escape(dst, c, d)
		}
	}
	return dst
}

func (l *layers) depthAt(i int) uint8 {
	if l.depth == nil {
		return 0
	}
	return l.depth[i]
}

// depthOfSign is depthOf for encode.
func (l *layers) depthOfSign(c byte, all uint8) uint8 {
	if len(l.text) <= longText {
		return l.depthOf(c, all)
	}
	if l.signs[c] == 0 {
		l.signs[c] = l.depthOf(c, all) + 1
	}
	return l.signs[c] - 1
}

// depthOf is how a sign, or a byte beyond ASCII, is encoded that stands where another one stood.
func (l *layers) depthOf(c byte, all uint8) uint8 {
	for i, t := range l.text {
		if t == c || t&c >= utf8.RuneSelf {
			return l.depthAt(i)
		}
	}
	switch c {
	case '-', '.', '_', '~':
		return all
	case '@', ':':
		return 0
	}
	return max(1, all)
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// mayStand tells whether a byte that was not encoded may stay so: printable ASCII but %, whose next bytes
// could otherwise become its digits.
func mayStand(c byte) bool { return c > ' ' && c < 0x7f && c != '%' }

func (l *layers) escape(dst []byte, c byte, rounds uint8) []byte {
	hex := "0123456789ABCDEF"
	if l.lower {
		hex = "0123456789abcdef"
	}
	dst = append(dst, '%')
	if rounds < asPlus {
		for ; rounds > 1; rounds-- {
			dst = append(dst, "25"...)
		}
	}
	return append(dst, hex[c>>4], hex[c&15])
}
