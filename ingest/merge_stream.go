package ingest

import "context"

const (
	batchRecords = 256      // of one hand-over: large enough that it costs nothing beside parsing them
	batchBytes   = 64 << 10 // of their lines; a longer line has a batch of its own
	batchRejects = 1024
	batchesAhead = 3 // handed over and not taken yet
)

// batch is a hand-over from a file's goroutine to the merge.
type batch struct {
	records []Record
	text    []byte // that the records point into
	rejects []Reject
	last    bool // no more come
	err     error

	left int // records that the merge has not given away yet
}

// stream is the sink of a file that is read in a goroutine of its own.
type stream struct {
	ctx   context.Context
	full  chan *batch
	free  chan *batch
	now   *batch // that is being filled
	line  int    // bytes of the line that room was asked for last
	order order
}

var _ sink = &stream{}

func newStream(ctx context.Context, window int64) *stream {
	s := &stream{ctx: ctx, full: make(chan *batch, batchesAhead), free: make(chan *batch, batchesLive+batchesAhead+2)}
	s.order = newOrder(window, s.free)
	s.now = s.fresh()
	return s
}

// room implements sink.
func (s *stream) room(n int) (*Record, []byte) {
	b := s.now
	if at := len(b.records); at == batchRecords || at > 0 && len(b.text)+n > batchBytes {
		s.send()
		b = s.now
	}
	if cap(b.text)-len(b.text) < n { // the batch holds nothing yet
		b.text = make([]byte, 0, n)
	}
	s.line = n
	from, at := len(b.text), len(b.records)
	return &b.records[:at+1][at], b.text[from : from+n : from+n]
}

// keep implements sink.
func (s *stream) keep() error {
	b := s.now
	b.records, b.text = b.records[:len(b.records)+1], b.text[:len(b.text)+s.line]
	return nil
}

// refuse implements sink.
func (s *stream) refuse(r Reject) error {
	s.now.rejects = append(s.now.rejects, r)
	if len(s.now.rejects) < batchRejects {
		return nil
	}
	return s.send()
}

// send hands the batch over and begins another.
func (s *stream) send() error {
	select {
	case s.full <- s.now:
		s.now = s.fresh()
		return nil
	case <-s.ctx.Done(): // what goes into the batch from now on is never seen
		s.now.reset()
		return s.ctx.Err()
	}
}

// close hands over what is left and the outcome of the reading.
func (s *stream) close(err error) {
	s.now.last, s.now.err = true, err
	_ = s.send() // if it fails, nobody waits for it
}

// fresh returns an empty batch.
func (s *stream) fresh() *batch {
	select {
	case b := <-s.free:
		b.reset()
		return b
	default:
		return &batch{records: make([]Record, 0, batchRecords), text: make([]byte, 0, batchBytes)}
	}
}

func (b *batch) reset() {
	b.records, b.text, b.rejects = b.records[:0], b.text[:0], b.rejects[:0]
	if cap(b.text) > batchBytes {
		b.text = make([]byte, 0, batchBytes)
	}
}
