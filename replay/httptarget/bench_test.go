package httptarget_test

import (
	"bufio"
	"net"
	"testing"
	"time"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// minimalServer answers every request head with the same bytes: as cheap as a server in this process
// can be.
func minimalServer(tb testing.TB) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go answerAll(c)
		}
	}()
	return "http://" + ln.Addr().String()
}

func answerAll(c net.Conn) {
	defer func() { _ = c.Close() }()
	r := bufio.NewReader(c)
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhello world\n")
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(line) <= 2 {
			if _, err := c.Write(answer); err != nil {
				return
			}
		}
	}
}

// steady yields n arrivals at a constant rate.
func steady(n int, rate float64) func(func(*plan.Arrival, error) bool) {
	return func(yield func(*plan.Arrival, error) bool) {
		a := get("/cheap")
		for i := range n {
			a.At = int64(float64(i) / rate * 1e6)
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// BenchmarkOpenLoop offers a fixed rate on loopback for a time that grows with b.N. The server shares the
// process and its cores.
func BenchmarkOpenLoop(b *testing.B) {
	for _, rate := range []float64{1000, 5000, 20000, 40000} {
		b.Run(time.Duration(1e9/rate).String(), func(b *testing.B) {
			target, err := httptarget.New(b.Context(), httptarget.Options{URL: minimalServer(b)})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = target.Close() }()
			b.ReportAllocs()
			b.ResetTimer()
			totals, err := replay.Run(b.Context(), steady(b.N, rate), target, nil, replay.Options{Timeout: 5 * time.Second})
			if err != nil {
				b.Fatal(err)
			}
			report(b, totals)
		})
	}
}

// BenchmarkClosedLoop finds the most that one process, server included, can exchange.
func BenchmarkClosedLoop(b *testing.B) {
	target, err := httptarget.New(b.Context(), httptarget.Options{URL: minimalServer(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = target.Close() }()
	b.ReportAllocs()
	for b.Loop() {
		totals, err := replay.RunClosed(b.Context(), steady(1000, 1), target, nil,
			replay.ClosedOptions{Workers: 64, Duration: 2 * time.Second, Timeout: 5 * time.Second})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(totals.Ledger.Kinds[result.Completed])/totals.Wall.Seconds(), "req/s")
	}
}

func report(b *testing.B, t *replay.Totals) {
	b.ReportMetric(float64(t.Ledger.Kinds[result.Dropped]), "dropped")
	b.ReportMetric(float64(t.Latency.Lag.Quantile(.5).Microseconds()), "lag-p50-us")
	b.ReportMetric(float64(t.Latency.Lag.Quantile(.99).Microseconds()), "lag-p99-us")
	b.ReportMetric(float64(t.Latency.Response.Quantile(.99).Microseconds()), "p99-us")
	b.ReportMetric(float64(t.Ledger.Kinds[result.Completed])/t.Wall.Seconds(), "req/s")
}
