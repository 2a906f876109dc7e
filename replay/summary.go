package replay

import (
	"fmt"
	"maps"
	"strconv"
	"time"

	"reprise/replay/result"
)

// topEndpoints is how many endpoints a summary tells apart; the others are summed up.
const topEndpoints = 50

// Setup is what a run was told, for its summary. Fields that do not apply stay empty.
type Setup struct {
	Scenario          string
	Seed              uint64
	Rate              float64       // configured, requests per second
	Duration          time.Duration // configured
	ToolVersion       string
	TargetEnvironment string // fingerprint; empty = unknown
	TargetVersion     string
	MaxInFlight       int // configured; 0 = the default
	Workers           int // closed loop
	RejectStatus      string
	Connections       result.Connections // used when the target does not tell itself
	Warmup            result.Warmup
	Arrivals          result.Arrivals
	Contract          map[string]string // further factors, such as the data set
}

// BuildSummary is summary.json of a run. The exit code is left to the caller, which knows what failed
// besides.
func BuildSummary(t *Totals, c Setup) (*result.Summary, error) {
	l := &t.Ledger
	s := &result.Summary{
		Version: result.SummaryVersion, Mode: t.Mode, Scenario: c.Scenario, Seed: c.Seed, Rate: c.Rate,
		DurationSeconds: c.Duration.Seconds(), TimeoutMS: float64(t.Timeout.Microseconds()) / 1000,
		Offered: l.Offered, Started: l.Started, Completed: l.Kinds[result.Completed], TimedOut: l.Kinds[result.TimedOut],
		Rejected: l.Kinds[result.Rejected], MaxInFlight: t.MaxInFlight, Environment: environment(),
		StartedAt: t.Start.UTC().Format(time.RFC3339Nano), ToolVersion: c.ToolVersion,
		WallSeconds: t.Wall.Seconds(), TargetEnvironment: orDefault(c.TargetEnvironment, "unknown"),
		TargetVersion: orDefault(c.TargetVersion, "unknown"),
		Errors:        result.Errors{Total: l.Kinds[result.Failed], ByKind: byCause(l, result.Failed)},
		Dropped:       l.Kinds[result.Dropped], DroppedBy: byCause(l, result.Dropped),
		Unsent: l.Kinds[result.Unsent], Withheld: l.WithheldTotal(), WithheldBy: maps.Clone(l.Withheld),
		Written: l.Written, InFlightAtEnd: l.Kinds[result.InFlight], Planned: l.Arrivals, Finished: l.Finished(),
		TimedOutBy: byCause(l, result.TimedOut), Status: statuses(l), StatusMatch: match(l.Matches),
		Connections: c.Connections, Warmup: c.Warmup, Arrivals: c.Arrivals, Generator: t.Generator,
		Endpoints: t.endpoints(), Timeline: t.timeline(), Warnings: t.Warnings(), Contract: t.contract(c),
		Limits: result.Limits{MaxLagMS: float64(t.Gates.MaxLag) / float64(time.Millisecond), MinStarted: t.Gates.MinStarted},
	}
	s.OfferedRPS = t.offeredRPS(c)
	if t.Connections.Policy != "" {
		s.Connections = t.Connections
	}
	if s.WallSeconds > 0 {
		s.RPSCompleted = round(float64(s.Completed)/s.WallSeconds, 3)
	}
	if s.Warnings == nil {
		s.Warnings = []string{}
	}
	if s.Valid, s.InvalidReasons = t.Valid(); s.InvalidReasons == nil {
		s.InvalidReasons = []string{}
	}
	return s, t.latencies(s)
}

// latencies fills in the percentiles.
func (t *Totals) latencies(s *result.Summary) error {
	r := t.Latency
	s.LatencyMS = r.Response.Percentiles()
	s.LatencyCompletedMS = r.Completed.Percentiles()
	s.ServiceMS = r.Service.Percentiles()
	s.RejectedMS = r.Rejected.Percentiles()
	s.ErrorsMS = r.Errors.Percentiles()
	s.LagMS = r.Lag.Percentiles()
	s.WaitMS = r.Wait.Percentiles()
	s.FirstByteMS = r.FirstByte.Percentiles()
	s.Latency = result.Latency{
		Clock: "intended", Population: "completed+timed_out", N: r.Response.Count(),
		Censored: round(r.Censored(), 6), Clipped: r.Clipped(),
	}
	if lo, hi, ok := r.P99Interval(); ok {
		s.Latency.P99CI95 = [2]float64{millis(lo.Nanoseconds()), millis(hi.Nanoseconds())}
	}
	var err error
	if s.Latency.HDR, err = r.Response.Encode(); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	if s.ServiceHDR, err = r.Service.Encode(); err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}

// offeredRPS is the rate at which the load was offered. An open loop offers all arrivals of its plan, those included
// that a cut left unsent, so they belong to the whole duration of the plan. What a cut closed loop offered
// is what it started until then.
func (t *Totals) offeredRPS(c Setup) float64 {
	seconds := c.Duration.Seconds()
	switch {
	case t.Mode == "closed" && (t.Interrupted || seconds <= 0):
		seconds = t.Offering.Seconds()
	case seconds <= 0:
		seconds = float64(len(t.Latency.Seconds()))
	}
	if seconds <= 0 {
		return 0
	}
	return round(float64(t.Ledger.Offered)/seconds, 3)
}

func byCause(l *result.Ledger, k result.Kind) map[string]int64 {
	by := map[string]int64{}
	for c, n := range l.Causes[k] {
		if n > 0 {
			by[result.Cause(c).String()] = n
		}
	}
	return by
}

func statuses(l *result.Ledger) map[string]int64 {
	by := make(map[string]int64, len(l.Statuses))
	for s, n := range l.Statuses {
		by[strconv.Itoa(int(s))] = n
	}
	return by
}

func match(m result.StatusMatch) result.StatusMatchJSON {
	j := result.StatusMatchJSON{Same: m.Same, SameClass: m.SameClass, Other: m.Other, Unknown: m.Unknown}
	if n := m.Same + m.SameClass + m.Other; n > 0 {
		j.Share = round(float64(m.Same)/float64(n), 6)
	}
	return j
}

func (t *Totals) endpoints() []result.Endpoint {
	all := []result.Endpoint{}
	for _, e := range t.Latency.Endpoints(topEndpoints) {
		name := EndpointName{Template: "others"}
		if e.Index >= 0 && int(e.Index) < len(t.Endpoints) {
			name = t.Endpoints[e.Index]
		}
		all = append(all, result.Endpoint{
			Method: name.Method, Template: name.Template, Offered: e.Offered,
			Completed: e.Kinds[result.Completed], TimedOut: e.Kinds[result.TimedOut], Rejected: e.Kinds[result.Rejected],
			Errors: e.Kinds[result.Failed], Dropped: e.Kinds[result.Dropped],
			LatencyMS: e.Response.Percentiles(), ServiceMS: e.Service.Percentiles(),
		})
	}
	return all
}

func (t *Totals) timeline() result.Timeline {
	n := len(t.Seconds)
	l := result.Timeline{
		BinSeconds: 1, Planned: make([]int64, n), Started: make([]int64, n), Completed: make([]int64, n),
		TimedOut: make([]int64, n), Rejected: make([]int64, n), Errors: make([]int64, n), Dropped: make([]int64, n),
		Ended: make([]int64, n), InFlightMax: make([]int64, n), P50: make([]float64, n), P99: make([]float64, n), LagP99: make([]float64, n),
	}
	for i, s := range t.Seconds {
		l.Planned[i], l.Started[i], l.Ended[i], l.InFlightMax[i] = s.Planned, s.Started, s.Ended, s.InFlight
	}
	for i, s := range t.Latency.Seconds() {
		l.Completed[i], l.TimedOut[i] = s.Kinds[result.Completed], s.Kinds[result.TimedOut]
		l.Rejected[i], l.Errors[i], l.Dropped[i] = s.Kinds[result.Rejected], s.Kinds[result.Failed], s.Kinds[result.Dropped]
		l.P50[i], l.P99[i], l.LagP99[i] = millis(s.P50), millis(s.P99), millis(s.LagP99)
	}
	return l
}

// contract names what must be equal in two runs before they may be compared.
func (t *Totals) contract(c Setup) map[string]string {
	m := map[string]string{
		"mode":               t.Mode,
		"timeout_ms":         strconv.FormatFloat(float64(t.Timeout.Microseconds())/1000, 'f', -1, 64),
		"connections":        c.Connections.Policy + " max=" + strconv.Itoa(c.Connections.Max),
		"target_environment": orDefault(c.TargetEnvironment, "unknown"),
		"target_version":     orDefault(c.TargetVersion, "unknown"),
		"duration_seconds":   strconv.FormatFloat(c.Duration.Seconds(), 'f', -1, 64),
		"warmup_seconds":     strconv.FormatFloat(c.Warmup.Seconds, 'f', -1, 64),
		"plan_sha256":        c.Arrivals.PlanSHA256,
		"reject_status":      c.RejectStatus,
		"max_in_flight":      strconv.Itoa(orDefault(c.MaxInFlight, defaultMaxInFlight)),
		"latency_def":        "1", // response from the intended instant, completed + timed out
	}
	if t.Mode == "closed" {
		m["workers"] = strconv.Itoa(c.Workers)
		m["max_in_flight"] = m["workers"]
	}
	maps.Copy(m, c.Contract)
	return m
}

func millis(ns int64) float64 { return float64(ns/1000) / 1000 }

// round cuts v to the given number of decimals.
func round(v float64, decimals int) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'f', decimals, 64), 64)
	return r
}
