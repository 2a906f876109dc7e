package trace

import (
	"context"
	"errors"
	"io"
	"iter"

	"reprise/anonymize/recordfile"
)

// Writer writes a trace file. Records must come in start order; Sorter brings them there.
type Writer struct {
	file *recordfile.Writer
	line []byte
}

// NewWriter starts a trace file with header h; its Kind and Version are set here.
func NewWriter(w io.Writer, h recordfile.Header) (*Writer, error) {
	h.Kind, h.Version = Kind, recordfile.Version
	file, err := recordfile.NewWriter(w, h)
	if err != nil {
		return nil, err
	}
	return &Writer{file: file}, nil
}

// Write adds one record.
func (w *Writer) Write(r *Record) error {
	w.line = r.AppendJSON(w.line[:0])
	return w.file.WriteLine(w.line)
}

// Close writes the trailer; it does not close the underlying writer.
func (w *Writer) Close(t recordfile.Trailer) error { return w.file.Close(t) }

// Reader reads a trace file.
type Reader struct {
	file *recordfile.Reader
	dec  Decoder
	rec  Record
}

// NewReader reads the header. It refuses files of another kind or major version.
func NewReader(r io.Reader) (*Reader, error) {
	file, err := recordfile.NewReader(r, Kind)
	if err != nil {
		return nil, err
	}
	return &Reader{file: file}, nil
}

// Header is the file's header record.
func (r *Reader) Header() recordfile.Header { return r.file.Header() }

// Trailer is the file's trailer; it is zero until Records has come to its end without an error.
func (r *Reader) Trailer() recordfile.Trailer { return r.file.Trailer() }

// Close releases the decoder; it does not close the underlying reader.
func (r *Reader) Close() error { return r.file.Close() }

// Records yields the records in file order, each borrowed until the next. An error is fatal and last.
func (r *Reader) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for n := 0; ; n++ {
			if n%1024 == 0 && ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			line, err := r.file.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = r.dec.Decode(line, &r.rec, nil)
				if err != nil {
					err = &recordfile.LineError{Line: r.file.Line(), Err: err}
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(&r.rec, nil) {
				return
			}
		}
	}
}
