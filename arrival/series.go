package arrival

import (
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
)

const (
	// MinSecond is the first second of a Series: the start of year 1, as a Unix second.
	MinSecond = -62135596800
	// MaxSecond is the last second of a Series: the end of year 9999, as a Unix second.
	MaxSecond = 253402300799
	// MaxCount is the largest count that one second of a Series can hold.
	MaxCount = math.MaxUint32
)

// pageSeconds is small enough that a log with one request an hour costs a few hundred bytes an hour.
const pageSeconds = 64

type page [pageSeconds]uint32

// Series counts the requests of every second. It is sparse: seconds far from any request take no
// memory, so a log of months with gaps, or with one stray stamp years away, stays small.
//
// The order of additions does not matter. The zero value is empty and ready to use. Methods that
// only read may be called by many goroutines at once.
type Series struct {
	pages   map[int64]*page
	total   int64
	last    *page // page of the most recent Add, the next one's in a log that is nearly in order
	lastKey int64
}

// Add counts n more requests in the Unix second. It does not allocate while it stays on known pages.
// A negative n, a second outside MinSecond..MaxSecond and a count above MaxCount are errors and leave
// the series as it was.
func (s *Series) Add(second, n int64) error {
	if second < MinSecond || second > MaxSecond {
		return fmt.Errorf("second %d lies outside the years 1 to 9999", second)
	}
	if n <= 0 {
		if n == 0 {
			return nil
		}
		return fmt.Errorf("count of second %d is negative", second)
	}
	key := second >> 6
	p := s.last
	if p == nil || key != s.lastKey {
		p = s.page(key)
	}
	c := &p[second&(pageSeconds-1)]
	if n > MaxCount-int64(*c) {
		return fmt.Errorf("count of second %d exceeds %d", second, int64(MaxCount))
	}
	*c += uint32(n)
	s.total += n
	return nil
}

// page finds or makes the page with the key and remembers it.
func (s *Series) page(key int64) *page {
	p := s.pages[key]
	if p == nil {
		if s.pages == nil {
			s.pages = make(map[int64]*page)
		}
		p = new(page)
		s.pages[key] = p
	}
	s.last, s.lastKey = p, key
	return p
}

// Merge adds the counts of o. On an error the seconds before the failing one are already added.
func (s *Series) Merge(o *Series) error {
	for second, n := range o.Each() {
		if err := s.Add(second, n); err != nil {
			return err
		}
	}
	return nil
}

// Total is the number of requests in all seconds.
func (s *Series) Total() int64 { return s.total }

// At is the number of requests in the Unix second.
func (s *Series) At(second int64) int64 {
	p := s.pages[second>>6]
	if p == nil {
		return 0
	}
	return int64(p[second&(pageSeconds-1)])
}

// Each yields every second that has a request, in order, with its count.
func (s *Series) Each() iter.Seq2[int64, int64] {
	return func(yield func(int64, int64) bool) {
		for _, key := range slices.Sorted(maps.Keys(s.pages)) {
			for i, n := range s.pages[key] {
				if n > 0 && !yield(key*pageSeconds+int64(i), int64(n)) {
					return
				}
			}
		}
	}
}

// Span gives the first second with a request and the one after the last: [from, to). An empty series
// has the span 0, 0.
func (s *Series) Span() (from, to int64) {
	if s.total == 0 {
		return 0, 0
	}
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for key := range s.pages {
		lo, hi = min(lo, key), max(hi, key)
	}
	first, last := s.pages[lo], s.pages[hi]
	from, to = lo*pageSeconds, (hi+1)*pageSeconds
	for i := 0; first[i] == 0; i++ {
		from++
	}
	for i := pageSeconds - 1; last[i] == 0; i-- {
		to--
	}
	return from, to
}

// Peak gives the fullest second, the first of equals, and its count; 0, 0 for an empty series.
func (s *Series) Peak() (second, n int64) {
	for at, c := range s.Each() {
		if c > n {
			second, n = at, c
		}
	}
	return second, n
}
