package httptarget

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"reprise/replay"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// web sends shots over TLS, as HTTP/2 where the server offers it, through net/http. It takes a goroutine
// and some allocations per request.
type web struct {
	target    *Target
	transport *http.Transport
}

func newWeb(t *Target, name string) (*web, error) {
	conf := &tls.Config{ServerName: name, InsecureSkipVerify: t.o.Insecure, MinVersion: tls.VersionTLS12}
	if len(t.o.CA) > 0 {
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(t.o.CA) {
			return nil, errors.New("target: the CA bundle holds no certificate")
		}
	}
	return &web{t, &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			nc, err := t.connect(ctx, &net.Dialer{KeepAlive: -1}) // the guard's addresses, whatever the URL says
			if err != nil {
				return nil, err
			}
			return &carrier{Conn: nc}, nil
		},
		TLSClientConfig:        conf,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // codings are left alone
		DisableKeepAlives:      t.o.Policy == PolicyNew,
		MaxIdleConnsPerHost:    1 << 20,
		MaxConnsPerHost:        t.o.MaxConns,
		MaxResponseHeaderBytes: int64(t.o.MaxHeaderBytes),
	}}, nil
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

// prepare keeps the arrival: net/http serialises by itself. A target that starts with two slashes would
// be sent as an absolute URI.
func (w *web) prepare(a *plan.Arrival, s *replay.Shot, host string) error {
	if err := check(a, host); err != nil {
		return err
	}
	if bytes.HasPrefix(a.Target, []byte("//")) {
		return fmt.Errorf("%w: its target, over https", replay.ErrUnreplayable)
	}
	s.Keep(a)
	s.Arrival.Host = host
	return nil
}

// once is a body that cannot be read twice, so that net/http cannot send a request again.
type once struct{ *bytes.Reader }

func (once) Close() error { return nil }

// marks are the instants of one exchange; the hooks may run on the transport's goroutines.
type marks struct {
	sent, tls, first, body atomic.Int64
	written, reused        atomic.Bool
	wrote                  chan struct{} // one token per report of a whole or failed write
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

func (w *web) request(ctx context.Context, s *replay.Shot) *http.Request {
	a := &s.Arrival
	r := &http.Request{
		Method: a.Method, Host: a.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		URL:  &url.URL{Scheme: "https", Host: w.target.host, Opaque: string(a.Target)},
		Body: once{bytes.NewReader(a.Body)}, ContentLength: int64(len(a.Body)),
	}
	if sendsLength(a) && len(a.Body) == 0 {
		r.Body = http.NoBody // which gives Content-Length: 0; methods with content are not sent again anyway
	}
	r.Header["User-Agent"] = []string{w.target.o.Agent}
	own := false
	for h := a.Header; len(h) > 0; {
		line, rest, _ := bytes.Cut(h, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		key := http.CanonicalHeaderKey(string(name))
		if key == "User-Agent" && !own {
			own = true
			delete(r.Header, key)
		}
		r.Header[key] = append(r.Header[key], string(bytes.TrimSpace(value)))
		h = rest
	}
	if a.Type != "" {
		r.Header["Content-Type"] = []string{a.Type}
	}
	return r.WithContext(ctx)
}

// exchange sends the shot and finishes it.
func (w *web) exchange(run context.Context, s *replay.Shot) {
	ctx, cancel := context.WithDeadlineCause(run, s.Time(s.Deadline), errDeadline)
	defer cancel()
	m := &marks{wrote: make(chan struct{}, 1)}
	for _, v := range []*atomic.Int64{&m.sent, &m.tls, &m.first} {
		v.Store(result.Unset)
	}
	res, err := w.transport.RoundTrip(w.request(httptrace.WithClientTrace(ctx, m.trace(s)), s))
	if err == nil {
		err = w.drain(res, m)
	}
	if m.first.Load() >= s.Deadline {
		m.first.Store(result.Unset) // what arrives while the connection is being closed
	}
	o := &s.Outcome
	o.Done = s.Now()
	if err == nil {
		m.settle()
	}
	o.SentAt, o.FirstByte, o.Written, o.Reused = m.sent.Load(), m.first.Load(), m.written.Load(), m.reused.Load()
	if err == nil {
		o.Kind, o.Cause, o.Status, o.BytesIn = w.target.rejects.kind(uint16(res.StatusCode)), result.CauseNone, uint16(res.StatusCode), m.body.Load()
	} else {
		switch {
		case run.Err() != nil:
			err = errAborted
		case ctx.Err() != nil:
			err = errDeadline
		}
		o.Kind, o.Cause = classify(foreign(err), m.phase())
	}
	w.target.count(o.Reused)
	w.target.finish(s)
}

// foreign marks the errors of net/http's own parsers, which have no types, as ErrProtocol: all others
// come from the system, from TLS or from the end of the connection.
func foreign(err error) error {
	var system syscall.Errno
	var network net.Error
	var verify *tls.CertificateVerificationError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, errDeadline), errors.Is(err, errAborted),
		errors.As(err, &system), errors.As(err, &network), errors.As(err, &verify):
		return err
	}
	return fmt.Errorf("%w: %w", ErrProtocol, err)
}

// drain reads the body up to its limit.
func (w *web) drain(res *http.Response, m *marks) error {
	n, err := io.Copy(io.Discard, io.LimitReader(res.Body, w.target.o.MaxBodyBytes+1))
	m.body.Store(n)
	if closing := res.Body.Close(); err == nil {
		err = closing
	}
	if err == nil && n > w.target.o.MaxBodyBytes {
		err = ErrProtocol
	}
	return err
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

func (m *marks) trace(s *replay.Shot) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart:      func(_, _ string) { m.sent.CompareAndSwap(result.Unset, s.Now()) },
		TLSHandshakeStart: func() { m.tls.Store(max(s.Now(), 1)) },
		GotConn: func(i httptrace.GotConnInfo) {
			m.sent.CompareAndSwap(result.Unset, s.Now())
			m.tls.Store(0)
			m.reused.Store(carried(i))
		},
		WroteRequest: func(i httptrace.WroteRequestInfo) {
			m.written.Store(i.Err == nil)
			select {
			case m.wrote <- struct{}{}:
			default:
			}
		},
		GotFirstResponseByte: func() { m.first.CompareAndSwap(result.Unset, s.Now()) },
	}
}
