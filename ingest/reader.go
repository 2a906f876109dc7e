package ingest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"slices"
	"time"
)

// Options says how logs are read. The zero value detects each file's format, drops rejects after counting
// them and hashes the inputs.
type Options struct {
	// Format is a known name (see Names), an nginx log_format or an Apache LogFormat; "" = detect.
	Format string
	// Reject is told every rejected line, in order. Its error stops the read and is passed on.
	Reject func(Reject) error
	// Stamp overrides which moment of a request the time stamp is.
	Stamp Stamp
	// Location is the zone of times that name none; nil = UTC.
	Location *time.Location
	// SkipHash leaves FileReport.SHA256 empty, which saves about a third of the time on plain text.
	SkipHash bool
	// Stdin is what the name "-" means; nil = os.Stdin.
	Stdin io.Reader
}

var (
	// ErrEmpty is the error of Open when no input holds a line that could be a request.
	ErrEmpty = errors.New("no log lines in the input")
	// ErrConsumed is the error of a second Records over an input that can be read only once.
	ErrConsumed = errors.New("the input can be read only once")

	errEnough = errors.New("the consumer has had enough")
)

// Reader yields the records of one or more files. It is not safe for concurrent use.
type Reader struct {
	options Options
	files   []*file
}

// Open looks at the beginning of every named input, in which it must find the format unless Options.Format
// gives it, and orders the inputs by their first time stamp. Names are paths, or "-" for the standard input.
// Errors: those of source.Open, *UnknownFormatError, *FormatError, ErrEmpty.
func Open(ctx context.Context, names []string, o Options) (*Reader, error) {
	r := &Reader{options: o}
	empty := true
	for _, name := range names {
		f, err := openFile(ctx, name, &r.options)
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.files = append(r.files, f)
		empty = empty && f.report.Format == ""
	}
	if empty {
		return nil, errors.Join(ErrEmpty, r.Close())
	}
	slices.SortStableFunc(r.files, func(a, b *file) int { return cmp.Compare(a.first, b.first) })
	return r, nil
}

// Records yields the records file by file, in the order of their lines, so not strictly in the order of
// time. The record is borrowed until the next iteration. An error is fatal and last; its record is nil.
// Records may be called again, which starts over, unless an input can be read only once.
func (r *Reader) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		one := &single{reject: r.options.Reject, visit: func(record *Record) error {
			if !yield(record, nil) {
				return errEnough
			}
			return nil
		}}
		for _, f := range r.files {
			err := f.read(ctx, &r.options, one)
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// Report returns the account of what was read so far by the last Records or Each.
func (r *Reader) Report() Report {
	var report Report
	for _, f := range r.files {
		report.Files = append(report.Files, f.account())
	}
	return report
}

// Close closes the inputs that Records did not reach. It need not be called after a whole read.
func (r *Reader) Close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.close())
	}
	return errors.Join(errs...)
}
