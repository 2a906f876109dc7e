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
	fieldHostTarget // host and target with nothing between them
	fieldProtocol
	fieldStatus
	fieldSize     // "-" is unknown
	fieldSizeZero // "-" is 0
	fieldReferer
	fieldAgent
	fieldDuration // in units of step.unit
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
	end     bool // a time that is the end of the request
	ignored bool // a time that is read but does not count
	weak    bool // a column that gives way to a better one of its kind
}

// program parses lines by the steps of a compiled format string. Columns after the last step are skipped.
type program struct {
	name   string
	prefix []byte
	steps  []step
	loc    *time.Location
	stamp  Stamp
	derive bool // the time is the end of the request and a duration is logged
	clock  clfClock
	last   int64 // start of the line before, for times without a zone
	split  bool  // the request is logged in parts
	lists  bool  // an X-Forwarded-For column exists, so the client column is no list
}

// Name implements Format.
func (p *program) Name() string { return p.name }

// Parse implements Format.
func (p *program) Parse(line []byte, r *Record) Verdict {
	*r = Record{Pos: r.Pos, Duration: Unknown, Bytes: Unknown}
	if !bytes.HasPrefix(line, p.prefix) {
		return reject(BadColumns, 0)
	}
	plain := bytes.IndexByte(line, '\\') < 0
	var c calendar
	outcome, at := Accepted, len(p.prefix)
	for i := range p.steps {
		s := &p.steps[i]
		end, v := p.extent(s, line, at, plain, &c)
		if v.Reason != Accepted {
			return v
		}
		if s.field != fieldSkip && s.field < fieldTimeCLF {
			reason := p.assign(s, text(line[at:end], plain), r)
			if reason > NoRequest {
				return reject(reason, at)
			}
			outcome = max(outcome, reason)
		}
		at = end + len(s.literal)
	}
	return p.finish(&c, outcome, len(line), r)
}

// extent returns where the column of s, which starts at line[at], ends. A time is parsed on the way.
func (p *program) extent(s *step, line []byte, at int, plain bool, c *calendar) (int, Verdict) {
	if s.field >= fieldTimeCLF {
		size := p.parseTime(s, line[at:], c)
		if size == 0 {
			return 0, reject(BadTime, at)
		}
		if !bytes.HasPrefix(line[at+size:], s.literal) {
			return 0, reject(BadColumns, at+size)
		}
		return at + size, Verdict{}
	}
	if s.quoted {
		end := closingQuote(line, at, plain)
		if end < 0 {
			return 0, reject(BadQuote, at)
		}
		if !bytes.HasPrefix(line[end:], s.literal) {
			return 0, reject(BadColumns, end)
		}
		return end, Verdict{}
	}
	if len(s.literal) > 0 {
		size := bytes.Index(line[at:], s.literal)
		if size < 0 {
			return 0, reject(BadColumns, at)
		}
		return at + size, Verdict{}
	}
	if isWord(s.field) { // the last column: what follows a number is a column that the format lacks
		if size := bytes.IndexByte(line[at:], ' '); size >= 0 {
			return at + size, Verdict{}
		}
	}
	return len(line), Verdict{}
}

func isWord(f field) bool {
	return f == fieldStatus || f == fieldSize || f == fieldSizeZero || f == fieldDuration || f == fieldProtocol
}

// assign stores a column's text, nil when it is absent.
func (p *program) assign(s *step, t []byte, r *Record) Reason {
	var ok bool
	switch s.field {
	case fieldClient:
		if p.lists {
			r.Client = stripPort(t)
		} else {
			parseClients(t, r)
		}
	case fieldForwarded:
		r.Forwarded = t
	case fieldUser:
		r.User = t
	case fieldHost:
		r.Host = stripPort(t)
	case fieldRequest:
		return parseRequest(t, r)
	case fieldMethod:
		r.Method = t
	case fieldTarget:
		r.Target = t
	case fieldHostTarget:
		r.Target = t
		if slash := bytes.IndexByte(t, '/'); slash >= 0 {
			r.Host, r.Target = stripPort(t[:slash]), t[slash:]
		}
	case fieldProtocol:
		r.Protocol = t
	case fieldStatus:
		if t == nil {
			return Accepted
		}
		if r.Status, ok = parseStatus(t); !ok {
			return BadStatus
		}
	case fieldSize, fieldSizeZero:
		if t == nil {
			if s.field == fieldSizeZero {
				r.Bytes = 0
			}
			return Accepted
		}
		if r.Bytes, ok = parseCount(t); !ok {
			return BadSize
		}
	case fieldReferer:
		r.Referer = t
	case fieldAgent:
		r.Agent = t
	case fieldDuration:
		if r.Duration, ok = parseDuration(t, s.unit); !ok {
			return BadDuration
		}
	}
	return Accepted
}

// finish computes the start and checks a request that came in parts.
func (p *program) finish(c *calendar, outcome Reason, size int, r *Record) Verdict {
	ns, ok := c.instant(p.loc, p.last)
	if !ok {
		return reject(BadTime, size)
	}
	r.Start, r.Offset, r.Precision = ns, c.offset, c.precision()
	if p.derive && r.Duration != Unknown {
		r.Start, r.Origin = ns-r.Duration, OriginDerived
	}
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
	if !ok || n > math.MaxInt64/unit {
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
