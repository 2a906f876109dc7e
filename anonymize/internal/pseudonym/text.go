package pseudonym

import (
	"slices"
	"unicode/utf8"
)

const (
	// maxCount is the greatest number of values of one layout that are permuted. Of larger layouts HMAC draws one, which
	// merges two of a million values with a probability below 10^-6.
	maxCount = 1 << 62
	// textTable is the largest such number for which the permutation is a table: there are too many layouts for larger ones.
	textTable = 20_000
)

// AppendText appends the pseudonym of any value, percent-decoded. Each run of letters and digits is replaced in its
// own alphabet, so that a number stays a number; ASCII punctuation and spaces stay where they are, control bytes
// become spaces, a rune beyond ASCII becomes one of the same script or block, and a byte that is no UTF-8 another such
// byte. The result has the length and the layout of the value. Values of one layout never become the same as far as
// they can be counted in 62 bits (control bytes and spaces count as equal); beyond that they depend on all of the
// value by HMAC. A value of digits alone is that of AppendInt.
func (m *Mapper) AppendText(dst, value []byte) []byte {
	if len(value) > 0 && onlyDigits(value) {
		return m.AppendInt(dst, value)
	}
	m.layout = appendLayout(m.layout[:0], value)
	v, size := m.count(value)
	switch size {
	case 0:
		return m.appendDrawn(dst, value)
	case 1:
		return appendKept(dst, value)
	}
	return m.appendPermuted(dst, value, v, size)
}

// count is the number of the value among the values of m.layout, and how many there are; 0 if they are more than maxCount.
func (m *Mapper) count(value []byte) (v, size uint64) {
	size = 1
	at := 0
	for _, set := range m.layout {
		if set != nil {
			if size > maxCount/uint64(set.size) {
				return 0, 0
			}
			size *= uint64(set.size)
			v = v*uint64(set.size) + set.at(value[at:])
		}
		at += set.width(value[at:])
	}
	return v, size
}

func onlyDigits(s []byte) bool {
	for _, c := range s {
		if kindOf(c) != hasDigit {
			return false
		}
	}
	return true
}

// appendPermuted permutes the number v of a value in mixed radix. Results of another layout, such as a word
// of letters alone for one of letters and digits, are mapped again, so the map stays one to one within the layout.
func (m *Mapper) appendPermuted(dst, value []byte, v, size uint64) []byte {
	p := Perm(m.texts)
	if size <= textTable {
		p = m.perm("word", size)
	} else {
		m.texts.resize(size)
	}
	for start := len(dst); ; {
		v = p.Apply(v)
		dst = m.appendNumber(dst[:start], value, v, size)
		m.result = appendLayout(m.result[:0], dst[start:])
		if slices.Equal(m.layout, m.result) {
			return dst
		}
	}
}

// width is the length in bytes of the character of s that stands first in text.
func (s *symbols) width(text []byte) int {
	if s == nil || s.first == 0 {
		return 1
	}
	_, n := utf8.DecodeRune(text)
	return n
}

// appendNumber writes v, below size, in the layout of value.
func (m *Mapper) appendNumber(dst, value []byte, v, size uint64) []byte {
	at := 0
	for _, set := range m.layout {
		if set == nil {
			dst = appendKept(dst, value[at:at+1])
			at++
			continue
		}
		size /= uint64(set.size)
		dst = set.append(dst, v/size)
		v %= size
		at += set.width(value[at:])
	}
	return dst
}

// appendDrawn replaces a value by the bits of its HMAC. A run that comes out with other kinds of letters and digits than
// the value's is drawn again.
func (m *Mapper) appendDrawn(dst, value []byte) []byte {
	m.start(labelText, value)
	for i, at := 0, 0; i < len(m.layout); {
		set, n := m.layout[i], m.layout[i].width(value[at:])
		switch {
		case kindOf(value[at]) != 0:
			for n = 1; at+n < len(value) && kindOf(value[at+n]) != 0; n++ {
			}
			dst = m.appendRun(dst, value[at:at+n], m.layout[i:i+n])
			i += n - 1
		case set == nil:
			dst = appendKept(dst, value[at:at+1])
		case set == strays:
			dst = append(dst, 0xf8|byte(m.pick(8))) // never part of UTF-8, whatever stands beside it
		default:
			dst = set.append(dst, m.draw(uint64(set.size)))
		}
		i++
		at += n
	}
	return dst
}

// appendRun draws a run of letters and digits with the kinds of the given one.
func (m *Mapper) appendRun(dst, run []byte, layout []*symbols) []byte {
	for start := len(dst); ; dst = dst[:start] {
		for i, set := range layout {
			if set == nil {
				dst = append(dst, run[i])
			} else {
				dst = set.append(dst, uint64(m.pick(set.size)))
			}
		}
		if alphabetOf(dst[start:]) == alphabetOf(run) {
			return dst
		}
	}
}

// appendKept appends bytes that stay, but for control bytes.
func appendKept(dst, s []byte) []byte {
	for _, c := range s {
		if c < ' ' || c == 0x7f {
			c = ' '
		}
		dst = append(dst, c)
	}
	return dst
}

// AppendNoise appends text of the value's layout that does not depend on the value otherwise, for secrets:
// two secrets of one layout become the same.
func (m *Mapper) AppendNoise(dst, value []byte) []byte {
	start := len(dst)
	for i := 0; i < len(value); {
		c := value[i]
		n := 1
		switch kind := kindOf(c); {
		case kind == hasDigit:
			dst = append(dst, '0')
		case kind != 0:
			dst = append(dst, 'x')
		case c < utf8.RuneSelf:
			dst = appendKept(dst, value[i:i+1])
		default:
			var r rune
			if r, n = utf8.DecodeRune(value[i:]); r == utf8.RuneError && n == 1 {
				dst = append(dst, 0xff)
			} else {
				dst = utf8.AppendRune(dst, scriptOf(r).first)
			}
		}
		i += n
	}
	layout := dst[start:]
	m.start(labelNoise, layout)
	for i, c := range layout {
		if kindOf(c) != 0 {
			layout[i] = noise[m.pick(uint32(len(noise)))]
		}
	}
	return dst
}

const noise = lower + digits
