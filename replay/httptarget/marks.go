package httptarget

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// marks are the instants of one exchange through net/http; the hooks may run on the transport's goroutines.
type marks struct {
	sent, tls, first, body atomic.Int64
	written, reused        atomic.Bool
	begun                  atomic.Bool   // the head of the request was written
	again                  atomic.Bool   // and net/http went on to send it once more
	wrote                  chan struct{} // one token per report of a whole or failed write
	cancel                 context.CancelCauseFunc
}

func newMarks(cancel context.CancelCauseFunc) *marks {
	m := &marks{wrote: make(chan struct{}, 1), cancel: cancel}
	for _, v := range []*atomic.Int64{&m.sent, &m.tls, &m.first} {
		v.Store(result.Unset)
	}
	return m
}

// wroteLimit is how long an answered exchange waits for the report that its request was written, which
// HTTP/2 gives from another goroutine than the answer.
const wroteLimit = 100 * time.Millisecond

// settle waits for that report.
func (m *marks) settle() {
	limit := time.NewTimer(wroteLimit)
	defer limit.Stop()
	select {
	case <-m.wrote:
	case <-limit.C:
	}
}

// phase is what a timeout cuts now.
func (m *marks) phase() result.Cause {
	switch {
	case m.first.Load() != result.Unset:
		return result.CauseBody
	case m.written.Load():
		return result.CauseFirstByte
	case m.tls.Load() > 0:
		return result.CauseTLS
	case m.tls.Load() == 0:
		return result.CauseWrite
	case m.sent.Load() != result.Unset:
		return result.CauseConnect
	}
	return result.CauseWait
}

// repeats says whether net/http is about to send the request once more, and cancels the exchange then. It does so
// in silence, for any method without content: after a kept connection ended, a stream was refused, or GOAWAY.
func (m *marks) repeats() bool {
	if m.begun.Load() {
		m.again.Store(true)
		m.cancel(errAgain)
	}
	return m.again.Load()
}

func (m *marks) trace(s *replay.Shot) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:           func(string) { m.repeats() },
		ConnectStart:      func(_, _ string) { m.sent.CompareAndSwap(result.Unset, s.Now()) },
		TLSHandshakeStart: func() { m.tls.Store(max(s.Now(), 1)) },
		GotConn: func(i httptrace.GotConnInfo) {
			if m.repeats() {
				stop(i.Conn)
				return
			}
			m.sent.CompareAndSwap(result.Unset, s.Now())
			m.tls.Store(0)
			m.reused.Store(carried(i))
		},
		WroteHeaders: func() { m.begun.Store(true) },
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			if m.again.Load() {
				return
			}
			m.written.Store(i.Err == nil)
			select {
			case m.wrote <- struct{}{}:
			default:
			}
		},
		GotFirstResponseByte: func() { m.first.CompareAndSwap(result.Unset, s.Now()) },
	}
}

// stop keeps a cancelled request off the connection that net/http has just taken for it. HTTP/2 looks for the end of
// the context before it writes; HTTP/1 does not, so the connection goes.
func stop(c net.Conn) {
	if s, ok := c.(*tls.Conn); ok && s.ConnectionState().NegotiatedProtocol == protoHTTP2 {
		return
	}
	_ = c.Close()
}

// carrier is a connection that knows whether it has carried an exchange. What net/http calls reused is any
// connection that was idle, one dialled in vain included.
type carrier struct {
	net.Conn
	used atomic.Bool
}

// carried says whether an earlier exchange used the connection, and that one does now.
func carried(i httptrace.GotConnInfo) bool {
	if s, ok := i.Conn.(*tls.Conn); ok {
		if c, ok := s.NetConn().(*carrier); ok {
			return c.used.Swap(true)
		}
	}
	return i.Reused
}
