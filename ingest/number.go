package ingest

import (
	"bytes"
	"math"
)

// parseCount reads a decimal number of at most 63 bits. A leading plus sign is allowed (HAProxy's logasap).
func parseCount(s []byte) (n int64, ok bool) {
	if len(s) > 0 && s[0] == '+' {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 19 {
		return 0, false
	}
	for _, c := range s {
		if !isDigit(c) {
			return 0, false
		}
		d := int64(c - '0')
		if n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// parseStatus reads a status column: digits of any value, since servers log 499, 999 and 000; "-" and
// negative numbers mean that no response was sent, which is 0.
func parseStatus(s []byte) (status int, ok bool) {
	if len(s) == 3 { // nearly always
		a, b, c := s[0]-'0', s[1]-'0', s[2]-'0'
		if a <= 9 && b <= 9 && c <= 9 {
			return int(a)*100 + int(b)*10 + int(c), true
		}
	}
	if len(s) == 1 && s[0] == '-' {
		return 0, true
	}
	negative := len(s) > 1 && s[0] == '-'
	if negative {
		s = s[1:]
	}
	n, ok := parseCount(s)
	if !ok || n > 9999 {
		return 0, false
	}
	if negative {
		return 0, true
	}
	return int(n), true
}

// maxDuration is the longest duration in nanoseconds that is taken for one: fifty years. The sum of a few, and one of
// them behind a time of this century, fit 63 bits.
const maxDuration = 50 * 366 * 86400 * int64(1e9)

// parseDuration reads a number in the given unit (nanoseconds) as nanoseconds: digits, optionally a decimal
// point or comma, optionally "s", "ms" or "us", which then overrule the unit. "-" and "" are Unknown.
func parseDuration(s []byte, unit int64) (ns int64, ok bool) {
	if isAbsent(s) {
		return Unknown, true
	}
	switch {
	case bytes.HasSuffix(s, []byte("ms")):
		s, unit = s[:len(s)-2], 1e6
	case bytes.HasSuffix(s, []byte("us")):
		s, unit = s[:len(s)-2], 1e3
	case s[len(s)-1] == 's':
		s, unit = s[:len(s)-1], 1e9
	}
	whole, part := s, []byte(nil)
	if dot := bytes.IndexAny(s, ".,"); dot >= 0 {
		whole, part = s[:dot], s[dot+1:]
	}
	n, ok := parseCount(whole)
	if !ok || n > maxDuration/unit {
		return 0, false
	}
	nanos, size := fraction(part)
	if size != len(part) {
		return 0, false
	}
	return n*unit + nanos*unit/1e9, true
}
