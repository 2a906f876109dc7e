package arrival_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"reprise/arrival"
)

func TestOptionsAreRefusedByFlag(t *testing.T) {
	profile := series(t, 1000, 5, 0, 7)
	f := func(flag string, kind arrival.Kind, o arrival.Options) {
		t.Helper()
		_, err := arrival.New(kind, profile, o)
		if err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%+v: error %v does not name %s", o, err, flag)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e300, 1e-300} {
		f("--speed", arrival.Measured, arrival.Options{Speed: x})
		f("--scale", arrival.Measured, arrival.Options{Scale: x})
		f("--rate", arrival.Poisson, arrival.Options{Rate: x})
	}
	f("--rate", arrival.Measured, arrival.Options{Rate: 5, Scale: 2})
	f("--duration", arrival.Measured, arrival.Options{Duration: -time.Second})
	f("--duration", arrival.Measured, arrival.Options{Duration: time.Microsecond})
	f("--duration", arrival.Measured, arrival.Options{Duration: math.MaxInt64})
	f("--window", arrival.Measured, arrival.Options{From: 1002, To: 1001})
	f("--window", arrival.Measured, arrival.Options{From: 2000, To: 3000})
	f("--window", arrival.Measured, arrival.Options{From: 1001, To: 1002})
	f("--window", arrival.Measured, arrival.Options{From: math.MaxInt64})
	f("--window", arrival.Measured, arrival.Options{To: 4e8, Speed: 1e5, Duration: time.Second})
	f("--window", arrival.Constant, arrival.Options{From: 5000})
	f("--scale", arrival.Measured, arrival.Options{Rate: 1e7, Speed: 1e-3})
	f("--rate", arrival.Poisson, arrival.Options{Scale: 1e5, Speed: 1e5})
	f("--arrival", "bursty", arrival.Options{})
	f("--arrival", arrival.Logged, arrival.Options{})
}

func TestZeroIsRefusedWhereAUserGaveIt(t *testing.T) {
	f := func(flag string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("error %v does not name %s", err, flag)
		}
	}
	f("--speed", arrival.CheckSpeed(0))
	f("--scale", arrival.CheckScale(0))
	f("--rate", arrival.CheckRate(0))
	f("--duration", arrival.CheckDuration(0))
	for _, err := range []error{arrival.CheckSpeed(60), arrival.CheckScale(.1), arrival.CheckRate(250), arrival.CheckDuration(time.Minute)} {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestBareSchedulesNeedRateAndDuration(t *testing.T) {
	f := func(ok bool, kind arrival.Kind, o arrival.Options) {
		t.Helper()
		if _, err := arrival.New(kind, nil, o); (err == nil) != ok {
			t.Errorf("%s %+v: error %v", kind, o, err)
		}
	}
	f(true, arrival.Poisson, arrival.Options{Rate: 10, Duration: time.Second})
	f(true, arrival.Constant, arrival.Options{Rate: 10, Duration: time.Second})
	f(false, arrival.Constant, arrival.Options{Rate: 10})
	f(false, arrival.Constant, arrival.Options{Duration: time.Second})
	f(false, arrival.Constant, arrival.Options{Rate: 10, Duration: time.Second, Speed: 2})
	f(false, arrival.Measured, arrival.Options{Rate: 10, Duration: time.Second})
}

func TestParseKind(t *testing.T) {
	f := func(name string, want arrival.Kind, ok bool) {
		t.Helper()
		got, err := arrival.ParseKind(name)
		if got != want || (err == nil) != ok {
			t.Errorf("%q is %q, %v", name, got, err)
		}
	}
	f("", arrival.Measured, true)
	f("poisson", arrival.Poisson, true)
	f("logged", arrival.Logged, true)
	f("Poisson", "", false)
}

// FuzzOptions asserts that options are refused or give a schedule whose offsets are in order and range.
func FuzzOptions(f *testing.F) {
	f.Add(uint8(0), 1.0, 0.0, 0.0, int64(0), int64(0), int64(0), uint64(1))
	f.Add(uint8(1), 2.0, 0.5, 0.0, int64(1001), int64(1003), int64(time.Second), uint64(2))
	f.Add(uint8(2), 1e-3, 0.0, 1e-6, int64(-5), int64(1001), int64(-1), uint64(3))
	f.Add(uint8(0), math.Inf(1), math.NaN(), math.Copysign(0, -1), int64(math.MinInt64), int64(math.MaxInt64), int64(math.MaxInt64), uint64(4))
	profile := series(f, 1000, 5, 0, 7, 0, 0, 40)
	kinds := []arrival.Kind{arrival.Measured, arrival.Poisson, arrival.Constant, arrival.Logged}
	f.Fuzz(func(t *testing.T, kind uint8, speed, scale, rate float64, from, to, duration int64, seed uint64) {
		s, err := arrival.New(kinds[kind%4], profile, arrival.Options{
			Speed: speed, Scale: scale, Rate: rate, From: from, To: to, Duration: time.Duration(duration)})
		if err != nil {
			return
		}
		terms := s.Terms()
		for _, x := range []float64{terms.Rate, terms.Factor, terms.DurationSeconds, terms.Repeats} {
			if math.IsNaN(x) || math.IsInf(x, 0) || x <= 0 {
				t.Fatalf("terms %+v", terms)
			}
		}
		last, n := int64(0), 0
		for at := range s.Offsets(seed) {
			if at < last || at >= s.Duration().Microseconds() {
				t.Fatalf("offset %d after %d, duration %v", at, last, s.Duration())
			}
			if last = at; n == 1000 {
				break
			}
			n++
		}
	})
}
