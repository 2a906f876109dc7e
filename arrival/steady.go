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

// Sources implements Model; the seed has no effect, and the sources are for placed to give.
func (e evenly) Sources(uint64) iter.Seq2[int64, Source] {
	return func(yield func(int64, Source) bool) {
		for i := int64(0); ; i++ {
			offset := int64(float64(float64(i)*1e6) / e.rate)
			if offset >= e.limit || !yield(offset, Source{}) {
				return
			}
		}
	}
}

// placed gives the offsets of a model that knows no log the place in the window that they have reached at
// the speed.
type placed struct {
	Model
	from, window int64 // seconds; a window of 0 is none
	speed        float64
	once         bool // the window does not repeat
}

// Sources implements Model.
func (p placed) Sources(seed uint64) iter.Seq2[int64, Source] {
	return func(yield func(int64, Source) bool) {
		for offset := range p.Model.Sources(seed) {
			if !yield(offset, p.at(offset)) {
				return
			}
		}
	}
}

func (p placed) at(offset int64) Source {
	if p.window <= 0 {
		return Source{}
	}
	seconds := int64(float64(float64(offset)*p.speed) / 1e6)
	if p.once {
		seconds = min(seconds, p.window-1) // the product may have been rounded up to the end
	}
	return Source{Second: p.from + seconds%p.window, Cycle: seconds / p.window}
}
