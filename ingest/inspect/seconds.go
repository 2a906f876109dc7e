package inspect

import (
	"maps"
	"math"
	"slices"
)

// secondsMemory bounds the bytes that per-second counts may take: two years of a log with traffic in every
// hour, at one byte for each second.
const secondsMemory = 64 << 20

// hour counts the requests of each second of one hour: in bytes until a second passes 255, then in words.
type hour struct {
	small []uint8
	large []uint32
}

func (h *hour) add(second int) {
	if h.large == nil {
		if h.small[second] < math.MaxUint8 {
			h.small[second]++
			return
		}
		h.large = make([]uint32, len(h.small))
		for i, n := range h.small {
			h.large[i] = uint32(n)
		}
		h.small = nil
	}
	h.large[second]++
}

func (h *hour) at(second int) int64 {
	if h.large == nil {
		return int64(h.small[second])
	}
	return int64(h.large[second])
}

// seconds counts requests per second over any span and in any order.
type seconds struct {
	hours   map[int64]*hour // by hours since the Unix epoch
	current *hour           // of the record before
	number  int64           // of current
	memory  int
	dropped int64 // records not counted because the memory bound was reached
	minutes [60]int64
}

func newSeconds() *seconds { return &seconds{hours: map[int64]*hour{}, number: math.MinInt64} }

// add counts a request that started at ns nanoseconds since the Unix epoch.
func (s *seconds) add(ns int64) {
	sec := floorDiv(ns, 1e9)
	number := floorDiv(sec, 3600)
	second := int(sec - number*3600)
	s.minutes[second/60]++
	if number != s.number {
		h := s.hours[number]
		if h == nil {
			if s.memory >= secondsMemory {
				s.dropped++
				return
			}
			h = &hour{small: make([]uint8, 3600)}
			s.hours[number] = h
			s.memory += 3600
		}
		s.current, s.number = h, number
	}
	if s.current.large == nil && s.current.small[second] == math.MaxUint8 {
		s.memory += 3 * 3600
	}
	s.current.add(second)
}

// shape is what the counts show.
type shape struct {
	peak     int64 // most requests in one second of the clock
	peakAt   int64 // the first second that has them, since the Unix epoch
	pair     int64 // most requests in two neighbouring seconds: no sliding second holds more
	gap      int64 // longest stretch of seconds without a request between two with one
	gapAfter int64 // the second before it
	busy     int64 // seconds with a request
}

func (s *seconds) shape() shape {
	var r shape
	last, lastCount := int64(math.MinInt64), int64(0)
	for _, number := range slices.Sorted(maps.Keys(s.hours)) {
		h := s.hours[number]
		for i := range 3600 {
			n := h.at(i)
			if n == 0 {
				continue
			}
			sec := number*3600 + int64(i)
			r.busy++
			if n > r.peak {
				r.peak, r.peakAt = n, sec
			}
			before := int64(0)
			if sec == last+1 {
				before = lastCount
			}
			r.pair = max(r.pair, n+before)
			if last != math.MinInt64 && sec-last-1 > r.gap {
				r.gap, r.gapAfter = sec-last-1, last
			}
			last, lastCount = sec, n
		}
	}
	return r
}

// sliding finds the most requests in any one-second window, from the starts of records in order.
type sliding struct {
	starts []int64 // ring of the window's starts, a power of two long
	head   int
	size   int
	latest int64
	peak   int64
}

// add takes the next start; one that comes late is left out, so the result is a lower bound.
func (s *sliding) add(ns int64) {
	if s.size > 0 && ns < s.latest {
		return
	}
	s.latest = ns
	for s.size > 0 && ns-s.starts[s.head] >= 1e9 {
		s.head = (s.head + 1) & (len(s.starts) - 1)
		s.size--
	}
	if s.size == len(s.starts) {
		s.grow()
	}
	s.starts[(s.head+s.size)&(len(s.starts)-1)] = ns
	s.size++
	s.peak = max(s.peak, int64(s.size))
}

func (s *sliding) grow() {
	bigger := make([]int64, max(64, 2*len(s.starts)))
	n := copy(bigger, s.starts[s.head:])
	copy(bigger[n:], s.starts[:s.head])
	s.starts, s.head = bigger, 0
}

// floorDiv divides rounding down, so that times before 1970 fall into the right second.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
