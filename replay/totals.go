package replay

import (
	"runtime"
	"time"

	"reprise/replay/latency"
	"reprise/replay/result"
)

// EndpointName is a row of the run's endpoint table.
type EndpointName struct{ Method, Template string }

// Totals is what a run did. Everything in it is final.
type Totals struct {
	Mode        string // open or closed
	Start       time.Time
	Wall        time.Duration // from t0 until the last request had ended
	Offering    time.Duration // from t0 until nothing more was dispatched
	Timeout     time.Duration
	Ledger      result.Ledger
	Latency     *latency.Recorder
	MaxInFlight int64 // most requests open at once
	Seconds     []Second
	Endpoints   []EndpointName // indexed by Outcome.Endpoint
	Generator   result.Generator
	Connections result.Connections // of a target that is a Connector, else zero
	Interrupted bool               // cut before the end of the plan
	Gates       Gates
}

// Second is one second of the run as the dispatcher saw it.
type Second struct {
	Planned  int64 // offered requests with their intended instant in this second
	Started  int64 // requests dispatched in this second
	Ended    int64 // started requests that ended in this second, however they did
	InFlight int64 // most requests open at once, those included that were open when it began
}

func (e *engine) totals(mode string, wall time.Duration) *Totals {
	t := &Totals{
		Mode: mode, Start: e.clock.t0, Wall: wall, Offering: e.offering, Timeout: e.options.Timeout,
		Ledger: e.collector.ledger, Latency: e.collector.recorder,
		MaxInFlight: e.maxInFlight, Endpoints: e.ahead.endpoints, Gates: e.options.Gates,
	}
	t.Ledger.Arrivals = t.Ledger.Offered
	if mode == "open" {
		t.Ledger.Arrivals, t.Ledger.Withheld = e.ahead.arrivals, e.ahead.withheld
	}
	planned := e.collector.recorder.Seconds()
	t.Seconds = make([]Second, max(len(planned), len(e.pulse), len(e.collector.ended)))
	for i := range planned {
		t.Seconds[i].Planned = planned[i].Offered
	}
	for i, p := range e.pulse {
		t.Seconds[i].Started, t.Seconds[i].InFlight = p.started, p.inFlight
	}
	for i, n := range e.collector.ended {
		t.Seconds[i].Ended = n
	}
	carryOver(t.Seconds)
	return t
}

// carryOver raises what was in flight to what was open when the second began: the dispatcher counts only when
// it starts a request, and a frozen target may let it start none.
func carryOver(seconds []Second) {
	open := int64(0)
	for i := range seconds {
		s := &seconds[i]
		s.InFlight = max(s.InFlight, open)
		open += s.Started - s.Ended
	}
}

// environment is the generator's system in one word.
func environment() string { return runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version() }
