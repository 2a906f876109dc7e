package report

import (
	"fmt"
	"math"
	"strconv"

	"reprise/replay/compare"
	"reprise/replay/result"
)

// Line is the result of a run in one line, without a newline: tokens of the form name=value whose order and
// spelling are frozen up to p99; tokens are only ever added at the end. p99 is rounded to whole milliseconds,
// and printed from the first request on. The tokens that end in p99_ms are not rounded, and n<368 where too few
// requests stand behind them. A percentile without a single value is "-". status_same is the share of the answers with
// production's status; it is absent where that is not known for any.
func Line(s *result.Summary) string {
	whole := "-"
	if s.LatencyMS.N > 0 {
		whole = strconv.FormatFloat(math.Round(s.LatencyMS.P99), 'f', 0, 64) + "ms"
	}
	exact := func(p result.Percentiles) string {
		switch floor := compare.Floor(0.99); {
		case p.N == 0:
			return "-"
		case p.N < floor:
			return "n<" + strconv.FormatInt(floor, 10)
		}
		return plain(p.P99)
	}
	var head string
	if s.Mode == "closed" {
		head = fmt.Sprintf("closed started=%d completed=%d timed_out=%d rps=%.2f max_in_flight=%d p99=%s",
			s.Started, s.Completed, s.TimedOut, s.RPSCompleted, s.MaxInFlight, whole)
	} else {
		head = fmt.Sprintf("open planned=%d started=%d finished=%d completed=%d timed_out=%d offered_rps=%.2f max_in_flight=%d p99=%s",
			s.Planned, s.Started, s.Finished, s.Completed, s.TimedOut, s.OfferedRPS, s.MaxInFlight, whole)
	}
	a := answered(s)
	valid := "no"
	if s.Valid {
		valid = "yes"
	}
	return head + fmt.Sprintf(" rejected=%d errors=%d dropped=%d unsent=%d withheld=%d p99_ms=%s p99_service_ms=%s lag_p99_ms=%s censored=%.2f%% valid=%s%s",
		s.Rejected, s.Errors.Total, s.Dropped, s.Unsent, s.Withheld, exact(s.LatencyMS), exact(s.ServiceMS), exact(s.LagMS),
		100*s.Latency.Censored, valid, a.token())
}
