package recordfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// FrameLines is the number of lines in a zstd frame; frames can be decoded independently.
	FrameLines = 8192
	// frameBytes closes a frame of long lines earlier, so that memory stays bounded.
	frameBytes = 4 << 20
	// MaxLine is the length limit of one line in bytes.
	MaxLine = 4 << 20
)

// Writer writes a record file. It is not safe for concurrent use.
type Writer struct {
	w       io.Writer
	enc     *zstd.Encoder
	frame   []byte // uncompressed lines of the open frame
	packed  []byte
	lines   int   // in the open frame
	records int64 // after the header
	sum     hash.Hash
	err     error
}

// NewWriter writes h and returns a Writer for the records. The caller closes w after Close.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	// One encoder thread and a fixed level: the bytes must not depend on the machine.
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(1<<20))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	fw := &Writer{w: w, enc: enc, sum: sha256.New()}
	if h.Inputs == nil {
		h.Inputs = []Input{}
	}
	line, err := marshal(h)
	if err != nil {
		return nil, err
	}
	return fw, fw.put(line)
}

// WriteLine adds one record. The line is a JSON object without a newline; it is copied.
func (w *Writer) WriteLine(line []byte) error {
	if bytes.HasPrefix(line, trailerPrefix) || bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("record line looks like a trailer or holds a newline")
	}
	if err := w.put(line); err != nil {
		return err
	}
	w.records++
	return nil
}

// Records is the number of records written so far.
func (w *Writer) Records() int64 { return w.records }

// Close writes the trailer and the last frame. Records and SHA256 of t are filled in here.
// It does not close the underlying writer.
func (w *Writer) Close(t Trailer) error {
	if w.err != nil {
		return w.err
	}
	t.Records = w.records
	w.sum.Write(w.frame)
	t.SHA256 = hex.EncodeToString(w.sum.Sum(nil))
	line, err := marshal(t)
	if err != nil {
		return err
	}
	w.frame = append(append(w.frame, line...), '\n')
	w.emit()
	if w.err == nil {
		w.err = errors.New("record file is closed")
		return w.enc.Close()
	}
	return w.err
}

func (w *Writer) put(line []byte) error {
	switch {
	case w.err != nil:
		return w.err
	case len(line) > MaxLine:
		return fmt.Errorf("record of %d bytes is over the limit of %d", len(line), MaxLine)
	}
	w.frame = append(append(w.frame, line...), '\n')
	w.lines++
	if w.lines >= FrameLines || len(w.frame) >= frameBytes {
		w.sum.Write(w.frame)
		w.emit()
	}
	return w.err
}

// emit compresses the open frame and writes it; the checksum was fed by the caller.
func (w *Writer) emit() {
	w.packed = w.enc.EncodeAll(w.frame, w.packed[:0])
	w.frame, w.lines = w.frame[:0], 0
	_, w.err = w.w.Write(w.packed)
}

// marshal is json.Marshal without the HTML escapes, which would make the files harder to read.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode record file line: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
