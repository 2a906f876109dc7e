package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

const (
	hour      = 3600
	micro     = 1_000_000
	maxCopies = 64 // copies of one record within its hour; beyond, copies carry more weight each
)

// copiesOf is the number of copies of a record.
func copiesOf(weight float64) int {
	if weight >= maxCopies {
		return maxCopies
	}
	return max(1, int(math.Ceil(weight-1e-9)))
}

// span is an hour as it is dealt, in microseconds since the Unix epoch: copies are spread over [from, to)
// and those in [lo, hi) are dealt.
type span struct{ from, to, lo, hi int64 }

// span is that of the hour h, cut to the window or whole.
func (d *Drawing) span(h int64, cut bool) span {
	s := span{from: h * hour * micro, to: (h + 1) * hour * micro}
	if d.LogTo > d.LogFrom {
		s.from, s.to = max(s.from, d.LogFrom*micro), min(s.to, d.LogTo*micro)
	}
	s.lo, s.hi = s.from, s.to
	if cut && d.To > d.From {
		s.lo, s.hi = max(s.from, d.From*micro), min(s.to, d.To*micro)
	}
	return s
}

// shift is how much copy k of n comes after its record, before it is wrapped at the end of the span.
func (s span) shift(n, k int) int64 { return int64(k) * (s.to - s.from) / int64(n) }

// count is how many of the n copies of a record at start are dealt.
func (s span) count(start int64, n int) int64 {
	if s.lo == s.from && s.hi == s.to {
		return int64(n)
	}
	dealt := int64(0)
	for k := range n {
		if at := s.from + (start-s.from+s.shift(n, k))%(s.to-s.from); at >= s.lo && at < s.hi {
			dealt++
		}
	}
	return dealt
}

// tally sums up the copies of an hour.
type tally struct {
	copies int64
	mass   float64
	most   int // copies of its heaviest record
}

func (t *tally) add(copies int64, n int, weight float64) {
	if copies == 0 {
		return
	}
	t.copies += copies
	t.most = max(t.most, n)
	t.mass += float64(float64(copies) * (weight / float64(n)))
}

// hourTally is an hour that has records.
type hourTally struct {
	hour   int64 // Unix hours
	whole  tally
	window tally // inside the window
}

// hours are those with records, in order: all hours of the window, and the ones next to it.
type hours []hourTally

// ErrSample says that a sample is not one to draw from: its records and its profile do not belong together.
var ErrSample = errors.New("the sample does not hold together")

var (
	errOutside = fmt.Errorf("%w: a record lies outside of the time that its profile spans; make the sample again", ErrSample)
	errOrder   = fmt.Errorf("%w: its records are not in start order; make it again", ErrSample)
	errChanged = fmt.Errorf("%w: it changed while it was read", ErrSample)
)

// survey reads the sample once to learn how much each hour holds, so that no hour has to be held to know it.
func (d *Drawing) survey() (hours, error) {
	first, last := int64(math.MinInt64), int64(math.MaxInt64)
	if d.To > d.From {
		first, last = floorDiv(d.From, hour), floorDiv(d.To-1, hour)
	}
	var list hours
	var whole, window span
	before := int64(math.MinInt64)
	for r, err := range d.Records() {
		if err != nil {
			return nil, err
		}
		if r.Start < before {
			return nil, errOrder
		}
		before = r.Start
		h, end := floorDiv(r.Start, hour*micro), len(list)-1
		if end < 0 || list[end].hour != h {
			if end >= 0 && list[end].hour > last {
				break // one after the window is enough
			}
			if end < 0 || list[end].hour >= first || h >= first {
				list = append(list, hourTally{})
				end++
			}
			list[end] = hourTally{hour: h}
			whole, window = d.span(h, false), d.span(h, true)
		}
		if r.Start < whole.from || r.Start >= whole.to {
			return nil, errOutside
		}
		n := copiesOf(r.Weight)
		list[end].whole.add(int64(n), n, r.Weight)
		list[end].window.add(window.count(r.Start, n), n, r.Weight)
	}
	if len(list) == 0 {
		return nil, errors.New("the sample holds no record for this window; sample more, or widen --window")
	}
	return list, nil
}

// nearest is the hour with records that is nearest to h, the earlier one of two.
func (l hours) nearest(h int64) *hourTally {
	i, found := slices.BinarySearchFunc(l, h, func(t hourTally, h int64) int { return cmp.Compare(t.hour, h) })
	if i == len(l) || !found && i > 0 && h-l[i-1].hour <= l[i].hour-h {
		i--
	}
	return &l[i]
}

// has reports whether the hour h has records.
func (l hours) has(h int64) bool { return l.nearest(h).hour == h }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
