package arrival

import (
	"errors"
	"math"
)

// Fitness says how far a Poisson model would be from a log.
type Fitness struct {
	Shape
	From int64 `json:"from"` // Unix second
	To   int64 `json:"to"`   // Unix second after the last
	// PeakAt is the Unix second with the most requests.
	PeakAt int64 `json:"peak_at"`
	// EmptySeconds counts the seconds without a request, LongestGapSeconds the longest run of them.
	EmptySeconds      int64 `json:"empty_seconds"`
	LongestGapSeconds int64 `json:"longest_gap_seconds"`
	// ExpectedPoissonPeak99 is the peak that a Poisson series stays at or below in 99 % of cases.
	ExpectedPoissonPeak99 int64 `json:"expected_poisson_peak_p99"`
	// DispersionLow and DispersionHigh hold the index of dispersion at 1 s of a Poisson series in
	// 95 % of cases; nil below 10 seconds. A long series leaves them for small effects: see Kappa.
	DispersionLow  *float64 `json:"dispersion_low,omitempty"`
	DispersionHigh *float64 `json:"dispersion_high,omitempty"`
}

// Fit describes the whole span of a profile. An empty one is an error.
func Fit(s *Series) (Fitness, error) {
	from, to := s.Span()
	return FitWindow(s, from, to)
}

// FitWindow describes the seconds [from, to) of a profile, empty ones included.
func FitWindow(s *Series, from, to int64) (Fitness, error) {
	f := Fitness{From: from, To: to}
	second, ten, minute := bins{width: 1}, bins{width: 10}, bins{width: 60}
	widths := []*bins{&second, &ten, &minute}
	next, active, most := from, int64(0), int64(0)
	for at, n := range s.Each() {
		if at < from || at >= to {
			continue
		}
		for _, b := range widths {
			b.add(at-from, n)
		}
		f.Arrivals += n
		f.LongestGapSeconds = max(f.LongestGapSeconds, at-next)
		next = at + 1
		active++
		if n > most {
			f.PeakAt, most = at, n
		}
	}
	if f.Arrivals == 0 {
		return Fitness{}, errors.New("no request in the window: nothing to fit")
	}
	for _, b := range widths {
		b.end(to - from)
	}
	f.LongestGapSeconds = max(f.LongestGapSeconds, to-next)
	f.EmptySeconds = to - from - active
	f.DurationSeconds = float64(to - from)
	describe(&f.Shape, []string{"1", "10", "60"}, widths, &second)
	f.ExpectedPoissonPeak99 = NewPeakLaw(f.Rate, to-from).Quantile(0.99)
	low, high, _ := DispersionLimits(to - from)
	f.DispersionLow, f.DispersionHigh = defined(low), defined(high)
	return f, nil
}

// Sentence says in plain words what a Poisson fit would hide, such as
// "Poisson at this mean would peak at 138/s; this log peaks at 911/s (6.6 x)".
func (f Fitness) Sentence() string { return f.PeakSentence("this log") }

// Underestimate is the log's peak second over the one expected of Poisson at the same mean.
func (f Fitness) Underestimate() float64 {
	if f.ExpectedPoissonPeak == 0 {
		return math.NaN()
	}
	return float64(f.PeakSecond) / f.ExpectedPoissonPeak
}
