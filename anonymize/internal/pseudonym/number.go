package pseudonym

import (
	"math"
	"strconv"
)

// pow10 holds the powers of ten that fit 64 bits.
var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// intClasses name the subkeys, one for each width.
var intClasses = func() (c [20]string) {
	for n := range c {
		c[n] = "int" + strconv.Itoa(n)
	}
	return c
}()

// AppendInt appends the pseudonym of a decimal number. Up to 19 digits it is a permutation within the
// class of the number: width, leading zero, and whether it fits int32 and int64. Longer numbers keep width and
// leading zero. The digits are not checked.
func (m *Mapper) AppendInt(dst, digits []byte) []byte {
	n := len(digits)
	if n == 0 {
		return dst
	}
	if n > 19 {
		return m.appendLong(dst, digits)
	}
	var v uint64
	for _, c := range digits {
		v = v*10 + uint64(c-'0')
	}
	low, high := uint64(0), pow10[n-1] // leading zero: the rest of the width is free
	if digits[0] != '0' || n == 1 {
		low, high = pow10[n-1], math.MaxUint64
		if n < 20 {
			high = low*9 + low
		}
		if n == 1 {
			low = 0
		}
		low, high = fit(v, low, high, math.MaxInt32)
		low, high = fit(v, low, high, math.MaxInt64)
	}
	v = low + m.perm(intClasses[n], high-low).Apply(v-low)
	dst = append(dst, "00000000000000000000"[:n-width(v)]...)
	return strconv.AppendUint(dst, v, 10)
}

// fit narrows the class low..high-1 to the side of limit on which v is.
func fit(v, low, high, limit uint64) (uint64, uint64) {
	switch {
	case limit < low || limit+1 >= high:
		return low, high
	case v <= limit:
		return low, limit + 1
	}
	return limit + 1, high
}

func width(v uint64) int {
	n := 1
	for n < 20 && v >= pow10[n] {
		n++
	}
	return n
}

// appendLong replaces the digits of a number that no permutation covers.
func (m *Mapper) appendLong(dst, digits []byte) []byte {
	m.start(labelNumber, digits)
	for i, c := range digits {
		switch {
		case i == 0 && c == '0':
			dst = append(dst, '0')
		case i == 0:
			dst = append(dst, '1'+byte(m.pick(9)))
		default:
			dst = append(dst, '0'+byte(m.pick(10)))
		}
	}
	return dst
}

// AppendDate appends a date of the same layout: ten bytes, year, month and day with a separator. Years are
// 1970 to 2029 and days 1 to 28, so that the date exists.
func (m *Mapper) AppendDate(dst, date []byte) []byte {
	if len(date) != 10 {
		return m.AppendText(dst, date)
	}
	m.start(labelDate, date)
	year, month, day := 1970+int(m.pick(60)), 1+byte(m.pick(12)), 1+byte(m.pick(28))
	dst = strconv.AppendInt(dst, int64(year), 10)
	dst = append(dst, date[4], '0'+month/10, '0'+month%10)
	return append(dst, date[7], '0'+day/10, '0'+day%10)
}
