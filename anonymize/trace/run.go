package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

const (
	runWindow = 128 << 10 // of zstd, in bytes: as many decoders as runs are open at once
	runBuffer = 32 << 10
)

// run is a sorted run of encoded records in a temporary file: zstd over (start, length, line) with start
// as 8 bytes big endian and length as a varint.
type run struct {
	file  *os.File
	name  string // where the file could not be unlinked while open
	level int    // 0 = from memory, n = merged from runs of level n-1
}

// newRun makes the file and takes its name away.
func newRun(dir string, level int) (*run, error) {
	f, err := os.CreateTemp(dir, "reprise-sort-*")
	if err != nil {
		return nil, err
	}
	r := &run{file: f, level: level}
	if os.Remove(f.Name()) != nil {
		r.name = f.Name()
	}
	return r, nil
}

func (r *run) close() error {
	err := r.file.Close()
	if r.name != "" {
		err = errors.Join(err, os.Remove(r.name))
	}
	return err
}

// runWriter writes a run.
type runWriter struct {
	run *run
	buf *bufio.Writer
	enc *zstd.Encoder
	num []byte
}

func newRunWriter(dir string, level int) (*runWriter, error) {
	r, err := newRun(dir, level)
	if err != nil {
		return nil, err
	}
	buf := bufio.NewWriterSize(r.file, runBuffer)
	enc, err := zstd.NewWriter(buf, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(runWindow), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return &runWriter{run: r, buf: buf, enc: enc}, nil
}

func (w *runWriter) put(start int64, text []byte) error {
	w.num = binary.BigEndian.AppendUint64(w.num[:0], uint64(start))
	w.num = binary.AppendUvarint(w.num, uint64(len(text)))
	if _, err := w.enc.Write(w.num); err != nil {
		return err
	}
	_, err := w.enc.Write(text)
	return err
}

func (w *runWriter) finish() error {
	if err := w.enc.Close(); err != nil {
		return err
	}
	return w.buf.Flush()
}

// cursor reads a run.
type cursor struct {
	dec   *zstd.Decoder
	buf   *bufio.Reader
	order int // of the run
	start int64
	text  []byte
	num   [8]byte
}

func newCursor(r *run, order int) (*cursor, error) {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(bufio.NewReaderSize(r.file, runBuffer), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, err
	}
	return &cursor{dec: dec, buf: bufio.NewReaderSize(dec, runBuffer), order: order}, nil
}

// next moves to the next line; io.EOF is the end of the run.
func (c *cursor) next() error {
	if _, err := io.ReadFull(c.buf, c.num[:]); err != nil {
		return err
	}
	c.start = int64(binary.BigEndian.Uint64(c.num[:]))
	n, err := binary.ReadUvarint(c.buf)
	if err != nil {
		return damaged(err)
	}
	if uint64(cap(c.text)) < n {
		c.text = make([]byte, n)
	}
	c.text = c.text[:n]
	if _, err := io.ReadFull(c.buf, c.text); err != nil {
		return damaged(err)
	}
	return nil
}

// damaged is the error of a run that ends inside a line; it is never io.EOF, which is the end of a whole run.
func damaged(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("temporary file is damaged: %w", err)
}

// before is the order of the merge: start, then the order in which records were added.
func (c *cursor) before(o *cursor) bool {
	return c.start < o.start || c.start == o.start && c.order < o.order
}

// mergeRuns writes the merger of runs as a run of the next level.
func mergeRuns(dir string, runs []*run) (*run, error) {
	w, err := newRunWriter(dir, runs[0].level+1)
	if err != nil {
		return nil, err
	}
	err = mergeTo(runs, w.put)
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		return nil, errors.Join(err, w.run.close())
	}
	return w.run, nil
}

// mergeTo hands over the lines of all runs in order, from a heap of cursors.
func mergeTo(runs []*run, put func(start int64, text []byte) error) error {
	var heap []*cursor
	defer func() {
		for _, c := range heap {
			c.dec.Close()
		}
	}()
	for i, r := range runs {
		c, err := newCursor(r, i)
		if err != nil {
			return err
		}
		heap = append(heap, c)
		if err := c.next(); err != nil { // a run is never empty
			return err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
	for len(heap) > 0 {
		c := heap[0]
		if err := put(c.start, c.text); err != nil {
			return err
		}
		switch err := c.next(); {
		case err == nil:
		case errors.Is(err, io.EOF):
			c.dec.Close()
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		default:
			return err
		}
		sink(heap, 0)
	}
	return nil
}

// sink restores the heap below i.
func sink(heap []*cursor, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if heap[child].before(heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
