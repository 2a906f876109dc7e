package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"reprise/ingest/source"
)

// file is one input and its account.
type file struct {
	name   string
	spec   string // of the format: a name or a format string
	sample sample
	first  int64         // start of the first line that has one, math.MaxInt64 when none has
	input  *source.Input // an input that can be read only once stays open from Open to Records
	once   bool

	report  FileReport
	reasons [reasons]int64
	latest  int64
	maxLate int64 // nanoseconds
}

// openFile reads the sample and settles the format.
func openFile(ctx context.Context, name string, o *Options) (*file, error) {
	in, err := source.Open(name, source.Options{Hash: !o.SkipHash, Stdin: o.Stdin})
	if err != nil {
		return nil, err
	}
	f := &file{name: name, once: in.Once(), first: math.MaxInt64}
	if f.once {
		in.ReadAhead()
	}
	stop := context.AfterFunc(ctx, in.Interrupt)
	err = f.readSample(in)
	if stop(); ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil {
		err = f.settle(o)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	f.report.Codec = string(in.Codec())
	if f.once {
		f.input = in
		return f, nil
	}
	f.sample.data = nil
	return f, in.Close()
}

// readSample reads the first lines. Zero bytes before the first line are no part of it.
func (f *file) readSample(r io.Reader) error {
	buf := make([]byte, 0, 64<<10)
	newlines := 0
	for len(buf) < sampleBytes && newlines <= sampleLines {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(2*cap(buf), sampleBytes)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		part := buf[len(buf) : len(buf)+n]
		if len(buf) == 0 {
			kept := bytes.TrimLeft(part, "\x00")
			part = buf[:copy(buf[:cap(buf)], kept)]
		}
		buf = buf[:len(buf)+len(part)]
		newlines += bytes.Count(part, []byte{'\n'})
		if err == io.EOF {
			f.sample.all = true
			break
		}
		if err != nil {
			return err
		}
	}
	f.sample.data, f.sample.eol = buf, '\n'
	if newlines == 0 && bytes.IndexByte(buf, '\r') >= 0 && !isMostlyBinary(buf) {
		f.sample.eol = '\r' // as old Macintosh programs end lines
	}
	return nil
}

// settle chooses the format and finds the first time stamp.
func (f *file) settle(o *Options) error {
	options := FormatOptions{Stamp: o.Stamp, Location: o.Location}
	f.spec = o.Format
	if f.spec == "" {
		var err error
		if f.spec, err = detect(f.name, &f.sample, options); err != nil {
			return err
		}
		if f.spec == "" && !f.sample.all {
			return &UnknownFormatError{File: f.name, Line: 1, Column: 1, Reason: BadColumns, Excerpt: "<no lines>"}
		}
	}
	if f.spec == "" {
		return nil
	}
	format, err := NewFormat(f.spec, options)
	if err != nil {
		return err
	}
	f.report.Format, f.report.Stamp = format.Name(), f.stamp(format, o.Stamp)
	var r Record
	empty := f.sample.all
	f.sample.lines(func(line []byte, _ int64) bool {
		empty = false
		if format.Parse(line, &r).Rejected() {
			return true
		}
		f.first = r.Start
		return false
	})
	if empty {
		f.report.Format, f.report.Stamp = "", ""
	}
	return nil
}

// stamp tells which moment the time is, for the report.
func (f *file) stamp(format Format, given Stamp) string {
	s := given
	if s == StampAuto {
		switch p := format.(type) {
		case *program:
			s = p.stamp
		default:
			s = stampOf(&f.sample)
		}
	}
	if s == StampAuto {
		return "unknown"
	}
	return s.String()
}

// records reads the file and yields its records. more is false when the consumer has had enough.
func (f *file) records(ctx context.Context, o *Options, yield func(*Record, error) bool) (more bool, err error) {
	in, text, err := f.start(o)
	if err != nil {
		return false, err
	}
	stop := context.AfterFunc(ctx, in.Interrupt)
	defer stop()
	defer func() { err = errors.Join(err, in.Close()) }()
	if f.spec == "" {
		f.spec = "combined" // lines that are all empty or directives need no format of their own
	}
	format, err := NewFormat(f.spec, FormatOptions{Stamp: o.Stamp, Location: o.Location})
	if err != nil {
		return false, err
	}
	l := newLines(text, f.sample.eol)
	more, err = f.scan(ctx, l, format, o, yield)
	if err == nil && more {
		f.finish(in, l)
	}
	return more, err
}

// start opens the file anew, or takes up the input that can be read only once.
func (f *file) start(o *Options) (*source.Input, io.Reader, error) {
	f.latest, f.maxLate, f.reasons = math.MinInt64, 0, [reasons]int64{}
	f.report = FileReport{Name: f.name, Format: f.report.Format, Stamp: f.report.Stamp, Codec: f.report.Codec}
	if !f.once {
		in, err := source.Open(f.name, source.Options{Hash: !o.SkipHash})
		if err == nil {
			in.ReadAhead()
		}
		return in, in, err
	}
	in := f.input
	if in == nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, ErrConsumed)
	}
	f.input = nil
	return in, io.MultiReader(bytes.NewReader(f.sample.data), in), nil
}

// scan puts every line into its bucket.
func (f *file) scan(ctx context.Context, l *lines, format Format, o *Options, yield func(*Record, error) bool) (more bool, err error) {
	rep := &f.report
	record := Record{Pos: Pos{File: f.name}}
	for {
		if rep.Lines&1023 == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		line, long, err := l.next()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return false, fmt.Errorf("%s: after line %d: %w", f.name, rep.Lines, err)
		}
		rep.Lines++
		record.Pos.Line = rep.Lines
		verdict := Verdict{Reason: TooLong, Column: MaxLine + 1}
		switch {
		case long:
		case isDirective(line):
			if f, ok := format.(framed); ok {
				f.directive(line)
			}
			rep.Skipped++
			continue
		default:
			verdict = format.Parse(line, &record)
		}
		if verdict.Reason == Skip {
			rep.Skipped++
			continue
		}
		if verdict.Rejected() {
			f.reasons[verdict.Reason]++
			if o.Reject != nil {
				if err := o.Reject(Reject{Pos: record.Pos, Reason: verdict.Reason, Column: verdict.Column}); err != nil {
					return false, err
				}
			}
			continue
		}
		f.order(record.Start)
		if verdict.Reason == NoRequest {
			rep.NoRequest++
			continue
		}
		rep.Records++
		rep.Precision = record.Precision
		if !yield(&record, nil) {
			return false, nil
		}
	}
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

// account completes the report from the counters of the hot path.
func (f *file) account() FileReport {
	rep := f.report
	rep.Name = f.name
	rep.MaxLate = float64(f.maxLate) / 1e9
	rep.Reasons = map[string]int64{}
	for r := Skip + 1; r < reasons; r++ {
		if n := f.reasons[r]; n > 0 {
			rep.Reasons[r.String()] = n
			rep.Rejected += n
		}
	}
	return rep
}

func (f *file) close() error {
	if f.input == nil {
		return nil
	}
	in := f.input
	f.input = nil
	return in.Close()
}
