package audit

import "math/bits"

// setLimit is the number of hashes that a set holds; beyond it the set becomes a sample. It takes 32 MiB.
const setLimit = 1 << 22 * 7 / 8

// hashSet is a set of hashes, none of them 0. Over its limit it keeps those whose highest bits are zero, so that two sets
// sample the same values.
type hashSet struct {
	slots []uint64
	n     int
	limit int
	level int // leading bits of a hash that must be zero
}

func newHashSet(limit int) *hashSet {
	return &hashSet{slots: make([]uint64, 1<<10), limit: limit}
}

// rate is the part of the values that the set samples.
func (s *hashSet) rate() float64 { return 1 / float64(uint64(1)<<s.level) }

// samples tells whether a hash is of the sample.
func (s *hashSet) samples(h uint64) bool { return bits.LeadingZeros64(h) >= s.level }

// slot is where a hash is looked for first. It mixes all bits: the top ones of samples are all zero, the low ones are classes.
func (s *hashSet) slot(h uint64) uint64 {
	return h * 0x9e3779b97f4a7c15 >> (64 - bits.Len(uint(len(s.slots)-1)))
}

// add puts a hash in and tells whether it is new. A hash outside the sample is not.
func (s *hashSet) add(h uint64) bool {
	if !s.samples(h) {
		return false
	}
	if s.n >= len(s.slots)/8*7 {
		s.grow()
	}
	if !s.put(h) {
		return false
	}
	for s.n > s.limit {
		s.thin(s.level + 1)
	}
	return true
}

func (s *hashSet) put(h uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := s.slot(h); ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = h
			s.n++
			return true
		case h:
			return false
		}
	}
}

func (s *hashSet) has(h uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := s.slot(h); ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			return false
		case h:
			return true
		}
	}
}

func (s *hashSet) grow() {
	old := s.slots
	s.slots, s.n = make([]uint64, 2*len(old)), 0
	for _, h := range old {
		if h != 0 {
			s.put(h)
		}
	}
}

// thin makes the set a sample of a level, if it is none or a larger one.
func (s *hashSet) thin(level int) {
	if level <= s.level {
		return
	}
	s.level = level
	old := s.slots
	s.slots, s.n = make([]uint64, len(old)), 0
	for _, h := range old {
		if h != 0 && s.samples(h) {
			s.put(h)
		}
	}
}

// each yields the hashes in no order.
func (s *hashSet) each(yield func(h uint64)) {
	for _, h := range s.slots {
		if h != 0 {
			yield(h)
		}
	}
}
