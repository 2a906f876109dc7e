package httptarget

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"reprise/replay"
	"reprise/replay/result"
)

// dial connects for the shot and sends it. It is false when that failed and the shot is finished.
func (c *conn) dial(ctx context.Context, s *replay.Shot) bool {
	c.sentAt = s.Now()
	c.first = result.Unset
	dialer := net.Dialer{Deadline: s.Time(s.Deadline), KeepAlive: -1}
	nc, err := c.target.connect(ctx, &dialer)
	if err == nil {
		err = c.open(nc)
	}
	if err != nil {
		if ctx.Err() != nil {
			err = errAborted
		}
		o := &s.Outcome
		o.Done, o.SentAt = s.Now(), c.sentAt
		o.Kind, o.Cause = classify(inTime(s, o.Done, err), result.CauseConnect)
		c.target.ended(c)
		c.target.finish(s)
		return false
	}
	c.target.roll.add(c)
	c.attach(s, c.sentAt)
	c.send(s)
	return true
}

// serveShared is serve for a connection that takes a waiting shot, if there still is one, when it is
// there. deadline is that of the shot it is dialled for.
func (c *conn) serveShared(ctx context.Context, deadline time.Time) {
	t := c.target
	begun := time.Now()
	nc, err := t.connect(ctx, &net.Dialer{Deadline: deadline, KeepAlive: -1})
	if err == nil {
		err = c.open(nc)
	}
	t.dialling.dialled()
	if err != nil {
		t.dialFailed(ctx, err, begun)
		return
	}
	t.roll.add(c)
	for !t.free.push(c) {
		if s := t.dialling.take(); s != nil {
			c.attach(s, max(int64(begun.Sub(s.Time(0))), s.Outcome.Dispatched))
			c.send(s)
			break
		}
	}
	t.dialMore()
	for c.exchange() {
	}
}

// dialFailed ends the shot that has waited longest. When only the time of the dial was over, the watchdog
// ends the shot it was for.
func (t *Target) dialFailed(ctx context.Context, err error, begun time.Time) {
	defer t.dialMore()
	if errors.Is(err, errDeadline) && ctx.Err() == nil {
		return
	}
	s := t.dialling.take()
	if s == nil {
		return
	}
	if ctx.Err() != nil {
		err = errAborted
	}
	o := &s.Outcome
	o.Done, o.SentAt = s.Now(), max(int64(begun.Sub(s.Time(0))), o.Dispatched)
	o.Kind, o.Cause = classify(inTime(s, o.Done, err), result.CauseConnect)
	t.finish(s)
}

// open readies the exchange on a fresh connection.
func (c *conn) open(nc net.Conn) error {
	c.nc = nc
	if sc, ok := nc.(syscall.Conn); ok {
		raw, err := sc.SyscallConn()
		if err != nil {
			_ = nc.Close()
			return err
		}
		c.raw = raw
	}
	c.bindWriter()
	c.resp = NewResponseReader(c, c.target.o.MaxHeaderBytes, c.target.o.MaxBodyBytes)
	return nil
}

// slowDial is the duration of a dial from which on its first SYN was not answered, so that a second one was sent
// (the initial retransmission timeout of RFC 6298, section 2.1). The target's backlog is full then, or the
// network lossy: what waits behind such dials does not wait because of the generator.
const slowDial = time.Second

// connect opens a connection and counts it.
func (t *Target) connect(ctx context.Context, d *net.Dialer) (net.Conn, error) {
	begun := time.Now()
	nc, err := t.tryAll(ctx, d)
	if time.Since(begun) >= slowDial {
		t.slow.Add(1)
	}
	if err == nil {
		t.opened.Add(1)
	}
	return nc, err
}

// tryAll tries the target's addresses in turn, the one that worked last first. All were allowed by the
// guard when the target was made.
func (t *Target) tryAll(ctx context.Context, d *net.Dialer) (net.Conn, error) {
	first := int(t.best.Load())
	var failure error
	for i := range t.addrs {
		k := (first + i) % len(t.addrs)
		nc, err := d.DialContext(ctx, "tcp", t.addrs[k])
		if err == nil {
			if k != first {
				t.best.Store(int32(k))
			}
			return nc, nil
		}
		failure = err
		var timeout net.Error
		if errors.As(err, &timeout) && timeout.Timeout() && !errors.Is(err, syscall.ETIMEDOUT) {
			return nil, errDeadline
		}
	}
	return nil, failure
}
