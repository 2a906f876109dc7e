package pseudonym

import (
	"unicode/utf8"
)

// Kinds of letters and digits, and the alphabets of runs of them. A run's alphabet is that of all the kinds it has;
// six or more hex digits, among them a letter and a digit, have one of their own.
const (
	hasDigit = 1 << iota
	hasLower
	hasUpper
	allKinds = hasDigit | hasLower | hasUpper
)

const (
	digits = "0123456789"
	lower  = "abcdefghijklmnopqrstuvwxyz"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	minHex = 6
)

// symbols is a set of characters among which one character of a value is replaced: an alphabet, a range of runes, or,
// with neither, the bytes from 0x80 that are no UTF-8 where they stand.
type symbols struct {
	size     uint32
	alphabet string
	index    [256]uint8 // in the alphabet
	first    rune
}

func newAlphabet(s string) *symbols {
	a := &symbols{size: uint32(len(s)), alphabet: s}
	for i := range len(s) {
		a.index[s[i]] = uint8(i)
	}
	return a
}

var (
	runAlphabets = [allKinds + 1]*symbols{
		hasDigit: newAlphabet(digits), hasLower: newAlphabet(lower), hasUpper: newAlphabet(upper),
		hasDigit | hasLower: newAlphabet(digits + lower), hasDigit | hasUpper: newAlphabet(digits + upper),
		hasLower | hasUpper: newAlphabet(lower + upper), allKinds: newAlphabet(digits + lower + upper),
	}
	hexAlphabets = [allKinds + 1]*symbols{
		hasDigit | hasLower: newAlphabet(digits + lower[:6]), hasDigit | hasUpper: newAlphabet(digits + upper[:6]),
		allKinds: newAlphabet(digits + lower[:6] + upper[:6]),
	}
	leading = newAlphabet(digits[1:]) // the first digit of a number
	strays  = &symbols{size: 0x80}
)

// scripts are the ranges within which runes beyond ASCII are replaced, ascending, so that a name stays in its script
// and a rune in its length of UTF-8.
var scripts = func() []*symbols {
	starts := []rune{0x80, 0xc0, 0x250, 0x370, 0x400, 0x500, 0x800, 0x1000, 0x1e00, 0x2000, 0x3000, 0x3100, 0x4e00, 0xa000, 0xac00, 0xd7a4, 0xd800,
		0xe000, 0x10000, 0x20000, utf8.MaxRune + 1}
	var s []*symbols
	for i, first := range starts[1:] {
		s = append(s, &symbols{size: uint32(first - starts[i]), first: starts[i]})
	}
	return s
}()

func scriptOf(r rune) *symbols {
	for _, s := range scripts {
		if r < s.first+rune(s.size) {
			return s
		}
	}
	return scripts[len(scripts)-1]
}

// at is the number of the character c, of one byte or more, within s.
func (s *symbols) at(c []byte) uint64 {
	switch {
	case s.alphabet != "":
		return uint64(s.index[c[0]])
	case s.first > 0:
		r, _ := utf8.DecodeRune(c)
		return uint64(r - s.first)
	}
	return uint64(c[0] - 0x80)
}

// append appends character number v.
func (s *symbols) append(dst []byte, v uint64) []byte {
	switch {
	case s.alphabet != "":
		return append(dst, s.alphabet[v])
	case s.first > 0:
		return utf8.AppendRune(dst, s.first+rune(v))
	}
	return append(dst, 0x80+byte(v))
}

// appendLayout appends the set of each character of a value, nil for one that stays. A number of two digits or more keeps
// whether it starts with a zero.
func appendLayout(l []*symbols, value []byte) []*symbols {
	for i := 0; i < len(value); {
		if c := value[i]; c >= utf8.RuneSelf {
			r, n := utf8.DecodeRune(value[i:])
			if r == utf8.RuneError && n == 1 {
				l = append(l, strays)
			} else {
				l = append(l, scriptOf(r))
			}
			i += n
			continue
		}
		end := i
		for end < len(value) && kindOf(value[end]) != 0 {
			end++
		}
		if end == i {
			l = append(l, nil)
			i++
			continue
		}
		l = appendRun(l, value[i:end])
		i = end
	}
	return l
}

// appendRun appends the sets of a run of letters and digits.
func appendRun(l []*symbols, run []byte) []*symbols {
	set := alphabetOf(run)
	for i := range run {
		switch {
		case i > 0 || set != runAlphabets[hasDigit] || len(run) == 1:
			l = append(l, set)
		case run[0] == '0':
			l = append(l, nil)
		default:
			l = append(l, leading)
		}
	}
	return l
}

func alphabetOf(run []byte) *symbols {
	kinds, hex := byte(0), len(run) >= minHex
	for _, c := range run {
		kinds |= kindOf(c)
		hex = hex && (c <= '9' || c|0x20 <= 'f')
	}
	if hex && hexAlphabets[kinds] != nil {
		return hexAlphabets[kinds]
	}
	return runAlphabets[kinds]
}

// kindOf is the kind of a letter or digit, 0 for all else.
func kindOf(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return hasDigit
	case c >= 'a' && c <= 'z':
		return hasLower
	case c >= 'A' && c <= 'Z':
		return hasUpper
	}
	return 0
}
