package shop_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"reprise/replay/shop"
)

// sink is a response that is thrown away, so that a benchmark measures the handler.
type sink struct {
	header http.Header
	bytes  int64
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.bytes += int64(len(b)); return len(b), nil }

// handle serves the same request over and over in process.
func handle(b *testing.B, target string) {
	h := open(b, shop.Options{}).Handler()
	r := httptest.NewRequest("GET", target, nil)
	r.Header.Set("X-User", "1")
	s := &sink{header: http.Header{}}
	h.ServeHTTP(s, r)
	b.SetBytes(s.bytes)
	b.ReportAllocs()
	for b.Loop() {
		h.ServeHTTP(s, r)
	}
}

func BenchmarkHealth(b *testing.B)  { handle(b, "/healthz") }
func BenchmarkProduct(b *testing.B) { handle(b, "/products/17") }
func BenchmarkList(b *testing.B)    { handle(b, "/products?page=3&cat=lamps") }
func BenchmarkSearch(b *testing.B)  { handle(b, "/search?q=kettle") }

// TestHealthAllocatesNothing: what a generator is measured against must not make garbage of its own,
// metrics and faults included.
func TestHealthAllocatesNothing(t *testing.T) {
	s := open(t, small)
	h := s.Handler()
	r := httptest.NewRequest("GET", "/healthz", nil)
	w := &sink{header: http.Header{}}
	if n := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); n != 0 {
		t.Errorf("%v allocations per request, want 0", n)
	}
	if err := s.Faults().Set(shop.FaultSpec{Stall: &shop.Stall{After: time.Hour, For: time.Second}, Errors: &shop.Errors{Share: 0}}); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() { h.ServeHTTP(w, r) }); n != 0 {
		t.Errorf("%v allocations per request with faults waiting, want 0", n)
	}
}

// The served benchmarks go through net/http and loopback. Their client only writes bytes and reads as many
// as the first answer had, so that what is measured is the server.
func BenchmarkHealthServed(b *testing.B)  { fetch(b, "/healthz") }
func BenchmarkProductServed(b *testing.B) { fetch(b, "/products/17") }

func fetch(b *testing.B, target string) {
	server, err := shop.Listen(context.Background(), "", open(b, shop.Options{}).Handler(), shop.ListenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	request := []byte("GET " + target + " HTTP/1.1\r\nHost: shop\r\n\r\n")
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answer := make([]byte, 64<<10)
		size := 0
		for p.Next() {
			_, err := conn.Write(request)
			if size == 0 && err == nil {
				size, err = conn.Read(answer) // the server sends a short answer in one piece
			} else if err == nil {
				_, err = io.ReadFull(conn, answer[:size])
			}
			if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
				b.Errorf("answer of %d bytes is not whole: %v", size, err)
				return
			}
		}
	})
}

func BenchmarkReset(b *testing.B) {
	s := open(b, shop.Options{})
	for b.Loop() {
		if err := s.Reset(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFingerprint(b *testing.B) {
	s := open(b, shop.Options{})
	b.ReportAllocs()
	for b.Loop() {
		fingerprint(b, s)
	}
}
