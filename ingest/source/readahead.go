package source

import (
	"errors"
	"io"
	"sync"
)

const (
	aheadBlock  = 256 << 10 // bytes of one block: large enough that a hand-over costs nothing beside inflating it
	aheadBlocks = 4         // blocks in flight, so a read-ahead holds 1 MiB
	aheadRoom   = 16 << 10  // room before a block for the unread rest of the one before, which is part of a line
)

// ErrInterrupted is the error of a Read that Interrupt ended.
var ErrInterrupted = errors.New("reading was interrupted")

// block is one hand-over: n bytes behind the room in buf, then the error that followed them.
type block struct {
	buf []byte
	n   int
	err error
}

// readAhead reads r in a goroutine of its own, at most aheadBlocks blocks ahead of its consumer.
type readAhead struct {
	full chan block
	free chan []byte
	done chan struct{} // closed when the goroutine has ended

	stopOnce sync.Once
	stop     chan struct{}

	whole []byte // the current block's buffer, to give back; nil before the first
	rest  []byte // the block's unread part
	err   error  // the error that follows rest
}

func newReadAhead(r io.Reader) *readAhead {
	a := &readAhead{
		full: make(chan block, aheadBlocks), free: make(chan []byte, aheadBlocks),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	for range aheadBlocks {
		a.free <- make([]byte, aheadRoom+aheadBlock)
	}
	go a.fill(r)
	return a
}

func (a *readAhead) fill(r io.Reader) {
	defer close(a.done)
	for {
		var buf []byte
		select {
		case buf = <-a.free:
		case <-a.stop:
			return
		}
		n, err := readHalf(r, buf[aheadRoom:])
		select {
		case a.full <- block{buf: buf, n: n, err: err}:
		case <-a.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

// readHalf fills at least half of buf unless r ends, because decompressors like to return little at a time.
func readHalf(r io.Reader, buf []byte) (int, error) {
	n, empty := 0, 0
	for n < len(buf)/2 {
		m, err := r.Read(buf[n:])
		n += m
		if err != nil {
			return n, err
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty == 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}

// Read implements io.Reader.
func (a *readAhead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if err := a.take(nil); err != nil {
			return 0, err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// extend returns kept, which has at most aheadRoom bytes and may lie in the current block, and the block that comes
// next behind it.
func (a *readAhead) extend(kept []byte) ([]byte, error) {
	for len(a.rest) == 0 {
		if err := a.take(kept); err != nil {
			return kept, err
		}
	}
	n := len(a.rest)
	a.rest = nil
	return a.whole[aheadRoom-len(kept) : aheadRoom+n], nil
}

// take makes the next block the current one, copies kept before it, and gives back the one before.
func (a *readAhead) take(kept []byte) error {
	if a.err != nil {
		return a.err
	}
	select {
	case b := <-a.full:
		copy(b.buf[aheadRoom-len(kept):], kept)
		if a.whole != nil {
			a.free <- a.whole // never blocks: free has room for every block
		}
		a.whole, a.rest, a.err = b.buf, b.buf[aheadRoom:aheadRoom+b.n], b.err
		return nil
	case <-a.stop:
		a.err = ErrInterrupted
		return a.err
	}
}

// interrupt makes the goroutine end at its next hand-over and a waiting Read return ErrInterrupted.
func (a *readAhead) interrupt() { a.stopOnce.Do(func() { close(a.stop) }) }
