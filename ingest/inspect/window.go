package inspect

import "math/bits"

const (
	// A window remembers spans of 6.4 seconds: a word of tenths each.
	windowSpans  = 16
	windowTenths = 64 * windowSpans
	// tenthsPerSecond is the resolution of sliding peaks.
	tenthsPerSecond = 10
)

// window counts the newest requests of a file by tenths of a second, so that requests which stand up to 96 seconds too
// late find their place, and hands whole seconds on to the series. It sees what the series cannot: the busiest second that
// begins anywhere.
type window struct {
	out     *series
	minutes [60]int64
	hours   [24]int64

	started bool
	front   int64 // the newest span
	counts  [windowTenths]uint32
	filled  [windowSpans]uint64 // a bit for each tenth with requests

	second, inSecond int64    // the second that is being added up, and its requests
	recent           []bucket // the busy tenths of the second before the newest one, in order

	busiest   int64 // most requests in a second of the clock, and the first of those seconds
	busiestAt int64
	atLeast   int64 // most requests in ten neighbouring tenths: some second holds as many
	atMost    int64 // most requests in eleven: no second holds more
	late      int64 // requests that came too late for the window; they are in no sliding peak
}

// bucket is a tenth of a second with requests.
type bucket struct{ tenth, n int64 }

// add counts a request that started at ns nanoseconds since the Unix epoch.
func (w *window) add(ns int64) {
	tenth := floorDiv(ns, 1e9/tenthsPerSecond)
	span := tenth >> 6
	if span != w.front || !w.started {
		switch {
		case !w.started:
			w.started, w.front = true, span
		case span > w.front:
			w.advance(span)
		case span <= w.front-windowSpans:
			w.late++
			w.settle(floorDiv(tenth, tenthsPerSecond), 1)
			return
		}
	}
	w.counts[tenth&(windowTenths-1)]++
	w.filled[span&(windowSpans-1)] |= 1 << (tenth & 63)
}

// advance makes span the newest one.
func (w *window) advance(span int64) {
	for old := w.front - windowSpans + 1; old <= min(w.front, span-windowSpans); old++ {
		w.close(old)
	}
	w.front = span
}

// close adds up the tenths of a span, which is the oldest one.
func (w *window) close(span int64) {
	filled := &w.filled[span&(windowSpans-1)]
	for *filled != 0 {
		bit := bits.TrailingZeros64(*filled)
		*filled &^= 1 << bit
		tenth := span<<6 | int64(bit)
		count := &w.counts[tenth&(windowTenths-1)]
		w.slide(tenth, int64(*count))
		*count = 0
	}
}

// slide takes the next busy tenth.
func (w *window) slide(tenth, n int64) {
	if second := floorDiv(tenth, tenthsPerSecond); second != w.second {
		w.endSecond()
		w.second = second
	}
	w.inSecond += n
	kept := w.recent[:0]
	least, most := n, n
	for _, b := range w.recent {
		if b.tenth < tenth-tenthsPerSecond {
			continue
		}
		kept = append(kept, b)
		most += b.n
		if b.tenth > tenth-tenthsPerSecond {
			least += b.n
		}
	}
	w.recent = append(kept, bucket{tenth, n})
	w.atLeast, w.atMost = max(w.atLeast, least), max(w.atMost, most)
}

func (w *window) endSecond() {
	if w.inSecond == 0 {
		return
	}
	if w.inSecond > w.busiest {
		w.busiest, w.busiestAt = w.inSecond, w.second
	}
	w.settle(w.second, w.inSecond)
	w.inSecond = 0
}

// settle counts the requests of a second where they stay.
func (w *window) settle(second, n int64) {
	w.out.add(second, uint32(min(n, 1<<32-1)))
	minute := floorDiv(second, 60)
	hour := floorDiv(minute, 60)
	w.minutes[minute-hour*60] += n
	w.hours[hour-floorDiv(hour, 24)*24] += n
}

// end closes what is open; add may follow.
func (w *window) end() {
	if !w.started {
		return
	}
	w.advance(w.front + windowSpans)
	w.endSecond()
	w.started, w.recent = false, w.recent[:0]
}

// merge adds what o saw of another file. Both are ended.
func (w *window) merge(o *window) {
	w.out.merge(o.out)
	for i, n := range o.minutes {
		w.minutes[i] += n
	}
	for i, n := range o.hours {
		w.hours[i] += n
	}
	if o.busiest > w.busiest || o.busiest == w.busiest && o.busiestAt < w.busiestAt {
		w.busiest, w.busiestAt = o.busiest, o.busiestAt
	}
	w.atLeast, w.atMost = max(w.atLeast, o.atLeast), max(w.atMost, o.atMost)
	w.late += o.late
}

// floorDiv divides rounding down, so that times before 1970 fall into the right second.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
