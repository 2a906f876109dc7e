package arrival

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// Stream draws numbers that are the same on every machine and in every Go version: SplitMix64 (Steele, Lea
// and Flood, OOPSLA 2014) with draws of its own, since math/rand/v2 promises its sources only. It is for
// content: data sets, permutations, faults. It is not safe for concurrent use.
type Stream struct {
	// State is where the stream stands. A Stream with a State of one's own choice is plain SplitMix64
	// seeded with it.
	State uint64
}

// NewStream is the stream that belongs to the name under the seed. Parts that draw independently use
// different names.
func NewStream(seed uint64, name string) *Stream {
	return &Stream{finalize(seed) ^ xxhash.Sum64String(name)}
}

// golden is the increment of SplitMix64: 2^64 over the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// Uint64 draws 64 bits.
func (s *Stream) Uint64() uint64 {
	s.State += golden
	return finalize(s.State)
}

// Skip leaves out the next n numbers, at once.
func (s *Stream) Skip(n uint64) { s.State += n * golden }

// Below draws from 0..n-1 by multiply and shift; n is at least 1. The bias is n/2^64, which no one can see.
func (s *Stream) Below(n int) int {
	hi, _ := bits.Mul64(s.Uint64(), uint64(n))
	return int(hi)
}

// Float64 draws from [0, 1) in steps of 2^-53.
func (s *Stream) Float64() float64 { return float64(s.Uint64()>>11) * 0x1p-53 }

// finalize spreads x over all 64 bits: the finalizer of SplitMix64, a bijection.
func finalize(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
