package synth

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"reprise/arrival"
)

// Scenario is a synthetic load. P1 and P2 are the built-in ones; every number can be changed.
type Scenario struct {
	Name string `yaml:"name" json:"name"`
	// Arrival is constant or poisson.
	Arrival arrival.Kind `yaml:"arrival" json:"arrival"`
	// Rate is the plain rate in requests per second, Surge the factor on it during DurationSeconds.
	Rate            float64 `yaml:"rate" json:"rate"`
	Surge           float64 `yaml:"surge" json:"surge"`
	DurationSeconds float64 `yaml:"duration_seconds" json:"duration_seconds"`
	// RecoveryWindowSeconds follow at the plain rate; 0 for none.
	RecoveryWindowSeconds float64 `yaml:"recovery_window_seconds" json:"recovery_window_seconds"`
	// WarmupSeconds come before t0 and are in no count; TimeoutMS is the deadline of a request, in
	// milliseconds after its intended instant. Both are for the engine: they change no request.
	WarmupSeconds float64 `yaml:"warmup_seconds" json:"warmup_seconds"`
	TimeoutMS     float64 `yaml:"timeout_ms" json:"timeout_ms"`
	Mix           Mix     `yaml:"mix" json:"mix"`
	Skew          Skew    `yaml:"skew" json:"skew"`
	// Products and Users are the sizes of the data set, 1..MaxRows.
	Products int `yaml:"products" json:"products"`
	Users    int `yaml:"users" json:"users"`
}

// Mix holds the relative weights of the request kinds; P1's are percent. None is negative, one is above 0.
type Mix struct {
	Product float64 `yaml:"product" json:"product"` // GET /products/{id}
	List    float64 `yaml:"list" json:"list"`       // GET /products?page=N
	Order   float64 `yaml:"order" json:"order"`     // POST /orders, a write
}

// Skew says how unevenly products are asked for: the part SKUs of the products takes the part Queries of the
// product queries. Both lie in (0, 1].
type Skew struct {
	SKUs    float64 `yaml:"skus" json:"skus"`
	Queries float64 `yaml:"queries" json:"queries"`
}

const (
	// MaxRows bounds the products and the users.
	MaxRows = 1_000_000
	// MaxFileBytes bounds a scenario file: a YAML parser may need far more time than the text is long.
	MaxFileBytes = 64 << 10
)

// P1 is 60 s at a constant 250 requests per second.
func P1() Scenario {
	return Scenario{Name: "P1", Arrival: arrival.Constant, Rate: 250, Surge: 1, DurationSeconds: 60, WarmupSeconds: 5,
		TimeoutMS: 500, Mix: Mix{Product: 90, List: 8, Order: 2}, Skew: Skew{SKUs: .2, Queries: .8}, Products: 1000, Users: 500}
}

// P2 is P1's mix at 3 times the rate for 30 s, and a recovery window of 30 s at the plain rate.
func P2() Scenario {
	s := P1()
	s.Name, s.Surge, s.DurationSeconds, s.RecoveryWindowSeconds = "P2", 3, 30, 30
	return s
}

// BuiltIn is the scenario with the name P1 or P2, in either case.
func BuiltIn(name string) (Scenario, error) {
	switch strings.ToUpper(name) {
	case "P1":
		return P1(), nil
	case "P2":
		return P2(), nil
	}
	return Scenario{}, errors.New("unknown scenario; use P1, P2 or a scenario file")
}

// ParseScenario reads a scenario file: YAML with the members of Scenario, and base, which names the built-in
// scenario that fills in what is left out (P1 without it). A text over MaxFileBytes is refused. Unknown and repeated members are errors; they
// come with [line:column].
func ParseScenario(text []byte) (Scenario, error) {
	if len(text) > MaxFileBytes {
		return Scenario{}, fmt.Errorf("scenario: the file has %d bytes, over the limit of %d", len(text), MaxFileBytes)
	}
	var base struct {
		Base string `yaml:"base"`
	}
	if err := yaml.Unmarshal(text, &base); err != nil {
		return Scenario{}, parseError(err)
	}
	if base.Base == "" {
		base.Base = "P1"
	}
	built, err := BuiltIn(base.Base)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario: base: %w", err)
	}
	file := struct {
		Base     string `yaml:"base"`
		Scenario `yaml:",inline"`
	}{Scenario: built}
	file.Name = ""
	if err := yaml.UnmarshalWithOptions(text, &file, yaml.Strict()); err != nil {
		return Scenario{}, parseError(err)
	}
	if file.Scenario == (Scenario{}) { // what a document without content decodes to
		return Scenario{}, errors.New("scenario: the file is empty; name a base, such as base: P1")
	}
	if file.Name == "" {
		file.Name = "custom"
	}
	if err := file.Validate(); err != nil {
		return Scenario{}, fmt.Errorf("scenario: %w", err)
	}
	return file.Scenario, nil
}

// parseError keeps the position and leaves out the excerpt, which would span lines.
func parseError(err error) error {
	line, _, _ := strings.Cut(yaml.FormatError(err, false, false), "\n")
	return fmt.Errorf("scenario: %s", line)
}

// PeakRate is the rate during DurationSeconds, in requests per second: the rate of the run.
func (s *Scenario) PeakRate() float64 { return s.Rate * s.Surge }

// Timeout is TimeoutMS as a duration.
func (s *Scenario) Timeout() time.Duration {
	return time.Duration(math.Round(s.TimeoutMS * float64(time.Millisecond)))
}

// Validate names the first member out of its range.
func (s *Scenario) Validate() error {
	if s.Arrival != arrival.Constant && s.Arrival != arrival.Poisson {
		return errors.New("arrival: a scenario has no log to follow; use constant or poisson")
	}
	for _, c := range []struct {
		name      string
		value     float64
		low, high float64
	}{
		{"rate", s.Rate, arrival.MinRate, arrival.MaxRate},
		{"surge", s.Surge, 1e-3, 1e3},
		{"rate times surge", s.PeakRate(), arrival.MinRate, arrival.MaxRate},
		{"duration_seconds", s.DurationSeconds, arrival.MinDuration.Seconds(), arrival.MaxDuration.Seconds()},
		{"recovery_window_seconds", s.RecoveryWindowSeconds, 0, arrival.MaxDuration.Seconds()},
		{"warmup_seconds", s.WarmupSeconds, 0, 3600},
		{"timeout_ms", s.TimeoutMS, 1, 3_600_000},
		{"mix.product", s.Mix.Product, 0, 1e6},
		{"mix.list", s.Mix.List, 0, 1e6},
		{"mix.order", s.Mix.Order, 0, 1e6},
		{"mix (sum)", s.Mix.Product + s.Mix.List + s.Mix.Order, 1e-6, 3e6},
		{"skew.skus", s.Skew.SKUs, 1e-6, 1},
		{"skew.queries", s.Skew.Queries, 1e-6, 1},
		{"products", float64(s.Products), 1, MaxRows},
		{"users", float64(s.Users), 1, MaxRows},
	} {
		if math.IsNaN(c.value) || c.value < c.low || c.value > c.high {
			return fmt.Errorf("%s: %v is not between %v and %v", c.name, c.value, c.low, c.high)
		}
	}
	if w := s.RecoveryWindowSeconds; w > 0 && w < arrival.MinDuration.Seconds() {
		return fmt.Errorf("recovery_window_seconds: %v is neither 0 nor at least %v", w, arrival.MinDuration.Seconds())
	}
	return nil
}
