package latency_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/replay/latency"
)

func TestRankIsNearest(t *testing.T) {
	f := func(p float64, n, want int64) {
		t.Helper()
		if got := latency.Rank(p, n); got != want {
			t.Errorf("rank(%g, %d) = %d, want %d", p, n, got, want)
		}
	}
	f(.99, 160, 159) // the library's own rule gives 158
	f(.99, 100, 99)
	f(.99, 101, 100)
	f(.07, 100, 7) // 0.07 x 100 is 7.000000000000001 in binary
	f(.5, 1, 1)
	f(.5, 2, 1)
	f(.5, 3, 2)
	f(1, 10, 10)
	f(.999, 2000, 1998)
	f(.999, 1_000_000_000, 999_000_000)
	f(.0001, 10, 1)
	f(.5, 0, 0)
}

// The exact binomial ranks of arrival.md 5.1.
func TestRankInterval(t *testing.T) {
	f := func(p float64, n, lo, hi int64) {
		t.Helper()
		a, b, ok := latency.RankInterval(p, n, .95)
		if !ok || a != lo || b != hi {
			t.Errorf("p%g of %d: [%d, %d] %v, want [%d, %d]", 100*p, n, a, b, ok, lo, hi)
		}
	}
	f(.5, 100, 40, 61)
	f(.95, 1000, 936, 964)
	f(.99, 1000, 983, 997)
	f(.99, 10_000, 9880, 9920)
	f(.999, 10_000, 9983, 9997)
	f(.99, 100_000, 98938, 99062)
	f(.999, 100_000, 99880, 99920)
	for _, c := range []struct {
		p float64
		n int64
	}{{.99, 368}, {.999, 3688}, {.95, 72}} {
		if _, _, ok := latency.RankInterval(c.p, c.n, .95); !ok {
			t.Errorf("p%g of %d has no interval", 100*c.p, c.n)
		}
		if _, _, ok := latency.RankInterval(c.p, c.n-1, .95); ok {
			t.Errorf("p%g of %d has an interval", 100*c.p, c.n-1)
		}
	}
	if _, _, ok := latency.RankInterval(.99, 0, .95); ok {
		t.Error("an interval of nothing")
	}
}

// Quantiles are within 0.1 % of the exact order statistic, for any values.
func TestQuantileAgainstSorting(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(0, int64(time.Hour)), 1, 300).Draw(rt, "values")
		h := latency.NewHistogram()
		var sum float64
		for _, v := range values {
			h.Record(v)
			sum += float64(v)
		}
		slices.Sort(values)
		n := int64(len(values))
		for _, p := range []float64{.001, .5, .9, .95, .99, .999, 1} {
			want := values[latency.Rank(p, n)-1] / 1000 * 1000
			got := int64(h.Quantile(p))
			if got < want || float64(got-want) > .001*float64(want)+1000 {
				rt.Fatalf("p%g = %d, sorted %d", 100*p, got, want)
			}
		}
		if int64(h.Max()) != values[n-1] || math.Abs(float64(h.Mean())-sum/float64(n)) > 1 || h.Clipped() != 0 {
			rt.Fatalf("max %d, mean %d, clipped %d", h.Max(), h.Mean(), h.Clipped())
		}
	})
}

func TestMergeAddsCounts(t *testing.T) {
	a, b := latency.NewHistogram(), latency.NewHistogram()
	for range 9000 {
		a.Record(int64(10 * time.Millisecond))
	}
	for range 1000 {
		b.Record(int64(100 * time.Millisecond))
	}
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	// The mean of the two p99 would be 55 ms.
	near := func(got, want time.Duration) bool { return math.Abs(float64(got-want)) <= .001*float64(want) }
	if a.Count() != 10_000 || !near(a.Quantile(.99), 100*time.Millisecond) || !near(a.Quantile(.9), 10*time.Millisecond) {
		t.Errorf("n %d, p99 %v, p90 %v; want 10000, 100 ms, 10 ms", a.Count(), a.Quantile(.99), a.Quantile(.9))
	}
}

func TestClipping(t *testing.T) {
	h := latency.NewHistogram()
	h.Record(-5)
	h.Record(int64(2 * time.Hour))
	h.Record(999)
	if h.Clipped() != 2 || h.Count() != 3 || h.Max() != time.Hour || h.Quantile(.1) != 0 {
		t.Errorf("clipped %d of %d, max %v", h.Clipped(), h.Count(), h.Max())
	}
}

func TestEncodeDecode(t *testing.T) {
	h := latency.NewHistogram()
	for i := range int64(10_000) {
		h.Record(i * i * 1000)
	}
	text, err := h.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := latency.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if back.Count() != h.Count() || math.Abs(float64(back.Mean()-h.Mean())) > .001*float64(h.Mean()) {
		t.Errorf("count %d, mean %v; want %d, %v", back.Count(), back.Mean(), h.Count(), h.Mean())
	}
	for k := int64(1); k < h.Count(); k += 99 {
		if back.AtRank(k) != h.AtRank(k) {
			t.Fatalf("rank %d: %v, want %v", k, back.AtRank(k), h.AtRank(k))
		}
	}
	for _, bad := range []string{"", "!", "aGVsbG8=", text[:len(text)/2], strings.Repeat("A", 400)} {
		if _, err := latency.Decode(bad); err == nil {
			t.Errorf("%.10q is decoded", bad)
		}
	}
}

func FuzzDecode(f *testing.F) {
	h := latency.NewHistogram()
	h.Record(int64(time.Second))
	text, err := h.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("HISTFAAAAB")
	f.Fuzz(func(t *testing.T, text string) {
		if h, err := latency.Decode(text); err == nil && (h.Count() < 0 || h.Quantile(.99) > time.Hour+time.Second*4) {
			t.Fatalf("count %d, p99 %v", h.Count(), h.Quantile(.99))
		}
	})
}
