package recordfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
)

const (
	// FrameLines is the number of lines in a zstd frame; frames can be decoded independently.
	FrameLines = 8192
	// frameBytes closes a frame of long lines earlier, so that memory stays bounded.
	frameBytes = 4 << 20
	// MaxLine is the length limit of one line in bytes.
	MaxLine = 4 << 20
	// window is that of the writer's zstd frames in bytes.
	window = 1 << 20
)

// Packer packs record lines into the frames of a record file whose header is not known yet. Frames are compressed by
// goroutines and leave in order; their bytes do not depend on how many there are. It is not safe for concurrent use.
type Packer struct {
	put     func(packed []byte) error
	sum     hash.Hash
	open    *frame
	records int64
	closed  bool
	inline  *zstd.Encoder // of a Packer without goroutines

	free, todo, order chan *frame
	wait              sync.WaitGroup
	failure           atomic.Pointer[error] // of put
}

// frame is a frame on its way. Frames are reused.
type frame struct {
	text   []byte // lines
	packed []byte
	lines  int
	done   chan struct{} // it is compressed
}

// NewPacker returns a Packer with so many goroutines that compress; with 0, WriteLine does so itself. put gets the
// frames, each borrowed, in order and one at a time, from a goroutine of the Packer if it has any. Close ends them.
func NewPacker(workers int, put func(packed []byte) error) (*Packer, error) {
	p := &Packer{put: put, sum: sha256.New(), open: &frame{}}
	if workers == 0 {
		var err error
		p.inline, err = newEncoder()
		return p, err
	}
	encoders := make([]*zstd.Encoder, workers)
	for i := range encoders {
		var err error
		if encoders[i], err = newEncoder(); err != nil {
			return nil, err
		}
	}
	frames := workers + 2 // one that is filled, one that is hashed and put
	p.free, p.todo, p.order = make(chan *frame, frames), make(chan *frame, frames), make(chan *frame, frames)
	for range frames - 1 {
		p.free <- &frame{done: make(chan struct{}, 1)}
	}
	p.open.done = make(chan struct{}, 1)
	for _, enc := range encoders {
		p.wait.Go(func() {
			for f := range p.todo {
				f.packed = enc.EncodeAll(f.text, f.packed[:0])
				f.done <- struct{}{}
			}
		})
	}
	p.wait.Go(p.collect)
	return p, nil
}

// newEncoder has one thread and a fixed level: the bytes must not depend on the machine. The next level makes files one or
// two per cent smaller for a fifth more time.
func newEncoder() (*zstd.Encoder, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return enc, nil
}

// collect hashes and puts the frames in order, while others are compressed.
func (p *Packer) collect() {
	for f := range p.order {
		p.sum.Write(f.text)
		<-f.done
		if p.failure.Load() == nil {
			if err := p.put(f.packed); err != nil {
				p.failure.Store(&err)
			}
		}
		p.free <- f
	}
}

// WriteLine adds one record. The line is a JSON object without a newline; it is copied. An error of put comes with
// one of the next frames, and is final.
func (p *Packer) WriteLine(line []byte) error {
	switch {
	case p.closed:
		return errClosed
	case len(line) > MaxLine:
		return fmt.Errorf("record of %d bytes is over the limit of %d", len(line), MaxLine)
	case bytes.HasPrefix(line, trailerPrefix) || bytes.IndexByte(line, '\n') >= 0:
		return errors.New("record line looks like a trailer or holds a newline")
	}
	if err := p.failed(); err != nil {
		return err
	}
	f := p.open
	f.text = append(append(f.text, line...), '\n')
	f.lines++
	p.records++
	if f.lines >= FrameLines || len(f.text) >= frameBytes {
		p.hand()
		return p.failed()
	}
	return nil
}

var errClosed = errors.New("record file is closed")

func (p *Packer) failed() error {
	if err := p.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// hand gives the open frame away and opens another.
func (p *Packer) hand() {
	f := p.open
	if p.inline != nil {
		p.sum.Write(f.text)
		f.packed = p.inline.EncodeAll(f.text, f.packed[:0])
		if err := p.put(f.packed); err != nil {
			p.failure.Store(&err)
		}
	} else {
		p.todo <- f
		p.order <- f
		f = <-p.free
		p.open = f
	}
	f.text, f.lines = f.text[:0], 0
}

// Records is the number of lines added so far.
func (p *Packer) Records() int64 { return p.records }

// Close packs the last frame and ends the goroutines. It can be called more than once.
func (p *Packer) Close() error {
	if p.closed {
		return p.failed()
	}
	p.closed = true
	if p.open.lines > 0 && p.failed() == nil {
		p.hand()
	}
	if p.inline == nil {
		close(p.todo)
		close(p.order)
		p.wait.Wait()
	}
	p.open = nil
	return p.failed()
}

// WriteFile writes the whole file of the packed lines after Close: h, the frames that put got and body gives back, and
// t with Records and SHA256 filled in.
func (p *Packer) WriteFile(w io.Writer, h Header, t Trailer, body io.WriterTo) error {
	if !p.closed {
		return errors.New("packer is still open")
	}
	if err := p.failed(); err != nil {
		return err
	}
	enc, err := newEncoder()
	if err != nil {
		return err
	}
	header, err := writeHeader(w, enc, h)
	if err != nil {
		return err
	}
	if _, err := body.WriteTo(w); err != nil {
		return err
	}
	return p.writeTrailer(w, enc, t, header)
}

// writeHeader writes the frame of h and returns its line.
func writeHeader(w io.Writer, enc *zstd.Encoder, h Header) ([]byte, error) {
	if h.Inputs == nil {
		h.Inputs = []Input{}
	}
	line, err := marshal(h)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(enc.EncodeAll(line, nil))
	return line, err
}

// writeTrailer writes the frame of t after the lines, whose digest ends with the header's line.
func (p *Packer) writeTrailer(w io.Writer, enc *zstd.Encoder, t Trailer, header []byte) error {
	p.sum.Write(header)
	t.Records, t.SHA256 = p.records, hex.EncodeToString(p.sum.Sum(nil))
	line, err := marshal(t)
	if err != nil {
		return err
	}
	_, err = w.Write(enc.EncodeAll(line, nil))
	return err
}
