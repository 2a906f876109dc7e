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
	Timeout     time.Duration
	Ledger      result.Ledger
	Latency     *latency.Recorder
	MaxInFlight int64 // most requests open at once
	Seconds     []Second
	Endpoints   []EndpointName // indexed by Outcome.Endpoint
	Generator   result.Generator
	Interrupted bool // cut before the end of the plan
	Gates       Gates
}

// Second is one second of the run as the dispatcher saw it.
type Second struct {
	Planned  int64 // offered requests with their intended instant in this second
	Started  int64 // requests dispatched in this second
	InFlight int64 // most requests open at once
}

func (e *engine) totals(mode string, wall time.Duration) *Totals {
	t := &Totals{
		Mode: mode, Start: e.clock.t0, Wall: wall, Timeout: e.options.Timeout,
		Ledger: e.collector.ledger, Latency: e.collector.recorder,
		MaxInFlight: e.maxInFlight, Endpoints: e.ahead.endpoints, Gates: e.options.Gates,
	}
	t.Ledger.Arrivals = t.Ledger.Offered
	if mode == "open" {
		t.Ledger.Arrivals, t.Ledger.Withheld = e.ahead.arrivals, e.ahead.withheld
	}
	planned := e.collector.recorder.Seconds()
	t.Seconds = make([]Second, max(len(planned), len(e.pulse)))
	for i := range planned {
		t.Seconds[i].Planned = planned[i].Offered
	}
	for i, p := range e.pulse {
		t.Seconds[i].Started, t.Seconds[i].InFlight = p.started, p.inFlight
	}
	return t
}

// environment is the generator's system in one word.
func environment() string { return runtime.GOOS + "/" + runtime.GOARCH + " " + runtime.Version() }
