package arrival

import (
	"errors"
	"iter"
	"math"
)

// NewLogged makes a schedule of the requests' own stamps, in microseconds since the Unix epoch and in
// order; a stamp before its predecessor is sent with it, so that offsets never decrease. The window's
// defaults are the whole seconds that hold the first and the last stamp, as in a profile.
//
// The stamps are ranged over once here and once per repetition in Offsets. One offset comes out for
// each stamp in the window, in the same order, until the duration ends: the k-th offset belongs to the
// k-th request in the window, and to the same one again in each repetition.
//
// Options.Rate and Options.Scale are errors: a request's own time cannot be had more or less often. An error
// names the flag of reprise schedule that is wrong.
func NewLogged(stamps iter.Seq[int64], o Options) (*Schedule, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Rate != 0 || o.Scale != 0 {
		return nil, errors.New("--arrival logged keeps every stamp: --rate and --scale need measured, poisson or constant; --speed works")
	}
	l := logged{stamps: stamps, from: math.MinInt64, to: math.MaxInt64, speed: o.speed()}
	if o.From != 0 {
		l.from = o.From * 1e6
	}
	if o.To != 0 {
		l.to = o.To * 1e6
	}
	n, first, last := l.span()
	if n == 0 {
		return nil, errors.New("--window holds no request")
	}
	if o.From == 0 {
		l.from = floorSecond(first) * 1e6
	}
	if o.To == 0 {
		l.to = (floorSecond(last) + 1) * 1e6
	}
	t := Terms{Model: Logged, Method: OwnStamps, From: l.from / 1e6, To: l.to / 1e6, Speed: l.speed, Factor: 1,
		Rate: float64(n) * 1e6 / float64(l.to-l.from) * l.speed}
	l.limit = fill(&t, float64(l.to-l.from)/l.speed, o.Duration)
	if t.DurationSeconds > MaxDuration.Seconds() {
		return nil, errors.New("--window: the stamps span more than --duration allows; cut the window or the duration")
	}
	l.whole = t.Fill == Whole
	return &Schedule{Model: l, terms: t, limit: l.limit}, nil
}

type logged struct {
	stamps   iter.Seq[int64]
	from, to int64 // window, microseconds since the Unix epoch
	speed    float64
	limit    int64 // microseconds
	whole    bool  // the window, once
}

// Sources implements Model; the seed has no effect. A stamp before its predecessor has its second, too.
func (l logged) Sources(uint64) iter.Seq2[int64, Source] {
	return func(yield func(int64, Source) bool) {
		last := int64(0)
		for cycle := int64(0); ; cycle++ {
			start := cycle * (l.to - l.from)
			if l.offset(start) >= l.limit || l.whole && cycle > 0 {
				return
			}
			second := int64(math.MinInt64)
			for stamp := range l.stamps {
				if stamp < l.from || stamp >= l.to {
					continue
				}
				offset := l.offset(start + stamp - l.from)
				if l.whole {
					offset = min(offset, l.limit-1) // the quotient may have been rounded up to the limit
				}
				last, second = max(last, offset), max(second, floorSecond(stamp))
				if last >= l.limit || !yield(last, Source{second, cycle}) {
					return
				}
			}
		}
	}
}

func (l logged) offset(at int64) int64 { return int64(float64(at) / l.speed) }

// span counts the stamps in the window and finds the earliest and the latest.
func (l logged) span() (n, first, last int64) {
	first, last = math.MaxInt64, math.MinInt64
	for stamp := range l.stamps {
		if stamp >= l.from && stamp < l.to {
			n++
			first, last = min(first, stamp), max(last, stamp)
		}
	}
	return n, first, last
}

// floorSecond is the Unix second that holds a microsecond, before the epoch too.
func floorSecond(us int64) int64 {
	s := us / 1e6
	if us%1e6 < 0 {
		s--
	}
	return s
}
