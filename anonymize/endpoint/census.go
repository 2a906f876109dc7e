package endpoint

import (
	"slices"

	"github.com/cespare/xxhash/v2"
)

// census counts distinct texts, up to a limit; beyond it, those with the smallest hashes.
type census struct {
	limit int
	seen  map[string]*visits
	bar   uint64 // hashes above it are not among the smallest
}

// visits are the answered requests of one text.
type visits struct {
	hits    int64
	clients uint64 // a bit per hashed client
	hash    uint64
}

func newCensus(limit int) census {
	return census{limit: limit, seen: make(map[string]*visits), bar: ^uint64(0)}
}

// add counts one visit; client is a number with all bits spread. A text seen before costs no allocation.
func (c *census) add(text []byte, client uint64) {
	v := c.seen[string(text)]
	if v == nil {
		hash := xxhash.Sum64(text)
		if hash > c.bar {
			return
		}
		v = &visits{hash: hash}
		c.seen[string(text)] = v
		if len(c.seen) > c.limit+c.limit/4 {
			c.prune()
		}
	}
	v.hits++
	v.clients |= 1 << (client >> 58)
}

// prune keeps the limit texts with the smallest hashes. A text that is among them at the end was never
// dropped before, so its count is exact.
func (c *census) prune() {
	if len(c.seen) <= c.limit {
		return
	}
	hashes := make([]uint64, 0, len(c.seen))
	for _, v := range c.seen {
		hashes = append(hashes, v.hash)
	}
	slices.Sort(hashes)
	c.bar = hashes[c.limit-1]
	c.drop()
}

func (c *census) drop() {
	for text, v := range c.seen {
		if v.hash > c.bar {
			delete(c.seen, text)
		}
	}
}

// merge adds what o counted.
func (c *census) merge(o *census) {
	c.bar = min(c.bar, o.bar)
	for text, v := range o.seen {
		if v.hash > c.bar {
			continue
		}
		mine := c.seen[text]
		if mine == nil {
			mine = &visits{hash: v.hash}
			c.seen[text] = mine
		}
		mine.hits += v.hits
		mine.clients |= v.clients
	}
	c.drop()
	c.prune()
}
