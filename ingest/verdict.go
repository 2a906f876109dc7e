package ingest

// Reason is the outcome of parsing one line: Accepted, NoRequest, or why the line is rejected.
type Reason uint8

// The closed set of reasons. Their names (String) are part of the report's format.
const (
	// Accepted: the record is filled.
	Accepted Reason = iota
	// NoRequest: the line is whole but tells of a connection without an HTTP request: "-", an empty
	// request, TLS or other binary bytes, a word that is no request line. Start, Client and Status are filled.
	NoRequest
	// Skip: the line is no access line and should not be one: an empty line, a directive, a message of the
	// server itself between its access lines, a fragment that was joined to the line after it.
	Skip
	// BadColumns: a column is missing or is not what the format says.
	BadColumns
	// BadTime: no time stamp, or one that is none.
	BadTime
	// BadQuote: a quoted column is not closed, as when a line is torn.
	BadQuote
	// BadRequestLine: the request is neither absent nor a method and a target (RFC 9112 section 3).
	BadRequestLine
	// BadStatus: the status is not a number.
	BadStatus
	// BadSize: the size is not a number of at most 63 bits.
	BadSize
	// BadDuration: the duration is not a number with a known unit.
	BadDuration
	// TooLong: the line is longer than MaxLine.
	TooLong

	reasons // how many there are
)

// String returns the name of r as reports spell it, such as "request_line".
func (r Reason) String() string {
	names := [reasons]string{"accepted", "no_request", "skip", "columns", "time", "quote", "request_line", "status", "size", "duration", "too_long"}
	if r < reasons {
		return names[r]
	}
	return "unknown"
}

// Verdict is what Parse says about a line. It holds no text of the line.
type Verdict struct {
	Reason Reason
	Column int // 1-based byte position where the format stopped fitting; 0 when Accepted or NoRequest
}

// OK tells whether the record is filled and is a request.
func (v Verdict) OK() bool { return v.Reason == Accepted }

// Rejected tells whether the line is neither a request nor a connection without one.
func (v Verdict) Rejected() bool { return v.Reason > Skip }

// reject is the verdict for byte offset at of a line.
func reject(r Reason, at int) Verdict { return Verdict{Reason: r, Column: at + 1} }

// Reject is a line that is no record, as told to Options.Reject.
type Reject struct {
	Pos    Pos
	Reason Reason
	Column int // 1-based byte position in the line, 0 when it has none
	// Shape is the line with the types of its words in place of the words; "" for a line over MaxLine.
	Shape string
}
