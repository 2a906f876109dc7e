package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"reprise/anonymize/recordfile"
	"reprise/replay/plan"
	"reprise/sample"
)

// Exit codes; DESIGN of the command line: one code per cause.
const (
	exitOK            = 0
	exitBug           = 1
	exitUsage         = 2 // usage, configuration, key, output exists
	exitInput         = 3 // bad input data
	exitEnvironment   = 4 // pre-flight, target or reset failed, output cannot be written
	exitInvalid       = 5 // the generator did not do its job
	exitNotComparable = 6
	exitInconclusive  = 7
	exitFailed        = 10  // SLO failed or regression
	exitHungUp        = 129 // the terminal went away
	exitInterrupted   = 130
	exitTerminated    = 143
)

// failure is an error as a user reads it: a stable code, what happened and where, why if that is not
// obvious, and a command that helps.
type failure struct {
	code string // such as INGEST-FORMAT
	exit int
	what string
	why  string
	fix  string
}

func (f *failure) Error() string { return fmt.Sprintf("error[%s] %s", f.code, f.what) }

// write prints the failure to a terminal or a log: control bytes are escaped.
func (f *failure) write(w io.Writer) {
	first, rest, more := strings.Cut(plain(f.what), "\n")
	fmt.Fprintf(w, "error[%s] %s (exit %d)\n", f.code, first, f.exit)
	if more {
		fmt.Fprintln(w, rest)
	}
	if f.why != "" {
		fmt.Fprintf(w, "  why: %s\n", plain(f.why))
	}
	if f.fix != "" {
		fmt.Fprintf(w, "  fix: %s\n", plain(f.fix))
	}
}

// verdict is an exit code that is no error: the run happened, and this is what it says.
type verdict struct{ exit int }

func (v verdict) Error() string { return fmt.Sprintf("exit %d", v.exit) }

func usage(code, what, fix string) error {
	return &failure{code: code, exit: exitUsage, what: what, fix: fix}
}

// explain turns any error into a failure. Errors of known kinds get their exit code; what is left over
// is a bug of ours.
func explain(err error) *failure {
	var f *failure
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, context.Canceled):
		return &failure{code: "INTERRUPTED", exit: exitInterrupted, what: "stopped by a signal", why: "nothing half-written is left under its final name", fix: "run the command again"}
	}
	if f := explainInput(err); f != nil {
		return f
	}
	if f := explainSample(err); f != nil {
		return f
	}
	return explainSystem(err)
}

// explainSample covers what the numbers of a trace or a sample do not allow.
func explainSample(err error) *failure {
	switch {
	case errors.Is(err, sample.ErrLimit):
		return &failure{code: "SAMPLE-LIMIT", exit: exitUsage, what: err.Error(), fix: "--memory 1GB, a lower --per-stratum, or fewer dimensions in --by"}
	case errors.Is(err, sample.ErrNothingKept):
		return &failure{code: "SAMPLE-EMPTY", exit: exitUsage, what: err.Error(), fix: "--fraction 1"}
	case errors.Is(err, sample.ErrOrder), errors.Is(err, sample.ErrEmptyTrace):
		return &failure{code: "TRACE", exit: exitInput, what: err.Error(), fix: "reprise anonymize LOG --key-file K -o T.trace.zst"}
	case errors.Is(err, plan.ErrSample):
		return &failure{code: "SAMPLE", exit: exitInput, what: err.Error(), fix: "reprise sample T.trace.zst --fraction 0.1 -o S.sample.zst"}
	}
	return nil
}

// explainSystem covers what the file system refuses.
func explainSystem(err error) *failure {
	const elsewhere = "choose another place with -o or --tmp"
	is := func(any ...error) bool {
		return slices.ContainsFunc(any, func(e error) bool { return errors.Is(err, e) })
	}
	switch {
	case full(err):
		return diskFull(err)
	case is(fs.ErrPermission):
		return &failure{code: "NO-PERMISSION", exit: exitEnvironment, what: err.Error(), fix: elsewhere}
	case is(syscall.EROFS, syscall.EIO, syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.EPIPE):
		return &failure{code: "OUTPUT", exit: exitEnvironment, what: err.Error(), fix: elsewhere}
	case is(fs.ErrNotExist):
		return &failure{code: "NOT-FOUND", exit: exitUsage, what: err.Error(), fix: "check the names on the command line"}
	}
	return &failure{code: "BUG", exit: exitBug, what: err.Error(), why: "this is not a failure that reprise knows how to explain", fix: "report it together with the command"}
}

// full reports whether the disk, the quota or the limit of a file's size was reached.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func diskFull(err error) *failure {
	return &failure{code: "DISK-FULL", exit: exitEnvironment, what: err.Error(), fix: "free some space, or choose another folder with -o or --tmp"}
}

// explainInput covers damaged and foreign record files.
func explainInput(err error) *failure {
	const again = "write the file again with the command that made it"
	var kind *recordfile.KindError
	var line *recordfile.LineError
	switch {
	case errors.As(err, &kind):
		return &failure{code: "FILE-KIND", exit: exitInput, what: err.Error(), fix: kindFix(kind)}
	case errors.Is(err, recordfile.ErrTruncated):
		return &failure{code: "FILE-TRUNCATED", exit: exitInput, what: err.Error(), fix: again}
	case errors.Is(err, recordfile.ErrChecksum):
		return &failure{code: "FILE-DAMAGED", exit: exitInput, what: err.Error(), fix: again}
	case errors.Is(err, recordfile.ErrForeign):
		return &failure{code: "FILE-KIND", exit: exitInput, what: err.Error(), fix: "reprise anonymize LOG --key-file K -o T.trace.zst makes a trace of a log"}
	case errors.As(err, &line):
		return &failure{code: "FILE-RECORD", exit: exitInput, what: err.Error(), fix: again}
	}
	return nil
}

// kindFix names the command that makes the wanted kind from the one at hand.
func kindFix(e *recordfile.KindError) string {
	if e.Got == e.Want {
		return "use the version of reprise that wrote the file, or write it again"
	}
	switch e.Want {
	case "trace":
		return "reprise anonymize LOG --key-file K -o T.trace.zst"
	case "sample":
		return "reprise sample T.trace.zst --fraction 0.1 -o S.sample.zst"
	case "plan":
		return "reprise schedule S.sample.zst -o P.plan.zst"
	}
	return "write the file again with the command that made it"
}
