package httptarget

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// The states of a connection. Its taker turns idle into busy, its reader busy into idle, and idle into dead when
// the server closes it.
const (
	stateIdle int32 = iota
	stateBusy
	stateDead
)

// How far the request of an exchange got.
const (
	unwritten int32 = iota
	writing         // the taker is in the system call
	spilled         // the kernel took a part; a goroutine of its own writes the rest
	written
	broken
)

// never is the deadline of an idle connection.
const never = math.MaxInt64

// past is a read deadline that wakes a reader.
var past = time.Unix(1, 0)

// conn is one connection and the exchange on it.
type conn struct {
	target *Target
	nc     net.Conn
	raw    syscall.RawConn
	resp   *ResponseReader
	user   [16]byte
	next   *conn // in the stack
	idle   links // in a bounded pool

	state    atomic.Int32
	shot     atomic.Pointer[replay.Shot]
	write    atomic.Int32
	deadline atomic.Int64 // nanoseconds after target.base

	// set by the taker before it publishes shot
	sentAt int64
	reused bool

	// the reader's
	first, last int64 // instants of the first and the latest byte of the response
	served      int64

	// the writer's
	out    []byte
	wrote  int
	err    error
	writer func(fd uintptr) bool
	spill  chan struct{} // closed when the rest was written, or failed
}

// attach publishes a shot on an idle connection. It is false when the server has closed it meanwhile.
func (c *conn) attach(s *replay.Shot, at int64) bool {
	c.sentAt, c.reused = at, c.served > 0
	c.write.Store(unwritten)
	c.deadline.Store(int64(s.Time(s.Deadline).Sub(c.target.base)))
	c.shot.Store(s)
	if c.state.CompareAndSwap(stateIdle, stateBusy) {
		return true
	}
	c.shot.Store(nil)
	return false
}

// send hands the request to the kernel and never waits: what the kernel does not take at once is left to a
// goroutine. After an error the reader finds the connection closed and ends the exchange.
func (c *conn) send(s *replay.Shot) {
	c.write.Store(writing)
	c.out = s.Wire
	n, err := c.writeNow()
	switch {
	case err != nil:
		c.write.Store(broken)
		_ = c.nc.Close() // wakes the reader
	case n == len(c.out):
		c.out = nil
		c.write.Store(written)
	default:
		c.out = c.out[n:]
		c.spill = make(chan struct{})
		c.write.Store(spilled)
		go c.writeRest()
	}
}

// writeRest waits for the kernel, up to the deadline that the watchdog enforces.
func (c *conn) writeRest() {
	defer close(c.spill)
	if _, err := c.nc.Write(c.out); err == nil {
		c.write.Store(written)
	} else if !errors.Is(err, os.ErrDeadlineExceeded) {
		c.write.Store(broken)
		// The answer may already be here, as when a server refuses a body early: the reader goes on.
	}
}

// settle returns when no writer touches the shot any more.
func (c *conn) settle() {
	for c.write.Load() <= writing {
		runtime.Gosched() // the taker is on its way into the system call or out of it
	}
	if c.spill == nil {
		return
	}
	if c.write.Load() != written {
		_ = c.nc.SetWriteDeadline(past)
	}
	<-c.spill
	c.spill = nil
	if c.write.Load() == written { // after all: the connection may serve again
		_ = c.nc.SetWriteDeadline(time.Time{})
	}
}

// serve is the connection's goroutine: it dials for the shot, sends it, and reads answers until the
// connection ends.
func (c *conn) serve(ctx context.Context, s *replay.Shot) {
	if !c.dial(ctx, s) {
		return
	}
	for c.exchange() {
	}
}

// exchange waits for a response and finishes its shot. It is false when the connection has ended.
func (c *conn) exchange() bool {
	c.first, c.last = result.Unset, result.Unset
	err := c.resp.Wait()
	if c.state.CompareAndSwap(stateIdle, stateDead) {
		c.target.lost(c) // closed by the server, or it spoke without being asked
		return false
	}
	if c.state.Load() == stateDead {
		return false // it had to make room
	}
	s := c.shot.Load()
	var r Response
	if err == nil {
		r, err = c.resp.Next(s.Arrival.Method)
		if err == nil && c.last == result.Unset {
			err = ErrProtocol // it was there before the request
		}
		if err == nil {
			err = inTime(s, c.last, nil)
		}
	}
	if err != nil {
		c.fail(s, err)
		return false
	}
	c.settle()
	keep := !r.Close && c.write.Load() == written && c.resp.Buffered() == 0 && c.target.o.Policy != PolicyNew
	o := &s.Outcome
	o.Kind, o.Cause, o.Status, o.BytesIn, o.Done = c.target.rejects.kind(r.Status), result.CauseNone, r.Status, r.Bytes, c.last
	c.finish(s, keep)
	return keep
}

// fail finishes the shot without a response.
func (c *conn) fail(s *replay.Shot, err error) {
	now := s.Now()
	_ = c.nc.Close()
	c.settle()
	if c.first >= s.Deadline {
		c.first = result.Unset // nobody waited for it any more
	}
	phase := result.CauseFirstByte
	switch {
	case c.first != result.Unset:
		phase = result.CauseBody
	case c.write.Load() != written:
		phase = result.CauseWrite
	}
	s.Outcome.Kind, s.Outcome.Cause = classify(inTime(s, now, err), phase)
	s.Outcome.Done = now
	c.finish(s, false)
}

// finish frees the connection first and gives the shot back then, so that whoever waits for the answer finds
// the connection idle.
func (c *conn) finish(s *replay.Shot, keep bool) {
	o := &s.Outcome
	o.Written, o.Reused = c.write.Load() == written, c.reused
	o.SentAt, o.FirstByte = c.sentAt, c.first
	c.target.count(c.reused)
	c.deadline.Store(never)
	c.shot.Store(nil)
	c.served++
	if keep {
		c.state.Store(stateIdle)
		c.target.idle(c)
	} else {
		_ = c.nc.Close()
		c.state.Store(stateDead)
		c.target.ended(c)
	}
	c.target.finish(s)
}

// Read implements io.Reader for the response reader: it stamps the bytes and turns the watchdog's wake-up
// into an error when it is meant.
func (c *conn) Read(p []byte) (int, error) {
	for {
		n, err := c.nc.Read(p)
		s := c.shot.Load()
		if n > 0 {
			if s != nil {
				c.last = s.Now()
				if c.first == result.Unset {
					c.first = c.last
				}
			}
			return n, nil
		}
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			if err == io.EOF && s != nil && c.first != result.Unset {
				c.last = s.Now() // the end of a body that only the end of the connection delimits
			}
			return 0, err
		}
		switch {
		case c.target.aborting.Load() && s != nil:
			return 0, errAborted
		case s != nil && s.Now() >= s.Deadline:
			return 0, errDeadline
		}
		_ = c.nc.SetReadDeadline(time.Time{}) // the wake-up was for an exchange that has ended by itself
	}
}
