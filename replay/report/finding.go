package report

import (
	"fmt"
	"slices"
	"strings"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// Topic says what a finding is about.
type Topic string

// The topics, in the order in which Findings gives them.
const (
	Headline  Topic = "headline"
	Rate      Topic = "rate"
	Outcome   Topic = "outcome"
	Latency   Topic = "latency"
	InFlight  Topic = "in flight"
	Lag       Topic = "lag"
	Clocks    Topic = "clocks"
	Endpoints Topic = "endpoints"
)

// Finding is one plain sentence, computed from the numbers. Text holds names from the run unescaped.
type Finding struct {
	Topic Topic
	Text  string
}

// Findings says in words what a run showed, one sentence for every topic.
func Findings(s *result.Summary) []Finding {
	return []Finding{
		{Headline, headline(s)}, {Rate, rateFinding(s)}, {Outcome, outcomeFinding(s)}, {Latency, latencyFinding(s)},
		{InFlight, inFlightFinding(s)}, {Lag, lagFinding(s)}, {Clocks, clocksFinding(s)}, {Endpoints, endpointFinding(s)},
	}
}

func find(s *result.Summary, topic Topic) string {
	for _, f := range Findings(s) {
		if f.Topic == topic {
			return f.Text
		}
	}
	return ""
}

// headline is for a reader who does not know what a percentile is.
func headline(s *result.Summary) string {
	p := responses(s)
	switch {
	case !s.Valid:
		return "This run does not count: " + strings.Join(causes(s), "; ") + "."
	case s.Offered == 0:
		return "Nothing was sent, so there is nothing to judge."
	case p.N == 0:
		return fmt.Sprintf("Not one of %s requests was answered within the rules: %s failed, %s were rejected.",
			grouped(s.Offered), grouped(s.Errors.Total), grouped(s.Rejected))
	}
	text := fmt.Sprintf("The target answered %s of %s requests", share(s.Completed, s.Offered), grouped(s.Offered))
	if s.Completed == s.Offered {
		text = fmt.Sprintf("The target answered all %s requests", grouped(s.Offered))
	}
	a := answered(s)
	return text + a.clause() + "; " + waited(p) + outlier(s, "; ") + "."
}

// outlier tells of a request far slower than p99, and of the seconds in which a closed loop stood still: p99
// shows neither when few of very many requests are caught. Empty when there is nothing to tell.
func outlier(s *result.Summary, before string) string {
	const factor, gap = 5, 100 // times p99, and milliseconds above it
	p, still := responses(s), stillness(s, ", nothing ended in ")
	if p.N == 0 || still == "" && (p.N < compare.Floor(0.99) || p.Max < factor*p.P99 || p.Max-p.P99 < gap) {
		return ""
	}
	return before + "the slowest request took " + strings.Replace(p.most(), ">=", "at least ", 1) + " ms" + still
}

// stillness names the silent seconds, empty when there are none.
func stillness(s *result.Summary, before string) string {
	switch still := silent(s); len(still) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%ssecond %d", before, still[0])
	default:
		return fmt.Sprintf("%s%d seconds, first in second %d", before, len(still), still[0])
	}
}

// silent are the seconds of a closed loop in which nothing was sent although requests were open. Nothing ended in
// them either: the worker whose request ends sends the next one at once.
func silent(s *result.Summary) []int {
	t := &s.Timeline
	first := slices.IndexFunc(t.Started, func(n int64) bool { return n > 0 })
	if s.Mode != "closed" || bin(s) != 1 || first < 0 {
		return nil
	}
	last := len(t.Started) - 1
	for t.Started[last] == 0 {
		last--
	}
	var out []int
	for i := first + 1; i < len(t.Started) && float64(i+1) <= max(s.DurationSeconds, float64(last)); i++ {
		if t.Started[i] == 0 && (i < last || i < len(t.InFlightMax) && t.InFlightMax[i] > 0) {
			out = append(out, i)
		}
	}
	return out
}

// waited says how long the slow ones took, by the highest percentile that n supports.
func waited(p population) string {
	for _, q := range []struct{ name, who string }{{"p99", "one in 100"}, {"p95", "one in 20"}, {"p50", "half"}} {
		if _, at := p.quantile(q.name); p.N < compare.Floor(at) {
			continue
		}
		cell := p.cell(q.name)
		if cell[0] == '>' {
			return fmt.Sprintf("%s waited %s ms or more, where the timeout cut it off", q.who, cell[2:])
		}
		return fmt.Sprintf("%s waited %s ms or longer", q.who, cell)
	}
	return fmt.Sprintf("the slowest of %s took %s ms", grouped(p.N), millis(p.Max))
}

func rateFinding(s *result.Summary) string {
	peak := fmt.Sprintf("the busiest second had %s", grouped(s.Arrivals.PeakSecond))
	if s.Arrivals.PeakSecond <= 0 {
		peak = rate(s.OfferedRPS) + " a second on average"
	}
	switch missing := s.Dropped + s.Unsent; {
	case s.Offered == 0:
		return "Nothing was offered"
	case s.Mode == "closed":
		return fmt.Sprintf("The closed loop sent %s requests, each only after an answer", grouped(s.Started)) + stillness(s, "; none and no answer in ")
	case missing == 0:
		return fmt.Sprintf("All %s requests were started; %s", grouped(s.Offered), peak)
	default:
		return fmt.Sprintf("%s of %s requests were never started; %s", grouped(missing), grouped(s.Offered), peak)
	}
}

func outcomeFinding(s *result.Summary) string {
	kinds := []struct {
		n    int64
		what string
	}{{s.TimedOut, "timed out"}, {s.Rejected, "were rejected by the target"}, {s.Errors.Total, "failed without a whole response"}, {s.Dropped, "were dropped by the generator"}}
	slices.SortStableFunc(kinds, func(a, b struct {
		n    int64
		what string
	}) int {
		return int(max(-1, min(1, b.n-a.n)))
	})
	if s.Offered == 0 {
		return "Nothing was sent"
	}
	if kinds[0].n == 0 {
		return fmt.Sprintf("Every one of the %s requests got a whole answer", grouped(s.Completed))
	}
	text := fmt.Sprintf("%s %s (%s)", grouped(kinds[0].n), kinds[0].what, share(kinds[0].n, s.Offered))
	if kinds[1].n > 0 {
		text += fmt.Sprintf(", %s %s", grouped(kinds[1].n), kinds[1].what)
	}
	return text
}

func latencyFinding(s *result.Summary) string {
	worst, at := 0.0, -1
	for i, v := range s.Timeline.P99 {
		if v > worst {
			worst, at = v, i
		}
	}
	if at < 0 || s.LatencyMS.N == 0 {
		return "No second has a latency"
	}
	usual := middle(s.Timeline.P99)
	when := clock(float64(at) * bin(s))
	if len(s.Timeline.P99) < 3 {
		return fmt.Sprintf("The slowest request took %s ms", millis(s.LatencyMS.Max))
	}
	// Up to a hundred values the nearest rank of p99 is the largest.
	what := "p99"
	if perSecond(s) <= 100 {
		what = "the slowest request of a second"
	}
	if usual > 0 && worst > 3*usual {
		return fmt.Sprintf("Slowest at %s: %s was %s ms there, %s the usual %s ms", when, what, millis(worst), times(worst/usual), millis(usual)) + stillness(s, "; nothing ended in ")
	}
	if text := outlier(s, ""); text != "" {
		return fmt.Sprintf("One stands out: %s; %s is usually %s ms", text, what, millis(usual))
	}
	return fmt.Sprintf("No second stands out: %s is usually %s ms, at most %s ms (at %s)", what, millis(usual), millis(worst), when)
}

// perSecond is the mean number of latencies in a second that has any.
func perSecond(s *result.Summary) float64 {
	seconds := 0
	for _, v := range s.Timeline.P99 {
		if v > 0 {
			seconds++
		}
	}
	return float64(s.LatencyMS.N) / float64(max(1, seconds)) / bin(s)
}

// bin is the width of the timeline's bins in seconds; a width that no run can have counts as one second.
func bin(s *result.Summary) float64 {
	if s.Timeline.BinSeconds >= 1e-3 && s.Timeline.BinSeconds <= 1e6 {
		return s.Timeline.BinSeconds
	}
	return 1
}

// little is the mean number in flight by Little's law: rate x mean response; 0 when unknown.
func little(s *result.Summary) float64 {
	if s.Offered == 0 {
		return 0
	}
	return s.OfferedRPS * float64(s.Started) / float64(s.Offered) * s.LatencyMS.Mean / 1000
}

func inFlightFinding(s *result.Summary) string {
	mean := little(s)
	switch {
	case s.Mode == "closed":
		return fmt.Sprintf("At most %s were in flight: the closed loop's workers set this, not the demand", grouped(s.MaxInFlight))
	case mean < 1:
		return fmt.Sprintf("No more than %s in flight at once", grouped(s.MaxInFlight))
	}
	return fmt.Sprintf("In flight peaked at %s, %s the mean of %s that rate and latency give", grouped(s.MaxInFlight), times(float64(s.MaxInFlight)/mean), digits(mean, 3))
}

func lagFinding(s *result.Summary) string {
	if s.LagMS.N == 0 {
		return "No request was dispatched"
	}
	if s.Mode == "closed" {
		return "A closed loop has no schedule that it could be late for"
	}
	return fmt.Sprintf("The generator was %s ms late at p99, %s ms at most", millis(s.LagMS.P99), millis(s.LagMS.Max))
}

func clocksFinding(s *result.Summary) string {
	r, v := s.LatencyMS, s.ServiceMS
	switch {
	case r.N == 0:
		return "There is no latency to show"
	case min(r.N, v.N) < compare.Floor(0.99):
		return fmt.Sprintf("%s latencies are too few for a p99; half took %s ms or less", grouped(r.N), responses(s).cell("p50"))
	case s.Latency.Censored >= 0.01:
		return fmt.Sprintf("p99 is %s ms: the timeout hides the true tail", responses(s).cell("p99"))
	case s.Mode == "closed":
		return fmt.Sprintf("p99 is %s ms; a closed loop has only one clock: nothing is due before it is sent", millis(r.P99)) + outlier(s, "; ")
	case r.P99-v.P99 >= 1:
		return fmt.Sprintf("p99 is %s ms; a clock that starts at the send would show %s ms", millis(r.P99), millis(v.P99)) + outlier(s, "; ")
	}
	return fmt.Sprintf("p99 is %s ms on both clocks: nothing queued before it was sent", millis(r.P99)) + outlier(s, "; ")
}

func endpointFinding(s *result.Summary) string {
	var worst *result.Endpoint
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		if e.LatencyMS.N >= compare.Floor(0.99) && (worst == nil || e.LatencyMS.P99 > worst.LatencyMS.P99) {
			worst = e
		}
	}
	switch {
	case len(s.Endpoints) == 0:
		return "No endpoint was called"
	case worst == nil:
		return "No endpoint has enough requests for a p99"
	case len(s.Endpoints) == 1 || s.LatencyMS.P99 <= 0:
		return fmt.Sprintf("%s has p99 %s ms", name(worst.Method, worst.Template), endpointPopulation(s, worst).cell("p99"))
	}
	return fmt.Sprintf("%s is the slowest: p99 %s ms, all together %s ms", name(worst.Method, worst.Template),
		endpointPopulation(s, worst).cell("p99"), responses(s).cell("p99"))
}

func endpointPopulation(s *result.Summary, e *result.Endpoint) population {
	p := population{Percentiles: e.LatencyMS, timeout: s.TimeoutMS}
	if p.N > 0 {
		p.censored = float64(e.TimedOut) / float64(p.N)
	}
	return p
}

// name is an endpoint in words; the sum of all others has no method.
func name(method, template string) string {
	if method == "" {
		return clean(template)
	}
	return clean(method) + " " + clean(template)
}
