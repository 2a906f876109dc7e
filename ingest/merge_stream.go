package ingest

import (
	"context"
	"errors"
	"iter"
)

const (
	batchRecords = 256      // of one hand-over
	batchBytes   = 64 << 10 // of their lines; a longer line has a batch of its own
	batchRejects = 1024
)

// batch is a hand-over from the reading of a file to the merge.
type batch struct {
	records []Record
	text    []byte // that the records point into
	rejects []Reject
	last    bool // no more come
	err     error

	left int // records that the merge has not given away yet
}

// errEnough ends a reading whose consumer has had enough.
var errEnough = errors.New("the consumer has had enough")

// stream is a file whose lines are read when the merge wants its next batch. It is a coroutine and no goroutine at
// work beside the merge: handing records from one processor to another costs more than parsing them, and what
// the consumer does with them is the work worth sharing out. Decompression does run beside it.
type stream struct {
	next  func() (*batch, bool)
	stop  func() // ends the reading
	yield func(*batch) bool
	free  []*batch
	now   *batch // that is being filled
	line  int    // bytes of the line that room was asked for last
	order order
}

var _ sink = &stream{}

// newStream begins to read a file. ahead and lone are those of read.
func newStream(ctx context.Context, f *file, o *Options, ahead, lone bool) *stream {
	s := &stream{}
	s.order = newOrder(int64(o.Window), &s.free)
	s.next, s.stop = iter.Pull(func(yield func(*batch) bool) {
		s.yield = yield
		s.now = s.fresh()
		err := f.read(ctx, o, s, ahead, lone)
		s.now.last, s.now.err = true, err
		yield(s.now)
	})
	return s
}

// room implements sink.
func (s *stream) room(n int) (*Record, []byte, error) {
	if at := len(s.now.records); at == batchRecords || at > 0 && len(s.now.text)+n > batchBytes {
		if err := s.send(); err != nil {
			return nil, nil, err
		}
	}
	b := s.now
	if cap(b.text)-len(b.text) < n { // the batch holds nothing yet
		b.text = make([]byte, 0, n)
	}
	s.line = n
	from, at := len(b.text), len(b.records)
	return &b.records[:at+1][at], b.text[from : from+n : from+n], nil
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
	if !s.yield(s.now) {
		return errEnough
	}
	s.now = s.fresh()
	return nil
}

// fresh returns an empty batch.
func (s *stream) fresh() *batch {
	n := len(s.free)
	if n == 0 {
		return &batch{records: make([]Record, 0, batchRecords), text: make([]byte, 0, batchBytes)}
	}
	b := s.free[n-1]
	s.free = s.free[:n-1]
	b.reset()
	return b
}

func (b *batch) reset() {
	b.records, b.text, b.rejects = b.records[:0], b.text[:0], b.rejects[:0]
	if cap(b.text) > batchBytes {
		b.text = make([]byte, 0, batchBytes)
	}
}
