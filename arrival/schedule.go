package arrival

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"time"
)

// Model gives the instants of one realisation, each with its place in the log.
type Model interface {
	// Sources yields the offsets, microseconds since t0: absolute, never decreasing and the same for the
	// same seed. The sequence can be ranged over again and holds one second in memory.
	Sources(seed uint64) iter.Seq2[int64, Source]
}

// Source is the place in the log that an offset stands for. Sources never go back: first Cycle decides,
// then Second.
type Source struct {
	Second int64 // Unix second within the window; 0 for a schedule without a profile
	Cycle  int64 // how often the window was sent before
}

// Fill says how the duration of a schedule relates to the window it comes from.
type Fill string

// The values of Fill.
const (
	Whole    Fill = "whole"    // the window, once
	Cut      Fill = "cut"      // only the beginning of the window
	Repeated Fill = "repeated" // the window more than once
)

// Method says where the requests of a second come from.
type Method string

// The values of Method, see Options.Scale.
const (
	ExactCounts    Method = "exact counts"    // the counts of the log as they are
	RescaledCounts Method = "rescaled counts" // counts times the factor, rounded at random
	ShrunkRates    Method = "shrunk rates"    // Poisson draws with rates shrunk towards the mean
	MeanRate       Method = "mean rate"       // one rate throughout
	OwnStamps      Method = "own stamps"      // each request's own time
)

// Terms are what a schedule was made of; they go into a plan's header.
type Terms struct {
	Model           Kind    `json:"model"`
	Method          Method  `json:"method"`
	From            int64   `json:"from,omitempty"` // window [from, to) in Unix seconds; 0, 0 without a profile
	To              int64   `json:"to,omitempty"`
	Speed           float64 `json:"speed"`            // log time per replay time
	Factor          float64 `json:"factor,omitempty"` // load against the window's own
	Rate            float64 `json:"rate,omitempty"`   // expected mean, requests per second as sent
	DurationSeconds float64 `json:"duration_seconds"` // length of the schedule
	Fill            Fill    `json:"fill,omitempty"`
	Repeats         float64 `json:"repeats,omitempty"` // windows in the schedule, 1 for the whole
}

// Schedule is a model made ready by New or NewLogged.
type Schedule struct {
	Model
	terms Terms
	limit int64 // microseconds
}

// Terms says what the schedule was made of.
func (s *Schedule) Terms() Terms { return s.terms }

// Duration is the length of the schedule; every offset lies below it.
func (s *Schedule) Duration() time.Duration {
	return time.Duration(s.limit) * time.Microsecond
}

// Offsets is Sources without the sources.
func (s *Schedule) Offsets(seed uint64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for offset := range s.Sources(seed) {
			if !yield(offset) {
				return
			}
		}
	}
}

// New makes a schedule of the kind measured, poisson or constant from a profile. Without a profile (nil
// or empty), poisson and constant need Options.Rate and Options.Duration. An error names the flag of
// reprise schedule that is wrong.
func New(kind Kind, profile *Series, o Options) (*Schedule, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	switch kind {
	case Measured, Poisson, Constant:
	case Logged:
		return nil, errors.New("--arrival logged needs the requests' own stamps, not a profile")
	default:
		return nil, errors.New("--arrival: unknown model; use measured, poisson, constant or logged")
	}
	if profile == nil || profile.Total() == 0 {
		return bare(kind, o)
	}
	w, err := cutWindow(profile, o)
	if err != nil {
		return nil, err
	}
	mean := float64(w.total) / float64(w.to-w.from) * o.speed()
	t := Terms{Model: kind, Method: MeanRate, From: w.from, To: w.to, Speed: o.speed(), Factor: 1, Rate: mean}
	switch {
	case o.Scale != 0:
		t.Factor, t.Rate = o.Scale, float64(mean*o.Scale)
	case o.Rate != 0:
		t.Factor, t.Rate = o.Rate/mean, o.Rate
	}
	limit := fill(&t, float64(w.to-w.from)*1e6/t.Speed, o.Duration)
	if t.Rate > MaxRate {
		return nil, fmt.Errorf("--rate: the schedule would send %.0f requests a second, above %.0f", t.Rate, float64(MaxRate))
	}
	s := &Schedule{terms: t, limit: limit}
	if kind == Measured {
		return s, s.measure(w)
	}
	s.steady()
	return s, nil
}

// bare makes a schedule out of a rate and a duration alone.
func bare(kind Kind, o Options) (*Schedule, error) {
	switch {
	case kind == Measured:
		return nil, errors.New("--arrival measured needs a profile with at least one request")
	case o.Rate == 0 || o.Duration == 0:
		return nil, fmt.Errorf("--arrival %s without a profile needs --rate and --duration", kind)
	case o.Speed != 0 || o.Scale != 0 || o.From != 0 || o.To != 0:
		return nil, errors.New("--speed, --scale and --window need a profile")
	}
	t := Terms{Model: kind, Method: MeanRate, Speed: 1, Rate: o.Rate}
	s := &Schedule{limit: fill(&t, 0, o.Duration)}
	t.Fill, t.Repeats = "", 0
	s.terms = t
	s.steady()
	return s, nil
}

// steady sets the model of one rate throughout.
func (s *Schedule) steady() {
	t := &s.terms
	p := placed{from: t.From, window: t.To - t.From, speed: t.Speed, once: t.Fill != Repeated}
	if t.Model == Constant {
		p.Model = evenly{rate: t.Rate, limit: s.limit}
	} else {
		p.Model = grid{name: string(Poisson), seconds: (s.limit + 999_999) / 1_000_000, speed: 1, limit: s.limit, second: meanRate(t.Rate)}
	}
	s.Model = p
}

// fill sets the length of the schedule, given that of the window as sent in microseconds, and returns it
// in whole microseconds, rounded up.
func fill(t *Terms, window float64, d time.Duration) int64 {
	limit := int64(math.Ceil(window))
	t.Fill, t.Repeats = Whole, 1
	if wanted := int64((d + time.Microsecond - 1) / time.Microsecond); d != 0 && wanted != limit {
		t.Repeats = float64(wanted) / window
		t.Fill = Repeated
		if wanted < limit {
			t.Fill = Cut
		}
		limit = wanted
	}
	t.DurationSeconds = float64(limit) / 1e6
	return limit
}

// window is the part of a profile that a schedule is made of.
type window struct {
	series   *Series // may hold more than the window
	from, to int64
	total    int64
	peak     int64
}

func cutWindow(s *Series, o Options) (window, error) {
	w := window{series: s}
	w.from, w.to = s.Span()
	if o.From != 0 {
		w.from = o.From
	}
	if o.To != 0 {
		w.to = o.To
	}
	for second, n := range s.Each() {
		if second >= w.from && second < w.to {
			w.total += n
			w.peak = max(w.peak, n)
		}
	}
	if w.total == 0 {
		return w, errors.New("--window holds no request of the profile")
	}
	if w.to-w.from > MaxWindowSeconds {
		return w, fmt.Errorf("--window: %d seconds are more than ten years; one stamp may be far off, cut it away", w.to-w.from)
	}
	if float64(w.to-w.from)/o.speed() > MaxDuration.Seconds() && o.Duration == 0 {
		return w, fmt.Errorf("--window: %d seconds are sent in more than %v; cut the window or the duration", w.to-w.from, MaxDuration)
	}
	return w, nil
}
