package anonymize

import (
	"hash/maphash"
	"math/bits"
)

// cacheBytes is the room of one entry for a value and its pseudonym. Longer ones are not cached. With it an entry has two
// cache lines, of which a short value needs one.
const cacheBytes = 124

// cache holds finished pseudonyms of one worker in a table of fixed size: the hash finds the place, the
// full value decides. Values whose hashes collide cost time and are never mixed up.
type cache struct {
	entries []cacheEntry
	mask    uint64
	seed    maphash.Seed
}

type cacheEntry struct {
	use     byte // of the value: the same text can have pseudonyms of several uses; 0 = free
	kind    kind
	in, out uint8
	bytes   [cacheBytes]byte
}

// newCache makes a cache of a power of two entries, at least n.
func newCache(n int) *cache {
	size := powerOfTwo(n)
	return &cache{entries: make([]cacheEntry, size), mask: uint64(size - 1), seed: maphash.MakeSeed()}
}

// powerOfTwo is the least one that is not below n.
func powerOfTwo(n int) int { return 1 << bits.Len(uint(max(n, 1)-1)) }

func (c *cache) entry(use byte, value []byte) *cacheEntry {
	return &c.entries[(maphash.Bytes(c.seed, value)+uint64(use))&c.mask]
}

// get appends the cached pseudonym of value.
func (c *cache) get(dst []byte, use byte, value []byte) ([]byte, kind, bool) {
	if len(value) >= cacheBytes {
		return dst, 0, false
	}
	e := c.entry(use, value)
	if e.use != use || string(e.bytes[:e.in]) != string(value) {
		return dst, 0, false
	}
	return append(dst, e.bytes[e.in:int(e.in)+int(e.out)]...), e.kind, true
}

// put keeps a pseudonym, in the place of whatever was there.
func (c *cache) put(use byte, value, out []byte, k kind) {
	if len(value)+len(out) > cacheBytes {
		return
	}
	e := c.entry(use, value)
	e.use, e.kind, e.in, e.out = use, k, uint8(len(value)), uint8(len(out))
	copy(e.bytes[:], value)
	copy(e.bytes[len(value):], out)
}
