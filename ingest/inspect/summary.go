package inspect

import (
	"slices"
	"time"
)

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
	// Where BinSeconds is more than one it is that of the busiest file, so at least as many.
	PeakSecond   int64  `json:"peak_second"`
	PeakSecondAt string `json:"peak_second_at,omitempty"`
	// PeakSliding bounds the requests in the busiest second that begins anywhere. Finer stamps are counted by tenths of
	// a second; those of whole seconds leave a wide range, and so do files of the same time.
	PeakSliding Range `json:"peak_sliding_second"`
	// BinSeconds is the resolution of BusySeconds and LongestGap: one second, or for a long log a power of two.
	BinSeconds int64 `json:"bin_seconds"`
	// BusySeconds counts the seconds with a request.
	BusySeconds int64    `json:"busy_seconds"`
	LongestGap  Gap      `json:"longest_gap"`
	Disorder    Disorder `json:"disorder"`

	Clients      int64 `json:"clients"`
	ClientsExact bool  `json:"clients_exact"` // false: an estimate, standard error 0.8 %
	Endpoints    int64 `json:"endpoints"`     // path templates learned (package endpoint)
	// EndpointsExact is false where the log has too many different paths: then words of the service were looked for in a
	// part of the paths, and the requests of the others count for templates with {word}.
	EndpointsExact bool       `json:"endpoints_exact"`
	TopEndpoints   []Endpoint `json:"top_endpoints"`
	// Repeats lists the most frequent of the requests that one client sent again and again.
	Repeats  []Repeat         `json:"repeats"`
	Methods  map[string]int64 `json:"methods"`
	Statuses map[string]int64 `json:"statuses"`
	Shares   Shares           `json:"shares"`

	// MinuteOfHour counts requests by the minute of the hour of their start (UTC).
	MinuteOfHour [60]int64 `json:"minute_of_hour"`
	// HourOfDay counts requests by the hour of their start (UTC).
	HourOfDay [24]int64 `json:"hour_of_day"`
	Warnings  []string  `json:"warnings"`

	span   time.Duration // from the first to the last start
	coarse bool          // all stamps are whole seconds
}

// File is the account of one input.
type File struct {
	Name       string           `json:"name"`
	Format     string           `json:"format"`
	Title      string           `json:"title,omitempty"`   // of the formats, as people call them
	Formats    []Format         `json:"formats,omitempty"` // of a mixed file
	Stamp      string           `json:"stamp"`
	Why        string           `json:"why,omitempty"`     // how the stamp is known
	Sampled    int              `json:"sampled,omitempty"` // lines that the detection judged, and Fitted of them are in the formats
	Fitted     int              `json:"fitted,omitempty"`
	Precision  string           `json:"precision"`
	Codec      string           `json:"codec"`
	Lines      int64            `json:"lines"`
	Records    int64            `json:"records"`
	NoRequest  int64            `json:"no_request"`
	Rejected   int64            `json:"rejected"`
	Skipped    int64            `json:"skipped"`
	Reasons    map[string]int64 `json:"reasons"`
	SHA256     string           `json:"sha256,omitempty"`
	Suggestion string           `json:"suggestion,omitempty"` // a --log-format that also reads what seems to be the duration
	Warnings   []string         `json:"warnings,omitempty"`
	Failure    string           `json:"failure,omitempty"` // why the file was not read to its end
}

// Format is one of the formats of a mixed file.
type Format struct {
	Format string `json:"format"`
	Line   int64  `json:"line"` // from which on it is tried; 1 is the first
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

// Repeat is a request that one client sent at least 100 times: the same address, user agent, method and path. Its number
// may be too small by what came before it stood out, and in a mixed log by a request for every few thousand others.
type Repeat struct {
	Method          string  `json:"method"`
	Path            string  `json:"path"`   // of its words those that say nothing about anyone (endpoint.Outline)
	Status          string  `json:"status"` // the usual one
	Requests        int64   `json:"requests"`
	Steady          bool    `json:"steady"`                     // two thirds of the intervals are about the usual one, and it is 2 s or more
	IntervalSeconds float64 `json:"interval_seconds,omitempty"` // the usual one of a steady request
}

// unevenHour is the span from which on the minutes of the hour should have about the same part of the requests.
const unevenHour = 2 * time.Hour

// busiestMinute returns the minute of the hour with the most requests and its part of all, 0 in a short log.
func (s *Summary) busiestMinute() (minute int, part float64) {
	if s.span <= unevenHour {
		return 0, 0
	}
	all := int64(0)
	for _, n := range s.MinuteOfHour {
		all += n
	}
	most := slices.Max(s.MinuteOfHour[:])
	return slices.Index(s.MinuteOfHour[:], most), float64(most) / float64(all)
}

// busiestHour returns the part of the requests in the hour of the day with the most.
func (s *Summary) busiestHour() float64 {
	all := int64(0)
	for _, n := range s.HourOfDay {
		all += n
	}
	return float64(slices.Max(s.HourOfDay[:])) / float64(max(1, all))
}
