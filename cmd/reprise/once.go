package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reprise/anonymize/recordfile"
	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/report"
	"reprise/replay/result"
)

// archived is one finished run.
type archived struct {
	dir     string
	summary *result.Summary
}

// run resets the environment, sends the plan once and archives what happened. An archive that is begun is
// finished, whatever ends the run.
func (r *rehearsal) run(ctx context.Context) (*archived, error) {
	if err := r.reset(ctx); err != nil {
		return nil, err
	}
	before := r.metrics(ctx)
	target, err := httptarget.New(ctx, r.o.target)
	if err != nil {
		return nil, targetFailure(ctx, err)
	}
	closeTarget := sync.OnceValue(target.Close)
	defer func() { _ = closeTarget() }() // its error was told where it mattered
	warmup, err := r.warm(ctx, target)
	if err != nil {
		return nil, err
	}
	if r.o.before != nil {
		if err := r.o.before(); err != nil {
			return nil, err
		}
	}
	started := time.Now()
	archive, err := r.begin(started)
	if err != nil {
		return nil, err
	}
	totals, cut := r.send(ctx, target, archive)
	if totals == nil {
		return nil, errors.Join(cut, abandon(archive))
	}
	cut = errors.Join(cut, totals.Ledger.Check())
	// The metrics after a run that a signal ended are still wanted.
	late := context.WithoutCancel(ctx)
	conns := target.Connections()
	// Its connections may hold the last file descriptors, and the archive needs some.
	cut = errors.Join(cut, closeTarget())
	summary, err := r.summarise(totals, conns, warmup)
	if err != nil {
		return nil, errors.Join(cut, err)
	}
	if cut != nil {
		summary.Valid, summary.InvalidReasons = false, append(summary.InvalidReasons, "the run was cut: "+cut.Error())
	}
	summary.ExitCode = r.exitCode(ctx, summary, cut)
	if err := r.finish(archive, totals, summary, before, r.metrics(late)); err != nil {
		return nil, errors.Join(cut, err)
	}
	a := &archived{dir: archive.Dir(), summary: summary}
	if cut == nil && summary.ExitCode == exitEnvironment {
		cut = nothingAnswered(summary)
	}
	return a, errors.Join(cut, r.shell.printRun(a))
}

// abandon removes an archive that holds nothing of a run.
func abandon(a *result.Archive) error { return os.RemoveAll(a.Dir()) }

// metricsPatience bounds the question for metrics, which stands between the reset and t0.
const metricsPatience = 5 * time.Second

// metrics asks the target for its metrics; what it does not tell is unknown, not an error.
func (r *rehearsal) metrics(ctx context.Context) []byte {
	ctx, cancel := context.WithTimeout(ctx, metricsPatience)
	defer cancel()
	m, err := r.o.env.Metrics(ctx)
	if err != nil {
		fmt.Fprintf(r.shell.err, "warning: %s\n", plain(err.Error()))
		return nil
	}
	return m
}

func (r *rehearsal) mode() string {
	if r.o.closed {
		return "closed"
	}
	return "open"
}

// begin makes the archive folder and writes what is known before the run.
func (r *rehearsal) begin(at time.Time) (*result.Archive, error) {
	a, err := result.Create(r.o.out, cmp.Or(r.o.label, r.o.name), r.mode(), at)
	if err != nil {
		return nil, unwritable(r.o.out, err)
	}
	command := result.Command{Args: r.o.argv, Env: os.Environ(), Tool: version(), Commit: commit(), Target: r.o.targetVersion, Started: at}
	var text strings.Builder
	_, err = command.WriteTo(&text)
	r.command = text.String()
	if err == nil {
		err = a.Write(result.CommandFile, func(w io.Writer) error { _, err := io.WriteString(w, r.command); return err })
	}
	if err == nil {
		err = a.WriteJSON(result.HostFile, result.ThisHost())
	}
	if err == nil {
		err = a.Write(result.NotesFile, func(w io.Writer) error { _, err := io.WriteString(w, result.Notes); return err })
	}
	if err != nil {
		return nil, unwritable(a.Dir(), errors.Join(err, abandon(a)))
	}
	return a, nil
}

// send replays the plan, open or closed.
func (r *rehearsal) send(ctx context.Context, t *httptarget.Target, a *result.Archive) (*replay.Totals, error) {
	var seen atomic.Int64
	observers := replay.Observers{counter{&seen}}
	if !r.o.requests {
		return r.drive(ctx, t, observers, &seen)
	}
	m, err := a.Open(result.RequestsFile)
	if err != nil {
		return nil, unwritable(a.Dir(), err)
	}
	w, err := result.NewRequestWriter(m, r.header())
	if err != nil {
		return nil, errors.Join(err, m.Abandon())
	}
	totals, err := r.drive(ctx, t, append(observers, w), &seen)
	var names []string
	if totals != nil {
		for _, e := range totals.Endpoints {
			names = append(names, e.Method+" "+e.Template)
		}
	}
	if err = errors.Join(err, w.Close(names)); err != nil {
		return totals, errors.Join(err, m.Abandon())
	}
	return totals, m.Commit()
}

// drive runs the engine and shows how far it is.
func (r *rehearsal) drive(ctx context.Context, t *httptarget.Target, observers replay.Observers, seen *atomic.Int64) (*replay.Totals, error) {
	total := r.plan.trailer.Records
	start := time.Now()
	p := r.shell.watch(func() string {
		return fmt.Sprintf("%s %s: %d of %d requests ended after %s of %.0fs", r.o.name, r.mode(), seen.Load(), total,
			time.Since(start).Round(time.Second), r.duration().Seconds())
	})
	defer p.done()
	if r.o.closed {
		return replay.RunClosed(ctx, r.plan.arrivals(), t, observers, replay.ClosedOptions{Workers: r.o.workers,
			Duration: r.duration(), Timeout: r.o.timeout, Gates: r.o.gates})
	}
	return replay.Run(ctx, r.plan.arrivals(), t, observers, replay.Options{Timeout: r.o.timeout, MaxInFlight: r.o.maxInFlight, Gates: r.o.gates})
}

// duration is the time over which the plan offers its requests.
func (r *rehearsal) duration() time.Duration {
	t := &r.plan.terms
	return time.Duration((t.DurationSeconds + t.RecoveryWindowSeconds) * float64(time.Second))
}

// counter counts outcomes for the progress line.
type counter struct{ n *atomic.Int64 }

func (c counter) Observe(*result.Outcome) error {
	c.n.Add(1)
	return nil
}

// header names the plan in the archive's record files.
func (r *rehearsal) header() recordfile.Header {
	return recordfile.Header{Tool: tool(), Seed: r.plan.header.Seed, KeyID: r.plan.header.KeyID,
		Inputs:  []recordfile.Input{{Name: "plan", SHA256: r.plan.trailer.PlanSHA256}},
		Lineage: append(r.plan.header.Lineage[:len(r.plan.header.Lineage):len(r.plan.header.Lineage)], recordfile.Stage{Stage: "replay", In: r.plan.trailer.Records})}
}

func (r *rehearsal) summarise(t *replay.Totals, conns result.Connections, w result.Warmup) (*result.Summary, error) {
	terms := &r.plan.terms
	setup := replay.Setup{Scenario: r.o.name, Seed: r.plan.header.Seed, Rate: terms.Rate, Duration: r.duration(),
		ToolVersion: version(), TargetEnvironment: r.fingerprint, TargetVersion: r.o.targetVersion, MaxInFlight: r.o.maxInFlight,
		Workers: r.o.workers, RejectStatus: r.o.reject, Connections: conns, Warmup: w,
		Arrivals: result.Arrivals{Source: terms.Source, Model: string(terms.Model), Speed: terms.Speed, PlanSHA256: r.plan.trailer.PlanSHA256,
			KeyID: r.plan.header.KeyID, PeakSecond: terms.PeakSecond}}
	if terms.Fano1s > 0 {
		setup.Arrivals.Fano1s = &terms.Fano1s
	}
	if r.o.closed {
		// A closed loop takes the content of the plan, and neither its rate nor its shape.
		setup.Rate, setup.Arrivals.PeakSecond, setup.Arrivals.Fano1s = 0, busiest(t.Seconds), nil
	}
	s, err := replay.BuildSummary(t, setup)
	if err != nil {
		return nil, err
	}
	s.DurationSeconds, s.RecoveryWindowSeconds = terms.DurationSeconds, terms.RecoveryWindowSeconds
	return s, nil
}

// busiest is the number of requests of the second that started most.
func busiest(seconds []replay.Second) (n int64) {
	for _, s := range seconds {
		n = max(n, s.Started)
	}
	return n
}

func (r *rehearsal) exitCode(ctx context.Context, s *result.Summary, cut error) int {
	var sig signalled
	switch {
	case errors.As(context.Cause(ctx), &sig):
		return sig.exit
	case cut != nil:
		return explain(cut).exit
	case !s.Valid:
		return exitInvalid
	case s.Started > 0 && s.Completed+s.Rejected+s.TimedOut == 0:
		return exitEnvironment
	}
	return exitOK
}

// nothingAnswered is the failure of a target that gave not one whole answer.
func nothingAnswered(s *result.Summary) error {
	return &failure{code: "TARGET-FAILED", exit: exitEnvironment, what: fmt.Sprintf("none of %d requests got a whole answer: %s", s.Started, reasons(s.Errors.ByKind)),
		why: "the archive holds the run", fix: "look at the target's own log, and at its address and scheme"}
}

// finish writes the rest of the archive and gives it its name.
func (r *rehearsal) finish(a *result.Archive, t *replay.Totals, s *result.Summary, before, after []byte) error {
	// The summary first: it is what a run is for, and the rest may fail on a full disk.
	if err := a.WriteJSON(result.SummaryFile, s); err != nil {
		return unwritable(a.Dir(), err)
	}
	h := r.header()
	for _, m := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{result.MetricsFile, func(w io.Writer) error { return result.WriteMetrics(w, before, after) }},
		{result.LogFile, func(w io.Writer) error { return t.Latency.WriteLog(w, t.Start) }},
		{result.HistFile, t.Latency.Response.WriteDistribution},
		{result.TimelineFile, func(w io.Writer) error { return result.WriteTimeline(w, h, &s.Timeline) }},
	} {
		if err := a.Write(m.name, m.write); err != nil {
			return unwritable(a.Dir(), err)
		}
	}
	if err := a.Write(result.ReportFile, func(w io.Writer) error { return report.HTML(w, report.Run{Summary: s, Command: r.command}) }); err != nil {
		return unwritable(a.Dir(), err)
	}
	if err := a.Commit(); err != nil {
		return unwritable(a.Final(), err)
	}
	return nil
}

// printRun prints the table to stderr and the summary line, the result, to stdout.
func (s *shell) printRun(a *archived) error {
	if err := report.Text(s.err, a.summary); err == nil { // else the terminal is gone; the archive holds the same
		fmt.Fprintf(s.err, "archive %s   report %s/%s\n", plain(a.dir), plain(a.dir), result.ReportFile)
	}
	if _, err := fmt.Fprintln(s.out, report.Line(a.summary)); err != nil {
		return fmt.Errorf("print the summary line: %w", err)
	}
	return nil
}
