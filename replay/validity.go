package replay

import (
	"fmt"
	"time"

	"reprise/replay/result"
)

// Valid says whether the generator did its job, and if not why: each reason is a plain sentence with the figure, the
// limit and what to do. An overloaded target does not make a run invalid; a late, refusing or starved
// generator does.
func (t *Totals) Valid() (ok bool, reasons []string) {
	add := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	l := &t.Ledger
	unsent, offered := l.Kinds[result.Unsent], l.Offered-l.Kinds[result.Unsent]
	if t.Interrupted || unsent > 0 {
		add("interrupted: the run was cut, %d of %d requests were never sent; run it again to its end", unsent, l.Offered)
	}
	if l.Offered == 0 {
		add("nothing was offered: the plan holds no request that may be sent; look at what was withheld and why")
	}
	if r := t.lagReason(); r != "" {
		add("%s", r)
	}
	if t.Mode == "open" && offered > 0 && float64(l.Started) < t.Gates.MinStarted*float64(offered) {
		add("started %d of %d (%.2f%%, limit %.4g%%): %d dropped at the in-flight cap, %d too late; raise --max-in-flight, use a larger host or lower the rate",
			l.Started, offered, 100*float64(l.Started)/float64(offered), 100*t.Gates.MinStarted,
			l.Causes[result.Dropped][result.CauseCap], l.Causes[result.Dropped][result.CauseLate])
	}
	if r := t.fidelityReason(); r != "" && !t.Interrupted {
		add("%s", r)
	}
	if n := l.Causes[result.Failed][result.CausePorts]; n > 0 {
		add("%d requests found no free local port (limit 0): too many new connections a second; reuse connections or use more hosts", n)
	}
	if n := l.Causes[result.Failed][result.CauseFiles]; n > 0 {
		add("%d requests found no free file descriptor (limit 0): raise it with ulimit -n", n)
	}
	return len(reasons) == 0, reasons
}

// lagReason checks the dispatch lag against max(MaxLag, 5 % of the p99 response).
func (t *Totals) lagReason() string {
	lag := t.Latency.Lag.Quantile(.99)
	limit := max(t.Gates.MaxLag, t.Latency.Response.Quantile(.99)/20)
	if lag <= limit {
		return ""
	}
	return fmt.Sprintf("dispatch lag p99 is %s (limit %s): the generator was late, not the target; use a larger host, lower the rate, or stop what else runs on this machine (cpu %.0f%% of %d cores)",
		inMS(lag), inMS(limit), 100*t.Generator.CPU, t.Generator.Cores)
}

// fidelityReason finds the worst second of intended time in which more than 1 + 1 % of the requests were not
// started. Requests that were started late are the lag's business: they may start in the next second.
func (t *Totals) fidelityReason() string {
	if t.Mode != "open" {
		return ""
	}
	worst, off, n := 0, int64(0), 0
	seconds := t.Latency.Seconds()
	for i, s := range seconds {
		d := s.Offered - s.Started
		if d*100 <= 100+s.Offered {
			continue
		}
		n++
		if d > off {
			worst, off = i, d
		}
	}
	if n == 0 {
		return ""
	}
	s := seconds[worst]
	return fmt.Sprintf("%d of %d seconds did not follow the plan (limit 1 request + 1%%): of second %d, %d of %d requests were started; use a larger host, raise --max-in-flight or lower the rate",
		n, len(seconds), worst, s.Started, s.Offered)
}

// Warnings are doubts that do not make a run invalid.
func (t *Totals) Warnings() []string {
	var w []string
	g := &t.Generator
	if g.CPU > .7 {
		w = append(w, fmt.Sprintf("the generator used %.0f%% of its %d cores (limit 70%%): its own work may be part of the latency; give it more cores or a host of its own", 100*g.CPU, g.Cores))
	}
	if g.SchedP99MS > 1 {
		w = append(w, fmt.Sprintf("the generator's goroutines waited up to %.3g ms for a processor at p99 (limit 1 ms): the machine is too busy", g.SchedP99MS))
	}
	if g.GCPauseMaxMS > 1 {
		w = append(w, fmt.Sprintf("the generator's longest garbage collection pause was %.3g ms (limit 1 ms)", g.GCPauseMaxMS))
	}
	if lag := t.Latency.Lag.Quantile(.99); lag > time.Millisecond && t.lagReason() == "" {
		w = append(w, fmt.Sprintf("dispatch lag p99 is %s (good runs stay below 1 ms)", inMS(lag)))
	}
	if n := t.Latency.Clipped(); n > 0 {
		w = append(w, fmt.Sprintf("%d values were outside 1 us .. 1 h and are recorded at that limit", n))
	}
	if n := t.Ledger.Kinds[result.InFlight]; n > 0 {
		w = append(w, fmt.Sprintf("%d requests were still open when the drain ended", n))
	}
	return w
}

// inMS prints a duration in milliseconds.
func inMS(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	if v < 10 {
		return fmt.Sprintf("%.2g ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}
