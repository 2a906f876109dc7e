package inspect

import (
	"maps"
	"math"
	"slices"
)

const (
	// seriesMemory bounds the bytes of a series' counts: 67 days of a log with traffic in every quarter of an hour at a
	// byte a second.
	seriesMemory = 6 << 20
	// blockBins is the number of counts that stand together.
	blockBins = 1 << blockBits
	blockBits = 10
	// blockCost is what a block takes beside its counts, in bytes.
	blockCost = 128
)

// block counts the requests of neighbouring bins: in bytes until one passes 255, then in words.
type block struct {
	small []uint8
	large []uint32
}

func (b *block) at(i int) uint32 {
	if b.large != nil {
		return b.large[i]
	}
	return uint32(b.small[i])
}

func (b *block) cost() int { return blockCost + len(b.small) + 4*len(b.large) }

// add counts n more requests in a bin, at most as many as a word holds.
func (b *block) add(i int, n uint32) {
	n += min(b.at(i), math.MaxUint32-n)
	if b.large == nil && n > math.MaxUint8 {
		b.large = make([]uint32, blockBins)
		for j, small := range b.small {
			b.large[j] = uint32(small)
		}
		b.small = nil
	}
	if b.large != nil {
		b.large[i] = n
	} else {
		b.small[i] = uint8(n)
	}
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
			s.last = &block{small: make([]uint8, blockBins)}
			s.blocks[number] = s.last
			s.used += s.last.cost()
		}
	}
	before := s.last.cost()
	s.last.add(int(bin&(blockBins-1)), n)
	s.used += s.last.cost() - before
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
			into = &block{small: make([]uint8, blockBins)}
			s.blocks[number>>1] = into
		}
		from := int(number&1) * blockBins / 2
		for i := range blockBins {
			if n := b.at(i); n > 0 {
				into.add(from+i/2, n)
			}
		}
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
		for i := range blockBins {
			if n := b.at(i); n > 0 {
				s.addBin((number<<blockBits|int64(i))>>(s.shift-o.shift), n)
			}
		}
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
		b := s.blocks[number]
		for i := range blockBins {
			n := int64(b.at(i))
			if n == 0 {
				continue
			}
			bin := number<<blockBits | int64(i)
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
		}
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
