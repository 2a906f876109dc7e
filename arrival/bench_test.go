package arrival_test

import (
	"slices"
	"testing"
	"time"

	"reprise/arrival"
)

// BenchmarkOffsets makes a million arrivals per iteration.
func BenchmarkOffsets(b *testing.B) {
	profile := series(b, 1e9, slices.Repeat([]int64{200, 900, 1900, 1000}, 250)...)
	for _, c := range []struct {
		name  string
		kind  arrival.Kind
		scale float64
	}{{"measured", arrival.Measured, 1}, {"rescaled", arrival.Measured, 1.0001}, {"poisson", arrival.Poisson, 1}, {"constant", arrival.Constant, 1}} {
		b.Run(c.name, func(b *testing.B) {
			s, err := arrival.New(c.kind, profile, arrival.Options{Scale: c.scale})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(1_000_000 * 8)
			for b.Loop() {
				n := 0
				for range s.Offsets(1) {
					n++
				}
				if n < 990_000 {
					b.Fatal(n)
				}
			}
		})
	}
}

func BenchmarkMeter(b *testing.B) {
	m := arrival.NewMeter()
	b.ReportAllocs()
	for i := range b.N {
		m.Add(int64(i) * 997)
	}
}

func TestMeterDoesNotAllocate(t *testing.T) {
	m := arrival.NewMeter()
	at := int64(0)
	for range 5000 {
		at += 1000
		m.Add(at)
	}
	if n := testing.AllocsPerRun(5000, func() { at += 1000; m.Add(at) }); n != 0 {
		t.Errorf("%v allocations per offset", n)
	}
}

func TestOffsetsDoNotAllocatePerArrival(t *testing.T) {
	s, err := arrival.New(arrival.Poisson, nil, arrival.Options{Rate: 1000, Duration: 100 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	n := testing.AllocsPerRun(3, func() {
		for range s.Offsets(1) {
		}
	})
	if n > 40 { // the growth of one second's buffer, for 100,000 arrivals
		t.Errorf("%v allocations for a whole schedule", n)
	}
}
