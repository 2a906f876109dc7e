package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"reprise/ingest/source"
)

// sink takes what a file's lines turn out to be, in the order of the lines.
type sink interface {
	// room returns where to parse the next line into: a record, and n bytes for a copy of the line, which the
	// record will point into. Its error ends the reading.
	room(n int) (*Record, []byte, error)
	// keep takes the record that room gave out last: it is a request. Nothing else may be called in between.
	keep() error
	// refuse takes a rejected line.
	refuse(Reject) error
}

// reading is one pass over a file.
type reading struct {
	file    *file
	options *Options
	to      sink
	lines   *lines
	formats *formats
	account
	run  run
	tail *heldLine // a last line without a line end, when it is rejected
}

// inputError is the failure of an input, as opposed to one of its consumer.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// read reads the file to its end and puts every line into its bucket. An input that fails is an error only if it
// is the lone one; else the account says so.
func (f *file) read(ctx context.Context, o *Options, to sink, ahead, lone bool) error {
	r := f.newReading(o, to)
	err := r.whole(ctx, ahead)
	var failed inputError
	if errors.As(err, &failed) && ctx.Err() == nil {
		if lone {
			return failed.error
		}
		r.Failure = failed.Error()
		err = nil
	}
	if err == nil {
		err = r.end()
	}
	r.publish()
	return err
}

func (f *file) newReading(o *Options, to sink) *reading {
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &reading{file: f, options: o, to: to}
	old := &f.account.FileReport
	r.FileReport = FileReport{Name: f.name, Format: old.Format, Title: old.Title, Stamp: old.Stamp, Why: old.Why,
		Suggestion: old.Suggestion, Sampled: old.Sampled, Fitted: old.Fitted, Codec: old.Codec}
	r.latest = math.MinInt64
	return r
}

// publish lets Report see the account.
func (r *reading) publish() {
	r.file.mu.Lock()
	defer r.file.mu.Unlock()
	r.file.account = r.account
}

// whole reads all lines.
func (r *reading) whole(ctx context.Context, ahead bool) (err error) {
	f := r.file
	if f.broken != nil {
		return inputError{f.broken}
	}
	specs := f.specs
	if len(specs) == 0 {
		specs = []string{"combined"} // lines that are all empty or directives need no format of their own
	}
	if r.formats, err = newFormats(specs, FormatOptions{Stamp: r.options.Stamp, Location: r.options.Location}); err != nil {
		return err
	}
	for _, spec := range f.specs {
		if f.given {
			spec = r.Format // the name, for a whole format string
		}
		r.Formats = append(r.Formats, FormatUse{Format: spec, Line: 1})
	}
	// The kernel reads ahead of plain files by itself, and handing their bytes over would copy them twice.
	in, l, err := f.open(r.options, ahead && r.Codec != string(source.Plain))
	if errors.Is(err, ErrConsumed) {
		return err
	}
	if err != nil {
		return inputError{err}
	}
	r.lines = l
	stop := context.AfterFunc(ctx, in.Interrupt)
	defer stop()
	err = r.scan(ctx)
	if err == nil {
		r.finish(in)
	}
	if fail := in.Close(); fail != nil && err == nil {
		err = inputError{fail}
	}
	return err
}

// scan puts every line into its bucket.
func (r *reading) scan(ctx context.Context) error {
	for {
		if r.Lines&1023 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			r.publish()
		}
		line, long, err := r.lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return inputError{fmt.Errorf("after line %d: %w", r.Lines, err)}
		}
		r.Lines++
		pos := Pos{File: r.file.name, Line: r.Lines, Byte: r.lines.offset()}
		switch {
		case long:
			err = r.reject(pos, Verdict{Reason: TooLong, Column: MaxLine + 1}, nil)
		case isDirective(line):
			r.directive(line)
		default:
			var v Verdict
			if v, err = r.take(pos, line); v.Rejected() {
				err = r.reject(pos, v, line)
			}
		}
		if err != nil {
			return err
		}
	}
}

// directive takes an empty line or one that begins with "#".
func (r *reading) directive(line []byte) {
	r.Skipped++
	if len(line) == 0 {
		return
	}
	r.formats.directive(line)
	if isFields(line) && !r.formats.described() {
		r.run.fields = append(r.run.fields[:0], line...)
		r.run.from = 0
	}
}

// take parses a line and takes it if it fits.
func (r *reading) take(pos Pos, line []byte) (Verdict, error) {
	record, text, err := r.to.room(len(line)) // Parse changes its line, and what does not fit is looked at again
	if err != nil {
		return Verdict{}, err
	}
	copy(text, line)
	record.Pos = pos
	v := r.formats.parse(text, line, record)
	switch v.Reason {
	case Accepted:
		r.order(record.Start)
		r.Records++
		r.Precision = record.Precision
		if err := r.to.keep(); err != nil {
			return v, err
		}
		return v, r.breakRun()
	case NoRequest:
		r.order(record.Start)
		r.NoRequest++
	case Skip:
		r.Skipped++
	}
	return v, nil
}

// order keeps count of lines that come too late.
func (r *reading) order(start int64) {
	if start >= r.latest {
		r.latest = start
		return
	}
	r.Late++
	r.maxLate = max(r.maxLate, r.latest-start)
}

// refuse counts a rejected line and tells it.
func (r *reading) refuse(pos Pos, v Verdict, line []byte) error {
	r.reasons[v.Reason]++
	return r.tell(pos, v, line)
}

func (r *reading) tell(pos Pos, v Verdict, line []byte) error {
	if r.options.Reject == nil {
		return nil
	}
	reject := Reject{Pos: pos, Reason: v.Reason, Column: v.Column}
	if v.Reason != TooLong {
		reject.Shape, _ = mask(line, v.Column)
	}
	return r.to.refuse(reject)
}

// finish notes what only the end of a file tells.
func (r *reading) finish(in *source.Input) {
	r.SHA256 = in.SHA256()
	for _, w := range in.Warnings() {
		if w.Kind == source.Trailing {
			r.Warnings = append(r.Warnings, w.String())
		} else {
			r.Failure = w.String()
		}
	}
	if r.Failure == "" && in.Size() < r.file.size {
		r.Failure = "the file was shortened before it was read"
	}
	if r.Stamp == "unknown" && r.maxLate > startDisorder {
		r.Stamp, r.Why = startByDisorder(r.maxLate)
	}
	if r.lines.zeros > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("skipped %d zero bytes at line starts", r.lines.zeros))
	}
}
