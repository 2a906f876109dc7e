package audit

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
)

// merges counts values that share a pseudonym, and values that are their own.
type merges struct {
	seed maphash.Seed
	// pairs are value and pseudonym together, images the pseudonyms alone. The upper half of both hashes is that of the
	// pseudonym, so that a sample has all values of the pseudonyms it has.
	pairs, images *hashSet
	groups        map[mergeKey]*mergeCount
	lossy         map[tokenKind]bool // kinds of values that may share a pseudonym
}

type mergeKey struct {
	entity string
	class  class
}

type mergeCount struct {
	values, merged, fixed int64
	expected              float64 // values that are their own pseudonym by chance
}

// mayMerge are the kinds whose pseudonyms are drawn, so that two can be the same by chance.
var mayMerge = map[tokenKind]bool{ofCard: true, ofPerson: true, ofMail: true}

// countable is the power of ten up to which values of one layout are permuted.
const countable = 18

func newMerges() *merges {
	return &merges{seed: maphash.MakeSeed(), pairs: newHashSet(setLimit), images: newHashSet(setLimit), groups: make(map[mergeKey]*mergeCount),
		lossy: maps.Clone(mayMerge)}
}

// observe is told a value and its pseudonym.
func (m *merges) observe(entity string, value, pseudonym []byte) {
	c := wholeClass(value)
	value = normal(value, c)
	if len(value) == 0 {
		return
	}
	var h maphash.Hash
	h.SetSeed(m.seed)
	h.WriteString(entity)
	h.WriteByte(0)
	h.Write(pseudonym)
	image := h.Sum64() | 1
	h.WriteByte(0)
	h.Write(value)
	pair := image&^(1<<40-1) | h.Sum64()&(1<<40-1) | 1
	if !m.pairs.samples(image) || !m.pairs.add(pair) {
		return
	}
	m.images.thin(m.pairs.level)
	key := mergeKey{entity, c}
	g := m.groups[key]
	if g == nil {
		g = new(mergeCount)
		m.groups[key] = g
	}
	g.values++
	g.expected += 1 / max(c.domain(), 1)
	if !m.images.add(image) {
		g.merged++
	}
	// An address in a longer value may stay, as loopback does; it is judged where it is told alone.
	if bytes.Equal(value, normal(pseudonym, c)) && (c.kind() != ofParts || !quadForm.Match(value)) {
		g.fixed++
	}
}

// normal is the form of a value that its pseudonym depends on: mail addresses in lower case, addresses without port and
// brackets and those of IPv4 never as IPv6, all control characters as spaces.
func normal(value []byte, c class) []byte {
	switch c.kind() {
	case ofMail, ofUUID:
		return bytes.ToLower(value)
	case ofV4, ofV6:
		if a, ok := addressIn(value); ok {
			return a.AppendTo(nil)
		}
	}
	if bytes.IndexFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return value
	}
	return bytes.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, value)
}

// wholeClass is the class of a value as a whole.
func wholeClass(value []byte) class {
	if a, ok := addressIn(value); ok {
		c, _ := classOf(a)
		return c
	}
	joined := keepDigits(value)
	national, size := phoneIn(value)
	switch {
	case national != nil:
		return newClass(ofPhone, size)
	case mailForm.Match(value) && len(mailForm.Find(value)) == len(value):
		return newClass(ofMail, 0)
	case uuidForm.Match(value) && len(value) == 36:
		return newClass(ofUUID, 0)
	case dateForm.Match(value):
		return newClass(ofDate, 0)
	case isPerson(value):
		return newClass(ofPerson, 0)
	case isCard(joined) && len(bytes.Trim(value, "0123456789 -")) == 0:
		return newClass(ofCard, len(joined))
	case onlyDigits(value):
		return newClass(ofDigits, len(value))
	}
	size10, _, _ := freedom(value)
	return newClass(ofParts, int(size10))
}

// check is the check of collisions.
func (m *merges) check() Check {
	c := Check{Name: "collisions", Status: OK}
	var values, merged, listed, fixed int64
	expected := 0.0
	keys := slices.SortedFunc(maps.Keys(m.groups), func(a, b mergeKey) int {
		return bytes.Compare(fmt.Appendf(nil, "%s %04d", a.entity, a.class), fmt.Appendf(nil, "%s %04d", b.entity, b.class))
	})
	for _, k := range keys {
		g := m.groups[k]
		values, fixed = values+g.values, fixed+g.fixed
		expected += g.expected
		long := k.class.kind() == ofParts && k.class.size() >= countable
		switch {
		case g.merged > 0 && (m.lossy[k.class.kind()] || long):
			listed += g.merged
			c.detail("entity %s: %d of %d %s share a pseudonym, which these may", k.entity, g.merged, g.values, k.class)
		case g.merged > 0:
			merged += g.merged
			c.red("this is a fault of reprise: report the layout", "values of entity %s were merged: %d of %d %s share a pseudonym", k.entity, g.merged, g.values, k.class)
		}
		if g.fixed > 0 && k.class.kind() != ofParts && tail(g.fixed, g.expected) < chance || g.fixed > 0 && k.class.size() > 3 && tail(g.fixed, g.expected) < chance {
			c.red("this is a fault of reprise: report the layout", "values of entity %s are their own pseudonyms: %d of %d %s, %.2g are chance", k.entity, g.fixed, g.values, k.class, g.expected)
		}
	}
	c.number("values", values)
	c.number("merged", merged)
	c.number("merged_allowed", listed)
	c.number("unchanged", fixed)
	if c.Status == OK {
		c.Summary = fmt.Sprintf("no two of %d values were merged but %d that may be; %d are their own pseudonym where %.1f are chance", values, listed, fixed, expected)
	}
	if rate := m.pairs.rate(); rate < 1 {
		c.detail("a sample of 1 in %.0f pseudonyms was compared", 1/rate)
	}
	return c
}
