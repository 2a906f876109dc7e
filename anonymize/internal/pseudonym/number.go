package pseudonym

import (
	"math"
	"strconv"
	"time"
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

// Eleven digits that start with 13 to 19 are Chinese mobile numbers (YD/T 1144, the prefix 1 with a second digit from 3).
const (
	mobileDigits = 11
	firstMobile  = 13_000_000_000
	endMobile    = 20_000_000_000
)

// AppendInt appends the pseudonym of a decimal number. Up to 19 digits it is a permutation within the
// class of the number: width, leading zero, whether it fits int32 and int64, and whether it can be a Chinese mobile
// number. Longer numbers keep width and leading zero. The digits are not checked.
func (m *Mapper) AppendInt(dst, digits []byte) []byte {
	n := len(digits)
	if n == 0 {
		return dst
	}
	if n > 19 {
		return m.appendLong(dst, digits)
	}
	v := decimal(digits)
	low, high := uint64(0), pow10[n-1] // leading zero: the rest of the width is free
	if digits[0] != '0' || n == 1 {
		low, high = pow10[n-1], pow10[n-1]*10
		if n == 1 {
			low = 0
		}
		low, high = fit(v, low, high, math.MaxInt32)
		low, high = fit(v, low, high, math.MaxInt64)
	}
	hole := uint64(0) // as many values from firstMobile are a class of their own
	if n == mobileDigits && low > 0 {
		if v >= firstMobile && v < endMobile {
			low, high = firstMobile, endMobile
		} else {
			hole = endMobile - firstMobile
		}
	}
	v -= low
	if hole > 0 && v >= firstMobile-low {
		v -= hole
	}
	v = m.perm(intClasses[n], high-low-hole).Apply(v)
	if hole > 0 && v >= firstMobile-low {
		v += hole
	}
	return appendPadded(dst, v+low, n)
}

// decimal is the value of up to 19 digits.
func decimal(digits []byte) (v uint64) {
	for _, c := range digits {
		v = v*10 + uint64(c-'0')
	}
	return v
}

// appendPadded appends v with n digits, n up to 20.
func appendPadded(dst []byte, v uint64, n int) []byte {
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

// Dates are counted in days of the Gregorian calendar, from the year 0 to 9999. Those of a hundred years from 1970 are a
// class of their own, so that a date of today becomes a plausible one.
const (
	secondsOfDay = 86400
	firstDay     = -719528 // 0000-01-01, from 1970-01-01
	dayCount     = 3652425
	nearDays     = 36525
)

// IsDate tells whether s is a date that exists: ten bytes, year, month and day, with one and the same separator.
func IsDate(s []byte) bool {
	if len(s) != 10 || s[4] != s[7] || kindOf(s[4]) != 0 {
		return false
	}
	for _, part := range [...][]byte{s[:4], s[5:7], s[8:]} {
		if !onlyDigits(part) {
			return false
		}
	}
	year, month, day := dateParts(s)
	return dayExists(year, month, day)
}

func dayExists(year, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func dateParts(s []byte) (year, month, day int) {
	return int(decimal(s[:4])), int(decimal(s[5:7])), int(decimal(s[8:]))
}

// AppendDate appends the pseudonym of a date that IsDate knows, with its separator: a permutation of the days from
// 1970 to 2069, or of all others.
func (m *Mapper) AppendDate(dst, date []byte) []byte {
	year, month, d := dateParts(date)
	day := time.Date(year, time.Month(month), d, 0, 0, 0, 0, time.UTC).Unix() / secondsOfDay
	if day >= 0 && day < nearDays {
		day = int64(m.perm("date", nearDays).Apply(uint64(day)))
	} else {
		day -= firstDay // 0 is the first day; the near ones are left out
		if day >= nearDays-firstDay {
			day -= nearDays
		}
		day = int64(m.perm("date", dayCount-nearDays).Apply(uint64(day)))
		if day >= -firstDay {
			day += nearDays
		}
		day += firstDay
	}
	start := len(dst)
	dst = time.Unix(day*secondsOfDay, 0).UTC().AppendFormat(dst, time.DateOnly)
	dst[start+4], dst[start+7] = date[4], date[7]
	return dst
}
