package compare_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"reprise/replay/compare"
)

// The worked cases of a paired comparison: A's p99 over five runs, then B's, with a tolerance of 10 %.
func TestPairedWorkedCases(t *testing.T) {
	a := []float64{62.0, 60.5, 63.1, 61.2, 62.7}
	check := func(b []float64, value, low, high float64, want compare.Verdict, needed int) {
		t.Helper()
		r := compare.Paired(a, b)
		for _, v := range [][2]float64{{r.Value, value}, {r.Low, low}, {r.High, high}} {
			if math.Abs(v[0]-v[1]) > 0.0006 { // three printed digits; the last case was published as 0.904 for 0.90345
				t.Errorf("ratio %.4f [%.4f, %.4f], want %.3f [%.3f, %.3f]", r.Value, r.Low, r.High, value, low, high)
				break
			}
		}
		if got := r.Verdict(0.1); got != want {
			t.Errorf("verdict %s, want %s", got, want)
		}
		if got := r.Needed(0.1); got != needed {
			t.Errorf("needed %d, want %d", got, needed)
		}
	}
	check([]float64{62.9, 61.0, 63.0, 62.2, 63.9}, 1.011, 1.001, 1.022, compare.Pass, 5)
	check([]float64{67.0, 64.1, 69.5, 65.8, 68.9}, 1.083, 1.062, 1.105, compare.Inconclusive, 7)
	check([]float64{79.9, 76.0, 83.3, 78.8, 80.1}, 1.286, 1.258, 1.315, compare.Fail, compare.NoNumber)
	check([]float64{60.0, 70.2, 66.1, 75.9, 61.4}, 1.074, 0.939, 1.228, compare.Inconclusive, 81)
	check([]float64{55.1, 54.6, 56.9, 54.2, 55.8}, 0.894, 0.884, 0.904, compare.Pass, 5)
}

// The published quantiles t(0.975, r-1) show up as the half width of an interval whose noise is known:
// ln ratios of -s, 0 and +s repeated.
func TestPairedUsesStudentQuantiles(t *testing.T) {
	check := func(d []float64, quantile float64) {
		t.Helper()
		a, b := make([]float64, len(d)), make([]float64, len(d))
		var sum, squares float64
		for i, v := range d {
			a[i], b[i] = 1, math.Exp(v)
			sum += v
			squares += v * v
		}
		n := float64(len(d))
		s := math.Sqrt((squares - sum*sum/n) / (n - 1))
		got := math.Log(compare.Paired(a, b).High/compare.Paired(a, b).Value) / (s / math.Sqrt(n))
		if math.Abs(got-quantile) > 0.0005 {
			t.Errorf("n %d: t %.4f, want %.3f", len(d), got, quantile)
		}
	}
	check([]float64{-0.1, 0, 0.1}, 4.303)
	check([]float64{-0.2, -0.1, 0, 0.1, 0.2}, 2.776)
	check([]float64{-0.5, -0.4, -0.3, -0.2, -0.1, 0.1, 0.2, 0.3, 0.4, 0.5}, 2.262)
}

func TestPairedIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.001, 1e6), 2, 20)
		a := values.Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float64Range(0.001, 1e6), len(a), len(a)).Draw(t, "b")
		x, y := compare.Paired(a, b), compare.Paired(b, a)
		for _, v := range [][2]float64{{x.Value, y.Value}, {x.Low, y.High}, {x.High, y.Low}} {
			if math.Abs(math.Log(v[0]*v[1])) > 1e-6*(1+math.Abs(math.Log(v[0]))) {
				t.Fatalf("B/A %+v and A/B %+v are not reciprocal", x, y)
			}
		}
		if !(x.Low <= x.Value && x.Value <= x.High) {
			t.Fatalf("%g is not in [%g, %g]", x.Value, x.Low, x.High)
		}
	})
}

func TestPairedLeavesOutWhatHasNoRatio(t *testing.T) {
	r := compare.Paired([]float64{0, 10, math.NaN(), 10, -1, math.Inf(1)}, []float64{1, 20, 1, 0, 1, 5})
	if r.Pairs != 1 || math.Abs(r.Value-2) > 1e-12 || r.Low != 0 || r.High != 0 {
		t.Errorf("got %+v, want the one pair 10, 20", r)
	}
	if got := r.Verdict(10); got != compare.Inconclusive {
		t.Errorf("one pair gives %s", got)
	}
	if got := r.Needed(0.1); got != 0 {
		t.Errorf("one pair needs %d, want 0: unknown", got)
	}
}

// Newcombe's own example (Statistics in Medicine 1998, table II, case a): 56/70 against 48/80 gives
// 0.2000 [0.0524, 0.3339] with method 10.
func TestSharesNewcombe(t *testing.T) {
	d := compare.Shares(48, 80, 56, 70)
	for _, v := range [][2]float64{{d.Value, 0.2}, {d.Low, 0.0524}, {d.High, 0.3339}} {
		if math.Abs(v[0]-v[1]) > 0.0001 {
			t.Fatalf("got %.4f [%.4f, %.4f], want 0.2000 [0.0524, 0.3339]", d.Value, d.Low, d.High)
		}
	}
	if d := compare.Shares(0, 0, 1, 10); d.Low != -1 || d.High != 1 {
		t.Errorf("no requests on one side: %+v, want the whole range", d)
	}
}

func TestFloor(t *testing.T) {
	for p, want := range map[float64]int64{0.5: 6, 0.95: 72, 0.99: 368, 0.999: 3688, 0: math.MaxInt64, 1: math.MaxInt64} {
		if got := compare.Floor(p); got != want {
			t.Errorf("p %g: n %d, want %d", p, got, want)
		}
	}
}
