package arrival

import (
	"iter"
	"math/rand/v2"
)

// meanRate draws Poisson requests at one rate, in requests per second.
type meanRate float64

func (r meanRate) place(rng *rand.PCG, _ int64, ticks []uint32) []uint32 {
	return poissonSecond(rng, float64(r), ticks)
}

// poissonSecond walks one second in exponential gaps. The process has no memory, so starting afresh in
// every second does not change its law.
func poissonSecond(rng *rand.PCG, rate float64, ticks []uint32) []uint32 {
	if rate <= 0 {
		return ticks
	}
	for at := exponential(rng) / rate; at < 1; at += exponential(rng) / rate {
		ticks = append(ticks, uint32(at*0x1p32))
	}
	return ticks
}

// evenly sends at equal distances, the first at t0.
type evenly struct {
	rate  float64 // requests per second
	limit int64   // microseconds
}

// Offsets implements Model; the seed has no effect.
func (e evenly) Offsets(uint64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for i := int64(0); ; i++ {
			offset := int64(float64(float64(i)*1e6) / e.rate)
			if offset >= e.limit || !yield(offset) {
				return
			}
		}
	}
}
