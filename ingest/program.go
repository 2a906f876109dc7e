package ingest

import (
	"bytes"
	"math"
	"time"
)

// field is what a column of a compiled format holds.
type field uint8

const (
	fieldSkip field = iota
	fieldClient
	fieldForwarded
	fieldUser
	fieldHost
	fieldRequest
	fieldMethod
	fieldTarget
	fieldQuery      // belongs to the fieldTarget in the column before
	fieldHostTarget // host and target with nothing between them
	fieldProtocol
	fieldStatus
	fieldSize     // "-" is unknown
	fieldSizeZero // "-" is 0
	fieldReferer
	fieldAgent
	fieldDuration // in units of step.unit
	fieldUpstream // a list of durations in units of step.unit
	fieldRequestID
	fieldHeader // step.header
	// Times: their own syntax tells where they end.
	fieldTimeCLF
	fieldTimeISO
	fieldTimeEpoch    // units of step.unit; a fraction may follow
	fieldTimeFraction // digits of the current second
	fieldTimeLayout   // step.layout
)

// step is a column and the literal text that follows it.
type step struct {
	field   field
	quoted  bool   // between two quotes: ends at a quote that is not escaped
	literal []byte // after the column; empty only after the last one
	unit    int64  // nanoseconds, of durations and epochs
	layout  []layoutPart
	header  headerName
	end     bool // a time that is the end of the request
	ignored bool // a time that is read but does not count
	weak    bool // a column that gives way to a better one of its kind
	whole   bool // a target with its query
	headers bool // a size that counts the response's header too
}

// program parses lines by the steps of a compiled format string. Columns after the last step are skipped.
type program struct {
	name   string
	prefix []byte
	steps  []step
	loc    *time.Location
	stamp  Stamp
	clock  clfClock
	last   int64 // start of the line before, for times without a zone
	split  bool  // the request is logged in parts
	lists  bool  // an X-Forwarded-For column exists, so the client column is no list
	raw    bool  // nothing in a line is escaped, quotes included
}

// Name implements Format.
func (p *program) Name() string { return p.name }

// Parse implements Format.
func (p *program) Parse(line []byte, r *Record) Verdict {
	r.reset()
	if !startsWith(line, p.prefix) {
		return reject(BadColumns, 0)
	}
	plain := p.raw || bytes.IndexByte(line, '\\') < 0
	var c calendar
	outcome, at := Accepted, len(p.prefix)
	for i := range p.steps {
		s := &p.steps[i]
		if s.field >= fieldTimeCLF {
			size := p.parseTime(s, line[at:], &c)
			if size == 0 {
				return reject(BadTime, at)
			}
			at += size
			if !startsWith(line[at:], s.literal) {
				return reject(BadColumns, at)
			}
			at += len(s.literal)
			continue
		}
		end, reason := p.extent(s, line, at, plain)
		if reason != Accepted {
			return reject(reason, end)
		}
		switch s.field {
		case fieldSkip:
		case fieldRequest:
			outcome = parseLoggedRequest(line[at:end], plain, r)
			reason = outcome
		case fieldQuery:
			joinQuery(line, at, end, plain, r)
		default:
			reason = p.assign(s, line[at:end], plain, r)
		}
		if reason > NoRequest {
			return reject(reason, at)
		}
		at = end + len(s.literal)
	}
	return p.finish(&c, outcome, len(line), r)
}

// extent returns where the column of s, which starts at line[at], ends, or where it stops fitting.
func (p *program) extent(s *step, line []byte, at int, plain bool) (end int, reason Reason) {
	if s.quoted && !p.raw {
		end := closingQuote(line, at, plain)
		if end < 0 {
			return at, BadQuote
		}
		if !startsWith(line[end:], s.literal) {
			return end, BadColumns
		}
		return end, Accepted
	}
	if s.quoted && len(s.literal) == 1 && line[len(line)-1] == '"' && len(line) > at {
		return len(line) - 1, Accepted // the last column, which may hold quotes
	}
	if len(s.literal) > 0 {
		size := indexLiteral(line[at:], s.literal)
		switch {
		case size >= 0:
			return at + size, Accepted
		case s.quoted:
			return at, BadQuote
		}
		return at, BadColumns
	}
	if isWord(s.field) { // the last column: what follows a number is a column that the format lacks
		if size := bytes.IndexByte(line[at:], ' '); size >= 0 {
			return at + size, Accepted
		}
	}
	return len(line), Accepted
}

// shortColumn is about where one call of bytes.IndexByte costs less than a loop.
const shortColumn = 16

// indexLiteral returns the index of literal, which is not empty, in s, or -1.
func indexLiteral(s, literal []byte) int {
	first, from := literal[0], 0
	for {
		n := from
		for n < len(s) && n-from < shortColumn && s[n] != first {
			n++
		}
		if n == len(s) {
			return -1
		}
		if s[n] != first {
			rest := bytes.IndexByte(s[n:], first)
			if rest < 0 {
				return -1
			}
			n += rest
		}
		if len(literal) == 1 || startsWith(s[n:], literal) {
			return n
		}
		from = n + 1
	}
}

// startsWith is bytes.HasPrefix for prefixes of a few bytes.
func startsWith(s, prefix []byte) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i, c := range prefix {
		if s[i] != c {
			return false
		}
	}
	return true
}

func isWord(f field) bool {
	switch f {
	case fieldStatus, fieldSize, fieldSizeZero, fieldDuration, fieldProtocol, fieldRequestID:
		return true
	}
	return false
}

// finish computes the start and checks a request that came in parts.
func (p *program) finish(c *calendar, outcome Reason, size int, r *Record) Verdict {
	ns, ok := c.instant(p.loc, p.last)
	if !ok {
		return reject(BadTime, size)
	}
	r.Offset, r.Precision = c.offset, precisionOf(c.digits)
	r.setTime(ns, p.stamp)
	if p.split {
		if outcome = splitRequest(r); outcome > NoRequest {
			return reject(outcome, size)
		}
	}
	p.last = ns
	if outcome == Accepted && r.Host == nil && r.Target[0] != '/' {
		r.Host = authority(r.Target)
	}
	return Verdict{Reason: outcome}
}

// parseTime reads the time of s at the start of t into c and returns its length, 0 when it is none.
func (p *program) parseTime(s *step, t []byte, c *calendar) int {
	var unused calendar
	if s.ignored {
		c = &unused
	}
	switch s.field {
	case fieldTimeCLF:
		sec, off, ok := p.clock.parse(t)
		if !ok {
			return 0
		}
		c.epoch, c.offset, c.set = sec, off, c.set|hasEpoch|hasZone
		return clfSize
	case fieldTimeISO:
		return parseISO(t, c)
	case fieldTimeEpoch:
		return parseEpoch(t, s.unit, c)
	case fieldTimeFraction:
		nanos, size := fraction(t)
		c.nanos, c.digits = nanos, size
		return size
	default:
		return parseLayout(t, s.layout, c)
	}
}

// parseEpoch reads a count of units since the Unix epoch, with a fraction where the unit is the second.
func parseEpoch(t []byte, unit int64, c *calendar) int {
	size := 0
	for size < len(t) && isDigit(t[size]) {
		size++
	}
	n, ok := parseCount(t[:size])
	if !ok || n >= math.MaxInt64/unit { // a fraction still fits
		return 0
	}
	c.epoch, c.nanos = n/(1e9/unit), n%(1e9/unit)*unit
	c.set |= hasEpoch
	switch unit {
	case 1e6:
		c.digits = 3
	case 1e3:
		c.digits = 6
	}
	if unit == 1e9 && size+1 < len(t) && t[size] == '.' && isDigit(t[size+1]) {
		nanos, digits := fraction(t[size+1:])
		c.nanos, c.digits = nanos, digits
		return size + 1 + digits
	}
	return size
}
