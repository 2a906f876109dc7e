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
	secure    *tls.Config
}

func newWeb(t *Target, name string) (*web, error) {
	conf := &tls.Config{ServerName: name, InsecureSkipVerify: t.o.Insecure, MinVersion: tls.VersionTLS12}
	if len(t.o.CA) > 0 {
		conf.RootCAs = x509.NewCertPool()
		if !conf.RootCAs.AppendCertsFromPEM(t.o.CA) {
			return nil, errors.New("target: the CA bundle holds no certificate")
		}
	}
	conf.NextProtos = []string{protoHTTP2, "http/1.1"}
	w := &web{target: t, secure: conf}
	w.transport = &http.Transport{
		DialTLSContext:         func(ctx context.Context, _, _ string) (net.Conn, error) { return w.dial(ctx) },
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // codings are left alone
		DisableKeepAlives:      t.o.Policy == PolicyNew,
		MaxIdleConnsPerHost:    1 << 20,
		MaxConnsPerHost:        t.o.MaxConns,
		MaxResponseHeaderBytes: int64(t.o.MaxHeaderBytes),
	}
	return w, nil
}

// protoHTTP2 is the name of HTTP/2 over TLS (RFC 9113, 3.2).
const protoHTTP2 = "h2"

// dialEnd is the key of a context's value: the deadline of the shot for which net/http dials. It takes the
// cancellation away from that context, the values it keeps.
type dialEnd struct{}

// dial connects and shakes hands, until the deadline of the shot that asked for it or the end of the run.
func (w *web) dial(ctx context.Context) (net.Conn, error) {
	end, _ := ctx.Value(dialEnd{}).(time.Time)
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	defer context.AfterFunc(w.target.dials.Load().ctx, cancel)()
	nc, err := w.target.connect(ctx, &net.Dialer{KeepAlive: -1}) // the guard's addresses, whatever the URL says
	if err != nil {
		return nil, err
	}
	if t := httptrace.ContextClientTrace(ctx); t != nil && t.TLSHandshakeStart != nil {
		t.TLSHandshakeStart() // net/http says so too, when it is over
	}
	c := tls.Client(&carrier{Conn: nc}, w.secure)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = nc.Close()
		return nil, err
	}
	return c, nil
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

// errAgain says that net/http wanted to send a request once more.
var errAgain = errors.New("the request was not answered, and is not sent again")

// neverAgain is the GetBody of every request with content: whoever asks for it has sent the content once.
func neverAgain() (io.ReadCloser, error) { return nil, errAgain }

func (w *web) request(ctx context.Context, s *replay.Shot) *http.Request {
	a := &s.Arrival
	r := &http.Request{
		Method: a.Method, Host: a.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		URL:  &url.URL{Scheme: "https", Host: w.target.host, Opaque: string(a.Target)},
		Body: http.NoBody, ContentLength: int64(len(a.Body)),
	}
	if len(a.Body) > 0 {
		r.Body, r.GetBody = io.NopCloser(bytes.NewReader(a.Body)), neverAgain
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
	end := s.Time(s.Deadline)
	ctx, done := context.WithDeadlineCause(context.WithValue(run, dialEnd{}, end), end, errDeadline)
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m := newMarks(cancel)
	res, err := w.transport.RoundTrip(w.request(httptrace.WithClientTrace(ctx, m.trace(s)), s))
	if err == nil {
		err = w.drain(res, m)
	}
	o := &s.Outcome
	o.Done = s.Now()
	if m.first.Load() >= s.Deadline {
		m.first.Store(result.Unset) // nobody waited for it any more
	}
	switch {
	case err == nil:
		m.settle()
	case run.Err() != nil:
		err = errAborted
	case m.again.Load():
		err = errAgain
	case ctx.Err() != nil:
		err = errDeadline
	}
	o.SentAt, o.FirstByte, o.Written, o.Reused = m.sent.Load(), m.first.Load(), m.written.Load(), m.reused.Load()
	if err = inTime(s, o.Done, err); err == nil {
		o.Kind, o.Cause, o.Status, o.BytesIn = w.target.rejects.kind(uint16(res.StatusCode)), result.CauseNone, uint16(res.StatusCode), m.body.Load()
	} else {
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
		errors.Is(err, errDeadline), errors.Is(err, errAborted), errors.Is(err, errAgain),
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
