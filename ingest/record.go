package ingest

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

	Pos Pos
}

// Pos is the place of a line in its file.
type Pos struct {
	File string // name as given
	Line int64  // 1 is the first line
}
