package synth

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// stream draws numbers that are the same on every machine and in every Go version: SplitMix64 (Steele, Lea
// and Flood 2014), with bounded draws of its own, as math/rand/v2 promises its sources only.
type stream struct{ state uint64 }

// newStream is the stream that belongs to the name under the seed.
func newStream(seed uint64, name string) *stream {
	return &stream{state: mix(seed) ^ xxhash.Sum64String(name)}
}

func (s *stream) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix(s.state)
}

// below draws from 0..n-1 by multiply and shift; the bias is n/2^64.
func (s *stream) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// unit draws from [0, 1) in steps of 2^-53.
func (s *stream) unit() float64 { return float64(s.next()>>11) * 0x1p-53 }

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
