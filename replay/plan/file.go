package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"unicode/utf8"

	"reprise/anonymize/recordfile"
)

// Writer writes a plan file.
type Writer struct {
	file *recordfile.Writer
	line []byte
	last int64
	sum  hash.Hash // over the arrival lines alone: plan_sha256
}

// NewWriter starts a plan file with header h; its Kind and Version are set here.
func NewWriter(w io.Writer, h recordfile.Header) (*Writer, error) {
	h.Kind, h.Version = Kind, recordfile.Version
	file, err := recordfile.NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	return &Writer{file: file, sum: sha256.New()}, nil
}

// Write adds one arrival. Instants must not decrease, and Check must pass. An arrival that is refused leaves the plan as it was.
func (w *Writer) Write(a *Arrival) error {
	if err := a.Check(); err != nil {
		return fmt.Errorf("arrival %d: %w", w.file.Records(), err)
	}
	if !utf8.Valid(a.Target) || !utf8.Valid(a.Header) || !utf8.Valid(a.Body) {
		return fmt.Errorf("arrival %d: %w", w.file.Records(), errText)
	}
	if a.At < w.last {
		return fmt.Errorf("arrival %d at %d us comes before the one at %d us", w.file.Records(), a.At, w.last)
	}
	w.line = append(a.AppendJSON(w.line[:0]), '\n')
	if err := w.file.WriteLine(w.line[:len(w.line)-1]); err != nil {
		return err
	}
	w.last = a.At
	w.sum.Write(w.line)
	return nil
}

// Close writes the trailer with plan_sha256, which it returns. It does not close the underlying writer.
func (w *Writer) Close(t recordfile.Trailer) (string, error) {
	t.PlanSHA256 = hex.EncodeToString(w.sum.Sum(nil))
	return t.PlanSHA256, w.file.Close(t)
}

// Reader reads a plan file.
type Reader struct {
	file *recordfile.Reader
	dec  decoder
	last int64
	sum  hash.Hash
}

// NewReader reads the header. It refuses files of another kind or major version.
func NewReader(r io.Reader) (*Reader, error) {
	file, err := recordfile.NewReader(r, Kind)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file, sum: sha256.New()}, nil
}

// Header is the file's header record.
func (r *Reader) Header() recordfile.Header { return r.file.Header() }

// Trailer is the file's trailer; it is zero until Arrivals has come to its end without an error.
func (r *Reader) Trailer() recordfile.Trailer { return r.file.Trailer() }

// Close releases the decoder; it does not close the underlying reader.
func (r *Reader) Close() error { return r.file.Close() }

// Arrivals yields the arrivals in order, each borrowed until the next. An error is fatal and last; an
// instant that decreases is one, and so are a request that cannot be sent and a plan_sha256 that the lines
// do not have. Ranging again goes on where the last range was left.
func (r *Reader) Arrivals(ctx context.Context) iter.Seq2[*Arrival, error] {
	return func(yield func(*Arrival, error) bool) {
		var a Arrival
		for n := 0; ; n++ {
			if n%1024 == 0 && ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			line, err := r.file.Next()
			if err == io.EOF {
				if got := hex.EncodeToString(r.sum.Sum(nil)); got != r.Trailer().PlanSHA256 {
					yield(nil, fmt.Errorf("plan_sha256 of the trailer is not that of the arrivals: %w", recordfile.ErrChecksum))
				}
				return
			}
			if err == nil {
				r.sum.Write(line)
				r.sum.Write(newline)
				if err = r.dec.decode(line, &a); err == nil && a.At < r.last {
					err = errors.New("the instant lies before that of the arrival before it")
				}
				if err != nil {
					err = &recordfile.LineError{Line: r.file.Line(), Err: err}
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			r.last = a.At
			if !yield(&a, nil) {
				return
			}
		}
	}
}

var newline = []byte{'\n'}
