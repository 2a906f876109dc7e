package ingest

import "time"

// Bits of calendar.set.
const (
	hasDate = 1 << iota
	hasClock
	hasZone
	hasEpoch
)

// calendar collects the parts of a time that a custom format spreads over its columns.
type calendar struct {
	year, month, day     int
	hour, minute, second int
	nanos                int64
	digits               int   // of the fraction of a second: the precision
	offset               int32 // seconds east of UTC, with hasZone
	epoch                int64 // seconds since the Unix epoch, with hasEpoch
	set                  uint8
}

// valid checks the ranges of date and clock. A second 60 is a leap second.
func (c *calendar) valid() bool {
	return c.year >= firstYear && c.year <= lastYear && c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= daysIn(c.year, c.month) &&
		c.hour <= 23 && c.minute <= 59 && c.second <= 60
}

// instant returns nanoseconds since the Unix epoch. A time without a zone is taken in loc; where the wall
// clock shows it twice (autumn), the later instant is taken if the earlier one would go back behind
// last by half an hour or more: the order of lines is the only proof there is.
func (c *calendar) instant(loc *time.Location, last int64) (ns int64, ok bool) {
	if c.set&hasEpoch != 0 {
		return c.epoch*1e9 + c.nanos, true
	}
	if c.set&hasDate == 0 || c.set&hasClock == 0 || !c.valid() {
		return 0, false
	}
	wall := daysSinceEpoch(c.year, c.month, c.day)*86400 + int64(c.hour)*3600 + int64(c.minute)*60 + int64(c.second)
	if c.set&hasZone != 0 {
		return (wall-int64(c.offset))*1e9 + c.nanos, true
	}
	if loc == nil || loc == time.UTC {
		return wall*1e9 + c.nanos, true
	}
	first, second := wallInstants(wall, loc)
	if second != first && last-first*1e9 >= int64(30*time.Minute) {
		first = second
	}
	_, off := time.Unix(first, 0).In(loc).Zone()
	c.offset = int32(off)
	return first*1e9 + c.nanos, true
}

// wallInstants returns the earliest and the latest instant at which clocks in loc show wall (seconds since
// the epoch as if in UTC). Where no clock ever shows it (spring), both are the instant that the offset
// before the change gives.
func wallInstants(wall int64, loc *time.Location) (first, second int64) {
	_, before := time.Unix(wall-86400, 0).In(loc).Zone()
	_, after := time.Unix(wall+86400, 0).In(loc).Zone()
	a, b := wall-int64(before), wall-int64(after)
	if before == after || !shows(b, wall, loc) {
		return a, a
	}
	if !shows(a, wall, loc) {
		return b, b
	}
	return min(a, b), max(a, b)
}

func shows(instant, wall int64, loc *time.Location) bool {
	_, off := time.Unix(instant, 0).In(loc).Zone()
	return instant+int64(off) == wall
}
