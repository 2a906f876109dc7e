package recordfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a record file whose header is known from the start. It is not safe for concurrent use.
type Writer struct {
	w      io.Writer
	pack   *Packer
	enc    *zstd.Encoder
	header []byte
}

// NewWriter writes h and returns a Writer for the records. The caller closes w after Close.
func NewWriter(w io.Writer, h Header) (*Writer, error) { return NewConcurrentWriter(w, h, 0) }

// NewConcurrentWriter is NewWriter with so many goroutines that compress, which Close or Abort ends. Between the two calls
// w is written to by a goroutine of the Writer. The bytes do not depend on workers.
func NewConcurrentWriter(w io.Writer, h Header, workers int) (*Writer, error) {
	enc, err := newEncoder()
	if err != nil {
		return nil, err
	}
	header, err := writeHeader(w, enc, h)
	if err != nil {
		return nil, err
	}
	pack, err := NewPacker(workers, func(packed []byte) error {
		_, err := w.Write(packed)
		return err
	})
	return &Writer{w: w, pack: pack, enc: enc, header: header}, err
}

// Abort ends the goroutines of a Writer that is not closed, and leaves the file without a trailer.
func (w *Writer) Abort() { _ = w.pack.Close() } // nobody wants the file

// WriteLine adds one record. The line is a JSON object without a newline; it is copied.
func (w *Writer) WriteLine(line []byte) error { return w.pack.WriteLine(line) }

// Records is the number of records written so far.
func (w *Writer) Records() int64 { return w.pack.Records() }

// Close writes the last frame and the trailer. Records and SHA256 of t are filled in here.
// It does not close the underlying writer.
func (w *Writer) Close(t Trailer) error {
	if w.pack.closed {
		return errClosed
	}
	if err := w.pack.Close(); err != nil {
		return err
	}
	return w.pack.writeTrailer(w.w, w.enc, t, w.header)
}

// marshal is the line of v with its newline: json.Marshal without the HTML escapes, which would make the files harder
// to read.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode record file line: %w", err)
	}
	return b.Bytes(), nil
}
