package ingest

import (
	"bytes"
	"math"
	"time"
)

// timeKind is the notation of a time.
type timeKind uint8

const (
	timeAuto timeKind = iota // told by form and size
	timeUnix
	timeUnixMilli
	timeUnixMicro
	timeUnixNano
	timeFloat // as timeAuto; a number went through a 64-bit float
	timeISO   // ISO 8601 or RFC 3339
	timeCLF
)

var timeKinds = map[string]timeKind{
	"auto": timeAuto, "unix": timeUnix, "unixms": timeUnixMilli, "unixus": timeUnixMicro, "unixns": timeUnixNano,
	"float": timeFloat, "iso": timeISO, "clf": timeCLF,
}

// stamps reads times in any notation.
type stamps struct {
	zone *time.Location // of times that name none
	clf  clfClock
	last int64 // start of the line before, for times without a zone
}

// moment is a time stamp.
type moment struct {
	ns        int64
	offset    int32
	precision Precision
}

// read reads all of t.
func (s *stamps) read(t []byte, kind timeKind) (m moment, ok bool) {
	if n := len(t); n > 2 && t[0] == '[' && t[n-1] == ']' {
		t = t[1 : n-1] // Apache's %t
	}
	dashed := len(t) > 10 && (t[4] == '-' || t[4] == '/') && t[4] == t[7]
	switch {
	case kind == timeISO, dashed && (kind == timeAuto || kind == timeFloat):
		return s.iso(t, dashed)
	case kind == timeCLF, isCLF(t) && (kind == timeAuto || kind == timeFloat):
		sec, off, ok := s.clf.parse(t)
		return moment{ns: sec * 1e9, offset: off}, ok && len(t) == clfSize
	}
	return unixTime(t, kind)
}

// iso reads the notations of ISO 8601 that parseISO knows, the date also with slashes (Go's log package, Caddy's
// "wall"), the zone also after a space, and after it the zone's name (Go's time.Time).
func (s *stamps) iso(t []byte, dashed bool) (m moment, ok bool) {
	if dashed && t[4] == '/' {
		t[4], t[7] = '-', '-'
	}
	var c calendar
	size := parseISO(t, &c)
	if size == 0 {
		return m, false
	}
	if rest := t[size:]; len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
		if c.set&hasZone == 0 {
			rest = bytes.TrimPrefix(rest[parseZone(rest, &c):], []byte(" "))
		}
		if c.set&hasZone == 0 && isUTC(rest) {
			c.set |= hasZone
		}
		if c.set&hasZone == 0 || len(rest) > 5 || !isUpper(rest) {
			return m, false
		}
	} else if len(rest) > 0 {
		return m, false
	}
	m.ns, ok = c.instant(s.zone, s.last)
	m.offset, m.precision = c.offset, precisionOf(c.digits)
	return m, ok
}

func isUpper(s []byte) bool {
	for _, c := range s {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return true
}

func isUTC(s []byte) bool { return string(s) == "UTC" || string(s) == "GMT" }

// unixTime reads a count since the Unix epoch. A number of at most 17 digits with parts of a microsecond can be
// the text of a 64-bit float, which is exact to a quarter of a microsecond in this century: it is rounded.
func unixTime(t []byte, kind timeKind) (m moment, ok bool) {
	d, size := parseDecimal(t)
	if size == 0 || size != len(t) || d.negative {
		return m, false
	}
	var unit int64
	switch kind {
	case timeUnix:
		unit = 1e9
	case timeUnixMilli:
		unit = 1e6
	case timeUnixMicro:
		unit = 1e3
	case timeUnixNano:
		unit = 1
	default:
		unit = unitBySize(d)
	}
	places := d.places
	for u := unit; u < 1e9; u *= 10 {
		places++
	}
	if m.ns, ok = d.times(unit); !ok {
		return m, false
	}
	if d.places > 0 && places > 6 && d.significant <= 17 && m.ns <= math.MaxInt64-500 {
		m.ns, places = (m.ns+500)/1000*1000, 6
	}
	if kind == timeFloat && unit > 1 {
		places = max(places, 6) // floats are written without zeros at the end
	}
	m.precision = precisionOf(places)
	return m, true
}

// unitBySize tells the unit of a time between 1973 and the year 5000 from its size.
func unitBySize(d decimal) int64 {
	n, ok := d.times(1)
	switch {
	case ok && n < 1e11:
		return 1e9
	case ok && n < 1e14:
		return 1e6
	case ok && n < 1e17:
		return 1e3
	}
	return 1
}
