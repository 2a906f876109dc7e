package environment

import (
	"fmt"
	"strings"
	"time"
)

// StepError tells which step failed and how.
type StepError struct {
	// Phase is "reset", "ready", "fingerprint" or "metrics".
	Phase string
	// Number counts the steps of the phase from 1; 0 in "metrics".
	Number int
	// Name says what the step does, without arguments and queries.
	Name string
	// ExitCode is that of the command, or 0 when it did not exit by itself.
	ExitCode int
	// Status is that of the answer, or 0 when there was none.
	Status int
	// Timeout is the limit that the step exceeded, or 0.
	Timeout time.Duration
	// Stderr is the end of the command's standard error, at most 2 KiB before escaping.
	Stderr string
	// Err is the cause; errors.Is finds context.DeadlineExceeded for a timeout and the context's error
	// for a cancel.
	Err error
}

// Error gives the whole story on one line.
func (e *StepError) Error() string {
	var b strings.Builder
	b.WriteString(e.Phase)
	if e.Number > 0 {
		fmt.Fprintf(&b, " step %d", e.Number)
	}
	fmt.Fprintf(&b, " (%s): ", e.Name)
	if e.Timeout > 0 {
		fmt.Fprintf(&b, "not done within %v: ", e.Timeout)
	}
	b.WriteString(e.Err.Error())
	if e.Stderr != "" {
		b.WriteString("; stderr: " + e.Stderr)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *StepError) Unwrap() error { return e.Err }
