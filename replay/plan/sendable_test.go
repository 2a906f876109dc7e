package plan_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/replay/plan"
)

// TestWriterAndReaderAgree asks both sides of the file about one request each, and Check as well.
func TestWriterAndReaderAgree(t *testing.T) {
	f := func(sendable bool, change func(*plan.Arrival)) {
		t.Helper()
		a := get(0, "/x")
		change(&a)
		w, err := plan.NewWriter(io.Discard, recordfile.Header{})
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(rowOf(&a))
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := read(container(t, plan.Kind, "", string(line)))
		if wrote, readBack, check := w.Write(&a) == nil, len(got) == 1, a.Check() == nil; wrote != sendable || readBack != sendable || check != sendable {
			t.Errorf("%+v: written %v, read %v, check %v, want %v", a, wrote, readBack, check, sendable)
		}
		a.Withheld = plan.Unreplayable
		if err := a.Check(); err != nil {
			t.Errorf("%+v is refused though it is withheld: %v", a, err)
		}
	}
	header := func(h string) func(*plan.Arrival) { return func(a *plan.Arrival) { a.Header = []byte(h) } }
	host := func(h string) func(*plan.Arrival) { return func(a *plan.Arrival) { a.Host = h } }
	f(true, func(*plan.Arrival) {})
	f(true, header("X-A: b\r\nx-b:\tc d\r\nContent: 1\r\nConnections: 2\r\n"))
	for _, name := range strings.Fields("Host host Connection CONTENT-LENGTH Content-Type Transfer-Encoding transfer-encoding TE Trailer Upgrade Expect Keep-Alive Proxy-Connection") {
		f(false, header(name+": 1\r\n"))
		f(false, header("X-A: b\r\n"+name+":1\r\n"))
	}
	f(false, header("X-A : b\r\n"))
	f(false, header(": b\r\n"))
	f(false, header("X-A: b\x00\r\n"))
	f(false, header("X-A: b\r\n c\r\n"))
	f(false, header("X-A: b\rX-B: c\r\n"))
	f(true, host("shop.test:8080"))
	f(true, host("[::1]:80"))
	for _, h := range []string{"a/b", "a?b", "a#b", "u@a", "a,b", `a\b`, "a b", "a\tb", "é"} {
		f(false, host(h))
	}
	f(true, func(a *plan.Arrival) { a.Type = "text/plain; charset=utf-8" })
	f(false, func(a *plan.Arrival) { a.Type = "text/plain\r\nX: y" })
	f(true, func(a *plan.Arrival) { a.Method, a.Target = "OPTIONS", []byte("*") })
	f(false, func(a *plan.Arrival) { a.Method, a.Target = "GET", []byte("*") })
	f(false, func(a *plan.Arrival) { a.Method = "CONNECT" })
	f(false, func(a *plan.Arrival) { a.Method = "G(T" })
	f(false, func(a *plan.Arrival) { a.Target = []byte("/é") })
	f(false, func(a *plan.Arrival) { a.Target = []byte("http://a/") })
}
