package trace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"reprise/anonymize/recordfile"
)

const (
	// DefaultSortMemory is the budget of a Sorter in bytes.
	DefaultSortMemory = 64 << 20
	// MinSortMemory is the least budget in bytes.
	MinSortMemory = 64 << 10
)

// SorterOptions bound a Sorter. The zero value is usable.
type SorterOptions struct {
	// Memory is the budget in bytes, half of it for records that come late, half for the compressed others;
	// 0 = DefaultSortMemory. Each worker needs about 6 MB more for what it compresses, and merging up to about half a
	// megabyte for each run, at most 15 runs for each power of 16 in the number of times the budget was filled.
	Memory int
	// Tmp is the folder for temporary files; "" = that of the system.
	Tmp string
	// Workers is the number of goroutines that compress; 0 = the caller's does it.
	Workers int
}

func (o *SorterOptions) validate() error {
	if o.Memory == 0 {
		o.Memory = DefaultSortMemory
	}
	if o.Memory < MinSortMemory {
		return fmt.Errorf("sort memory: %d bytes is below the least of %d", o.Memory, MinSortMemory)
	}
	if o.Workers < 0 {
		return fmt.Errorf("sort workers: %d is negative", o.Workers)
	}
	return nil
}

// Sorter writes a trace file of records that come nearly in the order of their Start. Those in order are packed at once
// into the frames of the file; the late ones are sorted and merged in at the end, for which all is packed again. Records
// of one Start keep the order of Add. The bytes depend on the records alone. What does not fit the budget goes to
// temporary files, which have no name as soon as they are open, so that nothing stays behind even after a crash. It is
// not safe for concurrent use.
type Sorter struct {
	options SorterOptions
	pack    *recordfile.Packer // of the records in order
	body    spool
	late    pile
	buf     Lines
	added   int64
	latest  int64
	err     error // fatal, of Add
	sealed  bool
}

// NewSorter returns an empty Sorter. Close ends its goroutines.
func NewSorter(o SorterOptions) (*Sorter, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Sorter{options: o, body: spool{limit: o.Memory / 2, tmp: o.Tmp}, late: newPile(o.Memory/2, o.Tmp)}
	var err error
	s.pack, err = recordfile.NewPacker(o.Workers, s.body.put)
	return s, err
}

// Add takes a copy of r. An error, such as that of a full disk, is final; Close then still has to be called.
func (s *Sorter) Add(r *Record) error {
	s.buf.Reset()
	s.buf.Add(r)
	return s.AddLines(&s.buf)
}

// AddLines is Add for all records of l.
func (s *Sorter) AddLines(l *Lines) error {
	switch {
	case s.err != nil:
		return s.err
	case s.sealed:
		return errors.New("sorter takes no records after Write")
	}
	for i := range l.Len() {
		start, text := l.Line(i)
		var err error
		if s.added > 0 && start < s.latest {
			err = s.late.add(start, text)
		} else {
			s.latest = start
			err = s.pack.WriteLine(text)
		}
		if err != nil {
			return s.fail(err)
		}
		s.added++
	}
	return nil
}

// Len is the number of records added.
func (s *Sorter) Len() int64 { return s.added }

// Late is the number of records that came after one with a later Start.
func (s *Sorter) Late() int64 { return s.late.added }

// fail frees everything: after an error nothing can be read any more.
func (s *Sorter) fail(err error) error {
	s.err = fmt.Errorf("sort records: %w", err)
	_ = s.release() // the first error is the one to tell
	return s.err
}

// Write writes the trace file with the header h, whose Kind and Version are set here, and the trailer t. No record can
// be added any more, and it can be called once.
func (s *Sorter) Write(ctx context.Context, w io.Writer, h recordfile.Header, t recordfile.Trailer) error {
	switch {
	case s.err != nil:
		return s.err
	case s.sealed:
		return errors.New("sorter can be written only once")
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	s.sealed = true
	h.Kind, h.Version = Kind, recordfile.Version
	if err := s.pack.Close(); err != nil {
		return s.fail(err)
	}
	if s.late.added == 0 {
		return s.pack.WriteFile(w, h, t, &s.body)
	}
	out, err := recordfile.NewConcurrentWriter(w, h, s.options.Workers)
	if err != nil {
		return err
	}
	if err := s.merge(ctx, out.WriteLine); err != nil {
		out.Abort()
		return err
	}
	return out.Close(t)
}

// merge hands over all lines in order: of one start, those that were in order came before the late ones.
func (s *Sorter) merge(ctx context.Context, put func(text []byte) error) error {
	n := 0
	checked := func(text []byte) error {
		if n%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n++
		return put(text)
	}
	body, err := newBodyCursor(s.body.reader())
	if err != nil {
		return err
	}
	defer body.dec.Close()
	err = s.late.each(func(start int64, text []byte) error {
		for !body.ended && body.start <= start {
			if err := errors.Join(checked(body.text), body.next()); err != nil {
				return err
			}
		}
		return checked(text)
	})
	for err == nil && !body.ended {
		if err = checked(body.text); err == nil {
			err = body.next()
		}
	}
	return err
}

// Close removes the temporary files, ends the goroutines and frees the memory. It can be called more than once.
func (s *Sorter) Close() error {
	if s.err == nil {
		s.err = errors.New("sorter is closed")
	}
	return s.release()
}

func (s *Sorter) release() (err error) {
	_ = s.pack.Close() // its error was that of an Add, or nobody wants the file
	err = s.body.close()
	for _, r := range s.late.runs {
		err = errors.Join(err, r.close())
	}
	s.late = pile{added: s.late.added}
	return err
}

// bodyCursor reads the packed lines again.
type bodyCursor struct {
	dec   *zstd.Decoder
	buf   *bufio.Reader
	start int64
	text  []byte
	ended bool
}

// newBodyCursor stands on the first line.
func newBodyCursor(r io.Reader) (*bodyCursor, error) {
	dec, err := zstd.NewReader(bufio.NewReaderSize(r, runBuffer), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	c := &bodyCursor{dec: dec, buf: bufio.NewReaderSize(dec, runBuffer)}
	if err := c.next(); err != nil {
		dec.Close()
		return nil, err
	}
	return c, nil
}

// next moves to the next line.
func (c *bodyCursor) next() error {
	c.text = c.text[:0]
	for {
		part, err := c.buf.ReadSlice('\n')
		c.text = append(c.text, part...)
		switch {
		case err == nil:
			c.text = c.text[:len(c.text)-1]
			c.start, err = startOf(c.text)
			return err
		case errors.Is(err, io.EOF) && len(c.text) == 0:
			c.ended = true
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return damaged(err)
		}
	}
}

// startOf reads the start of a line that Record.AppendMembers wrote: it is the first member.
func startOf(text []byte) (int64, error) {
	digits, ok := bytes.CutPrefix(text, []byte(`{"t":`))
	end := bytes.IndexAny(digits, ",}")
	if !ok || end < 0 {
		return 0, damaged(recordfile.ErrSyntax)
	}
	return recordfile.Value{Str: digits[:end]}.Int()
}
