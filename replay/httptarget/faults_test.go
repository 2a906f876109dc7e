package httptarget_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"reprise/replay/plan"
	"reprise/replay/result"
)

// scripted serves every connection with the function, which gets a reader of its requests.
func scripted(t *testing.T, serve func(c net.Conn, r *bufio.Reader)) (url string, conns *atomic.Int64) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns = new(atomic.Int64)
	done := make(chan struct{})
	t.Cleanup(func() { _ = ln.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer func() { _ = c.Close() }()
				serve(c, bufio.NewReader(c))
			}()
		}
	}()
	return "http://" + ln.Addr().String(), conns
}

// readRequest takes one request off the wire.
func readRequest(r *bufio.Reader) (*http.Request, error) {
	q, err := http.ReadRequest(r)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, q.Body)
	return q, err
}

// answers sends the text to every request.
func answers(text string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := readRequest(r); err != nil {
				return
			}
			if _, err := io.WriteString(c, text); err != nil {
				return
			}
		}
	}
}

// once answers the first request with the text and then does what comes after.
func once(text string, then func(c net.Conn)) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		if _, err := readRequest(r); err != nil {
			return
		}
		_, _ = io.WriteString(c, text)
		then(c)
	}
}

func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0); _ = c.Close() }

func stalls(c net.Conn) { _, _ = io.Copy(io.Discard, c) } // until the client gives up

const ok = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

func TestHowAnExchangeEnds(t *testing.T) {
	f := func(name string, serve func(net.Conn, *bufio.Reader), kind result.Kind, cause result.Cause) {
		t.Helper()
		url, _ := scripted(t, serve)
		target := open(t, url, nil)
		totals, l := replayAll(t, target, arrivals(get("/x"), 0), 300*time.Millisecond)
		o := l.at(t, 0)
		if o.Kind != kind || o.Cause != cause {
			t.Errorf("%s: %v %v, want %v %v", name, o.Kind, o.Cause, kind, cause)
		}
		if !o.Written || totals.Ledger.Written != 1 {
			t.Errorf("%s: the request is not counted as written", name)
		}
		if kind == result.TimedOut && (o.Response() < int64(300*time.Millisecond) || o.Response() > int64(2*time.Second)) {
			t.Errorf("%s: timed out after %v", name, time.Duration(o.Response()))
		}
	}
	const failed, reseted, protocol = result.Failed, result.CauseReset, result.CauseProtocol
	f("whole", answers(ok), result.Completed, 0)
	f("404", answers("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), result.Completed, 0)
	f("301 elsewhere", answers("HTTP/1.1 301 M\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"), result.Completed, 0)
	f("429", answers("HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n"), result.Rejected, 0)
	f("503 close", once("HTTP/1.1 503 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", func(net.Conn) {}), result.Rejected, 0)
	f("interim answers", answers("HTTP/1.1 100 \r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"+ok), result.Completed, 0)
	f("http/1.0 to close", once("HTTP/1.0 200 OK\r\n\r\nwhole", func(net.Conn) {}), result.Completed, 0)
	f("closed without an answer", once("", func(net.Conn) {}), failed, reseted)
	f("reset without an answer", once("", reset), failed, reseted)
	f("closed in the head", once("HTTP/1.1 200 OK\r\nContent-Le", func(net.Conn) {}), failed, reseted)
	f("closed in the body", once("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", func(net.Conn) {}), failed, reseted)
	f("reset in the body", once("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", func(c net.Conn) { time.Sleep(20 * time.Millisecond); reset(c) }), failed, reseted)
	f("closed in a chunk", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", func(net.Conn) {}), failed, reseted)
	f("garbage", once("SSH-2.0-OpenSSH_9\r\n", stalls), failed, protocol)
	f("garbage without a line", once(strings.Repeat("x", 70<<10), stalls), failed, protocol)
	f("endless head", once("HTTP/1.1 200 OK\r\n"+strings.Repeat("X-A: b\r\n", 10_000), stalls), failed, protocol)
	f("two lengths", once("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", stalls), failed, protocol)
	f("bad chunk", once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", stalls), failed, protocol)
	f("silence", once("", stalls), result.TimedOut, result.CauseFirstByte)
	f("half a head", once("HTTP/1.1 200 OK\r\nX", stalls), result.TimedOut, result.CauseBody)
	f("stalled body", once("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf", stalls), result.TimedOut, result.CauseBody)
}

// A timeout is the end of one request: it is counted once, and its connection is not used again.
func TestTimeoutCountsOnceAndClosesItsConnection(t *testing.T) {
	var n atomic.Int64
	url, conns := scripted(t, func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := readRequest(r); err != nil {
				return
			}
			if n.Add(1) == 1 {
				stalls(c)
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	target := open(t, url, nil)
	totals, _ := replayAll(t, target, arrivals(get("/x"), 0, 400, 420), 200*time.Millisecond)
	if k := totals.Ledger.Kinds; k[result.TimedOut] != 1 || k[result.Completed] != 2 || conns.Load() < 2 {
		t.Errorf("timed out %d, completed %d on %d connections; want 1, 2 on at least 2", k[result.TimedOut], k[result.Completed], conns.Load())
	}
}

func TestConnectionClosedWhileIdleIsNotUsed(t *testing.T) {
	url, conns := scripted(t, once(ok, func(net.Conn) {})) // keeps nothing alive, and does not say so
	target := open(t, url, nil)
	totals, _ := replayAll(t, target, arrivals(get("/x"), 0, 200, 400, 600), 2*time.Second)
	if totals.Ledger.Kinds[result.Completed] != 4 || conns.Load() != 4 || totals.Ledger.Written != 4 {
		t.Errorf("ledger %+v on %d connections, want 4 completed on 4", totals.Ledger.Kinds, conns.Load())
	}
}

// The connection dies after the second request was written: the request is lost, and is not sent again.
func TestNoRetry(t *testing.T) {
	var got atomic.Int64
	url, conns := scripted(t, func(c net.Conn, r *bufio.Reader) {
		for n := 0; ; n++ {
			if _, err := readRequest(r); err != nil {
				return
			}
			got.Add(1)
			if n == 1 {
				reset(c)
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	target := open(t, url, nil)
	totals, l := replayAll(t, target, arrivals(get("/x"), 0, 200), 2*time.Second)
	o := l.at(t, 1)
	if o.Kind != result.Failed || o.Cause != result.CauseReset || !o.Reused || !o.Written {
		t.Errorf("outcome %+v, want errors(reset) on a reused connection", o)
	}
	if got.Load() != 2 || totals.Ledger.Written != 2 || conns.Load() != 1 {
		t.Errorf("the server got %d requests on %d connections, %d written; want 2 on 1, 2", got.Load(), conns.Load(), totals.Ledger.Written)
	}
}

func TestRefused(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	_ = ln.Close()
	totals, l := replayAll(t, open(t, url, nil), arrivals(get("/x"), 0, 10, 20), time.Second)
	if o := l.at(t, 2); o.Kind != result.Failed || o.Cause != result.CauseConnect || o.Written || o.SentAt == result.Unset {
		t.Errorf("outcome %+v, want errors(connect)", o)
	}
	if totals.Ledger.Started != 3 || totals.Ledger.Written != 0 {
		t.Errorf("ledger %+v", totals.Ledger)
	}
}

func TestBodiesAndHeadsWithoutBodies(t *testing.T) {
	var lengths []string
	url, conns := scripted(t, func(c net.Conn, r *bufio.Reader) {
		for {
			q, err := readRequest(r)
			if err != nil {
				return
			}
			lengths = append(lengths, fmt.Sprint(q.Method, " ", q.ContentLength))
			answer := ok
			switch q.URL.Path {
			case "/head":
				answer = "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"
			case "/204":
				answer = "HTTP/1.1 204 No\r\nContent-Length: 7\r\n\r\n"
			case "/304":
				answer = "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"
			}
			_, _ = io.WriteString(c, answer)
		}
	})
	src := func(yield func(*plan.Arrival, error) bool) {
		for i, a := range []plan.Arrival{
			{Method: "HEAD", Target: []byte("/head")},
			{Method: "GET", Target: []byte("/204")},
			{Method: "GET", Target: []byte("/304")},
			{Method: "POST", Target: []byte("/empty")},
			{Method: "PUT", Target: []byte("/put"), Type: "text/plain", Body: []byte("1234")},
			{Method: "DELETE", Target: []byte("/x")},
		} {
			a.At = int64(i) * 50_000
			if !yield(&a, nil) {
				return
			}
		}
	}
	totals, _ := replayAll(t, open(t, url, nil), src, 2*time.Second)
	if totals.Ledger.Kinds[result.Completed] != 6 || conns.Load() != 1 {
		t.Errorf("completed %d on %d connections, want 6 on 1", totals.Ledger.Kinds[result.Completed], conns.Load())
	}
	if got := strings.Join(lengths, ", "); got != "HEAD 0, GET 0, GET 0, POST 0, PUT 4, DELETE 0" {
		t.Errorf("the server saw %s", got)
	}
}

// A body that the kernel does not take at once must not stop the dispatcher.
func TestLargeBodyDoesNotBlock(t *testing.T) {
	const size = 32 << 20
	var got atomic.Int64
	url, _ := scripted(t, func(c net.Conn, r *bufio.Reader) {
		time.Sleep(2 * time.Second)
		q, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		n, _ := io.Copy(io.Discard, q.Body)
		got.Add(n)
		_, _ = io.WriteString(c, ok)
	})
	src := func(yield func(*plan.Arrival, error) bool) {
		a := plan.Arrival{Method: "POST", Target: []byte("/big"), Body: bytes.Repeat([]byte("x"), size)}
		for range 2 {
			if !yield(&a, nil) {
				return
			}
		}
	}
	totals, l := replayAll(t, open(t, url, nil), src, 20*time.Second)
	if totals.Ledger.Kinds[result.Completed] != 2 || totals.Ledger.Written != 2 || got.Load() != 2*size {
		t.Errorf("ledger %+v, the server got %d bytes", totals.Ledger, got.Load())
	}
	if gap := l.at(t, 1).Dispatched - l.at(t, 0).Dispatched; gap > int64(1900*time.Millisecond) {
		t.Errorf("the second dispatch waited %v for the first body", time.Duration(gap))
	}
}

// A peer that never reads: the request is not written, and the phase is write.
func TestTimeoutWhileWriting(t *testing.T) {
	ended := make(chan struct{})
	defer close(ended)
	url, _ := scripted(t, func(net.Conn, *bufio.Reader) { <-ended })
	a := plan.Arrival{Method: "POST", Target: []byte("/big"), Body: bytes.Repeat([]byte("x"), 32<<20)}
	totals, l := replayAll(t, open(t, url, nil), arrivals(a, 0), 2*time.Second)
	if o := l.at(t, 0); o.Kind != result.TimedOut || o.Cause != result.CauseWrite || o.Written || totals.Ledger.Written != 0 {
		t.Errorf("outcome %+v, want timed_out(write), not written", o)
	}
}

// A server that refuses a large body early has answered.
func TestEarlyAnswer(t *testing.T) {
	url, _ := scripted(t, func(c net.Conn, r *bufio.Reader) {
		if _, err := http.ReadRequest(r); err != nil {
			return
		}
		_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
		time.Sleep(300 * time.Millisecond)
	})
	a := plan.Arrival{Method: "POST", Target: []byte("/big"), Body: bytes.Repeat([]byte("x"), 32<<20)}
	_, l := replayAll(t, open(t, url, nil), arrivals(a, 0), 2*time.Second)
	if o := l.at(t, 0); o.Kind != result.Completed || o.Status != 413 || o.Written {
		t.Errorf("outcome %+v, want completed with 413, not written", o)
	}
}
