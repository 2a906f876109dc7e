package bind

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"
)

// permute returns a permutation of items that seed and list fix, the same on every machine and for every
// Go version, which the bounded draws of math/rand/v2 do not promise. The list's name makes the stream, so
// that all entities over one list agree. The generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014),
// the shuffle that of Fisher and Yates.
func permute(items []Item, seed uint64, list string) []Item {
	out := append([]Item(nil), items...)
	state := mix(seed) ^ xxhash.Sum64String("bind/"+list)
	for i := len(out) - 1; i > 0; i-- {
		state += 0x9e3779b97f4a7c15
		j, _ := bits.Mul64(mix(state), uint64(i)+1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
