package sample

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Unit is what is kept or left out as a whole.
type Unit string

// The units. Whole users keep their sessions, and with them the bursts that sessions make; single
// requests are thinned towards Poisson.
const (
	Request Unit = "request"
	User    Unit = "user"
)

// Dimension is one property by which records are put into strata.
type Dimension string

// The dimensions.
const (
	ByHour      Dimension = "hour"      // UTC hour of the date
	ByHourOfDay Dimension = "hourofday" // UTC hour, 0 to 23, all days folded
	ByEndpoint  Dimension = "endpoint"  // path template
	ByMethod    Dimension = "method"
	ByStatus    Dimension = "status" // class of the status: 2 for 200 to 299
)

// Bounds of the options.
const (
	MaxPerStratum = 10_000_000
	MinFraction   = 1e-9
	// DefaultMaxStrata bounds the strata where Options leaves it at zero.
	DefaultMaxStrata = 500_000
	// DefaultMemory bounds the kept lines and keys in memory where Options leaves it at zero: 64 MiB.
	DefaultMemory = 64 << 20
)

// Options say what to keep. Exactly one of PerStratum and Fraction must be set.
type Options struct {
	// PerStratum is how many records of each stratum are kept, 1..MaxPerStratum; a stratum with fewer
	// is kept whole. Zero means unset.
	PerStratum int
	// Fraction is the part of the units that is kept, MinFraction..1. Zero means unset.
	Fraction float64
	// Unit defaults to User with Fraction and to Request with PerStratum, which knows no other. A
	// record that tells nothing about its user is always a unit of its own.
	Unit Unit
	// Seed fixes the choice.
	Seed uint64
	// By lists the dimensions of the strata; none means hour and endpoint.
	By []Dimension
	// MaxStrata bounds the strata, as each takes some memory. Zero means DefaultMaxStrata.
	MaxStrata int
	// Memory bounds the kept lines in memory and the keys of PerStratum (8 bytes each, and up to 4 for
	// growth), in bytes. Lines that are over go to a file in Tmp; keys that are over are an error of Add.
	// Zero means DefaultMemory.
	Memory int
	// Tmp is the folder for that file; empty means the system's. The file has no name there while it
	// is used, where the system allows that, so that nothing is left behind.
	Tmp string
}

// validate checks the options and fills in the defaults.
func (o *Options) validate() error {
	var errs []error
	switch {
	case o.PerStratum != 0 && o.Fraction != 0:
		errs = append(errs, errors.New("--per-stratum and --fraction exclude each other"))
	case o.PerStratum == 0 && o.Fraction == 0:
		errs = append(errs, errors.New("one of --per-stratum and --fraction is needed"))
	}
	if o.PerStratum < 0 || o.PerStratum > MaxPerStratum {
		errs = append(errs, fmt.Errorf("--per-stratum: %d is not between 1 and %d", o.PerStratum, MaxPerStratum))
	}
	if o.Fraction != 0 {
		errs = append(errs, CheckFraction(o.Fraction))
	}
	if o.Unit == "" {
		o.Unit = Request
		if o.Fraction != 0 {
			o.Unit = User
		}
	}
	switch {
	case o.Unit != Request && o.Unit != User:
		errs = append(errs, errors.New("--unit: unknown unit; use request or user"))
	case o.Unit == User && o.PerStratum != 0:
		errs = append(errs, errors.New("--unit user keeps whole users, who belong to many strata: use it with --fraction"))
	}
	if len(o.By) == 0 {
		o.By = []Dimension{ByHour, ByEndpoint}
	}
	errs = append(errs, checkBy(o.By))
	if o.MaxStrata == 0 {
		o.MaxStrata = DefaultMaxStrata
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.MaxStrata < 0 || o.Memory < 0 {
		errs = append(errs, errors.New("--memory: a limit is negative"))
	}
	return errors.Join(errs...)
}

// CheckFraction refuses a --fraction outside MinFraction..1. Unlike in Options, zero is an error: it is for
// a value that a user gave.
func CheckFraction(f float64) error {
	if math.IsNaN(f) || f < MinFraction || f > 1 {
		return fmt.Errorf("--fraction: %v is not between %v and 1", f, MinFraction)
	}
	return nil
}

func checkBy(by []Dimension) error {
	known := []Dimension{ByHour, ByHourOfDay, ByEndpoint, ByMethod, ByStatus}
	for i, d := range by {
		if !slices.Contains(known, d) {
			return errors.New("--by: unknown dimension; use hour, hourofday, endpoint, method, status")
		}
		if slices.Contains(by[:i], d) {
			return fmt.Errorf("--by: %s is named twice", d)
		}
	}
	if slices.Contains(by, ByHour) && slices.Contains(by, ByHourOfDay) {
		return errors.New("--by: hour and hourofday exclude each other")
	}
	return nil
}

// threshold is the key below which a fraction keeps a unit; all is true when every key is kept.
func (o *Options) threshold() (limit uint64, all bool) {
	if o.Fraction >= 1 {
		return 0, true
	}
	return uint64(math.Ldexp(o.Fraction, 64)), false
}

// header is the options as they stand in a sample file's header.
func (o *Options) header() map[string]any {
	h := map[string]any{"unit": o.Unit, "by": o.By}
	if o.Fraction != 0 {
		h["fraction"] = o.Fraction
	} else {
		h["per_stratum"] = o.PerStratum
	}
	return h
}
