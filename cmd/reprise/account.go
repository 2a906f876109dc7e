package main

import (
	"fmt"
	"strings"

	"reprise/ingest"
)

// announce says what each log is read as, and how that is known. Logs that are read alike share a line.
func (s *shell) announce(r ingest.Report) {
	files := r.Files
	for len(files) > 0 {
		n := 1
		for n < len(files) && alike(files[0], files[n]) {
			n++
		}
		s.announceAlike(files[:n])
		files = files[n:]
	}
}

// alike tells whether one line can speak for two logs.
func alike(a, b ingest.FileReport) bool {
	return a.Failure == "" && b.Failure == "" && a.Title == b.Title && a.Stamp == b.Stamp && a.Suggestion == b.Suggestion
}

func (s *shell) announceAlike(files []ingest.FileReport) {
	f, name := files[0], plain(files[0].Name)
	for _, other := range files[1:] {
		f.Sampled += other.Sampled
		f.Fitted += other.Fitted
	}
	if len(files) > 1 {
		name = fmt.Sprintf("%d files, %s to %s", len(files), name, plain(files[len(files)-1].Name))
	}
	switch {
	case f.Failure != "":
		fmt.Fprintf(s.err, "%s: not read: %s\n", name, plain(f.Failure))
	case f.Title == "":
		fmt.Fprintf(s.err, "%s: no lines\n", name)
	case f.Sampled == 0:
		fmt.Fprintf(s.err, "%s: %s, stamp = %s (%s)\n", name, plain(f.Title), f.Stamp, f.Why)
	default:
		fmt.Fprintf(s.err, "%s: %s, %d of %d sampled lines, stamp = %s (%s)\n", name, plain(f.Title), f.Fitted, f.Sampled, f.Stamp, f.Why)
	}
	if f.Suggestion != "" {
		fmt.Fprintf(s.err, "  a column that is not read looks like the duration; if it is, give\n    --log-format %s\n", quoted(f.Suggestion))
	}
}

// accountedFiles is how many logs have an account of their own when they were read without trouble.
const accountedFiles = 4

// printReport gives the account of the lines.
func (s *shell) printReport(r ingest.Report) {
	few := len(r.Files) <= accountedFiles
	for _, f := range r.Files {
		if few || f.Rejected > 0 || f.Failure != "" || len(f.Warnings) > 0 {
			s.printAccount(plain(f.Name), f)
		}
	}
	if !few {
		s.printAccount(fmt.Sprintf("all %d files", len(r.Files)), r.Total())
	}
	if r.Merged.Late > 0 {
		fmt.Fprintf(s.err, "  %d records came after later ones, by up to %.0f s: they stood too far from their place in time\n", r.Merged.Late, r.Merged.MaxLate)
	}
}

func (s *shell) printAccount(name string, f ingest.FileReport) {
	fmt.Fprintf(s.err, "%s: %d lines = %d records + %d without a request + %d rejected + %d skipped\n", name, f.Lines, f.Records, f.NoRequest, f.Rejected, f.Skipped)
	if f.Rejected > 0 {
		fmt.Fprintf(s.err, "  rejected: %s\n", reasons(f.Reasons))
	}
	for _, w := range f.Warnings {
		fmt.Fprintf(s.err, "  warning: %s\n", plain(w))
	}
	if f.Failure != "" {
		fmt.Fprintf(s.err, "  not read to the end: %s\n", plain(f.Failure))
	}
}

// codeUnreadable is the code of logs of which not everything could be read.
const codeUnreadable = "UNREADABLE"

// unreadable is the failure of a finished command that could not read all of its logs; nil when it could.
func unreadable(r ingest.Report) error {
	failed := r.Failed()
	if len(failed) == 0 {
		return nil
	}
	var names, whys []string
	for _, f := range failed {
		names = append(names, f.Name)
		if !strings.Contains(f.Failure, f.Name) {
			f.Failure = f.Name + ": " + f.Failure
		}
		whys = append(whys, f.Failure)
	}
	const shown = 5
	if n := len(names) - shown; n > 0 {
		names, whys = append(names[:shown], fmt.Sprintf("and %d more", n)), append(whys[:shown], "...")
	}
	return &failure{code: codeUnreadable, exit: exitInput,
		what: fmt.Sprintf("%d of %d logs could not be read to the end: %s", len(failed), len(r.Files), strings.Join(names, ", ")),
		why:  strings.Join(whys, "; ") + "; the result covers what was read",
		fix:  "make them readable, or copy what was cut again, and run the command again"}
}
