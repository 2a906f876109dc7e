package compare

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"reprise/replay/result"
)

// Shape is the traffic of one side: medians over its runs.
type Shape struct {
	Source     string // trace, P1, P2 or a scenario's name
	Model      string // measured, poisson, constant, logged
	OfferedRPS float64
	PeakSecond int64
	Peak       float64 // peak second / mean rate, at least 1; 0 when unknown
	Fano1s     float64 // index of dispersion of the per-second counts; 1 is Poisson, NaN unknown
	Endpoints  int     // method and template, the sum of all others counted as one
}

func side(runs []*result.Summary) Side {
	s := Side{Runs: runs}
	rates, peaks, fanos := make([]float64, len(runs)), make([]int64, len(runs)), []float64(nil)
	for i, r := range runs {
		s.Outcomes.add(r)
		rates[i], peaks[i] = r.OfferedRPS, busiest(r)
		if r.Arrivals.Fano1s != nil {
			fanos = append(fanos, *r.Arrivals.Fano1s)
		}
	}
	s.Shape = Shape{Source: runs[0].Arrivals.Source, Model: runs[0].Arrivals.Model, OfferedRPS: median(rates),
		PeakSecond: median(peaks), Fano1s: math.NaN(), Endpoints: len(runs[0].Endpoints)}
	if len(fanos) > 0 {
		s.Shape.Fano1s = median(fanos)
	}
	// The busiest of whole seconds cannot be below their mean; it is in a run of less than one second.
	if peak := float64(s.Shape.PeakSecond); s.Shape.OfferedRPS > 0 && peak >= s.Shape.OfferedRPS {
		s.Shape.Peak = peak / s.Shape.OfferedRPS
	}
	return s
}

// busiest is the most requests that the run had in one second. A closed loop that names none that it can have
// had (archives of before it counted its own starts) is asked by its timeline.
func busiest(s *result.Summary) int64 {
	peak := s.Arrivals.PeakSecond
	if t := &s.Timeline; s.Mode == "closed" && float64(peak) < s.OfferedRPS && t.BinSeconds == 1 && len(t.Started) > 0 {
		peak = max(peak, slices.Max(t.Started))
	}
	return peak
}

func (o *Outcomes) add(s *result.Summary) {
	o.Offered += s.Offered
	o.Completed += s.Completed
	o.Rejected += s.Rejected
	o.TimedOut += s.TimedOut
	o.Errors += s.Errors.Total
	o.Dropped += s.Dropped
	o.Unsent += s.Unsent
	o.Failures += s.Errors.Total + s.TimedOut + s.Dropped + serverErrors(s)
}

// serverErrors counts the whole responses with a 5xx status that the run does not count as rejected.
func serverErrors(s *result.Summary) int64 {
	rejected := RejectStatuses(s)
	var n int64
	for status, count := range s.Status {
		code, err := strconv.Atoi(status)
		if err == nil && code >= 500 && code <= 599 && !slices.Contains(rejected, status) {
			n += count
		}
	}
	return n
}

// RejectStatuses are the statuses that the run counts as rejected: what its contract says, else 429 and 503.
func RejectStatuses(s *result.Summary) []string {
	list, ok := s.Contract["reject_status"]
	if !ok {
		return []string{"429", "503"}
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r < '0' || r > '9' })
}

// labels names the sides by what was varied, and A and B when that says nothing.
func labels(a, b *result.Summary, vary Vary) (string, string) {
	pairs := [][2]string{{a.Scenario, b.Scenario}, {a.Arrivals.Source, b.Arrivals.Source}}
	switch vary {
	case Traffic:
		pairs = append([][2]string{{stand(a, b), stand(b, a)}}, pairs...)
	case Mode:
		pairs = [][2]string{{loop(a), loop(b)}}
	case Target, Nothing:
		pairs = [][2]string{{a.TargetVersion, b.TargetVersion}}
	case Arrivals:
		pairs = append([][2]string{{load(a), load(b)}}, pairs...)
	}
	for _, p := range pairs {
		if p[0] != p[1] && !unknown(p[0]) && !unknown(p[1]) {
			return p[0], p[1]
		}
	}
	return "A", "B"
}

// stand names a run by whether it replays a log or stands in for one.
func stand(s, other *result.Summary) string {
	if s.Arrivals.Source == "trace" && other.Arrivals.Source != "trace" {
		return "the replay"
	}
	return s.Scenario
}

func load(s *result.Summary) string {
	if unknown(s.Arrivals.Model) {
		return ""
	}
	return "the " + s.Arrivals.Model + " load"
}

func loop(s *result.Summary) string {
	if s.Mode != "open" && s.Mode != "closed" {
		return ""
	}
	return "the " + s.Mode + " loop"
}
