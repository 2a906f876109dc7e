package audit

import "hash/maphash"

// recent remembers values that were looked at, so that what a log repeats is not looked at again. It forgets some.
type recent struct {
	seed  maphash.Seed
	slots [1 << 16]uint64
}

func newRecent() *recent { return &recent{seed: maphash.MakeSeed()} }

// saw tells whether a value of a kind was seen, and remembers it.
func (r *recent) saw(kind byte, value []byte) bool {
	h := maphash.Bytes(r.seed, value) ^ uint64(kind)<<56 | 1
	at := &r.slots[h>>8&(1<<16-1)]
	if *at == h {
		return true
	}
	*at = h
	return false
}
