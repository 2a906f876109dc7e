package anonymize

// layers is a value with its encodings undone, and what each byte was encoded with, so that a pseudonym
// can be written in the same way.
type layers struct {
	text  []byte  // decoded
	depth []uint8 // of each byte: rounds of percent-encoding, or asPlus; nil when nothing was encoded
	lower bool    // an escape had lower-case hex digits

	textBuf  []byte
	depthBuf []uint8
}

const (
	maxRounds = 3
	asPlus    = 0x10 // a space written as +
)

// decode undoes up to three rounds of percent-encoding, and + where form is true.
func (l *layers) decode(raw []byte, form bool) {
	l.text, l.depth, l.lower = raw, nil, false
	encoded := false
	for _, c := range raw {
		if c == '%' || form && c == '+' {
			encoded = true
		}
		if c == '@' {
			form = false // + is part of a mail address
		}
	}
	if !encoded {
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
	for _, c := range l.text {
		if c == '@' {
			form = false
		}
	}
	for i, c := range l.text {
		if form && c == '+' && l.depth[i] == 0 {
			l.text[i], l.depth[i] = ' ', asPlus
		}
	}
}

// round undoes one round in place and reports whether there was one.
func (l *layers) round() bool {
	out, found := 0, false
	for i := 0; i < len(l.text); i++ {
		c, d := l.text[i], l.depth[i]
		if c == '%' && i+2 < len(l.text) && d < maxRounds {
			hi, lo := unhex(l.text[i+1]), unhex(l.text[i+2])
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

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// encode appends value with the encodings of the text. A value of the text's length is encoded byte by
// byte like it; another one (a mail address) has only its @ encoded like that of the text, unless every byte
// of the text was encoded. What may not stand in a target is always encoded.
func (l *layers) encode(dst, value []byte) []byte {
	same := len(value) == len(l.text)
	all, at := uint8(maxRounds), uint8(0)
	for i, d := range l.depth {
		all = min(all, d)
		if l.text[i] == '@' {
			at = d
		}
	}
	if l.depth == nil {
		all = 0
	}
	for i, c := range value {
		d := all
		switch {
		case l.depth == nil:
		case same:
			d = l.depth[i]
		case c == '@':
			d = at
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
