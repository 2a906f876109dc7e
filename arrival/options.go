package arrival

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Kind names an arrival model.
type Kind string

// The models. See the package documentation for what each keeps and loses.
const (
	Measured Kind = "measured"
	Poisson  Kind = "poisson"
	Constant Kind = "constant"
	Logged   Kind = "logged"
)

// ParseKind reads a model's name as given to --arrival; the empty name is Measured.
func ParseKind(name string) (Kind, error) {
	switch k := Kind(name); k {
	case "":
		return Measured, nil
	case Measured, Poisson, Constant, Logged:
		return k, nil
	}
	return "", errors.New("--arrival: unknown model; use measured, poisson, constant or logged")
}

// Bounds of the options. What lies outside is a slip of the hand rather than a plan.
const (
	MinSpeed    = 1e-3 // factor
	MaxSpeed    = 1e5
	MinScale    = 1e-6 // factor
	MaxScale    = 1e5
	MinRate     = 1e-6 // requests per second
	MaxRate     = 1e7
	MinDuration = time.Millisecond
	MaxDuration = 366 * 24 * time.Hour
	// MaxPerSecond bounds the requests of one log second after scaling, as their offsets are sorted
	// in memory (4 bytes each).
	MaxPerSecond = 10_000_000
	// MaxWindowSeconds bounds the window of a profile: ten years.
	MaxWindowSeconds = 10 * 366 * 86400
)

// Options say what to make of a profile.
type Options struct {
	// Speed divides time: a window of W seconds is sent in W/Speed seconds, each of its seconds in
	// 1/Speed seconds. Zero means 1.
	Speed float64
	// Scale multiplies the load at unchanged time. Zero means 1.
	//
	// measured multiplies the counts and rounds them at random (keeping the mean) when Scale times
	// the index of dispersion of the counts is at least 1. Below, that would be calmer than
	// Poisson, so each second draws Poisson with Scale times its shrunk rate instead, the law of
	// a request-by-request split: index 1 + Scale(I-1).
	Scale float64
	// Rate is the wanted mean in requests per second as sent, after Speed; it sets the scale. Zero
	// means the profile's. Rate and Scale exclude each other.
	Rate float64
	// From and To cut the window [From, To) out of the profile, in Unix seconds. Zero means where
	// the profile begins or ends.
	From, To int64
	// Duration is the length of the schedule. Zero means the whole window at Speed. A shorter one
	// cuts the schedule, a longer one repeats the window, with fresh draws each time.
	Duration time.Duration
}

// CheckSpeed refuses a --speed outside MinSpeed..MaxSpeed. Unlike in Options, zero is an error: it is
// for a value that a user gave.
func CheckSpeed(x float64) error { return check("--speed", x, MinSpeed, MaxSpeed) }

// CheckScale refuses a --scale outside MinScale..MaxScale, zero included.
func CheckScale(x float64) error { return check("--scale", x, MinScale, MaxScale) }

// CheckRate refuses a --rate outside MinRate..MaxRate, zero included.
func CheckRate(x float64) error { return check("--rate", x, MinRate, MaxRate) }

// CheckDuration refuses a --duration outside MinDuration..MaxDuration, zero included.
func CheckDuration(d time.Duration) error {
	if d < MinDuration || d > MaxDuration {
		return fmt.Errorf("--duration: %v is not between %v and %v", d, MinDuration, MaxDuration)
	}
	return nil
}

func check(flag string, x, low, high float64) error {
	if math.IsNaN(x) || x < low || x > high {
		return fmt.Errorf("%s: %v is not between %v and %v", flag, x, low, high)
	}
	return nil
}

// validate checks every option that is not left at zero.
func (o Options) validate() error {
	var errs []error
	if o.Speed != 0 {
		errs = append(errs, CheckSpeed(o.Speed))
	}
	if o.Scale != 0 {
		errs = append(errs, CheckScale(o.Scale))
	}
	if o.Rate != 0 {
		errs = append(errs, CheckRate(o.Rate))
	}
	if o.Rate != 0 && o.Scale != 0 {
		errs = append(errs, errors.New("--rate and --scale exclude each other"))
	}
	if o.Duration != 0 {
		errs = append(errs, CheckDuration(o.Duration))
	}
	for _, at := range [...]int64{o.From, o.To} {
		if at < MinSecond || at > MaxSecond {
			errs = append(errs, fmt.Errorf("--window: second %d lies outside the years 1 to 9999", at))
		}
	}
	if o.From != 0 && o.To != 0 && o.From >= o.To {
		errs = append(errs, errors.New("--window: the end does not come after the start"))
	}
	return errors.Join(errs...)
}

// speed is Speed with its default.
func (o Options) speed() float64 {
	if o.Speed == 0 {
		return 1
	}
	return o.Speed
}
