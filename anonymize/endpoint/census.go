package endpoint

import (
	"cmp"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// census counts distinct texts within a number of texts and of their bytes; beyond that, those with the smallest hashes.
type census struct {
	limit int
	room  int // bytes
	seen  map[string]*visits
	bytes int    // of the texts seen
	bar   uint64 // hashes from it on are not among the smallest
	// dropped is told each text that was seen and is counted no more; nil = nobody is.
	dropped func(text string, v *visits)
}

// visits are the answered requests of one text.
type visits struct {
	hits    int64
	clients uint64 // a bit per hashed client
	hash    uint64
}

func newCensus(limit, room int) census {
	return census{limit: limit, room: room, seen: make(map[string]*visits), bar: ^uint64(0)}
}

// visits returns the account of a text, nil when its hash is not among the smallest. A text seen before costs no
// allocation. The account stays that of the text: one that is dropped later never comes back.
func (c *census) visits(text []byte) *visits {
	if v := c.seen[string(text)]; v != nil {
		return v
	}
	hash := xxhash.Sum64(text)
	if hash >= c.bar {
		return nil
	}
	v := &visits{hash: hash}
	c.put(string(text), v)
	if len(c.seen) > c.limit+c.limit/4 || c.bytes > c.room+c.room/4 {
		c.prune()
		if hash >= c.bar {
			return nil
		}
	}
	return v
}

func (c *census) put(text string, v *visits) {
	c.seen[text] = v
	c.bytes += len(text)
}

// add counts one visit; client is a number with all bits spread. A nil account counts nothing.
func (v *visits) add(client uint64) {
	if v == nil {
		return
	}
	v.hits++
	v.clients |= 1 << (client >> 58)
}

// merge adds the visits of o. A nil account takes nothing.
func (v *visits) merge(o *visits) {
	if v == nil {
		return
	}
	v.hits += o.hits
	v.clients |= o.clients
}

// prune keeps the texts with the smallest hashes that are within the limits; texts with equal hashes stay or go together.
// A text is too much where it is so together with all texts of smaller hashes, which more texts never change. So the bar,
// the smallest hash that is too much, ends in one place whatever the order, and a text below it was never dropped: its
// count is exact.
func (c *census) prune() {
	if len(c.seen) <= c.limit && c.bytes <= c.room {
		return
	}
	type size struct {
		hash  uint64
		bytes int
	}
	sizes := make([]size, 0, len(c.seen))
	for text, v := range c.seen {
		sizes = append(sizes, size{v.hash, len(text)})
	}
	slices.SortFunc(sizes, func(a, b size) int { return cmp.Compare(a.hash, b.hash) })
	for n, total := 0, 0; n < len(sizes); {
		hash := sizes[n].hash
		for ; n < len(sizes) && sizes[n].hash == hash; n++ {
			total += sizes[n].bytes
		}
		if n > c.limit || total > c.room {
			c.bar = hash
			break
		}
	}
	c.drop()
}

func (c *census) drop() {
	for text, v := range c.seen {
		if v.hash >= c.bar {
			delete(c.seen, text)
			c.bytes -= len(text)
			if c.dropped != nil {
				c.dropped(text, v)
			}
		}
	}
}

// kept is the part of all distinct texts that are counted.
func (c *census) kept() float64 {
	if c.bar == ^uint64(0) {
		return 1
	}
	return float64(c.bar) / (1 << 64)
}

// merge adds what o counted.
func (c *census) merge(o *census) {
	c.bar = min(c.bar, o.bar)
	for text, v := range o.seen {
		if v.hash >= c.bar {
			if c.dropped != nil {
				c.dropped(text, v)
			}
			continue
		}
		mine := c.seen[text]
		if mine == nil {
			mine = &visits{hash: v.hash}
			c.put(text, mine)
		}
		mine.merge(v)
	}
	c.drop()
	c.prune()
}
