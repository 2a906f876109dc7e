package ingest

// layoutPart is a conversion of strftime(3), or literal text where conv is 0.
type layoutPart struct {
	conv    byte
	literal []byte
}

// compileLayout reads the strftime string of Apache's %{...}t. Conversions that no access log needs
// (week days excepted, which are skipped as words) are refused.
func compileLayout(s string) ([]layoutPart, bool) {
	var parts []layoutPart
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			if n := len(parts); n > 0 && parts[n-1].conv == 0 {
				parts[n-1].literal = append(parts[n-1].literal, s[i])
			} else {
				parts = append(parts, layoutPart{literal: []byte{s[i]}})
			}
			continue
		}
		i++
		if i == len(s) {
			return nil, false
		}
		short, ok := layoutShort[s[i]]
		switch {
		case ok:
			sub, _ := compileLayout(short) // the abbreviations below are all well formed
			parts = append(parts, sub...)
		case containsByte("YmdeHMSbhyzsaf", s[i]):
			parts = append(parts, layoutPart{conv: s[i]})
		case s[i] == '%':
			parts = append(parts, layoutPart{literal: []byte{'%'}})
		default:
			return nil, false
		}
	}
	return parts, len(parts) > 0
}

// layoutShort are the conversions that stand for several others.
var layoutShort = map[byte]string{'T': "%H:%M:%S", 'F': "%Y-%m-%d", 'D': "%m/%d/%y", 'R': "%H:%M"}

func containsByte(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}

// parseLayout reads t by parts into c and returns its length, 0 when it does not fit.
func parseLayout(t []byte, parts []layoutPart, c *calendar) int {
	at := 0
	for i := range parts {
		p := &parts[i]
		if p.conv == 0 {
			if len(t)-at < len(p.literal) || string(t[at:at+len(p.literal)]) != string(p.literal) {
				return 0
			}
			at += len(p.literal)
			continue
		}
		size := parseConversion(t[at:], p.conv, c)
		if size == 0 {
			return 0
		}
		at += size
	}
	if c.set&hasDate != 0 && !validDate(c) {
		return 0
	}
	return at
}

// validDate checks the date alone: the clock may stand in another column.
func validDate(c *calendar) bool {
	return c.month >= 1 && c.month <= 12 && c.day >= 1 && c.day <= 31
}

func parseConversion(t []byte, conv byte, c *calendar) int {
	switch conv {
	case 'b', 'h':
		if len(t) < 3 {
			return 0
		}
		if c.month = monthNumber(t[:3]); c.month == 0 {
			return 0
		}
		c.set |= hasDate
		return 3
	case 'a':
		return min(3, len(t))
	case 'z':
		return parseZone(t, c)
	case 's':
		return parseEpoch(t, 1e9, c)
	case 'f':
		nanos, size := fraction(t)
		c.nanos, c.digits = nanos, size
		return size
	case 'Y':
		if len(t) < 4 {
			return 0
		}
		c.year = twoDigits(t)*100 + twoDigits(t[2:])
		c.set |= hasDate
		return 4
	}
	return parsePair(t, conv, c)
}

// parsePair reads the conversions that are two digits.
func parsePair(t []byte, conv byte, c *calendar) int {
	if len(t) < 2 {
		return 0
	}
	n := twoDigits(t)
	if conv == 'e' && t[0] == ' ' && isDigit(t[1]) {
		n = int(t[1] - '0')
	}
	if n > 99 {
		return 0
	}
	switch conv {
	case 'y':
		c.year = 1900 + n
		if n < 69 { // POSIX: 69 to 99 are 19xx
			c.year = 2000 + n
		}
		c.set |= hasDate
	case 'm':
		c.month = n
	case 'd', 'e':
		c.day = n
	case 'H':
		c.hour, c.set = n, c.set|hasClock
	case 'M':
		c.minute = n
	case 'S':
		c.second = n
	}
	return 2
}
