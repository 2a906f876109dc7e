package pseudonym

import (
	"unicode/utf8"
)

// Alphabets of single words, in the order of their classes. A word's class is the set of kinds it has:
// 1 = digits, 2 = lower case, 4 = upper case; 8 stands for lower-case hex, 16 for upper-case hex.
const (
	hasDigit = 1 << iota
	hasLower
	hasUpper
	isHexLower
	isHexUpper
)

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

var alphabets = map[int]string{
	hasDigit: digits, hasLower: lower, hasUpper: upper,
	hasDigit | hasLower: digits + lower, hasDigit | hasUpper: digits + upper,
	hasLower | hasUpper: lower + upper, hasDigit | hasLower | hasUpper: digits + lower + upper,
	isHexLower: digits + lower[:6], isHexUpper: digits + upper[:6],
}

// wordClass is one alphabet with the largest length whose words can be counted in 63 bits.
type wordClass struct {
	alphabet string
	index    [256]uint8
	longest  int
	names    [16]string // of the subkeys, one for each length
}

var wordClasses = func() (c [isHexUpper + 1]*wordClass) {
	for kinds, alphabet := range alphabets {
		w := &wordClass{alphabet: alphabet}
		for i := range len(alphabet) {
			w.index[alphabet[i]] = uint8(i)
		}
		for n := uint64(1); n <= (1<<62)/uint64(len(alphabet)); n *= uint64(len(alphabet)) {
			w.longest++
		}
		w.longest = min(w.longest, len(w.names)-1)
		for n := range w.names {
			w.names[n] = "word" + string(rune('A'+kinds)) + string(rune('a'+n))
		}
		c[kinds] = w
	}
	return c
}()

// kindsOf tells the class of a word of ASCII letters and digits, 0 if it has other bytes.
func kindsOf(s []byte) int {
	kinds, hexLower, hexUpper := 0, true, true
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			kinds |= hasDigit
		case c >= 'a' && c <= 'z':
			kinds |= hasLower
			hexLower = hexLower && c <= 'f'
			hexUpper = false
		case c >= 'A' && c <= 'Z':
			kinds |= hasUpper
			hexUpper = hexUpper && c <= 'F'
			hexLower = false
		default:
			return 0
		}
	}
	switch {
	case kinds == hasDigit|hasLower && hexLower && len(s) >= 6:
		return isHexLower
	case kinds == hasDigit|hasUpper && hexUpper && len(s) >= 6:
		return isHexUpper
	}
	return kinds
}

// AppendText appends the pseudonym of any value, percent-decoded. Letters and digits are replaced in
// the alphabet of the whole value, ASCII punctuation and spaces stay where they are, control bytes become
// spaces, a rune beyond ASCII becomes one of the same length, and a byte that is no UTF-8 another such
// byte. The result has the length of the value. A single word short enough to be counted is permuted within
// its class; everything else depends on the whole value by HMAC.
func (m *Mapper) AppendText(dst, value []byte) []byte {
	kinds := kindsOf(value)
	if kinds == hasDigit {
		return m.AppendInt(dst, value)
	}
	if kinds != 0 && len(value) <= wordClasses[kinds].longest {
		return m.appendWord(dst, value, kinds)
	}
	return m.appendMixed(dst, value, labelText)
}

// AppendNoise appends text of the value's layout that does not depend on the value otherwise, for secrets:
// two secrets of one layout become the same.
func (m *Mapper) AppendNoise(dst, value []byte) []byte {
	start := len(dst)
	dst = append(dst, value...)
	layout := dst[start:]
	for i, c := range layout {
		switch {
		case c >= '0' && c <= '9':
			layout[i] = '0'
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			layout[i] = 'x'
		}
	}
	m.start(labelNoise, layout)
	return m.appendPool(dst[:start], layout, lower+digits)
}

// appendWord permutes the words of one class and length. Results of another class are mapped again, so the
// map stays one to one within the class.
func (m *Mapper) appendWord(dst, word []byte, kinds int) []byte {
	w := wordClasses[kinds]
	radix := uint64(len(w.alphabet))
	v, size := uint64(0), uint64(1)
	for _, c := range word {
		v = v*radix + uint64(w.index[c])
		size *= radix
	}
	p := m.perm(w.names[len(word)], size)
	start := len(dst)
	dst = append(dst, word...)
	out := dst[start:]
	for {
		v = p.Apply(v)
		rest := v
		for i := len(out) - 1; i >= 0; i-- {
			out[i] = w.alphabet[rest%radix]
			rest /= radix
		}
		if kindsOf(out) == kinds {
			return dst
		}
	}
}

// appendMixed replaces a value by the bits of its HMAC.
func (m *Mapper) appendMixed(dst, value []byte, label byte) []byte {
	kinds, hex := 0, true
	for _, c := range value {
		switch {
		case c >= '0' && c <= '9':
			kinds |= hasDigit
		case c >= 'a' && c <= 'z':
			kinds |= hasLower
			hex = hex && c <= 'f'
		case c >= 'A' && c <= 'Z':
			kinds |= hasUpper
			hex = hex && c <= 'F'
		}
	}
	alphabet := alphabets[kinds]
	switch {
	case hex && kinds == hasDigit|hasLower:
		alphabet = alphabets[isHexLower]
	case hex && kinds == hasDigit|hasUpper:
		alphabet = alphabets[isHexUpper]
	}
	m.start(label, value)
	return m.appendPool(dst, value, alphabet)
}

func (m *Mapper) appendPool(dst, value []byte, alphabet string) []byte {
	for i := 0; i < len(value); {
		c := value[i]
		switch {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
			dst = append(dst, alphabet[m.pick(uint32(len(alphabet)))])
		case c < ' ' || c == 0x7f:
			dst = append(dst, ' ')
		case c < utf8.RuneSelf:
			dst = append(dst, c)
		default:
			r, n := utf8.DecodeRune(value[i:])
			if r == utf8.RuneError && n <= 1 {
				dst = append(dst, 0xf8|byte(m.pick(8))) // never part of UTF-8
				n = 1
			} else {
				dst = utf8.AppendRune(dst, m.rune(n))
			}
			i += n
			continue
		}
		i++
	}
	return dst
}

// rune is a letter of n bytes of UTF-8: Cyrillic, CJK, or CJK extension B.
func (m *Mapper) rune(n int) rune {
	switch n {
	case 2:
		return 0x430 + rune(m.pick(32))
	case 3:
		return 0x4e00 + rune(m.pick(1024))*20
	}
	return 0x20000 + rune(m.pick(1024))*40
}
