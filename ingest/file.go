package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"reprise/ingest/source"
)

// file is one input and its account.
type file struct {
	name   string
	specs  []string // of the formats that its sample has, the most frequent first
	given  bool     // by the user, not detected
	sample sample
	size   int64         // in bytes when the sample was read
	first  int64         // start of the first line that has one, math.MaxInt64 when none has
	input  *source.Input // an input that can be read only once stays open from Open to the reading
	once   bool
	// broken is why the input cannot be read at all; it is nil for one that can.
	broken error
	// head is the file's first line where that fits no format, so it may be the second half of the last line
	// of the file before, which next points away from.
	head        []byte
	headVerdict Verdict
	next        *file

	mu      sync.Mutex // guards what follows, between a reading and Report
	account account
	joined  bool // head was joined to the line before it
}

// openFile reads the sample and settles the format.
func openFile(ctx context.Context, name string, o *Options) (*file, error) {
	f := &file{name: name, first: math.MaxInt64}
	f.account.FileReport = FileReport{Name: name}
	in, err := openInput(ctx, name, source.Options{Hash: !o.SkipHash, Stdin: o.Stdin})
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		f.fail(err)
		return f, nil
	}
	f.once, f.size = in.Once(), in.Size()
	if f.once {
		in.ReadAhead()
	}
	stop := context.AfterFunc(ctx, in.Interrupt)
	f.sample, err = readSample(in)
	if stop(); ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), in.Close())
	}
	if err != nil {
		f.fail(errors.Join(err, in.Close()))
		return f, nil
	}
	if warnings := in.Warnings(); len(f.sample.data) == 0 && len(warnings) > 0 {
		f.fail(errors.Join(fmt.Errorf("%s: %s", name, warnings[0]), in.Close()))
		return f, nil
	}
	if o.Head != nil {
		err = o.Head(name, f.sample.data)
	}
	if err == nil {
		err = f.settle(o)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	f.account.Codec = string(in.Codec())
	if f.once {
		f.input = in
		return f, nil
	}
	f.sample.data = nil
	return f, in.Close()
}

// openInput opens an input. One that waits for its first bytes, such as a FIFO without a writer, is given up when ctx
// ends: nothing interrupts such a wait, so it ends by itself, when a byte comes or the process goes.
func openInput(ctx context.Context, name string, o source.Options) (*source.Input, error) {
	type opened struct {
		in  *source.Input
		err error
	}
	result := make(chan opened, 1)
	go func() {
		in, err := source.Open(name, o)
		result <- opened{in, err}
	}()
	select {
	case got := <-result:
		return got.in, got.err
	case <-ctx.Done():
		go func() {
			if got := <-result; got.err == nil {
				_ = got.in.Close() // nobody waits for it
			}
		}()
		return nil, ctx.Err()
	}
}

// fail notes that the input cannot be read.
func (f *file) fail(err error) { f.broken, f.account.Failure = err, err.Error() }

// settle chooses the format and finds the first time stamp.
func (f *file) settle(o *Options) error {
	options := FormatOptions{Stamp: o.Stamp, Location: o.Location}
	lines := f.sample.cut()
	chosen := choice{specs: []string{o.Format}}
	if f.given = o.Format != ""; !f.given {
		var err error
		if chosen, err = detect(f.name, lines, options); err != nil {
			return err
		}
		if len(chosen.specs) == 0 && !f.sample.all {
			return &UnknownFormatError{File: f.name, Line: 1, Column: 1, Reason: BadColumns, Excerpt: "<no lines>"}
		}
	}
	if len(chosen.specs) == 0 {
		return nil
	}
	format, err := NewFormat(chosen.specs[0], options)
	if err != nil {
		return err
	}
	empty := f.sample.all
	for i := range lines {
		empty = empty && lines[i].directive
	}
	if empty {
		return nil // whatever the user says, nothing has a format
	}
	f.specs = chosen.specs
	rep := &f.account.FileReport
	rep.Format, rep.Title, rep.Sampled, rep.Fitted = format.Name(), titleOf(f.specs), chosen.sampled, chosen.fitted
	if !f.given && chosen.sampled == 0 {
		rep.Title = "no access lines at its beginning, only the server's own messages"
	}
	if !f.given {
		rep.Suggestion = (&detector{options: options}).unread(f.specs[0], format, lines)
	}
	var moment Stamp
	if moment, rep.Why = momentOf(f.specs[0], format, o.Stamp, lines); moment == StampAuto {
		rep.Stamp = "unknown"
	} else {
		rep.Stamp = moment.String()
	}
	return f.begin(lines, options)
}

// begin looks for the first time stamp, and at a first line that may be half of one.
func (f *file) begin(lines []sampleLine, o FormatOptions) error {
	formats, err := newFormats(f.specs, o)
	if err != nil {
		return err
	}
	var buf []byte
	var r Record
	for _, line := range lines {
		buf = append(buf[:0], line.text...)
		if line.directive {
			formats.directive(buf)
			continue
		}
		v := formats.parse(buf, line.text, &r)
		if v.Reason == Accepted || v.Reason == NoRequest {
			f.first = r.Start
			return nil
		}
		if line.number == 1 && v.Rejected() && len(line.text) <= maxHead {
			d := detector{options: o}
			whole := false
			if !f.given {
				_, whole = d.find(Names(), lines[:1], false)
			}
			if !whole {
				f.head, f.headVerdict = bytes.Clone(line.text), v
			}
		}
	}
	return nil
}

// maxHead is the longest first line in bytes that is remembered as half of one.
const maxHead = 64 << 10

// titleOf names formats as people call them.
func titleOf(specs []string) string {
	var titles []string
	for _, spec := range specs {
		title := "a format of your own"
		if k := knownOf(spec); k != nil {
			title = k.title
			if wrapper, ok := strings.CutSuffix(spec, "+"+k.name); ok {
				title += " in frames of " + wrapper
			}
		}
		titles = append(titles, title)
	}
	return strings.Join(titles, ", then ")
}

// open opens the file anew, or takes up the input that can be read only once. ahead asks for decompression in
// a goroutine of its own.
func (f *file) open(o *Options, ahead bool) (*source.Input, *lines, error) {
	if !f.once {
		in, err := source.Open(f.name, source.Options{Hash: !o.SkipHash})
		if err != nil {
			return nil, nil, err
		}
		if ahead {
			in.ReadAhead()
		}
		return in, f.sample.cutter(in), nil
	}
	in := f.input
	if in == nil {
		return nil, nil, fmt.Errorf("%s: %w", f.name, ErrConsumed)
	}
	f.input = nil
	l := f.sample.cutter(f.sample.again(in))
	l.base, l.zeros = f.sample.zeros, f.sample.zeros
	return in, l, nil
}

func (f *file) close() error {
	if f.input == nil {
		return nil
	}
	in := f.input
	f.input = nil
	return in.Close()
}
