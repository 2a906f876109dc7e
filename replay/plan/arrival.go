package plan

import "reprise/anonymize/trace"

// Kind names plan files in their header record.
const Kind = "plan"

// Withheld says why an arrival keeps its slot in the plan and is never sent.
type Withheld string

// The reasons to withhold, decided when the plan is made and printed.
const (
	Sent         Withheld = ""             // not withheld
	Write        Withheld = "write"        // side effects, and --allow-writes was not given
	Unbound      Withheld = "unbound"      // needs an id of the fixture data set, and none was found
	Unreplayable Withheld = "unreplayable" // CONNECT, a proxy request, or bytes no request line can hold
)

// Arrival is one arrival and its request. One that a Reader yields is borrowed until the next.
type Arrival struct {
	At       int64           // intended instant, microseconds after t0; never decreases within a plan
	Method   string          // interned
	Target   []byte          // sent byte for byte
	Endpoint string          // path template, interned
	Host     string          // Host header to send; empty = the target's own
	User     trace.Pseudonym // who, for the per-user connection policy and for binding
	Status   uint16          // status that production answered; 0 = unknown
	Header   []byte          // header lines "Name: value\r\n..." beside Host and the body's; nil for none
	Type     string          // Content-Type; empty without a body
	Body     []byte
	Withheld Withheld
}
