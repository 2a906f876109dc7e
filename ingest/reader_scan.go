package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"

	"reprise/ingest/source"
)

// sink takes what a file's lines turn out to be, in the order of the lines.
type sink interface {
	// room returns where to parse the next line into: a record, and n bytes for a copy of the line, which the
	// record will point into.
	room(n int) (*Record, []byte)
	// keep takes the record that room gave out last: it is a request.
	keep() error
	// refuse takes a rejected line.
	refuse(Reject) error
}

// read reads the file to its end and puts every line into its bucket.
func (f *file) read(ctx context.Context, o *Options, to sink) (err error) {
	in, text, err := f.start(o)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, in.Interrupt)
	defer stop()
	defer func() {
		if fail := in.Close(); fail != nil {
			err = errors.Join(err, fail)
		}
	}()
	if f.spec == "" {
		f.spec = "combined" // lines that are all empty or directives need no format of their own
	}
	format, err := NewFormat(f.spec, FormatOptions{Stamp: o.Stamp, Location: o.Location})
	if err != nil {
		return err
	}
	l := newLines(text, f.sample.eol)
	if err := f.scan(ctx, l, format, to); err != nil {
		return err
	}
	f.finish(in, l)
	return nil
}

// scan puts every line into its bucket.
func (f *file) scan(ctx context.Context, l *lines, format Format, to sink) error {
	rep := &f.report
	framed, _ := format.(framed)
	for {
		if rep.Lines&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line, long, err := l.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%s: after line %d: %w", f.name, rep.Lines, err)
		}
		rep.Lines++
		pos := Pos{File: f.name, Line: rep.Lines}
		if long {
			if err := f.refuse(to, pos, Verdict{Reason: TooLong, Column: MaxLine + 1}); err != nil {
				return err
			}
			continue
		}
		if isDirective(line) {
			if framed != nil {
				framed.directive(line)
			}
			rep.Skipped++
			continue
		}
		// Parse changes its line, and the lines buffer keeps the original.
		record, text := to.room(len(line))
		copy(text, line)
		record.Pos = pos
		verdict := format.Parse(text, record)
		switch {
		case verdict.Reason == Accepted:
			f.order(record.Start)
			rep.Records++
			rep.Precision = record.Precision
			err = to.keep()
		case verdict.Reason == NoRequest:
			f.order(record.Start)
			rep.NoRequest++
		case verdict.Reason == Skip:
			rep.Skipped++
		default:
			err = f.refuse(to, pos, verdict)
		}
		if err != nil {
			return err
		}
	}
}

// refuse counts a rejected line and tells it.
func (f *file) refuse(to sink, pos Pos, v Verdict) error {
	f.reasons[v.Reason]++
	return to.refuse(Reject{Pos: pos, Reason: v.Reason, Column: v.Column})
}

// order keeps count of lines that come too late.
func (f *file) order(start int64) {
	if start >= f.latest {
		f.latest = start
		return
	}
	f.report.Late++
	f.maxLate = max(f.maxLate, f.latest-start)
}

// finish notes what only the end of a file tells.
func (f *file) finish(in *source.Input, l *lines) {
	f.report.SHA256 = in.SHA256()
	for _, w := range in.Warnings() {
		f.report.Warnings = append(f.report.Warnings, w.String())
	}
	if l.zeros > 0 {
		f.report.Warnings = append(f.report.Warnings, fmt.Sprintf("skipped %d zero bytes at line starts", l.zeros))
	}
}
