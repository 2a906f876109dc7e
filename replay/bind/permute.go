package bind

import "reprise/arrival"

// permute returns a permutation of items that seed and list fix, the same on every machine and for every
// Go version. The list's name makes the stream, so that all entities over one list agree. The shuffle is
// that of Fisher and Yates.
func permute(items []Item, seed uint64, list string) []Item {
	out := append([]Item(nil), items...)
	s := arrival.NewStream(seed, "bind/"+list)
	for i := len(out) - 1; i > 0; i-- {
		j := s.Below(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	return out
}
