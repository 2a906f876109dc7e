// Package replay is the engine: it takes the arrivals of a plan and starts every request at its intended
// instant, whatever the target does.
//
// One goroutine decodes and serialises ahead into a bounded ring of shots. The dispatcher, alone on its
// operating system thread, waits for each intended instant, an absolute offset from one t0, and hands the
// shot to the Target, which must not block: it writes to an idle connection or starts something that
// will finish the shot later. The dispatcher waits for no connection, no worker and no response. What
// it could not send in time is counted and named, never hidden. A finished shot goes to the
// collector, the one goroutine that keeps the ledger, the histograms and the observers, and from there
// back to the look-ahead. Shots are reused, so that a request in steady state costs no allocation and no
// lock.
//
//	plan -> look-ahead -> ring -> dispatcher -> Target ... Finish -> collector -> ledger, latency, observers
//	           ^                                                         |
//	           +----------------------- reused shots --------------------+
//
// RunClosed is the other loop, for comparison: N workers that each wait for their answer. It shows what
// a closed loop hides.
package replay
