package arrival_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/arrival"
)

func measure(s *arrival.Schedule, seed uint64) arrival.Shape {
	m := arrival.NewMeter()
	for at := range s.Offsets(seed) {
		m.Add(at)
	}
	return m.Shape(s.Duration())
}

// naive computes the statistics of counts by their definitions.
func naive(counts []int64) (mean, idc, lag1 float64) {
	n := float64(len(counts))
	for _, c := range counts {
		mean += float64(c) / n
	}
	ss, cross := 0.0, 0.0
	for i, c := range counts {
		ss += (float64(c) - mean) * (float64(c) - mean)
		if i > 0 {
			cross += (float64(c) - mean) * (float64(counts[i-1]) - mean)
		}
	}
	return mean, ss / (n - 1) / mean, cross / ss
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestStatisticsMatchTheirDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.SampledFrom([]int64{0, 0, 0, 1, 2, 9, 60}), 10, 200).Draw(t, "counts")
		counts[0], counts[len(counts)-1] = 3, 1
		profile := new(arrival.Series)
		if err := profile.AddBlock(arrival.Block{Start: -50, Counts: counts}); err != nil {
			t.Fatal(err)
		}
		fit, err := arrival.Fit(profile)
		if err != nil {
			t.Fatal(err)
		}
		mean, idc, lag1 := naive(counts)
		if !near(fit.Rate, mean) || !near(fit.IDC["1"], idc) || !near(*fit.Lag1, lag1) || !near(*fit.Kappa, (idc-1)/mean) {
			t.Fatalf("fit %+v (lag1 %g, kappa %g), want mean %g idc %g lag1 %g", fit, *fit.Lag1, *fit.Kappa, mean, idc, lag1)
		}
		var tens []int64
		for c := range slices.Chunk(counts, 10) {
			if sum := int64(0); len(c) == 10 {
				for _, n := range c {
					sum += n
				}
				tens = append(tens, sum)
			}
		}
		got, ok := fit.IDC["10"]
		if ok != (len(tens) >= 10) {
			t.Fatalf("idc at 10 s is given: %v, of %d bins", ok, len(tens))
		}
		if _, want, _ := naive(tens); ok && !near(got, want) {
			t.Fatalf("idc at 10 s is %g, want %g", got, want)
		}
		if fit.PeakSecond != slices.Max(counts) {
			t.Fatalf("peak %d", fit.PeakSecond)
		}
	})
}

func TestMeterAgreesWithFitOnTheSameCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([]int64, 1200)
	for i := range counts {
		counts[i] = int64(rng.IntN(40)) * int64(rng.IntN(3))
	}
	counts[0], counts[1199] = 1, 1
	profile := series(t, 7777, counts...)
	fit, err := arrival.Fit(profile)
	if err != nil {
		t.Fatal(err)
	}
	sent := measure(schedule(t, arrival.Measured, profile, arrival.Options{}), 1)
	for _, w := range []string{"1", "10", "60"} {
		if fit.IDC[w] != sent.IDC[w] || fit.IDC[w] == 0 {
			t.Errorf("idc at %s s: log %g, schedule %g", w, fit.IDC[w], sent.IDC[w])
		}
	}
	if *fit.Kappa != *sent.Kappa || *fit.Lag1 != *sent.Lag1 || fit.PeakSecond != sent.PeakSecond || fit.ExpectedPoissonPeak != sent.ExpectedPoissonPeak {
		t.Errorf("log %+v, schedule %+v", fit.Shape, sent)
	}
	if sent.PeakSliding < sent.PeakSecond {
		t.Errorf("sliding peak %d below the fixed one %d", sent.PeakSliding, sent.PeakSecond)
	}
}

func TestMeterOnKnownOffsets(t *testing.T) {
	m := arrival.NewMeter()
	for _, at := range []int64{0, 900_000, 950_000, 1_000_000, 1_100_000, 1_899_999, 1_900_000, 25_000_000} {
		m.Add(at)
	}
	s := m.Shape(30 * time.Second)
	if s.Arrivals != 8 || s.PeakSecond != 4 || s.PeakSliding != 6-1 || s.DurationSeconds != 30 {
		t.Errorf("%+v", s)
	}
	// Gaps 900000, 50000, 50000, 100000, 799999, 1, 23100000: mean 3571428.57, deviation 8618912.5.
	if s.GapCV == nil || math.Abs(*s.GapCV-2.4133) > 0.001 {
		t.Errorf("gap cv %v", *s.GapCV)
	}
	if empty := arrival.NewMeter().Shape(time.Minute); empty.Arrivals != 0 || len(empty.IDC) != 0 || empty.Kappa != nil {
		t.Errorf("no arrivals: %+v", empty)
	}
}

func TestSlidingPeakIsTheLargestStretch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offsets := rapid.SliceOfN(rapid.Int64Range(0, 5_000_000), 1, 300).Draw(t, "offsets")
		slices.Sort(offsets)
		m := arrival.NewMeter()
		want := int64(0)
		for i, at := range offsets {
			m.Add(at)
			j := i
			for j > 0 && offsets[j-1] > at-1_000_000 {
				j--
			}
			want = max(want, int64(i-j+1))
		}
		if got := m.Shape(5 * time.Second).PeakSliding; got != want {
			t.Fatalf("sliding peak %d, want %d", got, want)
		}
	})
}

func TestShapeJSON(t *testing.T) {
	m := arrival.NewMeter()
	for i := range int64(40) {
		m.Add(i * 50_000)
	}
	text, err := json.Marshal(m.Shape(2 * time.Second))
	want := `{"arrivals":40,"duration_seconds":2,"rate":20,"peak_second":20,"peak_sliding_second":20,` +
		`"expected_poisson_peak":22.51521017899355,"idc":{"0.1":0},"gap_cv":0}`
	if err != nil || string(text) != want {
		t.Errorf("got  %s %v\nwant %s", text, err, want)
	}
}

func TestFitSentence(t *testing.T) {
	counts := slices.Repeat([]int64{100}, 3600)
	counts[1800] = 911
	for i := range 811 { // keep the mean at 100
		counts[i]--
	}
	profile := series(t, 1_333_000_000, counts...)
	fit, err := arrival.Fit(profile)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fit.Sentence(), "Poisson at this mean would peak at 138/s; this log peaks at 911/s (6.6 x)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if fit.PeakAt != 1_333_001_800 || fit.ExpectedPoissonPeak99 != 149 || math.Abs(fit.Underestimate()-6.608) > .001 {
		t.Errorf("%+v", fit)
	}
	if idc := fit.IDC["1"]; *fit.DispersionLow >= 1 || *fit.DispersionHigh <= 1 || idc <= *fit.DispersionHigh {
		t.Errorf("index of dispersion %v lies within %v and %v", idc, *fit.DispersionLow, *fit.DispersionHigh)
	}
	if _, err := arrival.Fit(new(arrival.Series)); err == nil {
		t.Error("an empty profile was fitted")
	}
	gap, err := arrival.FitWindow(series(t, 100, 1, 0, 0, 5, 0, 1), 95, 110)
	if err != nil || gap.LongestGapSeconds != 5 || gap.EmptySeconds != 12 || gap.DurationSeconds != 15 || gap.Arrivals != 7 {
		t.Errorf("%+v, %v", gap, err)
	}
}
