package ingest

import (
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Options says how logs are read. The zero value detects each file's format, drops rejects after counting
// them and hashes the inputs.
type Options struct {
	// Format is a spec for NewFormat, for all files; "" = detect each file's.
	Format string
	// Reject is told every rejected line, in order. Its error stops the read and is passed on.
	Reject func(Reject) error
	// Stamp overrides which moment of a request the time stamp is.
	Stamp Stamp
	// Location is the zone of times that name none; nil = UTC.
	Location *time.Location
	// Window is how far from its place in time a record may stand in its file for Records to put it there;
	// 0 = DefaultWindow.
	Window time.Duration
	// SkipHash leaves FileReport.SHA256 empty, which saves about a third of the time on plain text.
	SkipHash bool
	// Head is told the beginning of every input before its format is looked for: decompressed, its first line
	// whole unless that is over MaxLine. Its error is that of Open. It is called by several goroutines, and head is
	// borrowed. nil = not called.
	Head func(name string, head []byte) error
	// Stdin is what the name "-" means; nil = os.Stdin.
	Stdin io.Reader
}

// DefaultWindow is more than nearly all requests take, and so more than lines that stand in the order of the
// end are from the order of the start.
const DefaultWindow = time.Minute

var (
	// ErrEmpty is the error of Open when no input holds a line that could be a request.
	ErrEmpty = errors.New("no log lines in the input")
	// ErrConsumed is the error of a second Records over an input that can be read only once.
	ErrConsumed = errors.New("the input can be read only once")
)

// Reader yields the records of one or more files. It is not safe for concurrent use.
type Reader struct {
	options Options
	files   []*file
	merged  Merged
}

// Open looks at the beginning of every named input, in which it must find the format unless Options.Format
// gives it, and orders the inputs by their first time stamp. Names are paths, or "-" for the standard input.
// Of several inputs, one that cannot be opened is left to the Report; when none can, that is an error.
// Errors: those of source.Open, *UnknownFormatError, *FormatError, ErrEmpty.
func Open(ctx context.Context, names []string, o Options) (*Reader, error) {
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	r := &Reader{options: o}
	if err := r.openFiles(ctx, names); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	var broken []error
	empty := true
	for _, f := range r.files {
		if f.broken != nil {
			broken = append(broken, f.broken)
		}
		empty = empty && len(f.specs) == 0
	}
	if empty {
		if len(broken) == 0 {
			broken = append(broken, ErrEmpty)
		}
		return nil, errors.Join(errors.Join(broken...), r.Close())
	}
	slices.SortStableFunc(r.files, func(a, b *file) int {
		switch {
		case (a.broken == nil) == (b.broken == nil):
			return cmp.Compare(a.first, b.first)
		case a.broken == nil:
			return -1
		}
		return 1
	})
	r.files[0].head = nil // there is no file before it
	for i, f := range r.files[1:] {
		r.files[i].next = f
	}
	return r, nil
}

// openFiles opens some inputs at the same time, and keeps their order. The error is that of the first.
func (r *Reader) openFiles(ctx context.Context, names []string) error {
	files, errs := make([]*file, len(names)), make([]error, len(names))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var failed atomic.Bool
	var group sync.WaitGroup
	for i, name := range names {
		slots <- struct{}{}
		if failed.Load() {
			break
		}
		group.Go(func() {
			defer func() { <-slots }()
			if files[i], errs[i] = openFile(ctx, name, &r.options); errs[i] != nil {
				failed.Store(true)
			}
		})
	}
	group.Wait()
	for _, f := range files {
		if f != nil {
			r.files = append(r.files, f)
		}
	}
	return cmp.Or(errs...)
}

// Report returns the account of what was read so far by the last Records or Each.
func (r *Reader) Report() Report {
	report := Report{Merged: r.merged}
	for _, f := range r.files {
		report.Files = append(report.Files, f.report())
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
