package replay

import (
	"fmt"
	"time"

	"reprise/replay/result"
)

// Valid says whether the generator did its job, and if not why: each reason is a plain sentence with the figure, the
// limit and what to do. An overloaded target does not make a run invalid; a late, refusing or starved
// generator does. The reasons of a run that was cut begin with "interrupted: ", that of one without a
// request with "nothing was offered: "; only the others say that the generator set the pace.
func (t *Totals) Valid() (ok bool, reasons []string) {
	add := func(format string, args ...any) { reasons = append(reasons, fmt.Sprintf(format, args...)) }
	l := &t.Ledger
	if unsent := l.Kinds[result.Unsent]; t.Interrupted || unsent > 0 {
		add("interrupted: the run was cut, %d of %d requests were never sent; run it again to its end", unsent, l.Offered)
	}
	if l.Offered == 0 && !t.Interrupted {
		add("nothing was offered: the plan holds no request that may be sent; look at what was withheld and why")
	}
	for _, r := range []string{t.lagReason(), t.waitReason(), t.startedReason(), t.fidelityReason()} {
		if r != "" {
			add("%s", r)
		}
	}
	if n := l.Causes[result.Failed][result.CausePorts]; n > 0 {
		add("%d requests found no free local port (limit 0): too many new connections a second; reuse connections or use more hosts", n)
	}
	if n := l.Causes[result.Failed][result.CauseFiles]; n > 0 {
		add("%d requests found no free file descriptor (limit 0): raise it with ulimit -n", n)
	}
	return len(reasons) == 0, reasons
}

// delayLimit is what the generator may add to the response at its 99th percentile: max(MaxLag, 5 % of the p99
// response).
func (t *Totals) delayLimit() time.Duration {
	return max(t.Gates.MaxLag, t.Latency.Response.Quantile(.99)/20)
}

// lagReason checks the dispatch lag.
func (t *Totals) lagReason() string {
	lag, limit := t.Latency.Lag.Quantile(.99), t.delayLimit()
	if lag <= limit {
		return ""
	}
	return fmt.Sprintf("dispatch lag p99 is %s (limit %s): the generator was late, not the target; %s; if that much lag does no harm, raise --max-lag",
		inMS(lag), inMS(limit), remedy(&t.Generator))
}

// busyShare is the share of its cores from which on a generator's own work makes it late.
const busyShare = .7

// remedy names what kept the generator from running, as far as it can be told, and what helps.
func remedy(g *result.Generator) string {
	own := g.CPU * float64(g.Cores)
	used := fmt.Sprintf("reprise used %.0f%% of its %d cores", 100*g.CPU, g.Cores)
	switch {
	case g.CPU > busyShare:
		return used + ": use a larger host or lower the rate"
	case g.OthersCPU > own && g.OthersCPU >= .5:
		return fmt.Sprintf("%s, other work on this machine %.1f: stop that, a target on the same machine included, or send from a host of its own", used, g.OthersCPU)
	}
	return used + ", so that its own work is not the cause: a limit on its container, a halted virtual machine or short bursts of other work may be; send from a quieter host"
}

// waitReason checks the time for which requests waited for a connection. Where the connections are not limited, such a
// queue is made by the generator, unless the target did not take the connections.
func (t *Totals) waitReason() string {
	if !t.opensFreely() || t.hesitant() > 0 {
		return ""
	}
	wait, limit := t.Latency.Wait.Quantile(.99), t.delayLimit()
	if wait <= limit {
		return ""
	}
	return fmt.Sprintf("requests waited %s for a connection at p99 (limit %s): the generator could not open connections fast enough, %d new ones for %d requests; warm up with --warmup, lower the rate, use a larger host, or set --max-conns if requests are meant to queue",
		inMS(wait), inMS(limit), t.Connections.New, t.Ledger.Started)
}

// opensFreely says that the run is known to open as many connections as its requests need.
func (t *Totals) opensFreely() bool { return t.Connections.Policy != "" && t.Connections.Max == 0 }

// hesitant is the number of connections that the target, or the network, left unanswered or was slow to answer. A refused
// one is not among them: its dial ends at once, and nothing queues behind it.
func (t *Totals) hesitant() int64 {
	return t.Ledger.Causes[result.TimedOut][result.CauseConnect] + t.Connections.Slow
}

// startedReason checks that the dispatcher started what the plan offered.
func (t *Totals) startedReason() string {
	l := &t.Ledger
	offered := l.Offered - l.Kinds[result.Unsent]
	if t.Mode != "open" || offered == 0 || float64(l.Started) >= t.Gates.MinStarted*float64(offered) {
		return ""
	}
	return fmt.Sprintf("started %d of %d (%.2f%%, limit %.4g%%): %d dropped at the in-flight cap, %d too late; %s",
		l.Started, offered, 100*float64(l.Started)/float64(offered), 100*t.Gates.MinStarted,
		l.Causes[result.Dropped][result.CauseCap], l.Causes[result.Dropped][result.CauseLate], t.dropRemedy())
}

// dropRemedy says what helps against drops: the cap is a choice, lateness is not.
func (t *Totals) dropRemedy() string {
	by := &t.Ledger.Causes[result.Dropped]
	if by[result.CauseCap] >= by[result.CauseLate] {
		return "raise --max-in-flight or lower the rate"
	}
	return remedy(&t.Generator)
}

// fidelityReason finds the worst second of intended time in which more than 1 + 1 % of the requests were not
// started. Requests that were started late are the lag's business: they may start in the next second. What a cut left
// unsent is no infidelity.
func (t *Totals) fidelityReason() string {
	if t.Mode != "open" || t.Interrupted {
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
	return fmt.Sprintf("%d of %d seconds did not follow the plan (limit 1 request + 1%%): of second %d, %d of %d requests were started; %s",
		n, len(seconds), worst, s.Started, s.Offered, t.dropRemedy())
}

// inMS prints a duration in milliseconds.
func inMS(d time.Duration) string {
	v := float64(d) / float64(time.Millisecond)
	if v < 10 {
		return fmt.Sprintf("%.2g ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}
