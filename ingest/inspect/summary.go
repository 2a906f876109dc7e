package inspect

// Summary is what a log holds. Its JSON names are stable.
type Summary struct {
	Files []File `json:"files"`

	Lines     int64            `json:"lines"`
	Records   int64            `json:"records"`
	NoRequest int64            `json:"no_request"`
	Rejected  int64            `json:"rejected"`
	Skipped   int64            `json:"skipped"`
	Reasons   map[string]int64 `json:"reasons"`

	FirstStart string `json:"first_start,omitempty"` // RFC 3339, UTC
	LastStart  string `json:"last_start,omitempty"`
	// PeakSecond is the number of requests in the busiest second of the clock, and PeakSecondAt the first such second.
	PeakSecond   int64  `json:"peak_second"`
	PeakSecondAt string `json:"peak_second_at,omitempty"`
	// PeakSliding bounds the requests in the busiest second that begins anywhere. Whole-second stamps
	// leave a wide range.
	PeakSliding Range `json:"peak_sliding_second"`
	// BusySeconds counts the seconds with a request.
	BusySeconds int64    `json:"busy_seconds"`
	LongestGap  Gap      `json:"longest_gap"`
	Disorder    Disorder `json:"disorder"`

	Clients      int64            `json:"clients"`
	ClientsExact bool             `json:"clients_exact"` // false: an estimate, standard error 0.8 %
	Endpoints    int64            `json:"endpoints"`     // path templates learned (package endpoint)
	TopEndpoints []Endpoint       `json:"top_endpoints"`
	Methods      map[string]int64 `json:"methods"`
	Statuses     map[string]int64 `json:"statuses"`
	Shares       Shares           `json:"shares"`

	// MinuteOfHour counts requests by the minute of the hour of their start (UTC).
	MinuteOfHour [60]int64 `json:"minute_of_hour"`
	Warnings     []string  `json:"warnings"`
}

// File is the account of one input.
type File struct {
	Name      string           `json:"name"`
	Format    string           `json:"format"`
	Stamp     string           `json:"stamp"`
	Precision string           `json:"precision"`
	Codec     string           `json:"codec"`
	Lines     int64            `json:"lines"`
	Records   int64            `json:"records"`
	NoRequest int64            `json:"no_request"`
	Rejected  int64            `json:"rejected"`
	Skipped   int64            `json:"skipped"`
	Reasons   map[string]int64 `json:"reasons"`
	SHA256    string           `json:"sha256,omitempty"`
	Warnings  []string         `json:"warnings,omitempty"`
}

// Range bounds a number that the log's resolution does not tell exactly.
type Range struct {
	AtLeast int64 `json:"at_least"`
	AtMost  int64 `json:"at_most"`
}

// Gap is a stretch of time without a request.
type Gap struct {
	Seconds int64  `json:"seconds"`
	After   string `json:"after,omitempty"` // the second of the last request before it
}

// Disorder tells how far the lines are from the order of their starts.
type Disorder struct {
	LateLines  int64   `json:"late_lines"`
	MaxSeconds float64 `json:"max_seconds"`
}

// Endpoint is a path template and its requests. Only requests with a status of 2xx or 3xx teach templates and
// are counted here, so that a scanner's guesses make no endpoint.
type Endpoint struct {
	Path     string `json:"path"`
	Answered int64  `json:"answered"`
}

// Shares counts the records that a replay must treat apart.
type Shares struct {
	Bots         int64 `json:"bots"`           // the user agent names itself a crawler, a monitor or a tool
	Mutating     int64 `json:"mutating"`       // methods that may change the target's data
	BodyMissing  int64 `json:"body_missing"`   // POST, PUT and PATCH: no access log holds the body
	AbsoluteURI  int64 `json:"absolute_uri"`   // proxy requests; a replay connects to its target only
	Connect      int64 `json:"connect"`        // tunnels, never replayed
	ClientGone   int64 `json:"client_gone"`    // status 499: the client left before the response
	NoDuration   int64 `json:"no_duration"`    // the log does not tell how long the response took
	DerivedStart int64 `json:"derived_starts"` // start = logged end - duration
}
