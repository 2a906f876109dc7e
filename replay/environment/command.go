package environment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// killGrace is the time between asking a command to end and killing it, and the time that its output
// may stay open, held by a process it left behind, after it has exited.
const killGrace = 2 * time.Second

// exitError is a command that failed.
type exitError struct {
	code   int    // 0 when it was killed or never started
	stderr string // end of its standard error, escaped
	err    error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// command runs c in a process group of its own and returns up to j.limit bytes of its standard output.
// When ctx ends, the whole group is asked to end and, two seconds later, killed; what a command that
// succeeds leaves running is left alone, since a reset may start the target.
func (e *Environment) command(ctx context.Context, c Command, j job) ([]byte, error) {
	cmd := exec.CommandContext(ctx, c[0], c[1:]...)
	cmd.Dir = e.opts.Dir
	cmd.Env = append(cmd.Environ(), "REPRISE_NOW="+j.now)
	stdout, stderr := &head{limit: j.limit}, new(tail)
	if j.limit > 0 {
		cmd.Stdout = stdout
	}
	cmd.Stderr = stderr
	cmd.WaitDelay = killGrace
	group(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		killGroup(cmd)
	}
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil // it exited with 0; a process that it started holds its output
	}
	if err == nil && stdout.over {
		err = errTooLong
	}
	if err == nil {
		return stdout.kept.Bytes(), nil
	}
	failed := &exitError{stderr: stderr.String(), err: err}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		failed.code = exit.ExitCode()
		failed.err = fmt.Errorf("exit code %d", failed.code)
	case errors.As(err, &exit):
		failed.err = fmt.Errorf("ended by %v", exit.ProcessState)
	case errors.Is(err, exec.ErrNotFound):
		failed.err = errors.New("command not found")
	}
	return nil, failed
}

// head is a writer that keeps the first limit bytes and notes when there were more.
type head struct {
	limit int
	kept  bytes.Buffer
	over  bool
}

// Write never fails: a command must not end by a broken pipe that its author never sees.
func (h *head) Write(b []byte) (int, error) {
	n := len(b)
	if room := h.limit - h.kept.Len(); len(b) > room {
		b, h.over = b[:room], true
	}
	h.kept.Write(b)
	return n, nil
}
