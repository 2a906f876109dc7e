package sample

// bottom holds the k smallest keys of a stratum: a heap with the largest on top.
type bottom []uint64

// keyBytes is what a key takes.
const keyBytes = 8

// room is how many keys more the heap must have room for before another can be offered, 0 for none. It grows
// by a half, which keeps both the copying and the empty part small.
func (b bottom) room(k int) int {
	if len(b) < cap(b) || len(b) >= k {
		return 0
	}
	return min(max(4, len(b)/2), k-len(b))
}

// grow makes room for exactly n keys more.
func (b *bottom) grow(n int) {
	h := make(bottom, len(*b), len(*b)+n)
	copy(h, *b)
	*b = h
}

// offer takes the key in when it is among the k smallest so far.
func (b *bottom) offer(key uint64, k int) bool {
	h := *b
	if len(h) < k {
		h = append(h, key)
		*b = h
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if h[up] >= h[i] {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		return true
	}
	if key >= h[0] {
		return false
	}
	h[0] = key
	for i := 0; ; {
		big := 2*i + 1
		if big >= len(h) {
			break
		}
		if big+1 < len(h) && h[big+1] > h[big] {
			big++
		}
		if h[i] >= h[big] {
			break
		}
		h[i], h[big] = h[big], h[i]
		i = big
	}
	return true
}
