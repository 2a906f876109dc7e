package arrival_test

import (
	"math"
	"testing"

	"reprise/arrival"
)

func TestPeakLaw(t *testing.T) {
	f := func(rate float64, n int64, mean float64, median, p95, p99 int64) {
		t.Helper()
		law := arrival.NewPeakLaw(rate, n)
		if got := law.Mean(); math.Abs(got-mean) > 0.0005 {
			t.Errorf("mean peak of %d x Poisson(%g) is %.4f, want %.3f", n, rate, got, mean)
		}
		for _, c := range []struct {
			q    float64
			want int64
		}{{0.5, median}, {0.95, p95}, {0.99, p99}} {
			if got := law.Quantile(c.q); got != c.want {
				t.Errorf("%g quantile of the peak of %d x Poisson(%g) is %d, want %d", c.q, n, rate, got, c.want)
			}
		}
	}
	// Exact values, computed by direct summation of the Poisson distribution.
	f(1, 60, 3.915, 4, 5, 6)
	f(10, 60, 18.030, 18, 21, 23)
	f(10, 3600, 23.175, 23, 26, 27)
	f(50, 600, 73.245, 73, 79, 82)
	f(100, 60, 123.933, 123, 133, 138)
	f(100, 3600, 137.856, 137, 145, 149)
	f(1000, 3600, 1115.580, 1114, 1135, 1147)
}

func TestPeakLawAtItsEdges(t *testing.T) {
	f := func(rate float64, n int64, low, high float64) {
		t.Helper()
		if got := arrival.NewPeakLaw(rate, n).Mean(); !(got >= low && got <= high) {
			t.Errorf("mean peak of %d x Poisson(%g) is %g, want %g..%g", n, rate, got, low, high)
		}
	}
	f(0, 10, 0, 0)
	f(100, 1, 100-1e-6, 100+1e-6) // one count: its mean
	f(1e-6, 1, 1e-6-1e-12, 1e-6+1e-12)
	f(1e7, 1, 1e7-1e-3, 1e7+1e-3)
	f(1e7, 86400, 1.001e7, 1.002e7)
	f(0.5, 1_000_000_000, 9.12, 9.15) // P(X >= 9) is 3.4e-9, P(X >= 10) 1.6e-10
}

func TestDispersionLimits(t *testing.T) {
	f := func(n int64, low, high, burst float64) {
		t.Helper()
		l, h, b := arrival.DispersionLimits(n)
		for _, c := range [][2]float64{{l, low}, {h, high}, {b, burst}} {
			if math.Abs(c[0]-c[1]) > 0.0006 {
				t.Errorf("limits for %d are %.4f %.4f %.4f, want %.3f %.3f %.3f", n, l, h, b, low, high, burst)
			}
		}
	}
	f(60, .672, 1.392, 1.477)
	f(300, .846, 1.167, 1.200)
	f(600, .890, 1.116, 1.139)
	f(3600, .954, 1.047, 1.056)
	if low, _, _ := arrival.DispersionLimits(9); !math.IsNaN(low) {
		t.Errorf("limits for 9 counts are given: %g", low)
	}
}
