package synth_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"reprise/sample/synth"
)

func TestBuiltInScenarios(t *testing.T) {
	p1, err := synth.BuiltIn("p1")
	if err != nil {
		t.Fatal(err)
	}
	if p1.PeakRate() != 250 || p1.DurationSeconds != 60 || p1.WarmupSeconds != 5 || p1.Timeout() != 500*time.Millisecond || p1.Arrival != "constant" {
		t.Errorf("P1 is %+v", p1)
	}
	p2, err := synth.BuiltIn("P2")
	if err != nil {
		t.Fatal(err)
	}
	if p2.PeakRate() != 750 || p2.DurationSeconds != 30 || p2.RecoveryWindowSeconds != 30 || p2.Rate != 250 || p2.Mix != p1.Mix || p2.Skew != p1.Skew {
		t.Errorf("P2 is %+v", p2)
	}
	if _, err := synth.BuiltIn("P3"); err == nil {
		t.Error("P3 is known")
	}
}

func TestParseScenario(t *testing.T) {
	f := func(text string, change func(*synth.Scenario), base synth.Scenario) {
		t.Helper()
		base.Name = "custom"
		change(&base)
		got, err := synth.ParseScenario([]byte(text))
		if err != nil || got != base {
			t.Errorf("%q:\ngot  %+v, %v\nwant %+v", text, got, err, base)
		}
	}
	f("rate: 10", func(s *synth.Scenario) { s.Rate = 10 }, synth.P1())
	f("base: P2\nname: mine\nsurge: 2", func(s *synth.Scenario) { s.Name, s.Surge = "mine", 2 }, synth.P2())
	f("mix: {order: 40}", func(s *synth.Scenario) { s.Mix.Order = 40 }, synth.P1())
	f("skew:\n  skus: 0.1\narrival: poisson\nproducts: 7\n", func(s *synth.Scenario) {
		s.Skew.SKUs, s.Arrival, s.Products = .1, "poisson", 7
	}, synth.P1())
	f("base: P2", func(*synth.Scenario) {}, synth.P2())
}

func TestScenarioFileRoundTrip(t *testing.T) {
	for _, want := range []synth.Scenario{synth.P1(), synth.P2()} {
		text, err := yaml.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := synth.ParseScenario(text); err != nil || got != want {
			t.Errorf("%s\nis read as %+v, %v", text, got, err)
		}
	}
}

func TestParseScenarioRefuses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := synth.ParseScenario([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %v does not say %q in one line", text, err, want)
		}
	}
	f("rate: 10\nrats: 5\n", "[2:1]")
	f("rate: 10\nrate: 5\n", "[2:1]")
	f("rate: fast\n", "[1:7]")
	f("mix: {orders: 5}\n", "[1:")
	f("base: P9\n", "base")
	f("rate: 0\n", "rate")
	f("rate: -1\n", "rate")
	f("rate: .nan\n", "rate")
	f("rate: .inf\n", "rate")
	f("rate: 1e6\nsurge: 100\n", "rate times surge")
	f("arrival: measured\n", "arrival")
	f("duration_seconds: 0\n", "duration_seconds")
	f("recovery_window_seconds: 1e-9\n", "recovery_window_seconds")
	f("timeout_ms: 0\n", "timeout_ms")
	f("mix: {product: 0, list: 0, order: 0}\n", "mix")
	f("mix: {product: -1}\n", "mix.product")
	f("skew: {skus: 2}\n", "skew.skus")
	f("products: 0\n", "products")
	f("users: 1000001\n", "users")
	f(strings.Repeat("#\n", 40_000), "limit")
	f("", "empty")
	f("# nothing but a remark\n", "empty")
	f("- a\n- b\n", "scenario")
	f("rate: [\n", "scenario")
}

func FuzzParseScenario(f *testing.F) {
	f.Add([]byte("base: P2\nrate: 10\nmix: {order: 40}\n"))
	f.Add([]byte("skew: &a {skus: 0.5}\narrival: poisson\n"))
	f.Add([]byte("{{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := synth.ParseScenario(text)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil || math.IsNaN(s.PeakRate()) {
			t.Fatalf("%q gave %+v, %v", text, s, err)
		}
	})
}
