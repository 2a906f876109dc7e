package httptarget_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"reprise/replay/httptarget"
)

const (
	headLimit = 64 << 10
	bodyLimit = 1 << 20
)

func TestResponses(t *testing.T) {
	f := func(method, text string, want httptarget.Response) {
		t.Helper()
		for _, src := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text))} {
			r := httptarget.NewResponseReader(src, headLimit, bodyLimit)
			got, err := r.Next(method)
			if err != nil || got != want {
				t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
			}
		}
	}
	whole := func(text string, status uint16, body int64, closes bool) {
		t.Helper()
		f("GET", text, httptarget.Response{Status: status, Bytes: int64(len(text)), Body: body, Close: closes})
	}
	whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, 5, false)
	whole("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", 200, 5, false)
	whole("HTTP/1.1 200 OK\ncontent-length:5\n\nhello", 200, 5, false)
	whole("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello", 200, 5, false)
	whole("HTTP/1.1 200 OK\r\n\r\nto the end", 200, 10, true)
	whole("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, 2, true)
	whole("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 200, 15, true)
	whole("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok", 200, 2, false)
	whole("HTTP/1.1 200 OK\r\nConnection: upgrade, Close\r\nContent-Length: 2\r\n\r\nok", 200, 2, true)
	whole("HTTP/1.1 204 No\r\nContent-Length: 9\r\n\r\n", 204, 0, false)
	whole("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", 304, 0, false)
	whole("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, 2, false)
	whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA;ext=\"1\"\r\n0123456789\r\n0\r\n\r\n", 200, 15, false)
	whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\nTrailer: x\r\nB: y\r\n\r\n", 200, 0, false)
	whole("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nto the end", 200, 10, true)
	whole("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n", 200, 0, false)
	whole("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("y", 60<<10)+"\r\nContent-Length: 100000\r\n\r\n"+strings.Repeat("z", 100_000), 200, 100_000, false)
	head := "HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n"
	f("HEAD", head, httptarget.Response{Status: 200, Bytes: int64(len(head))})
}

func TestBadResponses(t *testing.T) {
	f := func(text string, want error) {
		t.Helper()
		r := httptarget.NewResponseReader(strings.NewReader(text), headLimit, bodyLimit)
		if got, err := r.Next("GET"); !errors.Is(err, want) {
			t.Errorf("%.60q: %+v, %v, want %v", text, got, err, want)
		}
	}
	bad, cut := httptarget.ErrProtocol, io.ErrUnexpectedEOF
	f("", io.EOF)
	f("HTTP/1.1 2", cut)
	f("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", cut)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", cut)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n", cut)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n", bad)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n", bad)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n", bad)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", bad)
	f("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffff\r\n", bad)
	f("HTTP/2.0 200 OK\r\n\r\n", bad)
	f("HTTP/1.1 20 OK\r\n\r\n", bad)
	f("HTTP/1.1 2000 OK\r\n\r\n", bad)
	f("HTTP/1.1 099 OK\r\n\r\n", bad)
	f("HTTP/1.1 101 Switching Protocols\r\n\r\n", bad)
	f("\r\nHTTP/1.1 200 OK\r\n\r\n", bad)
	f("\x15\x03\x01\x00\x02\x02\x16\n", bad)
	f("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello", bad)
	f("HTTP/1.1 200 OK\r\n: x\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\n folded\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length:\r\n 5\r\n\r\nhello", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\n\r\n"+strings.Repeat("x", bodyLimit+1), bad)
	f("HTTP/1.1 200 OK\r\nX: "+strings.Repeat("y", headLimit)+"\r\n\r\n", bad)
	f("HTTP/1.1 200 OK\r\n"+strings.Repeat("X: y\r\n", headLimit/6)+"\r\n", bad)
}

// Responses follow each other on one connection, whatever the reads cut.
func TestChunkedSplitAtEveryByte(t *testing.T) {
	one := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\nabc\r\n0\r\nT: v\r\n\r\n"
	text := one + one
	for cut := 1; cut < len(text); cut++ {
		src := io.MultiReader(strings.NewReader(text[:cut]), strings.NewReader(text[cut:]))
		r := httptarget.NewResponseReader(src, headLimit, bodyLimit)
		for range 2 {
			got, err := r.Next("GET")
			if want := (httptarget.Response{Status: 200, Bytes: int64(len(one)), Body: 8}); err != nil || got != want {
				t.Fatalf("cut at %d: %+v, %v", cut, got, err)
			}
		}
		if r.Buffered() != 0 {
			t.Fatalf("cut at %d: %d bytes left", cut, r.Buffered())
		}
	}
}

// FuzzResponse compares with net/http: what both accept they must understand alike, and what this reader
// accepts net/http must not refuse, except for what it is known to be stricter in.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.0 404 No\r\n\r\nbody",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 304 X\r\nContent-Length: 3\r\n\r\n",
		"HTTP/1.1 200 OK\r\nConnection: close\r\nX: a\r\n b\r\n\r\nx",
	} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, isHead bool) {
		method := map[bool]string{true: "HEAD", false: "GET"}[isHead]
		ours, err := httptarget.NewResponseReader(bytes.NewReader(text), headLimit, bodyLimit).Next(method)
		theirs, body, failure := reference(text, method)
		if failure != nil || theirs.StatusCode/100 == 1 {
			return
		}
		if err != nil {
			if strictHere(text, theirs) {
				return
			}
			t.Fatalf("net/http reads status %d and %d bytes; this reader says %v", theirs.StatusCode, body, err)
		}
		if int(ours.Status) != theirs.StatusCode || ours.Body != body {
			t.Fatalf("status %d and %d bytes, net/http says %d and %d", ours.Status, ours.Body, theirs.StatusCode, body)
		}
		if theirs.Close && !ours.Close {
			t.Fatal("net/http would close the connection")
		}
	})
}

// reference reads the response with net/http.
func reference(text []byte, method string) (*http.Response, int64, error) {
	r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)), &http.Request{Method: method})
	if err != nil {
		return nil, 0, err
	}
	n, err := io.Copy(io.Discard, r.Body)
	return r, n, err
}

var spacedName = regexp.MustCompile(`(?m)^[^:\n]*[ \t][^:\n]*:`)

// strictHere names what this reader refuses on purpose: other protocol versions, leading zeros and signs of
// a status, names with spaces, folded lines in the framing, and heads that net/http's text reader repairs.
func strictHere(text []byte, r *http.Response) bool {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	proper := bytes.HasPrefix(line, []byte("HTTP/1.1 ")) || bytes.HasPrefix(line, []byte("HTTP/1.0 "))
	if !proper || r.StatusCode < 100 || len(line) > 12 && line[12] != ' ' && line[12] != '\r' {
		return true
	}
	return spacedName.Match(rest) || bytes.Contains(rest, []byte("\n ")) || bytes.Contains(rest, []byte("\n\t")) || bytes.Contains(rest, []byte("\r\r")) ||
		strings.Contains(strings.ToLower(string(rest)), "content-length")
}

func BenchmarkResponse(b *testing.B) {
	text := []byte("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 30 Nov 2026 19:00:00 GMT\r\nContent-Type: text/html\r\nContent-Length: 612\r\nLast-Modified: Mon, 30 Nov 2026 18:00:00 GMT\r\nConnection: keep-alive\r\nETag: \"5e5e\"\r\nAccept-Ranges: bytes\r\n\r\n" + strings.Repeat("x", 612))
	src := bytes.NewReader(text)
	r := httptarget.NewResponseReader(src, headLimit, bodyLimit)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		src.Reset(text)
		if _, err := r.Next("GET"); err != nil {
			b.Fatal(err)
		}
	}
}

func TestResponseDoesNotAllocate(t *testing.T) {
	text := []byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
	src := bytes.NewReader(text)
	r := httptarget.NewResponseReader(src, headLimit, bodyLimit)
	if n := testing.AllocsPerRun(100, func() {
		src.Reset(text)
		if _, err := r.Next("GET"); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%g allocations per response", n)
	}
}
