package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
	"reprise/ingest"
	"reprise/ingest/source"
)

// logFlags are the flags of every command that reads access logs.
func logFlags() []cli.Flag {
	return append(formatFlags(),
		text("stamp", "auto", "what the time stamp is: auto, start or end"),
		text("tz", "UTC", "zone of time stamps that name none"),
		text("rejects", "", "write rejected lines as JSON lines (file, line, reason, column, shape) to this file"),
		number("max-reject", 0.01, "part of the lines that may be rejected"),
	)
}

// logOptions say how logs are read.
type logOptions struct {
	names     []string
	beside    []string // other files that are read: rules, path templates
	ingest    ingest.Options
	maxReject float64
	rejects   string
	refuse    func(ingest.Pos, anonymize.Refusal) error // writes to the same file; nil without one
	watch     map[string]int                            // query keys whose values are learned with the templates, and how many of each
}

// inputs are the files that are read, which no output may replace.
func (o *logOptions) inputs() []string { return slices.Concat(o.names, o.beside) }

func (s *shell) logOptionsOf(c *cli.Context) (logOptions, error) {
	return s.logOptionsFor(c, c.Args().Slice())
}

// logOptionsFor reads the flags for logs that may be named elsewhere than on the command line.
func (s *shell) logOptionsFor(c *cli.Context, logs []string) (logOptions, error) {
	o := logOptions{maxReject: c.Float64("max-reject"), rejects: c.String("rejects"), beside: []string{c.String("rules"), c.String("config"), c.String("endpoints")}}
	if len(logs) == 0 {
		return o, usage("USAGE", "no log was named", "reprise "+c.Command.Name+" /var/log/nginx/access.log*")
	}
	if !(o.maxReject >= 0 && o.maxReject <= 1) {
		return o, usage("USAGE", fmt.Sprintf("--max-reject: %v is not between 0 and 1", o.maxReject), "--max-reject 0.01")
	}
	if o.rejects != "" && c.String("output") != "" && filepath.Clean(o.rejects) == filepath.Clean(c.String("output")) {
		return o, usage("USAGE", "--rejects and --output name the same file", "--rejects rejects.jsonl")
	}
	names, err := source.Expand(logs)
	if err != nil {
		return o, inputFailure(err)
	}
	o.names = names
	zone, err := time.LoadLocation(c.String("tz"))
	if err != nil {
		return o, usage("USAGE", fmt.Sprintf("--tz: %q is no time zone", c.String("tz")), "--tz Europe/Berlin")
	}
	stamps := map[string]ingest.Stamp{"auto": ingest.StampAuto, "start": ingest.StampStart, "end": ingest.StampEnd}
	stamp, ok := stamps[c.String("stamp")]
	if !ok {
		return o, usage("USAGE", fmt.Sprintf("--stamp: %q is not auto, start or end", c.String("stamp")), "--stamp end")
	}
	format, err := formatOf(c)
	if err != nil {
		return o, err
	}
	o.ingest = ingest.Options{Format: format, Stamp: stamp, Location: zone, Stdin: s.in, Head: refuseOwn}
	return o, nil
}

// open opens the logs, with errors as people read them.
func (o *logOptions) open(ctx context.Context) (*ingest.Reader, error) {
	r, err := ingest.Open(ctx, o.names, o.ingest)
	if err != nil {
		return nil, inputFailure(err)
	}
	return r, nil
}

// inputFailure explains why logs cannot be read. What is the output's fault, or a signal's, stays as it is.
func inputFailure(err error) error {
	var format *ingest.UnknownFormatError
	var custom *ingest.FormatError
	var path *fs.PathError
	var told *failure
	switch isPath := errors.As(err, &path); {
	case errors.Is(err, context.Canceled), errors.As(err, &told), full(err), isPath && path.Op == "write":
		return err
	case errors.As(err, &format):
		return formatFailure(format)
	case errors.As(err, &custom):
		return usage("LOG-FORMAT", err.Error(), `--log-format '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'`)
	case errors.Is(err, ingest.ErrEmpty):
		return &failure{code: codeEmpty, exit: exitInput, what: err.Error(), fix: "check that the log was not rotated away"}
	case errors.Is(err, ingest.ErrConsumed):
		return usage("INPUT", err.Error(), "name each input once")
	case isPath && path.Op != "read", errors.Is(err, source.ErrNoFile), errors.Is(err, filepath.ErrBadPattern):
		return missing(err)
	}
	return &failure{code: "LOG-DAMAGED", exit: exitInput, what: err.Error(), fix: "copy the log again, or decompress what of it is whole"}
}

// formatFailure shows the shape of the first line that does not fit, with a mark under the place.
func formatFailure(e *ingest.UnknownFormatError) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s line %d fits no known log format: %s", e.File, e.Line, e.Reason)
	if e.Excerpt != "" {
		fmt.Fprintf(&b, "\n  %s", e.Excerpt)
		if e.Mark > 0 {
			fmt.Fprintf(&b, "\n  %*s", e.Mark, "^")
		}
	}
	f := &failure{code: "INGEST-FORMAT", exit: exitInput, what: b.String(), why: "if it is no access log, leave it out: all logs that are named are read, or none"}
	var guesses []string
	for _, g := range e.Guesses {
		if g.Share > 0 {
			guesses = append(guesses, fmt.Sprintf("%s fits %.0f %%", g.Format, 100*g.Share))
		}
	}
	if len(guesses) > 0 {
		f.why = fmt.Sprintf("of %d sampled lines %s; 90 %% are needed", e.Sampled, strings.Join(guesses, ", "))
	}
	f.fix = "reprise inspect --log-format 'THE log_format OR LogFormat LINE OF THE SERVER' " + quoted(e.File)
	if e.Suggestion != "" {
		f.fix = "reprise inspect --log-format " + quoted(e.Suggestion) + " " + quoted(e.File)
	}
	if what, fix := misread(e.File); what != "" && e.Suggestion == "" {
		f.why, f.fix = what, fix
	}
	return f
}

// quoted is a word as a shell wants it.
func quoted(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/+:@%,", r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const (
	codeRejects = "REJECTS" // a log with too many rejected lines
	codeEmpty   = "EMPTY"   // logs without a request
)

// checkRefused applies --max-reject to records that have no clean form.
func (o *logOptions) checkRefused(records, refused int64, by map[string]int64) error {
	if float64(refused) <= o.maxReject*float64(records) {
		return nil
	}
	return &failure{code: codeRejects, exit: exitInput,
		what: fmt.Sprintf("%d of %d records have no clean form (limit %.2f %%): %s", refused, records, 100*o.maxReject, reasons(by)),
		fix:  "see them with --rejects rejects.jsonl; accept them with --max-reject"}
}

// check applies --max-reject to a finished reading.
func (o *logOptions) check(r ingest.Report) error {
	t := r.Total()
	for _, f := range r.Files {
		if f.Failure != "" && f.Rejected > 0 {
			f.Rejected-- // where the file was cut, a line was
		}
		if n := f.Lines - f.Skipped; n > 0 && float64(f.Rejected) > o.maxReject*float64(n) {
			share := float64(f.Rejected) / float64(n)
			fix := fmt.Sprintf("see them with --rejects rejects.jsonl; accept them with --max-reject %.2g", share+0.005)
			if share > 0.5 {
				fix = "the format is not that of the log: leave --log-format out to detect it, or give the server's own line"
			}
			why := ""
			if f.Failure != "" { // damage is what the lines were rejected for, so reading on or with another format does not help
				why, fix = "not read to the end: "+f.Failure, "copy the log again from its source"
			}
			return &failure{code: codeRejects, exit: exitInput, why: why, fix: fix,
				what: fmt.Sprintf("%s: %d of %d lines were rejected (%.2f %%, limit %.2f %%): %s", f.Name, f.Rejected, n, 100*share, 100*o.maxReject, reasons(f.Reasons))}
		}
	}
	if t.Records == 0 {
		return &failure{code: codeEmpty, exit: exitInput, what: fmt.Sprintf("no request in %d lines", t.Lines), fix: "reprise inspect LOG says what the log holds"}
	}
	return nil
}
