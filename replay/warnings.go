package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"reprise/replay/result"
)

// Warnings are doubts that do not make a run invalid: what the target did to the run first, then what the generator
// may have added to the figures.
func (t *Totals) Warnings() []string {
	var w []string
	for _, doubt := range []string{t.failureWarning(), t.statusWarning(), t.hesitationWarning()} {
		if doubt != "" {
			w = append(w, doubt)
		}
	}
	w = append(w, t.ownWarnings()...)
	if n := t.Latency.Clipped(); n > 0 {
		w = append(w, fmt.Sprintf("%d values were outside 1 us .. 1 h and are recorded at that limit", n))
	}
	if n := t.Ledger.Kinds[result.InFlight]; n > 0 {
		w = append(w, fmt.Sprintf("%d requests were still open when the drain ended", n))
	}
	return w
}

// failureWarning speaks when more than 1 % of the started requests brought no answer.
func (t *Totals) failureWarning() string {
	l := &t.Ledger
	failed, timedOut := l.Kinds[result.Failed], l.Kinds[result.TimedOut]
	n := failed + timedOut
	if n*100 <= l.Started {
		return ""
	}
	var by []string
	for _, c := range causesOf(l, result.Failed) {
		by = append(by, fmt.Sprintf("%s %d", c, l.Causes[result.Failed][c]))
	}
	if timedOut > 0 {
		by = append(by, fmt.Sprintf("timed out %d", timedOut))
	}
	why := "look at the target's log"
	switch errs := &l.Causes[result.Failed]; {
	case timedOut*2 > n:
		why = fmt.Sprintf("the target did not answer within the timeout of %s", t.Timeout)
	case errs[result.CauseConnect]*2 > n:
		why = "the target went away, or does not listen"
	case errs[result.CauseTLS]*2 > n:
		why = "the TLS handshake failed; see --ca and --insecure"
	}
	return fmt.Sprintf("%s of the started requests failed (%s): %s", percent(n, l.Started), strings.Join(by, ", "), why)
}

// causesOf are the causes that occurred, the most frequent first.
func causesOf(l *result.Ledger, k result.Kind) []result.Cause {
	var all []result.Cause
	for c, n := range l.Causes[k] {
		if n > 0 {
			all = append(all, result.Cause(c))
		}
	}
	slices.SortStableFunc(all, func(a, b result.Cause) int { return cmp.Compare(l.Causes[k][b], l.Causes[k][a]) })
	return all
}

// statusWarning speaks when less than 90 % of the answers had production's status.
func (t *Totals) statusWarning() string {
	m := &t.Ledger.Matches
	n := m.Same + m.SameClass + m.Other
	if m.Same*10 >= n*9 {
		return ""
	}
	return fmt.Sprintf("only %s of %d answers had the status that production logged: the requests may name what the target does not have; map their ids to its data with reprise schedule --bind FILE",
		percent(m.Same, n), n)
}

// hesitationWarning tells of a queue for connections that is the target's.
func (t *Totals) hesitationWarning() string {
	wait := t.Latency.Wait.Quantile(.99)
	if !t.opensFreely() || t.hesitant() == 0 || wait <= t.delayLimit() {
		return ""
	}
	by := &t.Ledger.Causes
	return fmt.Sprintf("requests waited %s for a connection at p99: the target did not take connections fast enough (%d refused, %d not answered in time, %d answered after 1 s or more)",
		inMS(wait), by[result.Failed][result.CauseConnect], by[result.TimedOut][result.CauseConnect], t.Connections.Slow)
}

// ownWarnings tell what the generator may have added to the figures although it kept its schedule. The lag is what
// counts; pauses and waits for a processor matter where they are not small beside the usual response.
func (t *Totals) ownWarnings() []string {
	var w []string
	g := &t.Generator
	p50 := t.Latency.Response.Quantile(.5)
	matters := float64(max(5*time.Millisecond, p50/10)) / float64(time.Millisecond)
	if g.CPU > busyShare {
		w = append(w, fmt.Sprintf("the generator used %.0f%% of its %d cores (good runs stay below %.0f%%): its own work may be part of the latency; give it more cores or a host of its own",
			100*g.CPU, g.Cores, 100*busyShare))
	}
	if g.SchedP99MS > matters {
		w = append(w, fmt.Sprintf("the generator's goroutines waited %.3g ms for a processor at p99 (good runs stay below 1 ms), which is part of the latencies; %s", g.SchedP99MS, remedy(g)))
	}
	if g.GCPauseMaxMS > matters {
		w = append(w, fmt.Sprintf("the generator's longest garbage collection pause was %.3g ms (good runs stay below 1 ms); it may be part of the largest latencies", g.GCPauseMaxMS))
	}
	if lag := t.Latency.Lag.Quantile(.99); lag > max(time.Millisecond, p50/10) && t.lagReason() == "" {
		w = append(w, fmt.Sprintf("dispatch lag p99 is %s (good runs stay below 1 ms)", inMS(lag)))
	}
	return w
}

// percent prints n of all, cut and not rounded, so that it stays on its side of a limit; with a decimal where a whole
// number would hide the difference from nothing or from all.
func percent(n, all int64) string {
	v := 1000 * n / all
	if v < 100 || v >= 990 && n < all {
		return fmt.Sprintf("%d.%d%%", v/10, v%10)
	}
	return fmt.Sprintf("%d%%", v/10)
}
