package shop_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
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

// BenchmarkHealthServed goes through net/http and loopback, client included.
func BenchmarkHealthServed(b *testing.B)  { fetch(b, "/healthz") }
func BenchmarkProductServed(b *testing.B) { fetch(b, "/products/17") }

func fetch(b *testing.B, target string) {
	server, err := shop.Listen(context.Background(), "", open(b, shop.Options{}).Handler(), shop.ListenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			resp, err := client.Get(server.URL + target)
			if err != nil {
				b.Error(err)
				return
			}
			io.Copy(io.Discard, resp.Body) // else the connection is not used again
			resp.Body.Close()
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
