package arrival

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"
)

// Seed derives a child seed by name: xxhash64 over the seed (8 bytes, little endian) and the name.
// Parts of one run that draw independently use different names and never share a stream.
func Seed(seed uint64, name string) uint64 {
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, 64), seed)
	return xxhash.Sum64(append(b, name...))
}

// mix spreads consecutive inputs over all 64 bits: the number that SplitMix64 seeded with x gives first. PCG
// itself must not be seeded with neighbours, which leave its low word in step.
func mix(x uint64) uint64 { return finalize(x + golden) }

// reseed points the generator at the stream of one second of one repetition.
func reseed(rng *rand.PCG, seed uint64, second, cycle int64) {
	hi := mix(seed ^ mix(uint64(second)))
	rng.Seed(hi, mix(hi^mix(uint64(cycle))))
}

// uniform draws from (0, 1] in steps of 2^-53.
func uniform(rng *rand.PCG) float64 {
	return float64(rng.Uint64()>>11+1) * 0x1p-53
}

// exponential draws from the exponential distribution with mean 1 by inversion.
func exponential(rng *rand.PCG) float64 { return -ln(uniform(rng)) }

// ln is the natural logarithm of x > 0, to about 2 units in the last place. math.Log is assembly on
// some processors and may be fused on others, so its last bit is no basis for a reproducible schedule.
//
// With x = m 2^e and sqrt(1/2) <= m < sqrt(2), ln m = 2 artanh(s), s = (m-1)/(m+1); |s| < 0.1716,
// so that the series in s^2 has converged after eleven terms.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m*2, e-1
	}
	s := (m - 1) / (m + 1)
	q := s * s
	sum := 0.0
	for n := 21.0; n >= 1; n -= 2 {
		sum = 1/n + float64(q*sum)
	}
	return float64(float64(e)*math.Ln2) + float64(2*float64(s*sum))
}
