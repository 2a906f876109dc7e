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
