package sample

// bottom holds the k smallest keys of a stratum: a heap with the largest on top.
type bottom []uint64

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
