package recordfile

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// trailerPrefix starts the trailer and no record: records never have "records" as their first key.
var trailerPrefix = []byte(`{"records":`)

// Reader reads a record file line by line. It is not safe for concurrent use.
type Reader struct {
	dec     *zstd.Decoder
	buf     *bufio.Reader
	long    []byte // a line longer than buf
	header  Header
	first   []byte // the header's line, with which the checksum ends
	trailer Trailer
	sum     hash.Hash
	line    int64
	records int64
	err     error // of an earlier Next, io.EOF included
}

// NewReader reads the header of a file and refuses any kind but the given ones; with none, it reads all.
// Close releases the decoder; it does not close r.
func NewReader(r io.Reader, kinds ...string) (*Reader, error) {
	dec, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(8<<20), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	fr := &Reader{dec: dec, buf: bufio.NewReaderSize(dec, 64<<10), sum: sha256.New()}
	if err := fr.readHeader(kinds); err != nil {
		dec.Close()
		return nil, err
	}
	return fr, nil
}

func (r *Reader) readHeader(kinds []string) error {
	line, err := r.readLine()
	if err != nil {
		if errors.Is(err, zstd.ErrMagicMismatch) {
			return &LineError{1, fmt.Errorf("%w: no zstd frame at its start", ErrForeign)}
		}
		return err
	}
	r.first = append(bytes.Clone(line), '\n')
	if err := json.Unmarshal(line, &r.header); err != nil || r.header.Kind == "" {
		return &LineError{1, fmt.Errorf("%w: no header record", ErrForeign)}
	}
	kind, version := r.header.Kind, r.header.Version
	switch {
	case len(kinds) > 0 && !slices.Contains(kinds, kind):
		return &KindError{Want: kinds[0], Got: kind, Version: version}
	case version != Version:
		return &KindError{Want: kind, Got: kind, Version: version}
	}
	return nil
}

// Header is the file's first record.
func (r *Reader) Header() Header { return r.header }

// Trailer is the file's last record; it is zero until Next has returned io.EOF.
func (r *Reader) Trailer() Trailer { return r.trailer }

// Line is the number of the line that Next returned last; the header is line 1.
func (r *Reader) Line() int64 { return r.line }

// Next returns the next record line without its newline, borrowed until the next call. It returns io.EOF
// after the trailer was read and verified, ErrTruncated when there is none, and ErrChecksum when the
// lines differ from those written. An error is final.
func (r *Reader) Next() ([]byte, error) {
	if r.err != nil {
		return nil, r.err
	}
	line, err := r.readLine()
	switch {
	case err != nil:
		r.err = err
	case bytes.HasPrefix(line, trailerPrefix):
		r.err = r.finish(line)
	default:
		r.records++
		return line, nil
	}
	return nil, r.err
}

// finish checks the trailer and that nothing follows it.
func (r *Reader) finish(line []byte) error {
	var t Trailer
	if err := json.Unmarshal(line, &t); err != nil {
		return &LineError{r.line, errors.New("the trailer is no JSON object of the known form")}
	}
	r.sum.Write(r.first)
	if t.Records != r.records || t.SHA256 != hex.EncodeToString(r.sum.Sum(nil)) {
		return &LineError{r.line, ErrChecksum}
	}
	switch _, err := r.buf.ReadByte(); {
	case err == nil, errors.Is(err, zstd.ErrMagicMismatch):
		return &LineError{r.line + 1, errors.New("data after the trailer: two files were joined; use one at a time")}
	case !errors.Is(err, io.EOF):
		return &LineError{r.line + 1, fmt.Errorf("after the trailer: %w", err)}
	}
	r.trailer = t
	return io.EOF
}

// readLine returns the next line and feeds the checksum with records.
func (r *Reader) readLine() ([]byte, error) {
	r.line++
	line, err := r.buf.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = r.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			r.long = append(r.long, line...)
			if len(r.long) > MaxLine+1 {
				return nil, &LineError{r.line, fmt.Errorf("line is over the limit of %d bytes", MaxLine)}
			}
			line, err = r.buf.ReadSlice('\n')
		}
		r.long = append(r.long, line...)
		line = r.long
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, &LineError{r.line, ErrTruncated}
	default:
		return nil, &LineError{r.line, err}
	}
	if r.line > 1 && !bytes.HasPrefix(line, trailerPrefix) {
		r.sum.Write(line)
	}
	return line[:len(line)-1], nil
}

// Close releases the decoder.
func (r *Reader) Close() error {
	r.dec.Close()
	return nil
}
