package ingest

import (
	"encoding/binary"
	"time"
)

// clfSize is the length of "02/Jan/2006:15:04:05 -0700", the time of the common log format
// (Apache's %t without brackets, nginx's $time_local).
const clfSize = 26

// firstYear and lastYear bound what is a time: the Unix epoch, and the last whole year whose nanoseconds
// since then fit 63 bits.
const firstYear, lastYear = 1970, 2261

// clfClock parses times of the common log format and remembers the last one: a busy second costs three
// comparisons, a new second of the same day no calendar.
type clfClock struct {
	date    [2]uint64 // bytes 0 to 11 of the last time, "02/Jan/2006:"
	wall    uint64    // bytes 12 to 19, "15:04:05"
	zone    uint64    // bytes 20 to 25, " -0700"
	sec     int64     // the last time, since the Unix epoch
	dayBase int64     // midnight of its day in its zone, since the Unix epoch
	off     int32     // seconds east of UTC
	full    bool      // date, zone, off and dayBase are filled
	exact   bool      // wall and sec are filled too
}

// parse reads the time at the start of s. The second 60 of a leap second counts as the next second.
func (c *clfClock) parse(s []byte) (sec int64, off int32, ok bool) {
	if len(s) < clfSize {
		return 0, 0, false
	}
	s = s[:clfSize]
	date := [2]uint64{binary.LittleEndian.Uint64(s), uint64(binary.LittleEndian.Uint32(s[8:]))}
	wall := binary.LittleEndian.Uint64(s[12:])
	zone := binary.LittleEndian.Uint64(s[18:]) >> 16
	if !c.full || date != c.date || zone != c.zone {
		if !c.setDay(s) {
			return 0, 0, false
		}
		c.date, c.zone, c.exact = date, zone, false
	}
	if c.exact && wall == c.wall {
		return c.sec, c.off, true
	}
	if s[14] != ':' || s[17] != ':' {
		return 0, 0, false
	}
	h, m, x := twoDigits(s[12:]), twoDigits(s[15:]), twoDigits(s[18:])
	if h > 23 || m > 59 || x > 60 {
		return 0, 0, false
	}
	c.sec = c.dayBase + int64(h)*3600 + int64(m)*60 + int64(x)
	c.wall, c.exact = wall, true
	return c.sec, c.off, true
}

// setDay reads date and zone, the parts that seldom change. It leaves c unusable when they are wrong.
func (c *clfClock) setDay(s []byte) bool {
	c.full = false
	if s[2] != '/' || s[6] != '/' || s[11] != ':' || s[20] != ' ' {
		return false
	}
	day, month := twoDigits(s), monthNumber(s[3:6])
	hi, lo := twoDigits(s[7:]), twoDigits(s[9:])
	off, ok := zoneOffset(s[21:26])
	if !ok || month == 0 || hi > 99 || lo > 99 {
		return false
	}
	year := hi*100 + lo
	if year < firstYear || year > lastYear || day < 1 || day > daysIn(year, month) {
		return false
	}
	c.off, c.full = off, true
	c.dayBase = daysSinceEpoch(year, month, day)*86400 - int64(off)
	return true
}

// isCLF tells cheaply whether s looks like a time of the common log format.
func isCLF(s []byte) bool {
	return len(s) >= clfSize && s[2] == '/' && s[6] == '/' && s[11] == ':' && s[14] == ':' && isDigit(s[0]) && isDigit(s[1])
}

// parseISO reads an ISO 8601 / RFC 3339 time ("2006-01-02T15:04:05[.fraction][Z|+07:00|+0700]", a space
// for the T allowed) at the start of s into c and returns its length, 0 when it is none.
func parseISO(s []byte, c *calendar) int {
	if len(s) < 19 || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' || s[16] != ':' {
		return 0
	}
	c.year, c.month, c.day = twoDigits(s)*100+twoDigits(s[2:]), twoDigits(s[5:]), twoDigits(s[8:])
	c.hour, c.minute, c.second = twoDigits(s[11:]), twoDigits(s[14:]), twoDigits(s[17:])
	c.set |= hasDate | hasClock
	if !c.valid() {
		return 0
	}
	n := 19
	if n < len(s) && (s[n] == '.' || s[n] == ',') {
		nanos, size := fraction(s[n+1:])
		if size == 0 {
			return 0
		}
		c.nanos, c.digits = nanos, size
		n += 1 + size
	}
	return n + parseZone(s[n:], c)
}

// parseZone reads "Z", "+07:00" or "+0700" into c and returns its length, 0 when there is none.
func parseZone(s []byte, c *calendar) int {
	if len(s) > 0 && s[0] == 'Z' {
		c.offset, c.set = 0, c.set|hasZone
		return 1
	}
	if len(s) >= 6 && s[3] == ':' {
		flat := [5]byte{s[0], s[1], s[2], s[4], s[5]}
		if off, ok := zoneOffset(flat[:]); ok {
			c.offset, c.set = off, c.set|hasZone
			return 6
		}
	}
	if len(s) >= 5 {
		if off, ok := zoneOffset(s[:5]); ok {
			c.offset, c.set = off, c.set|hasZone
			return 5
		}
	}
	return 0
}

// zoneOffset reads "+hhmm" or "-hhmm".
func zoneOffset(s []byte) (seconds int32, ok bool) {
	h, m := twoDigits(s[1:]), twoDigits(s[3:])
	if h > 23 || m > 59 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	off := int32(h*3600 + m*60)
	if s[0] == '-' {
		off = -off
	}
	return off, true
}

// fraction reads up to 9 decimal digits as nanoseconds and returns how many digits stand there; more than
// 9 are read and dropped.
func fraction(s []byte) (nanos int64, size int) {
	scale := int64(100_000_000)
	for size < len(s) && isDigit(s[size]) {
		nanos += int64(s[size]-'0') * scale
		scale /= 10
		size++
	}
	return nanos, size
}

// daysSinceEpoch counts days from 1970-01-01 in the proleptic Gregorian calendar. The formula is
// "days_from_civil" of Howard Hinnant's chrono-compatible low-level date algorithms.
func daysSinceEpoch(year, month, day int) int64 {
	y, m := int64(year), int64(month)
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400 // years here are never negative
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + int64(day) - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// monthNumber returns 1 to 12 for an English three-letter name, or 0.
func monthNumber(s []byte) int {
	for m := time.January; m <= time.December; m++ {
		if string(s) == m.String()[:3] {
			return int(m)
		}
	}
	return 0
}

// twoDigits returns the number in s[0:2], or 1000 when it is none.
func twoDigits(s []byte) int {
	a, b := s[0]-'0', s[1]-'0'
	if a > 9 || b > 9 {
		return 1000
	}
	return int(a)*10 + int(b)
}

func isDigit(c byte) bool { return c-'0' <= 9 }
