package httptarget_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// secure serves TLS connections with the function, offering the protocol.
func secure(t *testing.T, proto string, serve func(net.Conn)) (url string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil) // for its certificate
	srv.StartTLS()
	srv.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: srv.TLS.Certificates, NextProtos: []string{proto}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				serve(c)
			}()
		}
	}()
	return "https://" + ln.Addr().String()
}

func insecure(o *httptarget.Options) { o.Insecure = true }

// repeatable are the requests that net/http would send again in silence.
func repeatable() []plan.Arrival {
	return []plan.Arrival{
		get("/x"), {Method: "DELETE", Target: []byte("/x")}, {Method: "POST", Target: []byte("/x")},
		{Method: "POST", Target: []byte("/x"), Body: []byte("1"), Type: "text/plain", Header: []byte("Idempotency-Key: a\r\n")},
	}
}

// The connection ends when the second request on it has arrived: the request is lost, and is not sent again.
func TestNoRetryOverTLS(t *testing.T) {
	for _, second := range repeatable() {
		var got atomic.Int64
		url := secure(t, "http/1.1", func(c net.Conn) {
			r := bufio.NewReader(c)
			for n := 0; ; n++ {
				if _, err := readRequest(r); err != nil {
					return
				}
				got.Add(1)
				if n == 1 {
					return
				}
				_, _ = io.WriteString(c, ok)
			}
		})
		first := get("/x")
		second.At = 300_000
		_, l := replayAll(t, open(t, url, insecure), sequence(first, second), 2*time.Second)
		if o := l.at(t, 1); o.Kind != result.Failed || o.Cause != result.CauseReset || !o.Reused || !o.Written || got.Load() != 2 {
			t.Errorf("%s: outcome %+v, the server got %d requests; want errors(reset), 2", second.Method, o, got.Load())
		}
	}
}

func sequence(all ...plan.Arrival) func(func(*plan.Arrival, error) bool) {
	return func(yield func(*plan.Arrival, error) bool) {
		for _, a := range all {
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// The frames of HTTP/2 that the test speaks (RFC 9113, section 6).
const (
	frameData     = 0
	frameHeaders  = 1
	frameReset    = 3
	frameSettings = 4
	frameGoAway   = 7
)

func writeFrame(c net.Conn, kind, flags byte, stream uint32, payload ...byte) {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	b = binary.BigEndian.AppendUint32(append(b, flags), stream)
	_, _ = c.Write(append(b, payload...))
}

// frames calls f for every frame after the preface of a connection.
func frames(c net.Conn, f func(kind, flags byte, stream uint32)) {
	writeFrame(c, frameSettings, 0, 0)
	r := bufio.NewReader(c)
	_, err := r.Discard(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	for err == nil {
		var head [9]byte
		if _, err = io.ReadFull(r, head[:]); err != nil {
			return
		}
		size := binary.BigEndian.Uint32(head[:4]) >> 8
		if _, err = r.Discard(int(size)); err != nil {
			return
		}
		if head[3] == frameSettings && head[4] == 0 {
			writeFrame(c, frameSettings, 1, 0)
		}
		f(head[3], head[4], binary.BigEndian.Uint32(head[5:]))
	}
}

// A stream that the server refuses, or leaves behind with GOAWAY, was sent once and is not sent again.
func TestNoRetryOverHTTP2(t *testing.T) {
	refuse := func(c net.Conn, stream uint32) { writeFrame(c, frameReset, 0, stream, 0, 0, 0, 7) }
	leave := func(c net.Conn, _ uint32) { writeFrame(c, frameGoAway, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) }
	for name, end := range map[string]func(net.Conn, uint32){"refused": refuse, "goaway": leave} {
		for _, a := range repeatable() {
			var got atomic.Int64
			url := secure(t, "h2", func(c net.Conn) {
				frames(c, func(kind, _ byte, stream uint32) {
					if kind == frameHeaders {
						got.Add(1)
						end(c, stream)
					}
				})
			})
			_, l := replayAll(t, open(t, url, insecure), sequence(a), 5*time.Second)
			if o := l.at(t, 0); o.Kind != result.Failed || o.Cause != result.CauseReset || got.Load() != 1 {
				t.Errorf("%s %s: outcome %+v, the server got %d requests; want errors(reset), 1", name, a.Method, o, got.Load())
			}
		}
	}
}

// A request without content is its head alone.
func TestNoContentOverHTTP2(t *testing.T) {
	var heads, ended, data atomic.Int64
	url := secure(t, "h2", func(c net.Conn) {
		frames(c, func(kind, flags byte, stream uint32) {
			switch kind {
			case frameData:
				data.Add(1)
			case frameHeaders:
				heads.Add(1)
				ended.Add(int64(flags & 1))
				writeFrame(c, frameHeaders, 5, stream, 0x88) // :status 200 of HPACK's table, the end
			}
		})
	})
	src := sequence(get("/x"), plan.Arrival{Method: "HEAD", Target: []byte("/x")}, plan.Arrival{Method: "DELETE", Target: []byte("/x")}, plan.Arrival{Method: "POST", Target: []byte("/x")})
	totals, _ := replayAll(t, open(t, url, insecure), src, 5*time.Second)
	if totals.Ledger.Kinds[result.Completed] != 4 || totals.Ledger.Written != 4 || heads.Load() != 4 || ended.Load() != 4 || data.Load() != 0 {
		t.Errorf("ledger %+v; %d heads, %d of them the end, %d data frames", totals.Ledger, heads.Load(), ended.Load(), data.Load())
	}
}

// A server that takes the connection and says nothing is left at the deadline of the shot that dialled.
func TestSilentTLS(t *testing.T) {
	gone := make(chan struct{}, 1)
	url, _ := scripted(t, func(c net.Conn, _ *bufio.Reader) {
		stalls(c)
		gone <- struct{}{}
	})
	target := open(t, "https"+url[len("http"):], insecure)
	_, l := replayAll(t, target, arrivals(get("/x"), 0), 200*time.Millisecond)
	if o := l.at(t, 0); o.Kind != result.TimedOut || o.Cause != result.CauseTLS || o.Written {
		t.Errorf("outcome %+v, want timed_out(tls)", o)
	}
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("the connection stays open after the deadline")
	}
}
