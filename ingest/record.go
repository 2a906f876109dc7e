package ingest

import "bytes"

// Precision is the resolution of a logged time stamp.
type Precision uint8

// The precisions a log format can carry, coarsest first.
const (
	PrecisionSecond Precision = iota
	PrecisionMillisecond
	PrecisionMicrosecond
	PrecisionNanosecond
)

// String returns the unit of p: "s", "ms", "us" or "ns".
func (p Precision) String() string {
	return [...]string{"s", "ms", "us", "ns"}[p&3]
}

// precisionOf returns the unit of the last of so many digits of a second's fraction.
func precisionOf(digits int) Precision {
	switch {
	case digits == 0:
		return PrecisionSecond
	case digits <= 3:
		return PrecisionMillisecond
	case digits <= 6:
		return PrecisionMicrosecond
	}
	return PrecisionNanosecond
}

// Origin tells how the start of a request became known.
type Origin uint8

const (
	// OriginLogged means that the log's stamp was taken as the start.
	OriginLogged Origin = iota
	// OriginDerived means that the start is the logged end minus the logged duration.
	OriginDerived
)

// Unknown stands in a numeric field that the log line does not tell.
const Unknown = -1

// Record is one request as the log tells it: raw, personal, and only ever held in memory.
//
// A Record that a Reader yields is borrowed: the slices point into the reader's buffers and are valid
// until the next iteration. Clone keeps one.
type Record struct {
	Start     int64 // nanoseconds since the Unix epoch, UTC
	Offset    int32 // seconds east of UTC, as logged; 0 when the log names no zone
	Precision Precision
	Origin    Origin
	Duration  int64 // nanoseconds, or Unknown

	Client    []byte // address or host name, without a port; empty when unknown
	Forwarded []byte // X-Forwarded-For list, as logged; empty when unknown
	User      []byte // authenticated user; empty when none
	Host      []byte // virtual host or Host header, without a port; empty when unknown
	Method    []byte
	Target    []byte // request target, byte-exact after the log's own escapes are undone
	Protocol  []byte // such as HTTP/1.1; HTTP/1.0 where the request line names none
	Status    int    // 0 = no response logged
	Bytes     int64  // response bytes, or Unknown
	Referer   []byte
	Agent     []byte
	RequestID []byte // the server's or the proxy's id of the request; empty when unknown
	// Upstream is what the log says about the time in upstream servers, as logged, and UpstreamUnit the
	// nanoseconds of its unit. UpstreamTimes reads it.
	Upstream     []byte
	UpstreamUnit int64
	// Headers are the request headers that the log tells and that have no field of their own, in the order of the line.
	Headers []Header

	Flags Flags

	Pos Pos
}

// Header is one header of a request as the log tells it. Referer, User-Agent, Host and X-Forwarded-For have fields of
// their own and are never among them.
type Header struct {
	Name   string // canonical, such as Accept-Language
	Cookie string // of a log that names a single cookie: its name, Value being its value; else empty
	Value  []byte // never empty
}

// Flags are marks of a Record.
type Flags uint8

const (
	// FlagDecoded says that the log's own escapes were undone in the target.
	FlagDecoded Flags = 1 << iota
	// FlagTruncated says that the server cut the line, so the target may be incomplete.
	FlagTruncated
	// FlagWithHeaders says that Bytes counts the response's header too.
	FlagWithHeaders
)

// reset clears everything but Pos and keeps the memory of Headers. It costs half of what assigning a composite literal does, which goes by
// way of a temporary copy.
func (r *Record) reset() {
	pos, headers := r.Pos, r.Headers
	*r = Record{}
	r.Pos, r.Duration, r.Bytes, r.Headers = pos, Unknown, Unknown, headers[:0]
}

// setTime fills the start from the logged moment: the start itself, or the end, from which a known
// Duration is taken.
func (r *Record) setTime(ns int64, moment Stamp) {
	r.Start = ns
	if moment == StampEnd && r.Duration != Unknown {
		r.Start, r.Origin = ns-r.Duration, OriginDerived
	}
}

// End returns the end of the request in nanoseconds since the Unix epoch, false when the log does not tell it.
func (r *Record) End() (ns int64, ok bool) {
	if r.Duration == Unknown {
		return 0, false
	}
	return r.Start + r.Duration, true
}

// UpstreamTimes appends to times the nanoseconds that each tried upstream server took, in order, Unknown
// for one that gave none. Servers are told apart as nginx does: by commas, or by colons for groups of an
// internal redirect.
func (r *Record) UpstreamTimes(times []int64) []int64 {
	for part := range bytes.FieldsFuncSeq(r.Upstream, func(c rune) bool { return c == ',' || c == ':' || c == ' ' }) {
		ns, ok := parseDuration(part, r.UpstreamUnit)
		if !ok {
			ns = Unknown
		}
		times = append(times, ns)
	}
	return times
}

// Pos is the place of a line in its file.
type Pos struct {
	File string // name as given
	Line int64  // 1 is the first line
	Byte int64  // offset of the line in the decompressed text; 0 is the first byte
}
