package httptarget_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"pgregory.net/rapid"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
)

func TestRequestBytes(t *testing.T) {
	f := func(a plan.Arrival, want string) {
		t.Helper()
		got, err := httptarget.AppendRequest(nil, &a, "shop.test:81", "reprise/1")
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	f(plan.Arrival{Method: "GET", Target: []byte("/a%zz//../b|c?d=e")},
		"GET /a%zz//../b|c?d=e HTTP/1.1\r\nHost: shop.test:81\r\nUser-Agent: reprise/1\r\n\r\n")
	f(plan.Arrival{Method: "OPTIONS", Target: []byte("*")}, "OPTIONS * HTTP/1.1\r\nHost: shop.test:81\r\nUser-Agent: reprise/1\r\n\r\n")
	f(plan.Arrival{Method: "POST", Target: []byte("/")}, "POST / HTTP/1.1\r\nHost: shop.test:81\r\nUser-Agent: reprise/1\r\nContent-Length: 0\r\n\r\n")
	f(plan.Arrival{Method: "PUT", Target: []byte("/"), Header: []byte("X-A: b\r\nuser-agent: own\r\n"), Type: "a/b", Body: []byte("{}")},
		"PUT / HTTP/1.1\r\nHost: shop.test:81\r\nX-A: b\r\nuser-agent: own\r\nContent-Type: a/b\r\nContent-Length: 2\r\n\r\n{}")
	f(plan.Arrival{Method: "DELETE", Target: []byte("/"), Body: []byte("x")}, "DELETE / HTTP/1.1\r\nHost: shop.test:81\r\nUser-Agent: reprise/1\r\nContent-Length: 1\r\n\r\nx")
}

// What would be another request on the wire is refused.
func TestUnreplayable(t *testing.T) {
	f := func(a plan.Arrival, host string) {
		t.Helper()
		if got, err := httptarget.AppendRequest(nil, &a, host, "reprise"); !errors.Is(err, replay.ErrUnreplayable) {
			t.Errorf("%q, %v", got, err)
		}
	}
	target := func(s string) plan.Arrival { return plan.Arrival{Method: "GET", Target: []byte(s)} }
	for _, s := range []string{"", "x", "/a b", "/a\r\nHost: evil", "/a\n", "/a\x00", "/a\x7f", "http://evil/", "*x", "evil:443"} {
		f(target(s), "h")
	}
	for _, m := range []string{"", "CONNECT", "GE T", "GET\r\n", "\xff"} {
		f(plan.Arrival{Method: m, Target: []byte("/")}, "h")
	}
	for _, h := range []string{"", "a b", "a\r\nX: y", "a/b", "u@h"} {
		f(target("/"), h)
	}
	for _, h := range []string{"X: y", "X: y\n", "X y\r\n", "X: a\nB: c\r\n", ": y\r\n", "Host: evil\r\n", "Content-Length: 3\r\n",
		"transfer-encoding: chunked\r\n", "Expect: 100-continue\r\n", "X: \x00\r\n", "\r\n"} {
		a := target("/")
		a.Header = []byte(h)
		f(a, "h")
	}
	f(plan.Arrival{Method: "GET", Target: []byte("/"), Type: "a\r\nb"}, "h")
}

// Whatever is accepted is exactly one request for a server, with the same target and body.
func TestRequestIsOneRequest(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := plan.Arrival{
			Method: rapid.SampledFrom([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}).Draw(rt, "method"),
			Target: append([]byte("/"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "target")...),
			Header: rapid.SampledFrom([][]byte{nil, []byte("X: y\r\n"), rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "header")}).Draw(rt, "lines"),
			Body:   rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(rt, "body"),
		}
		wire, err := httptarget.AppendRequest(nil, &a, "host.test", "reprise")
		if err != nil {
			return
		}
		r := bufio.NewReader(bytes.NewReader(wire))
		q, err := http.ReadRequest(r)
		if err != nil {
			return // net/http parses the target as a URL and refuses some that we must send
		}
		body, err := io.ReadAll(q.Body)
		if err != nil || !bytes.Equal(body, a.Body) || q.RequestURI != string(a.Target) || q.Host != "host.test" || r.Buffered() != 0 {
			rt.Fatalf("%q becomes %s %q, body %q, %d bytes over, %v", wire, q.Method, q.RequestURI, body, r.Buffered(), err)
		}
	})
}
