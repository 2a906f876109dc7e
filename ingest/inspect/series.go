package inspect

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

const (
	// seriesMemory bounds the bytes of a series' counts: 74 days of a log with some traffic in every quarter of an hour,
	// 41 days of a busy one.
	seriesMemory = 4 << 20
	// blockBins is the number of counts that stand together.
	blockBins = 1 << blockBits
	blockBits = 10
	// blockCost is what a block takes beside its counts, in bytes.
	blockCost = 160
)

// block counts the requests of neighbouring bins: in half bytes until one passes 15, then in bytes until one passes 255,
// then in words.
type block struct {
	halves []uint8
	bytes  []uint8
	words  []uint32
}

func newBlock() *block { return &block{halves: make([]uint8, blockBins/2)} }

func (b *block) at(i int) uint32 {
	switch {
	case b.words != nil:
		return b.words[i]
	case b.bytes != nil:
		return uint32(b.bytes[i])
	}
	return uint32(b.halves[i/2] >> (i & 1 * 4) & 15)
}

// each calls f for every bin with requests, in order.
func (b *block) each(f func(i int, n uint32)) {
	for i := 0; i < blockBins; i++ {
		if b.halves != nil && i&15 == 0 && binary.LittleEndian.Uint64(b.halves[i/2:]) == 0 {
			i += 15 // most bins of a quiet log
			continue
		}
		if n := b.at(i); n > 0 {
			f(i, n)
		}
	}
}

func (b *block) cost() int { return blockCost + len(b.halves) + len(b.bytes) + 4*len(b.words) }

// add counts n more requests in a bin, at most as many as a word holds. It returns the bytes by which the block grew.
func (b *block) add(i int, n uint32) (grown int) {
	if b.halves != nil {
		half, shift := &b.halves[i/2], i&1*4
		if n <= uint32(15-*half>>shift&15) {
			*half += uint8(n) << shift
			return 0
		}
	}
	n += min(b.at(i), math.MaxUint32-n)
	before := b.cost()
	switch {
	case b.words == nil && n > math.MaxUint8:
		words := make([]uint32, blockBins)
		for j := range words {
			words[j] = b.at(j)
		}
		b.halves, b.bytes, b.words = nil, nil, words
	case b.halves != nil:
		bytes := make([]uint8, blockBins)
		for j := range bytes {
			bytes[j] = uint8(b.at(j))
		}
		b.halves, b.bytes = nil, bytes
	}
	if b.words != nil {
		b.words[i] = n
	} else {
		b.bytes[i] = uint8(n)
	}
	return b.cost() - before
}

// series counts requests by second, over any span and in any order. When the counts need more than its memory, it goes
// over to bins of two seconds, of four and so on. It is a function of the multiset of seconds.
type series struct {
	memory int
	shift  uint // bins are 1<<shift seconds wide
	blocks map[int64]*block
	number int64 // of the block used last
	last   *block
	used   int
}

func newSeries(memory int) *series { return &series{memory: memory, blocks: map[int64]*block{}} }

// width returns the seconds of a bin.
func (s *series) width() int64 { return 1 << s.shift }

// add counts n requests in a second since the Unix epoch.
func (s *series) add(second int64, n uint32) { s.addBin(second>>s.shift, n) }

func (s *series) addBin(bin int64, n uint32) {
	number := bin >> blockBits
	if s.last == nil || number != s.number {
		s.number, s.last = number, s.blocks[number]
		if s.last == nil {
			s.last = newBlock()
			s.blocks[number] = s.last
			s.used += s.last.cost()
		}
	}
	s.used += s.last.add(int(bin&(blockBins-1)), n)
	for s.used > s.memory && s.shift < 63-blockBits {
		s.coarsen()
	}
}

// coarsen doubles the width of the bins.
func (s *series) coarsen() {
	old := s.blocks
	s.blocks, s.last, s.used = make(map[int64]*block, len(old)/2+1), nil, 0
	s.shift++
	for number, b := range old {
		delete(old, number)
		into := s.blocks[number>>1]
		if into == nil {
			into = newBlock()
			s.blocks[number>>1] = into
		}
		from := int(number&1) * blockBins / 2
		b.each(func(i int, n uint32) { into.add(from+i/2, n) })
	}
	for _, b := range s.blocks {
		s.used += b.cost()
	}
}

// merge adds the counts of o, which has the same memory.
func (s *series) merge(o *series) {
	for s.shift < o.shift {
		s.coarsen()
	}
	for number, b := range o.blocks {
		b.each(func(i int, n uint32) { s.addBin((number<<blockBits|int64(i))>>(s.shift-o.shift), n) })
	}
}

// shape is what the counts show; times are seconds since the Unix epoch.
type shape struct {
	peak     int64 // most requests in one bin
	peakAt   int64 // the first bin that has them
	pair     int64 // most requests in two neighbouring bins: no stretch of a bin's width holds more
	gap      int64 // longest stretch of bins without a request between two with one, in seconds
	gapAfter int64 // the bin before it
	busy     int64 // bins with a request
}

func (s *series) shape() shape {
	var r shape
	last, lastCount := int64(math.MinInt64), int64(0)
	for _, number := range slices.Sorted(maps.Keys(s.blocks)) {
		s.blocks[number].each(func(i int, count uint32) {
			bin, n := number<<blockBits|int64(i), int64(count)
			r.busy++
			if n > r.peak {
				r.peak, r.peakAt = n, bin<<s.shift
			}
			before := int64(0)
			if r.busy > 1 && bin == last+1 {
				before = lastCount
			}
			r.pair = max(r.pair, n+before)
			if gap := (bin - last - 1) << s.shift; r.busy > 1 && gap > r.gap {
				r.gap, r.gapAfter = gap, last<<s.shift
			}
			last, lastCount = bin, n
		})
	}
	return r
}

// at returns the requests of the bin that a second lies in.
func (s *series) at(second int64) int64 {
	bin := second >> s.shift
	if b := s.blocks[bin>>blockBits]; b != nil {
		return int64(b.at(int(bin & (blockBins - 1))))
	}
	return 0
}
