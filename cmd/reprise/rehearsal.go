package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/url"
	"os"
	"time"

	"reprise/anonymize/recordfile"
	"reprise/replay"
	"reprise/replay/environment"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// planFile is a plan that can be read again and again.
type planFile struct {
	*held
	header  recordfile.Header
	trailer recordfile.Trailer
	terms   plan.Terms
	writes  bool // sends requests with side effects, whatever the header says
}

// readPlan reads a whole plan once, so that a damaged one is found before anything is reset or sent.
func readPlan(ctx context.Context, h *held) (*planFile, error) {
	f := &planFile{held: h}
	return f, f.read(ctx)
}

func (f *planFile) read(ctx context.Context) error {
	r, err := plan.NewReader(f.fromStart())
	if err != nil {
		return err
	}
	defer r.Close()
	last := int64(0)
	for a, err := range r.Arrivals(ctx) {
		if err != nil {
			return err
		}
		last = a.At
		f.writes = f.writes || a.Withheld == plan.Sent && !plan.Safe(a.Method)
	}
	f.header, f.trailer = r.Header(), r.Trailer()
	if f.trailer.Records == 0 {
		return &failure{code: codeEmpty, exit: exitInput, what: "the plan holds no arrival"}
	}
	if f.terms, err = plan.TermsOf(f.header); err != nil {
		return &recordfile.LineError{Line: 1, Err: err}
	}
	if end := (f.terms.DurationSeconds + f.terms.RecoveryWindowSeconds) * 1e6; float64(last) > end {
		return &recordfile.LineError{Line: 1, Err: fmt.Errorf("the plan's last arrival comes after its end of %.3f s", end/1e6)}
	}
	return nil
}

// arrivals reads the plan from its start each time it is ranged over. It does not end with a signal: what
// is not sent must still be counted.
func (f *planFile) arrivals() iter.Seq2[*plan.Arrival, error] {
	return func(yield func(*plan.Arrival, error) bool) {
		r, err := plan.NewReader(f.fromStart())
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		r.Arrivals(context.Background())(yield)
	}
}

// rehearsal is one plan against one target, with everything decided.
type rehearsal struct {
	shell *shell
	o     replayOptions
	plan  *planFile
	// fingerprint is the environment's, as it was before the first run.
	fingerprint string
	command     string // command.txt of the run at hand
}

// replay runs a plan as often as asked, each run after a reset, and returns the archives. The error is a
// verdict when a run is INVALID.
func (s *shell) replay(ctx context.Context, path string, o replayOptions) ([]*archived, error) {
	h, err := s.hold(ctx, path, "")
	if err != nil {
		return nil, err
	}
	defer h.Close()
	p, err := readPlan(ctx, h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &rehearsal{shell: s, o: o, plan: p}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	var done []*archived
	exit := exitOK
	for i := range r.o.runs {
		if r.o.runs > 1 {
			fmt.Fprintf(s.err, "run %d of %d\n", i+1, r.o.runs)
		}
		a, err := r.run(ctx)
		if a != nil {
			done = append(done, a)
		}
		if err != nil {
			return done, err
		}
		if a.summary.ExitCode != exitOK {
			exit = a.summary.ExitCode
		}
		var sig signalled
		if errors.As(context.Cause(ctx), &sig) {
			return done, verdict(sig)
		}
	}
	if exit != exitOK {
		return done, verdict{exit}
	}
	return done, nil
}

// prepare checks everything that can be checked before the environment is touched.
func (r *rehearsal) prepare(ctx context.Context) error {
	o, t := &r.o, &r.plan.terms
	if r.plan.writes && !o.allowWrites {
		return usage("WRITES", "the plan sends requests with side effects", "add --allow-writes and a reset step (--env), or make the plan without --allow-writes")
	}
	if r.plan.writes && !o.env.Resets() {
		return noReset()
	}
	if o.timeout == 0 {
		o.timeout = time.Duration(t.TimeoutMS * float64(time.Millisecond))
	}
	if o.timeout == 0 {
		o.timeout = 30 * time.Second
	}
	if !o.warmupSet {
		o.warmup = time.Duration(t.WarmupSeconds * float64(time.Second))
	}
	if o.name == "" {
		o.name = t.Source
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return unwritable(o.out, err)
	}
	return reach(ctx, o.target)
}

func targetFailure(ctx context.Context, err error) error {
	var guard *httptarget.GuardError
	var name *net.DNSError
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.As(err, &name) {
		return targetDown(err)
	}
	if errors.As(err, &guard) {
		return &failure{code: "TARGET-NOT-ALLOWED", exit: exitUsage, what: err.Error(),
			why: "reprise sends traffic to loopback only, unless the host was allowed",
			fix: "list the host under targets: in the file of --env, or repeat it with --confirm-host " + guard.Host}
	}
	return &failure{code: "TARGET", exit: exitUsage, what: err.Error(), fix: "--target http://127.0.0.1:8080"}
}

func targetDown(err error) error {
	return &failure{code: "TARGET-DOWN", exit: exitEnvironment, what: err.Error(),
		why: "nothing was sent, nothing was reset, no archive was made", fix: "start the target, or correct --target"}
}

// reach checks that the target may be reached, and then dials it once, so that a target that is down stops
// the rehearsal before it begins.
func reach(ctx context.Context, o httptarget.Options) error {
	t, err := httptarget.New(ctx, o)
	if err != nil {
		return targetFailure(ctx, err)
	}
	t.Close()
	u, err := url.Parse(o.URL)
	if err != nil {
		return targetFailure(ctx, err)
	}
	addrs, err := o.Guard.Check(ctx, u.Hostname())
	if err != nil {
		return targetFailure(ctx, err)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	for _, a := range addrs { // those that were checked, and not what the name means by now
		var c net.Conn
		if c, err = d.DialContext(ctx, "tcp", net.JoinHostPort(a.String(), port)); err == nil {
			return c.Close()
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return targetDown(fmt.Errorf("%s: %w", o.URL, err))
}

func noReset() error {
	return usage("NO-RESET", "requests with side effects need an environment that is reset before every run", "give --env a file with a reset step, such as reset: [{http: {url: \"http://127.0.0.1:8080/reset\"}}]")
}

// reset brings the environment to its known state and proves it: the fingerprint before every run is that
// before the first.
func (r *rehearsal) reset(ctx context.Context) error {
	if err := restore(ctx, r.o.env); err != nil {
		return err
	}
	return r.prove(ctx, "after the reset")
}

// restore runs the reset steps and waits until the environment is ready.
func restore(ctx context.Context, env *environment.Environment) error {
	for _, step := range []func(context.Context) error{env.Reset, env.Ready} {
		if err := step(ctx); err != nil {
			return environmentFailure(ctx, err)
		}
	}
	return nil
}

func (r *rehearsal) prove(ctx context.Context, when string) error {
	print, err := r.o.env.Fingerprint(ctx)
	if err != nil {
		return environmentFailure(ctx, err)
	}
	if r.fingerprint == "" {
		r.fingerprint = print
	}
	if print != r.fingerprint {
		return &failure{code: "FINGERPRINT", exit: exitEnvironment, what: fmt.Sprintf("the environment's fingerprint %s is %s, and was %s before the first run", when, print, r.fingerprint),
			why: "runs on different data cannot be compared", fix: "make the reset steps restore everything that the fingerprint covers, sequences included"}
	}
	return nil
}

func environmentFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &failure{code: "ENVIRONMENT", exit: exitEnvironment, what: err.Error(), why: "no request of this run was sent",
		fix: "run the step by hand, and correct it in the file of --env"}
}

// warm sends the warm-up and checks that it changed nothing.
func (r *rehearsal) warm(ctx context.Context, t *httptarget.Target) (result.Warmup, error) {
	if r.o.warmup <= 0 {
		return result.Warmup{}, nil
	}
	w, err := replay.Warmup(ctx, r.plan.arrivals(), t, replay.WarmupOptions{Duration: r.o.warmup, Rate: r.plan.terms.OfferedRPS,
		Timeout: r.o.timeout, MaxInFlight: r.o.maxInFlight})
	if err != nil || ctx.Err() != nil {
		return w, errors.Join(err, context.Cause(ctx))
	}
	return w, r.prove(ctx, "after the warm-up")
}
