package ingest

const secondsPerDay = 86400

// w3cClock reads dates and times of the W3C extended format, which are UTC.
type w3cClock struct {
	date   [10]byte // the last one
	base   int64    // its midnight, since the Unix epoch
	full   bool     // date and base are filled
	day    int64    // midnight of the day that "#Date:" named, or that the clock went on to
	dated  bool     // day is filled
	second int64    // of that day, of the line before; -1 before the first
}

// w3cInstant is a time and what it does to the clock.
type w3cInstant struct {
	ns          int64
	precision   Precision
	day, second int64
}

// setDay takes the value of a "#Date:" line, "2006-01-02 15:04:05". The clock part may be missing.
func (c *w3cClock) setDay(s []byte) {
	c.dated = false
	if len(s) < 10 {
		return
	}
	base, ok := c.midnight(s[:10])
	if !ok {
		return
	}
	c.day, c.dated, c.second = base, true, -1
	if len(s) > 11 {
		if second, _, _, ok := clockTime(s[11:]); ok {
			c.second = second
		}
	}
}

// midnight reads "2006-01-02" and remembers it.
func (c *w3cClock) midnight(s []byte) (base int64, ok bool) {
	if c.full && string(s) == string(c.date[:]) {
		return c.base, true
	}
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	hi, lo, month, day := twoDigits(s), twoDigits(s[2:]), twoDigits(s[5:]), twoDigits(s[8:])
	year := hi*100 + lo
	if hi > 99 || lo > 99 || year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	c.base, c.full = daysSinceEpoch(year, month, day)*secondsPerDay, true
	copy(c.date[:], s)
	return c.base, true
}

// on returns the instant of a time on a date.
func (c *w3cClock) on(date, clock []byte) (t w3cInstant, ok bool) {
	base, ok := c.midnight(date)
	if !ok {
		return t, false
	}
	second, nanos, precision, ok := clockTime(clock)
	return w3cInstant{ns: (base+second)*1e9 + nanos, precision: precision, day: c.day, second: c.second}, ok
}

// next returns the instant of a time without a date. A clock that jumps by more than half a day has passed
// midnight; one that jumps back over it is a line that came late.
func (c *w3cClock) next(clock []byte) (t w3cInstant, ok bool) {
	second, nanos, precision, ok := clockTime(clock)
	if !ok || !c.dated {
		return t, false
	}
	t = w3cInstant{precision: precision, day: c.day, second: second}
	base := c.day
	switch {
	case c.second < 0:
	case second+secondsPerDay/2 < c.second:
		base += secondsPerDay
		t.day = base
	case second > c.second+secondsPerDay/2:
		base -= secondsPerDay
		t.second = c.second
	}
	t.ns = (base+second)*1e9 + nanos
	return t, true
}

// accept makes t the time of the line before.
func (c *w3cClock) accept(t *w3cInstant) { c.day, c.second = t.day, t.second }

// clockTime reads "15:04:05", with a fraction or without seconds, as seconds of a day. 60 is a leap second.
func clockTime(s []byte) (second, nanos int64, precision Precision, ok bool) {
	if len(s) != 5 && len(s) < 8 || s[2] != ':' {
		return 0, 0, 0, false
	}
	h, m, x := twoDigits(s), twoDigits(s[3:]), 0
	if len(s) >= 8 {
		if s[5] != ':' {
			return 0, 0, 0, false
		}
		x = twoDigits(s[6:])
	}
	if h > 23 || m > 59 || x > 60 {
		return 0, 0, 0, false
	}
	if len(s) > 8 {
		n, size := fraction(s[9:])
		if s[8] != '.' || size == 0 || size != len(s)-9 {
			return 0, 0, 0, false
		}
		nanos, precision = n, precisionOf(size)
	}
	return int64(h)*3600 + int64(m)*60 + int64(x), nanos, precision, true
}
