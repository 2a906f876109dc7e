package ingest

import (
	"bytes"
	"math"
	"math/bits"
)

// decimal is a number as its text says it, mantissa x 10^exponent: 64-bit floats cannot hold a time in nanoseconds.
type decimal struct {
	mantissa    uint64
	exponent    int
	negative    bool
	significant int // digits without leading zeros
	places      int // digits after the point, where the exponent puts it
}

// maxDigits is how many decimal digits fit 64 bits; later ones are dropped.
const maxDigits = 19

// parseDecimal reads a JSON number (RFC 8259 section 6), with a decimal comma allowed for the point, at the start
// of s and returns its length, 0 when it is none.
func parseDecimal(s []byte) (d decimal, size int) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		d.negative = s[i] == '-'
		i++
	}
	from := i
	for ; i < len(s) && isDigit(s[i]); i++ {
		d.digit(s[i], 1)
	}
	if i == from {
		return decimal{}, 0
	}
	if i+1 < len(s) && (s[i] == '.' || s[i] == ',') && isDigit(s[i+1]) {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			d.digit(s[i], 0)
			d.places++
		}
	}
	if i+1 < len(s) && s[i]|0x20 == 'e' {
		i = d.power(s, i)
	}
	return d, i
}

// digit appends a digit. point is 1 for one before the decimal point and 0 for one after it.
func (d *decimal) digit(c byte, point int) {
	if d.significant == maxDigits {
		d.exponent += point
		return
	}
	d.mantissa = d.mantissa*10 + uint64(c-'0')
	if d.mantissa > 0 {
		d.significant++
	}
	d.exponent += point - 1
}

// power reads the exponent whose letter is s[i] and returns the index after it, i when it is none.
func (d *decimal) power(s []byte, i int) int {
	p := i + 1
	negative := s[p] == '-'
	if negative || s[p] == '+' {
		p++
	}
	from, n := p, 0
	for ; p < len(s) && isDigit(s[p]); p++ {
		n = min(n*10+int(s[p]-'0'), 9999)
	}
	if p == from {
		return i
	}
	if negative {
		n = -n
	}
	d.exponent += n
	d.places = max(d.places-n, 0)
	return p
}

// powersOfTen are 10^0 to 10^19.
var powersOfTen = func() (t [maxDigits + 1]uint64) {
	t[0] = 1
	for i := 1; i < len(t); i++ {
		t[i] = t[i-1] * 10
	}
	return t
}()

// times returns the absolute value of d multiplied by unit, rounded to the nearest integer; false when that
// needs more than 63 bits.
func (d *decimal) times(unit int64) (n int64, ok bool) {
	m, e := d.mantissa, d.exponent
	if m == 0 {
		return 0, true
	}
	for ; e < -maxDigits; e++ {
		m /= 10
	}
	hi, lo := bits.Mul64(m, uint64(unit))
	if e < 0 {
		by := powersOfTen[-e]
		lo, carry := bits.Add64(lo, by/2, 0)
		if hi += carry; hi >= by {
			return 0, false
		}
		q, _ := bits.Div64(hi, lo, by)
		return int64(q), q <= math.MaxInt64
	}
	if hi != 0 || e > maxDigits {
		return 0, false
	}
	hi, lo = bits.Mul64(lo, powersOfTen[e])
	return int64(lo), hi == 0 && lo <= math.MaxInt64
}

// parseWhole reads a number of at most 63 bits, also one that passed through a floating-point number on its way
// ("512.0", "1.048576e+06"). Negative numbers, with which servers say that they do not know, are Unknown.
func parseWhole(s []byte) (n int64, ok bool) {
	if n, ok = parseCount(s); ok {
		return n, true
	}
	d, size := parseDecimal(s)
	if size == 0 || size != len(s) {
		return 0, false
	}
	if n, ok = d.times(1); d.negative {
		n = Unknown
	}
	return n, ok
}

// spanUnits are the units of durations written as text, longest name first where one begins with another. The
// micro sign occurs in both of its code points.
var spanUnits = []struct {
	name string
	ns   int64
}{{"ns", 1}, {"us", 1e3}, {"\u00b5s", 1e3}, {"\u03bcs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}

// parseSpan reads a duration as nanoseconds: a number of the given unit (in nanoseconds), or numbers that name
// theirs, as in "43ms", "0.058927s" and Go's "1m2.5s". A bare number is Unknown where unit is 0, and so are
// negative ones.
func parseSpan(s []byte, unit int64) (ns int64, ok bool) {
	for at := 0; at < len(s); {
		d, size := parseDecimal(s[at:])
		if size == 0 {
			return 0, false
		}
		if d.negative {
			return Unknown, true
		}
		by := unit
		if at += size; at < len(s) {
			by, size = spanUnit(s[at:])
			if size == 0 {
				return 0, false
			}
			at += size
		} else if unit == 0 {
			return Unknown, true
		}
		n, fits := d.times(by)
		if !fits || n > maxDuration-ns {
			return 0, false
		}
		ns += n
	}
	return ns, len(s) > 0
}

// spanUnit reads the unit at the start of s and returns its length, 0 when it is none.
func spanUnit(s []byte) (ns int64, size int) {
	blank := 0
	if s[0] == ' ' {
		blank = 1 // "43 ms"
	}
	for i := range spanUnits {
		if u := &spanUnits[i]; bytes.HasPrefix(s[blank:], []byte(u.name)) {
			return u.ns, blank + len(u.name)
		}
	}
	return 0, 0
}
