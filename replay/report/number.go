package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// millis prints a latency in milliseconds with three significant digits, at most three decimals, no unit.
func millis(v float64) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// grouped prints a count with a comma at every thousand.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// share is part/whole in percent. What is not zero is never printed as 0, and what is not all never as 100.
func share(part, whole int64) string {
	switch {
	case whole <= 0:
		return "-"
	case part == whole:
		return "100%"
	case part == 0:
		return "0%"
	}
	p := 100 * float64(part) / float64(whole)
	switch {
	case p < 0.01:
		return "<0.01%"
	case p > 99.99:
		return ">99.99%"
	case p < 1 || p > 99:
		return strconv.FormatFloat(p, 'f', 2, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + "%"
}

// times prints a factor with two significant digits.
func times(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64) + "x"
	}
	return strconv.FormatFloat(v, 'f', 0, 64) + "x"
}

// digits prints n significant digits and never an exponent or trailing zeros.
func digits(v float64, n int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	if math.Abs(r) >= 1000 && math.Abs(r) < 1e15 {
		return grouped(int64(math.Round(r)))
	}
	return plain(r)
}

// rate prints requests per second: whole ones from a thousand on, four significant digits below.
func rate(v float64) string {
	if v >= 1000 && v < 1e15 {
		return grouped(int64(math.Round(v)))
	}
	return digits(v, 4)
}

// plain prints a number as it is, without an exponent or trailing zeros.
func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// clock prints an offset of a run as m:ss or h:mm:ss, with tenths below ten seconds where they are not zero.
func clock(seconds float64) string {
	if seconds < 10 && seconds != math.Trunc(seconds) {
		return strconv.FormatFloat(seconds, 'f', 1, 64) + "s"
	}
	s := int64(math.Round(seconds))
	two := func(n int64) string {
		return strings.Repeat("0", 2-min(2, len(strconv.FormatInt(n, 10)))) + strconv.FormatInt(n, 10)
	}
	if s >= 3600 {
		return strconv.FormatInt(s/3600, 10) + ":" + two(s/60%60) + ":" + two(s%60)
	}
	return strconv.FormatInt(s/60, 10) + ":" + two(s%60)
}

// population is a set of latencies that percentiles were taken of.
type population struct {
	result.Percentiles
	censored float64 // share that timed out
	timeout  float64 // milliseconds
}

// cell prints one percentile: its value, a lower bound when it lies among the timed-out requests, or the n
// that it would need.
func (p population) cell(name string) string {
	v, q := p.quantile(name)
	floor := compare.Floor(q)
	switch {
	case p.N == 0:
		return "-"
	case p.censored > 0 && p.censored >= 1-q-1e-12:
		if p.timeout > 0 && v > p.timeout {
			v = p.timeout
		}
		return ">=" + millis(v)
	case p.N < floor && name == "p99.9" && p.N < compare.Floor(0.99):
		return "-" // p99 already says that n is too small
	case p.N < floor:
		return "n<" + strconv.FormatInt(floor, 10)
	}
	return millis(v)
}

// most prints the largest value, as a lower bound when some timed out.
func (p population) most() string {
	switch {
	case p.N == 0:
		return "-"
	case p.censored > 0 && p.timeout > 0:
		return ">=" + millis(math.Min(p.Max, p.timeout))
	}
	return millis(p.Max)
}

func (p population) quantile(name string) (value, q float64) {
	switch name {
	case "p50":
		return p.P50, 0.5
	case "p95":
		return p.P95, 0.95
	case "p99":
		return p.P99, 0.99
	}
	return p.P999, 0.999
}

func responses(s *result.Summary) population {
	return population{s.LatencyMS, s.Latency.Censored, s.TimeoutMS}
}

// services lacks the requests that expired in the queue for a connection.
func services(s *result.Summary) population {
	p := population{Percentiles: s.ServiceMS, timeout: s.TimeoutMS}
	if p.N > 0 {
		p.censored = float64(s.TimedOut-s.TimedOutBy["wait"]) / float64(p.N)
	}
	return p
}

// lagLimit is the gate on the dispatch lag's p99 in milliseconds: the run's own limit (0 = the default of
// 5 ms), or 5 % of the response's p99 where that is more.
func lagLimit(s *result.Summary) float64 {
	return math.Max(maxLag(s), s.LatencyMS.P99/20)
}

func maxLag(s *result.Summary) float64 {
	if m := s.Limits.MaxLagMS; m > 0 && !math.IsInf(m, 0) {
		return m
	}
	return 5 // hostile, or of a run before there were limits
}

// lagRule is the rule behind that limit.
func lagRule(s *result.Summary) string {
	return fmt.Sprintf("max(%s ms, 5 %% of p99)", digits(maxLag(s), 3))
}

// minStarted is the gate on the share of started requests; the default of 0.999 where the run names none.
func minStarted(s *result.Summary) float64 {
	if m := s.Limits.MinStarted; m > 0 && m <= 1 {
		return m
	}
	return 0.999
}
