package environment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// Options of an Environment. The zero value is ready to use.
type Options struct {
	// Dir is the working directory of commands; empty means that of the process.
	Dir string
	// Now is what commands and reset requests are told the time is, in REPRISE_NOW and in the header
	// Reprise-Now, as RFC 3339 in UTC; nil means time.Now.
	Now func() time.Time
}

// Environment resets a target and proves it. It is safe for concurrent use, though two resets at a time
// make little sense.
type Environment struct {
	config Config
	opts   Options
	client *http.Client
}

// New returns the environment that c describes. Its errors are *ConfigError.
func New(c Config, o Options) (*Environment, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c.Targets = slices.Clone(c.Targets)
	return &Environment{config: c, opts: o, client: newClient(c.Targets)}, nil
}

// Resets reports whether there is a reset step, which replaying writes requires.
func (e *Environment) Resets() bool { return len(e.config.Reset) > 0 }

// Reset runs the reset steps in order and stops at the first that fails, with a *StepError.
func (e *Environment) Reset(ctx context.Context) error {
	return e.each(ctx, e.config.phases()[0], func(ctx context.Context, s *Step, j job) error {
		_, err := e.run(ctx, s, j)
		return err
	})
}

// Ready repeats each ready step until it succeeds; the step's timeout bounds all its attempts together.
// The error, a *StepError, tells how the last whole attempt failed.
func (e *Environment) Ready(ctx context.Context) error {
	return e.each(ctx, e.config.phases()[1], func(ctx context.Context, s *Step, j job) error {
		return poll(ctx, func(ctx context.Context) error {
			_, err := e.run(ctx, s, j)
			return err
		})
	})
}

// Fingerprint hashes the answers of the fingerprint steps to "sha256:" and 64 hex digits. Answers that
// are JSON are hashed free of white space and of the order of keys, other text free of trailing space
// and of the kind of line ends. Without steps it returns "". A step that fails, or answers more than
// 16 MiB, gives a *StepError.
func (e *Environment) Fingerprint(ctx context.Context) (string, error) {
	var sum digest
	err := e.each(ctx, e.config.phases()[2], func(ctx context.Context, s *Step, j job) error {
		j.limit = maxAnswer
		answer, err := e.run(ctx, s, j)
		sum.add(answer)
		return err
	})
	if err != nil || len(e.config.Fingerprint) == 0 {
		return "", err
	}
	return sum.String(), nil
}

// Metrics returns the target's metrics as they are, at most 16 MiB, or nil when the configuration names
// none.
func (e *Environment) Metrics(ctx context.Context) ([]byte, error) {
	if e.config.Metrics == "" {
		return nil, nil
	}
	var answer []byte
	p := phase{name: "metrics", method: http.MethodGet, steps: []Step{{HTTP: &Request{URL: e.config.Metrics}}}}
	err := e.each(ctx, p, func(ctx context.Context, s *Step, j job) (err error) {
		j.limit = maxAnswer
		answer, err = e.run(ctx, s, j)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// maxAnswer bounds an answer that is kept, in bytes.
const maxAnswer = 16 << 20

// job is what a step is told about its surroundings.
type job struct {
	method string // of a request that names none
	now    string
	limit  int // bytes of the answer to keep; 0 means that it is thrown away
}

// each runs do for the steps of p, each within its timeout, and dresses the first error as a StepError.
func (e *Environment) each(ctx context.Context, p phase, do func(context.Context, *Step, job) error) error {
	j := job{method: p.method, now: e.opts.Now().UTC().Format(time.RFC3339Nano)}
	for i := range p.steps {
		s := &p.steps[i]
		bounded, cancel := context.WithTimeout(ctx, s.timeout())
		err := do(bounded, s, j)
		if err == nil {
			err = bounded.Err() // a success that came too late is none
		}
		expired := bounded.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil {
			continue
		}
		failed := &StepError{Phase: p.name, Number: i + 1, Name: s.name(p.method), Err: err}
		if p.name == "metrics" {
			failed.Number = 0
		}
		failed.explain(err)
		switch {
		case ctx.Err() != nil:
			failed.Err = ctx.Err() // that the command was killed is a consequence
		case expired:
			failed.Timeout = s.timeout()
			if !errors.Is(err, context.DeadlineExceeded) {
				failed.Err = fmt.Errorf("%w (%w)", context.DeadlineExceeded, err)
			}
		}
		return failed
	}
	return nil
}

// explain copies what a kind of step knows about its failure.
func (e *StepError) explain(err error) {
	if exit := (*exitError)(nil); errors.As(err, &exit) {
		e.ExitCode, e.Stderr = exit.code, exit.stderr
	}
	if status := (*statusError)(nil); errors.As(err, &status) {
		e.Status = status.got
	}
}

// run does one step and returns what it answered.
func (e *Environment) run(ctx context.Context, s *Step, j job) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.HTTP != nil {
		return e.request(ctx, s.HTTP, j)
	}
	if s.Exec.noop() {
		return nil, nil
	}
	return e.command(ctx, s.Exec, j)
}

// The pauses between two attempts at readiness: doubling, from short to long.
const (
	firstPause = 25 * time.Millisecond
	longPause  = time.Second
	oneAttempt = 5 * time.Second // a server that accepts and never answers must not use up the whole time
)

// poll repeats try until it succeeds or ctx ends. It then returns the error of the last attempt that ctx
// did not cut short.
func poll(ctx context.Context, try func(context.Context) error) error {
	var last error
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		attempt, cancel := context.WithTimeout(ctx, oneAttempt)
		err := try(attempt)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return last
		}
	}
}
