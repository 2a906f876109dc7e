package plan_test

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"testing"

	"reprise/anonymize/trace"
	"reprise/arrival"
	"reprise/replay/plan"
	"reprise/sample"
)

// busy is an hour with n requests, made as they are read.
func busy(n int, weight float64) func() iter.Seq2[*sample.Record, error] {
	return func() iter.Seq2[*sample.Record, error] {
		return func(yield func(*sample.Record, error) bool) {
			r := &sample.Record{Weight: weight, Record: trace.Record{Method: "GET", Endpoint: "/products/{int}", Host: "shop.test", Status: 200}}
			for i := range n {
				r.Start = day*1e6 + int64(i)*3600e6/int64(n)
				r.User[0], r.User[1] = byte(i), byte(i>>8)
				r.Target = fmt.Appendf(r.Target[:0], "/products/%d?from=a-page-with-a-longer-name", i)
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// live is the heap that is in use.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// An hour is never held, whatever its size: with weights of 1 not a record, and else the memory that is given.
func TestDrawHoldsNoHour(t *testing.T) {
	const mib = 1 << 20
	f := func(name string, n, stop int, weight, scale float64, memory, limit int) {
		t.Helper()
		profile := new(arrival.Series)
		for second := range int64(3600) {
			if err := profile.Add(day+second, int64(float64(n)*weight)/3600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := arrival.New(arrival.Measured, profile, arrival.Options{Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		tmp := t.TempDir()
		d := &plan.Drawing{Schedule: s, Records: busy(n, weight), Seed: 1, From: day, To: day + 3600, LogFrom: day, LogTo: day + 3600,
			Memory: memory, Tmp: tmp}
		before, most, count := live(), 0, 0
		for _, err := range d.Arrivals() {
			if err != nil {
				t.Fatal(err)
			}
			if count%(stop/8) == 0 {
				most = max(most, live()-before)
			}
			if count++; count == stop { // the hour was put aside before its first arrival
				break
			}
		}
		t.Logf("%s: %d arrivals, at most %.1f MiB live", name, count, float64(most)/mib)
		if most > limit {
			t.Errorf("%s: %d bytes were live, want %d at most", name, most, limit)
		}
		if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
			t.Errorf("%s: %d files are left, %v", name, len(left), err)
		}
	}
	f("whole log", 1_200_000, 1_000_000, 1, 1, 0, 4*mib)
	f("weight 100", 200_000, 40_000, 100, .02, 0, 32*mib)
	f("over the memory", 50_000, 40_000, 100, .02, mib, 6*mib)
}

func BenchmarkDraw(b *testing.B) {
	for _, weight := range []float64{1, 10, 100} {
		b.Run(fmt.Sprintf("weight=%v", weight), func(b *testing.B) {
			n := int(720_000 / weight)
			profile := new(arrival.Series)
			for second := range int64(3600) {
				if err := profile.Add(day+second, 200); err != nil {
					b.Fatal(err)
				}
			}
			s, err := arrival.New(arrival.Measured, profile, arrival.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			count := 0
			for b.Loop() {
				d := &plan.Drawing{Schedule: s, Records: busy(n, weight), From: day, To: day + 3600}
				for _, err := range d.Arrivals() {
					if err != nil {
						b.Fatal(err)
					}
					count++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(count), "ns/arrival")
		})
	}
}
