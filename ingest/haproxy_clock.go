package ingest

import "time"

// wallSize is the length of "02/Jan/2006:15:04:05", the time of the common log format without its zone.
const wallSize = 20

// isWallTime tells cheaply whether s looks like "02/Jan/2006:15:04:05.000]", as HAProxy writes %t and %tr.
func isWallTime(s []byte) bool {
	return len(s) > wallSize+2 && s[2] == '/' && s[6] == '/' && s[11] == ':' && s[14] == ':' && s[17] == ':' && s[wallSize] == '.' && isDigit(s[0])
}

// wallClock parses times that name no zone, and remembers the last minute: the rest is an addition. Where the
// wall clock of loc shows a minute twice (autumn), the order of the lines tells which it was.
type wallClock struct {
	loc           *time.Location // nil = UTC
	minute        [17]byte       // "02/Jan/2006:15:04"
	full          bool           // minute is filled
	first, second int64          // the instants that minute can be, seconds since the Unix epoch
	last          int64          // end of the line before, nanoseconds since the Unix epoch
}

// read reads "02/Jan/2006:15:04:05.000" at the start of s, before a bracket: its nanoseconds since the start of
// its minute, the digits of its fraction and its length. instant then tells what they mean.
func (c *wallClock) read(s []byte) (nanos int64, digits, size int, ok bool) {
	if !c.full || string(s[:17]) != string(c.minute[:]) {
		if !c.setMinute(s) {
			return 0, 0, 0, false
		}
	}
	sec := twoDigits(s[18:])
	nanos, digits = fraction(s[wallSize+1:])
	size = wallSize + 1 + digits
	if sec > 60 || digits == 0 || size >= len(s) || s[size] != ']' {
		return 0, 0, 0, false
	}
	return int64(sec)*1e9 + nanos, digits, size, true
}

// setMinute reads date, hour and minute. It leaves c unusable when they are wrong.
func (c *wallClock) setMinute(s []byte) bool {
	c.full = false
	t := calendar{year: twoDigits(s[7:])*100 + twoDigits(s[9:]), month: monthNumber(s[3:6]), day: twoDigits(s), hour: twoDigits(s[12:]), minute: twoDigits(s[15:])}
	if !t.valid() {
		return false
	}
	wall := daysSinceEpoch(t.year, t.month, t.day)*86400 + int64(t.hour)*3600 + int64(t.minute)*60
	c.first, c.second = wall, wall
	if c.loc != nil && c.loc != time.UTC {
		c.first, c.second = wallInstants(wall, c.loc)
	}
	copy(c.minute[:], s)
	c.full = true
	return true
}

// instant returns the time that read found, in nanoseconds since the Unix epoch, and its zone's offset in
// seconds. The end of the request, which is moment or comes duration (nanoseconds, or Unknown) after it, is not a
// minute before the end of the line before: lines are written in that order.
func (c *wallClock) instant(nanos, duration int64, moment Stamp) (ns int64, offset int32) {
	if duration == Unknown || moment == StampEnd {
		duration = 0
	}
	sec := c.first
	if c.second != c.first && c.last-(c.first*1e9+nanos+duration) >= int64(time.Minute) {
		sec = c.second
	}
	if c.loc != nil && c.loc != time.UTC {
		_, off := time.Unix(sec, 0).In(c.loc).Zone()
		offset = int32(off)
	}
	ns = sec*1e9 + nanos
	c.last = ns + duration
	return ns, offset
}
