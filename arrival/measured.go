package arrival

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// secondModel places the requests of one second: sorted ticks of 2^-32 of that second, appended to ticks.
// The generator is the second's own.
type secondModel interface {
	place(rng *rand.PCG, second int64, ticks []uint32) []uint32
}

// grid runs a secondModel over a window of seconds, as often as the schedule is long.
type grid struct {
	name    string  // seeds the model's streams
	from    int64   // first second
	seconds int64   // in the window
	speed   float64 // seconds of the window per second sent
	limit   int64   // length of the schedule, microseconds
	whole   bool    // the schedule is the window, once: nothing may be lost at its end
	second  secondModel
}

// Sources implements Model. A source is the second that the request was placed in; going back to it from
// the offset would miss by one where the speed makes seconds end between two microseconds.
func (g grid) Sources(seed uint64) iter.Seq2[int64, Source] {
	seed = Seed(seed, "arrival/"+g.name)
	return func(yield func(int64, Source) bool) {
		var rng rand.PCG
		var ticks []uint32
		for cycle := int64(0); ; cycle++ {
			if g.whole && cycle > 0 {
				return
			}
			for k := int64(0); k < g.seconds; k++ {
				at := cycle*g.seconds + k
				if g.offset(at, 0) >= g.limit {
					return
				}
				reseed(&rng, seed, g.from+k, cycle)
				ticks = g.second.place(&rng, g.from+k, ticks[:0])
				for _, tick := range ticks {
					offset := g.offset(at, tick)
					if g.whole {
						offset = min(offset, g.limit-1) // the quotient may have been rounded up to the limit
					}
					if offset >= g.limit || !yield(offset, Source{g.from + k, cycle}) {
						return
					}
				}
			}
		}
	}
}

// offset converts a place in the window to microseconds as sent. Every step rounds monotonically, so
// offsets keep the order of their ticks.
func (g grid) offset(second int64, tick uint32) int64 {
	at := float64(second) + float64(float64(tick)*0x1p-32)
	return int64(float64(at*1e6) / g.speed)
}

// measure sets the model that keeps the counts of w, by the rule of Options.Scale.
func (s *Schedule) measure(w window) error {
	t := &s.terms
	if most := float64(w.peak) * t.Factor; most > MaxPerSecond {
		return fmt.Errorf("--scale: the fullest second of the log would hold %.0f requests, above %d", most, MaxPerSecond)
	}
	g := grid{name: string(Measured), from: w.from, seconds: w.to - w.from, speed: t.Speed, limit: s.limit, whole: t.Fill == Whole}
	idc := w.dispersion()
	switch {
	case t.Factor == 1:
		t.Method, g.second = ExactCounts, counts{w.series, 1}
	case t.Factor*idc >= 1:
		t.Method, g.second = RescaledCounts, counts{w.series, t.Factor}
	default:
		// Fewer than two seconds have no index of dispersion: then every rate is the mean.
		shrink := 0.0
		if idc > 1 {
			shrink = math.Sqrt(1 - 1/idc)
		}
		t.Method = ShrunkRates
		g.second = shrunkRates{w.series, t.Factor, shrink, float64(w.total) / float64(w.to-w.from)}
	}
	s.Model = g
	return nil
}

// dispersion is the index of dispersion of the window's seconds, NaN below two seconds.
func (w window) dispersion() float64 {
	b := bins{width: 1}
	for second, n := range w.series.Each() {
		if second >= w.from && second < w.to {
			b.add(second-w.from, n)
		}
	}
	b.end(w.to - w.from)
	return b.index()
}

// counts places the count of each second, times a factor, uniformly.
type counts struct {
	series *Series
	factor float64
}

func (c counts) place(rng *rand.PCG, second int64, ticks []uint32) []uint32 {
	n := c.series.At(second)
	if n == 0 {
		return ticks
	}
	if c.factor != 1 {
		scaled := float64(float64(n) * c.factor)
		n = int64(scaled)
		if uniform(rng) <= scaled-float64(n) {
			n++
		}
	}
	for ; n > 1; n -= 2 {
		r := rng.Uint64()
		ticks = append(ticks, uint32(r), uint32(r>>32))
	}
	if n > 0 {
		ticks = append(ticks, uint32(rng.Uint64()))
	}
	slices.Sort(ticks)
	return ticks
}

// shrunkRates draws Poisson requests at factor times m + shrink (c - m): the rate that restores the
// counts' own index of dispersion, where the raw count c would add 1 to it. With shrink in 0..1 the
// rate is never negative.
type shrunkRates struct {
	series *Series
	factor float64
	shrink float64
	mean   float64
}

func (s shrunkRates) place(rng *rand.PCG, second int64, ticks []uint32) []uint32 {
	excess := float64(s.shrink * (float64(s.series.At(second)) - s.mean))
	return poissonSecond(rng, s.factor*(s.mean+excess), ticks)
}
