package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Limits of the faults. They keep the longest response far below the server's write timeout.
const (
	maxStall   = time.Minute
	maxLatency = 30 * time.Second
	maxQueue   = 100_000
)

// FaultSpec says which faults are in force; the zero value means none. It travels as JSON, durations as
// text such as "2s".
//
// A request meets them in the order stall, reset, reject by share, error, reject by concurrency, slow.
// The shares are drawn by seed, fault and the number of the request since the faults were set or the
// shop was reset: the n-th request always meets the same fate.
type FaultSpec struct {
	// Seed varies which requests the shares hit.
	Seed uint64 `json:"seed,omitempty"`
	// Stall freezes everything for a while; nil means never.
	Stall *Stall `json:"stall,omitempty"`
	// Slow adds latency to endpoints; of several that match, the most specific pattern counts.
	Slow []Slow `json:"slow,omitempty"`
	// Reject answers before any work; nil means never.
	Reject *Reject `json:"reject,omitempty"`
	// Errors answer in the place of the handler; nil means never.
	Errors *Errors `json:"errors,omitempty"`
	// Reset breaks connections; nil means never.
	Reset *Break `json:"reset,omitempty"`
}

// Stall is a time in which nothing completes: a request that arrives in it, or is in service when it
// begins, completes after its end and no earlier.
type Stall struct {
	// After counts from the instant the faults are set, at least 0.
	After time.Duration
	// For is the length, above 0 and at most a minute.
	For time.Duration
}

// Slow is an endpoint with extra latency, spent before its work.
type Slow struct {
	// Endpoint is a pattern of net/http.ServeMux, such as "GET /products/{id}" or "/search".
	Endpoint string
	// Latency is added to each request, above 0 and at most 30 s.
	Latency time.Duration
}

// Reject refuses requests, by share, by concurrency or by both.
type Reject struct {
	// Share of the requests to refuse at once, 0 to 1.
	Share float64 `json:"share,omitempty"`
	// Concurrency is the number of requests in service at a time; 0 means no limit.
	Concurrency int `json:"concurrency,omitempty"`
	// Queue is how many more may wait for their turn, in order; the next one is refused.
	Queue int `json:"queue,omitempty"`
	// Status is 429 or 503; 0 means 429.
	Status int `json:"status,omitempty"`
}

// Errors answers a share of the requests with an error of the server.
type Errors struct {
	// Share of the requests, 0 to 1.
	Share float64 `json:"share"`
	// Status is 500 to 599; 0 means 500.
	Status int `json:"status,omitempty"`
}

// Break closes the connection of a share of the requests with a TCP reset instead of an answer.
type Break struct {
	// Share of the requests, 0 to 1.
	Share float64 `json:"share"`
}

// validate reports the first value out of range.
func (f FaultSpec) validate() error {
	if s := f.Stall; s != nil && (s.After < 0 || s.After > 24*time.Hour || s.For <= 0 || s.For > maxStall) {
		return fmt.Errorf("shop: stall: after must be 0 to 24h and for above 0, at most %v", maxStall)
	}
	for i, s := range f.Slow {
		if s.Latency <= 0 || s.Latency > maxLatency {
			return fmt.Errorf("shop: slow[%d]: latency must be above 0, at most %v", i, maxLatency)
		}
	}
	if r := f.Reject; r != nil {
		if !isShare(r.Share) || r.Concurrency < 0 || r.Queue < 0 || r.Queue > maxQueue || r.Concurrency > maxQueue {
			return fmt.Errorf("shop: reject: share must be 0 to 1, concurrency and queue 0 to %d", maxQueue)
		}
		if r.Queue > 0 && r.Concurrency == 0 {
			return fmt.Errorf("shop: reject: a queue needs a concurrency")
		}
		if r.Status != 0 && r.Status != http.StatusTooManyRequests && r.Status != http.StatusServiceUnavailable {
			return fmt.Errorf("shop: reject: status must be 429 or 503")
		}
	}
	if e := f.Errors; e != nil && (!isShare(e.Share) || e.Status != 0 && (e.Status < 500 || e.Status > 599)) {
		return fmt.Errorf("shop: errors: share must be 0 to 1 and status 500 to 599")
	}
	if b := f.Reset; b != nil && !isShare(b.Share) {
		return fmt.Errorf("shop: reset: share must be 0 to 1")
	}
	_, err := slowRoutes(f.Slow)
	return err
}

// clone returns a copy that shares nothing with f.
func (f FaultSpec) clone() FaultSpec {
	f.Slow = slices.Clone(f.Slow)
	f.Stall, f.Reject, f.Errors, f.Reset = copied(f.Stall), copied(f.Reject), copied(f.Errors), copied(f.Reset)
	return f
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func isShare(x float64) bool { return x >= 0 && x <= 1 } // false for NaN

// UnmarshalJSON refuses fields that it does not know: a misspelt fault would silently be no fault.
func (f *FaultSpec) UnmarshalJSON(b []byte) error {
	type plain FaultSpec
	*f = FaultSpec{}
	return strict(b, (*plain)(f))
}

// stallJSON and slowJSON are the two types with durations as they travel.
type (
	stallJSON struct {
		After text `json:"after,omitempty"`
		For   text `json:"for"`
	}
	slowJSON struct {
		Endpoint string `json:"endpoint"`
		Latency  text   `json:"latency"`
	}
)

// text is a duration that reads and writes itself as "1m2s".
type text time.Duration

// MarshalText writes d in the form of time.Duration.
func (d text) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *text) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = text(v)
	return err
}

// MarshalJSON writes the durations as text.
func (s Stall) MarshalJSON() ([]byte, error) {
	return json.Marshal(stallJSON{text(s.After), text(s.For)})
}

// UnmarshalJSON reads the durations from text.
func (s *Stall) UnmarshalJSON(b []byte) error {
	var v stallJSON
	err := strict(b, &v)
	*s = Stall{time.Duration(v.After), time.Duration(v.For)}
	return err
}

// MarshalJSON writes the latency as text.
func (s Slow) MarshalJSON() ([]byte, error) {
	return json.Marshal(slowJSON{s.Endpoint, text(s.Latency)})
}

// UnmarshalJSON reads the latency from text.
func (s *Slow) UnmarshalJSON(b []byte) error {
	var v slowJSON
	err := strict(b, &v)
	*s = Slow{v.Endpoint, time.Duration(v.Latency)}
	return err
}

func strict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
