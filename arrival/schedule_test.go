package arrival_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/arrival"
)

func schedule(t testing.TB, kind arrival.Kind, profile *arrival.Series, o arrival.Options) *arrival.Schedule {
	t.Helper()
	s, err := arrival.New(kind, profile, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func digest(offsets iter.Seq[int64]) (n int, sum string) {
	h := sha256.New()
	for at := range offsets {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(at)))
		n++
	}
	return n, fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func TestMeasuredKeepsEveryCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile := new(arrival.Series)
		for second, n := range drawSeconds(t) {
			if err := profile.Add(second, n); err != nil {
				t.Fatal(err)
			}
		}
		from, to := profile.Span()
		if profile.Total() == 0 || to-from > 1e5 {
			t.Skip("no window to send")
		}
		s, err := arrival.New(arrival.Measured, profile, arrival.Options{})
		if err != nil {
			t.Fatal(err)
		}
		sent, last := new(arrival.Series), int64(0)
		for at, source := range s.Sources(rapid.Uint64().Draw(t, "seed")) {
			if at < last {
				t.Fatalf("offset %d after %d", at, last)
			}
			last = at
			if source != (arrival.Source{Second: from + at/1e6}) {
				t.Fatalf("offset %d stands for %+v, want second %d", at, source, from+at/1e6)
			}
			if err := sent.Add(source.Second, 1); err != nil {
				t.Fatal(err)
			}
		}
		for second, n := range profile.Each() {
			if sent.At(second) != n {
				t.Fatalf("second %d has %d offsets, want %d", second, sent.At(second), n)
			}
		}
		if sent.Total() != profile.Total() {
			t.Fatalf("%d offsets, want %d", sent.Total(), profile.Total())
		}
	})
}

func TestSpeedLosesNothingAndKeepsTheShape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.Int64Range(0, 300), 1, 40).Draw(t, "counts")
		counts[0]++
		counts[len(counts)-1]++
		profile := new(arrival.Series)
		if err := profile.AddBlock(arrival.Block{Start: 1e9, Counts: counts}); err != nil {
			t.Fatal(err)
		}
		speed := rapid.Float64Range(arrival.MinSpeed, 5000).Draw(t, "speed")
		s, err := arrival.New(arrival.Measured, profile, arrival.Options{Speed: speed})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := s.Duration().Seconds(), float64(len(counts))/speed; math.Abs(got-want) > 1.1e-6 {
			t.Fatalf("%d s at speed %g last %g s, want %g", len(counts), speed, got, want)
		}
		sent := new(arrival.Series)
		for at, source := range s.Sources(3) {
			if at < 0 || at >= s.Duration().Microseconds() {
				t.Fatalf("offset %d outside of %v", at, s.Duration())
			}
			if err := sent.Add(source.Second, 1); err != nil || source.Cycle != 0 {
				t.Fatalf("source %+v: %v", source, err)
			}
		}
		if !maps.Equal(maps.Collect(sent.Each()), maps.Collect(profile.Each())) {
			t.Fatalf("at speed %g the sources are not the log's seconds", speed)
		}
	})
}

func TestWindowDurationAndRepetition(t *testing.T) {
	profile := series(t, 100, 5, 0, 7, 9)
	f := func(o arrival.Options, want int, fill arrival.Fill, repeats float64) {
		t.Helper()
		s := schedule(t, arrival.Measured, profile, o)
		if n, _ := digest(s.Offsets(1)); n != want {
			t.Errorf("%+v sends %d, want %d", o, n, want)
		}
		if terms := s.Terms(); terms.Fill != fill || terms.Repeats != repeats {
			t.Errorf("%+v: %s, %g times; want %s, %g", o, terms.Fill, terms.Repeats, fill, repeats)
		}
	}
	f(arrival.Options{}, 21, arrival.Whole, 1)
	f(arrival.Options{Duration: 4 * time.Second}, 21, arrival.Whole, 1)
	f(arrival.Options{Duration: 3 * time.Second}, 12, arrival.Cut, .75)
	f(arrival.Options{Duration: 8 * time.Second}, 42, arrival.Repeated, 2)
	f(arrival.Options{Duration: 9 * time.Second}, 47, arrival.Repeated, 2.25)
	f(arrival.Options{From: 101, To: 103}, 7, arrival.Whole, 1)
	f(arrival.Options{From: 98, To: 110}, 21, arrival.Whole, 1)
	f(arrival.Options{From: 102, Speed: 2}, 16, arrival.Whole, 1)
	f(arrival.Options{Speed: 2, Duration: time.Second}, 5, arrival.Cut, .5)

	s := schedule(t, arrival.Measured, profile, arrival.Options{Duration: 8 * time.Second})
	all := slices.Collect(s.Offsets(1))
	again := slices.Clone(all[21:])
	for i := range again {
		again[i] -= 4e6
	}
	for at, got := range s.Sources(1) {
		if want := (arrival.Source{Second: 100 + at/1e6%4, Cycle: at / 4e6}); got != want {
			t.Errorf("offset %d stands for %+v, want %+v", at, got, want)
		}
	}
	if slices.Equal(again, all[:21]) {
		t.Error("the repetition drew the same offsets again")
	}
}

func TestOffsetsDependOnTheSeedAlone(t *testing.T) {
	profile := series(t, 1_333_000_000, 20, 3, 0, 0, 41, 8, 8, 1)
	// These digests are part of the promise that a seed means the same schedule everywhere, in every
	// release with the same major version of the plan format.
	f := func(kind arrival.Kind, o arrival.Options, n int, want string) {
		t.Helper()
		s := schedule(t, kind, profile, o)
		gotN, got := digest(s.Offsets(42))
		if gotN != n || got != want {
			t.Errorf("%s %+v: %d offsets with digest %s, want %d, %s", kind, o, gotN, got, n, want)
		}
		if _, again := digest(s.Offsets(42)); again != got {
			t.Errorf("%s: ranging again gave other offsets", kind)
		}
		if _, other := digest(s.Offsets(43)); (other == got) != (kind == arrival.Constant) {
			t.Errorf("%s: another seed, digest %s and %s", kind, got, other)
		}
	}
	f(arrival.Measured, arrival.Options{}, 81, "cabd221560c8f0f3")
	f(arrival.Measured, arrival.Options{Speed: 3, Scale: 2.5}, 203, "3b8058d6aeea98b9")
	f(arrival.Measured, arrival.Options{Scale: .01, Duration: time.Minute}, 5, "5f153be1d9ace2c9")
	f(arrival.Poisson, arrival.Options{}, 92, "a54d8e03bb341b53")
	f(arrival.Constant, arrival.Options{}, 81, "a70db00167c0788b")

	// A second's offsets do not depend on the window around it.
	whole := slices.Collect(schedule(t, arrival.Measured, profile, arrival.Options{}).Offsets(42))
	part := slices.Collect(schedule(t, arrival.Measured, profile, arrival.Options{From: 1_333_000_004}).Offsets(42))
	for i, at := range part {
		if at+4e6 != whole[23+i] {
			t.Fatalf("offset %d in the window is %d, in the whole %d", i, at, whole[23+i])
		}
	}
}

func TestConstantIsEven(t *testing.T) {
	s := schedule(t, arrival.Constant, nil, arrival.Options{Rate: 250, Duration: time.Minute})
	i := int64(0)
	for at := range s.Offsets(9) {
		if at != i*4000 {
			t.Fatalf("offset %d is %d us", i, at)
		}
		i++
	}
	if i != 15000 {
		t.Fatalf("%d offsets, want 15000", i)
	}
	thirds := slices.Collect(schedule(t, arrival.Constant, nil, arrival.Options{Rate: 3, Duration: 1001 * time.Millisecond}).Offsets(9))
	if !slices.Equal(thirds, []int64{0, 333_333, 666_666, 1_000_000}) {
		t.Fatalf("3 per second: %v", thirds)
	}
}

func TestLoggedKeepsEveryStamp(t *testing.T) {
	stamps := []int64{10_500_000, 10_500_000, 11_250_000, 11_200_000, 13_000_000}
	f := func(o arrival.Options, want ...int64) {
		t.Helper()
		s, err := arrival.NewLogged(slices.Values(stamps), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(s.Offsets(1)); !slices.Equal(got, want) {
			t.Errorf("%+v: %v, want %v", o, got, want)
		}
	}
	f(arrival.Options{}, 500_000, 500_000, 1_250_000, 1_250_000, 3_000_000)
	f(arrival.Options{Speed: 2}, 250_000, 250_000, 625_000, 625_000, 1_500_000)
	f(arrival.Options{From: 11, To: 13}, 250_000, 250_000)
	f(arrival.Options{From: 11, To: 12, Duration: 2500 * time.Millisecond}, 250_000, 250_000, 1_250_000, 1_250_000, 2_250_000, 2_250_000)
	f(arrival.Options{Duration: 600 * time.Millisecond}, 500_000, 500_000)
	refused := func(o arrival.Options, stamps ...int64) {
		t.Helper()
		if _, err := arrival.NewLogged(slices.Values(stamps), o); err == nil {
			t.Errorf("%+v of %v: no error", o, stamps)
		}
	}
	refused(arrival.Options{})
	refused(arrival.Options{Rate: 5}, stamps...)
	refused(arrival.Options{Scale: 2}, stamps...)
	refused(arrival.Options{From: 20}, stamps...)
	refused(arrival.Options{Speed: -1}, stamps...)
	refused(arrival.Options{}, 0, 4e17)
}

// Models that know no log walk through the window at the speed, once or again and again.
func TestSteadyModelsWalkThroughTheWindow(t *testing.T) {
	profile := series(t, 1000, 9, 0, 0, 0, 0, 0, 0, 0, 0, 9)
	f := func(kind arrival.Kind, o arrival.Options, cycles int64) {
		t.Helper()
		s, last := schedule(t, kind, profile, o), arrival.Source{}
		for at, source := range s.Sources(4) {
			if source.Second < 1000 || source.Second > 1009 {
				t.Fatalf("%s %+v: offset %d stands for %+v", kind, o, at, source)
			}
			if source.Cycle < last.Cycle || source.Cycle == last.Cycle && source.Second < last.Second {
				t.Fatalf("%s %+v: %+v comes after %+v", kind, o, source, last)
			}
			last = source
		}
		if last != (arrival.Source{Second: 1009, Cycle: cycles - 1}) {
			t.Errorf("%s %+v ends at %+v", kind, o, last)
		}
	}
	for _, kind := range []arrival.Kind{arrival.Poisson, arrival.Constant} {
		f(kind, arrival.Options{Rate: 1000}, 1)
		f(kind, arrival.Options{Rate: 1000, Speed: .7}, 1)
		f(kind, arrival.Options{Rate: 1000, Speed: 7}, 1)
		f(kind, arrival.Options{Rate: 1000, Duration: 30 * time.Second}, 3)
	}
}

func TestLoggedLosesNothingAtAnySpeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stamps := rapid.SliceOfN(rapid.Int64Range(0, 3e9), 1, 60).Draw(t, "stamps")
		slices.Sort(stamps)
		speed := rapid.Float64Range(arrival.MinSpeed, arrival.MaxSpeed).Draw(t, "speed")
		s, err := arrival.NewLogged(slices.Values(stamps), arrival.Options{Speed: speed})
		if err != nil {
			t.Skip(err)
		}
		i, last := 0, int64(0)
		for at, source := range s.Sources(1) {
			if at < last || at >= s.Duration().Microseconds() {
				t.Fatalf("offset %d after %d, in %v", at, last, s.Duration())
			}
			if want := (arrival.Source{Second: stamps[i] / 1e6}); source != want {
				t.Fatalf("offset %d stands for %+v, want %+v", at, source, want)
			}
			last = at
			i++
		}
		if i != len(stamps) {
			t.Fatalf("%d offsets of %d stamps", i, len(stamps))
		}
	})
}

func TestRateIsTheMeanAsSent(t *testing.T) {
	profile := series(t, 0, slices.Repeat([]int64{50, 150, 20, 180}, 250)...)
	f := func(kind arrival.Kind, o arrival.Options, want float64) {
		t.Helper()
		s := schedule(t, kind, profile, o)
		n, _ := digest(s.Offsets(5))
		got := float64(n) / s.Duration().Seconds()
		if math.Abs(got/want-1) > 0.02 || math.Abs(s.Terms().Rate/want-1) > 1e-12 {
			t.Errorf("%s %+v sends %.2f/s and says %.2f/s, want %g", kind, o, got, s.Terms().Rate, want)
		}
	}
	for _, kind := range []arrival.Kind{arrival.Measured, arrival.Poisson, arrival.Constant} {
		f(kind, arrival.Options{}, 100)
		f(kind, arrival.Options{Speed: 4}, 400)
		f(kind, arrival.Options{Rate: 70}, 70)
		f(kind, arrival.Options{Rate: 70, Speed: 4}, 70)
		f(kind, arrival.Options{Scale: .3, Speed: 4}, 120)
	}
}
