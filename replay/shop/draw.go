package shop

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// draws is a stream of random numbers that is the same on every machine and for every Go version,
// which math/rand/v2 promises for its sources but not for its bounded draws. The generator is
// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
type draws struct{ state uint64 }

// newDraws returns the stream that belongs to name under seed.
func newDraws(seed uint64, name string) *draws {
	return &draws{state: mix(seed) ^ xxhash.Sum64String(name)}
}

func (d *draws) next() uint64 {
	d.state += golden
	return mix(d.state)
}

// below returns a number in 0..n-1 by multiply-shift; its bias, n/2^64, cannot be seen here.
func (d *draws) below(n int) int {
	hi, _ := bits.Mul64(d.next(), uint64(n))
	return int(hi)
}

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps x to [0, 1) with 53 bits.
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }
