package result

// Kind is the one bucket in which an offered request ends.
type Kind uint8

// The kinds of outcome. started = Completed + Rejected + TimedOut + Failed + InFlight;
// offered = started + Dropped + Unsent. A deadline that passes before dispatch is Dropped(CauseLate).
const (
	Completed Kind = iota // a whole response whose status is not a rejection
	Rejected              // a whole response with a status of --reject-status (429, 503)
	TimedOut              // the deadline passed first; Cause names the phase
	Failed                // no whole response; Cause names the kind of error
	InFlight              // started, and still open when the drain ended
	Dropped               // refused by us: CauseCap or CauseLate
	Unsent                // never dispatched because the run was cut
	kinds
)

// String is the name used in files and reports.
func (k Kind) String() string {
	return [kinds + 1]string{"completed", "rejected", "timed_out", "errors", "in_flight", "dropped", "unsent", "unknown"}[min(k, kinds)]
}

// Cause refines a Kind.
type Cause uint8

// Causes of dropped (Cap, Late), timed out (Wait to Body: the phase that was cut) and failed requests.
const (
	CauseNone      Cause = iota
	CauseCap             // --max-in-flight was reached
	CauseLate            // not dispatched by its deadline: the generator's fault
	CauseWait            // in the queue for a connection
	CauseConnect         // dialling; of a failure: refused or unreachable
	CauseTLS             // handshake
	CauseWrite           // writing the request
	CauseFirstByte       // waiting for the first byte of the response
	CauseBody            // reading the response
	CauseDNS             // name not resolved
	CauseReset           // connection closed or reset before the response was whole
	CauseProtocol        // the answer is not HTTP, or over a limit
	CausePorts           // no local port left: the generator's fault
	CauseFiles           // no file descriptor left: the generator's fault
	CauseAborted         // cut by the end of the run
	causes
)

// String is the name used in files and reports.
func (c Cause) String() string {
	return [causes + 1]string{"", "cap", "late", "wait", "connect", "tls", "write", "first_byte", "body",
		"dns", "reset", "protocol", "client.ports", "client.files", "aborted", "unknown"}[min(c, causes)]
}

// Outcome is what became of one offered request. The instants are nanoseconds after t0 and Unset where
// the request never got there.
type Outcome struct {
	Seq        int64 // position in the plan, from 0
	Endpoint   int32 // index into the run's endpoint table (method and template)
	Kind       Kind
	Cause      Cause
	Status     uint16 // of a whole response, else 0
	Logged     uint16 // status that production answered, 0 unknown
	Written    bool   // the whole request was handed to the kernel
	Reused     bool   // sent on a connection that had carried a request before
	Intended   int64  // when the plan wanted it sent
	Dispatched int64  // when the dispatcher took it
	SentAt     int64  // a connection was taken or its dial began
	FirstByte  int64  // first byte of the response
	Done       int64  // last byte, timeout or error
	BytesIn    int64  // response bytes read
}

// Unset is an instant that was never reached.
const Unset = -1

// Response is done - intended, the headline latency: lag + wait + service.
func (o *Outcome) Response() int64 { return o.Done - o.Intended }

// Lag is dispatched - intended: the generator's own delay.
func (o *Outcome) Lag() int64 { return o.Dispatched - o.Intended }

// Wait is sent - dispatched: the queue for a connection.
func (o *Outcome) Wait() int64 { return o.SentAt - o.Dispatched }

// Service is done - sent: what tools report that start their clock at the send.
func (o *Outcome) Service() int64 { return o.Done - o.SentAt }
