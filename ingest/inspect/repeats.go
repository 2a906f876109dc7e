package inspect

import (
	"cmp"
	"slices"
	"strconv"

	"reprise/anonymize/endpoint"
	"reprise/ingest"
)

const (
	// repeatSlots is the number of requests that are watched at a time, a power of two.
	repeatSlots = 2048
	// repeatCandidate is how often a file must hold a request for it to be counted beyond the file.
	repeatCandidate = 16
	// repeatLeast is how often one client must have sent the same request for it to be called repeated.
	repeatLeast = 100
	// repeatsKept bounds the repeated requests that are counted over all files.
	repeatsKept = 1024
	// repeatsListed is how many a Summary lists.
	repeatsListed = 5
)

// repeat is a request that one client sent several times: the same client address, user agent, method and path.
type repeat struct {
	key    uint64
	n      int64
	last   int64 // start of the latest one
	near   int64 // intervals that are about the usual one
	period int64 // the usual interval in nanoseconds: that of a majority vote
	votes  int64
	status int // by majority vote as well
	agreed int64
	method uint8
	path   string // endpoint.Outline, from repeatCandidate on
	part   int64  // the most that one file held; period, status, method and path are of that file
}

// repeats finds the requests that single clients send again and again: the requests of a file compete for slots, and one
// that makes up more than the half of what falls into its slot cannot be missed. What it finds depends on the order of the
// lines of a file, and on nothing else.
type repeats struct {
	holders [repeatSlots]holder // apart from the slots, since most requests see no more
	slots   [repeatSlots]repeat
	files   map[uint64]repeat // of the files that have ended
	limit   uint64            // keys above it are not kept
}

// holder is the request that holds a slot.
type holder struct {
	key  uint64
	hold int64 // majority vote for the slot (Boyer and Moore 1981): at 0 the request gives way to another
}

func newRepeats() *repeats { return &repeats{files: map[uint64]repeat{}, limit: ^uint64(0)} }

// add counts one request; key is the hash of what makes it the same.
func (t *repeats) add(key uint64, r *ingest.Record, method uint8, path []byte) {
	h := &t.holders[key&(repeatSlots-1)]
	if h.key != key && h.hold > 0 {
		h.hold--
		return
	}
	s := &t.slots[key&(repeatSlots-1)]
	if h.key != key {
		t.close(s)
		*h = holder{key: key}
		*s = repeat{key: key, last: r.Start, method: method}
	} else if s.n > 0 {
		s.interval(max(r.Start-s.last, s.last-r.Start))
		s.last = r.Start
	}
	s.n++
	h.hold++
	if s.agreed == 0 {
		s.status = r.Status
	}
	if s.status == r.Status {
		s.agreed++
	} else {
		s.agreed--
	}
	if s.n == repeatCandidate {
		s.path = endpoint.Outline(path)
	}
}

// interval counts the time between two of the requests, in nanoseconds.
func (s *repeat) interval(ns int64) {
	if s.votes == 0 {
		s.period = ns
	}
	// A quarter, and the two seconds that stamps of whole seconds can be wrong.
	if off := max(ns-s.period, s.period-ns); off <= max(s.period/4, 1e9) {
		s.near++
		s.votes++
		s.period += (ns - s.period) / 8
	} else {
		s.votes--
	}
}

// steady tells whether the requests come like those of a clock.
func (s *repeat) steady() bool { return s.period >= 2e9 && 3*s.near >= 2*s.n }

// close takes a request out of its slot.
func (t *repeats) close(s *repeat) {
	if s.n >= repeatCandidate {
		s.part = s.n
		t.keep(s)
	}
}

// keep counts a request of some file beyond the file.
func (t *repeats) keep(s *repeat) {
	if s.key > t.limit {
		return
	}
	merged, known := t.files[s.key]
	if !known {
		merged = *s
	} else {
		if cmp.Or(cmp.Compare(s.part, merged.part), cmp.Compare(merged.period, s.period), cmp.Compare(merged.status, s.status)) > 0 {
			merged.part, merged.period, merged.status, merged.method, merged.path = s.part, s.period, s.status, s.method, s.path
		}
		merged.n += s.n
		merged.near += s.near
	}
	t.files[s.key] = merged
	if len(t.files) > 2*repeatsKept {
		t.prune()
	}
}

// prune keeps the requests with the smallest keys, which are hashes: a sample that does not depend on the order of files.
func (t *repeats) prune() {
	if len(t.files) <= repeatsKept {
		return
	}
	keys := make([]uint64, 0, len(t.files))
	for key := range t.files {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	t.limit = keys[repeatsKept-1]
	for _, key := range keys[repeatsKept:] {
		delete(t.files, key)
	}
}

// end closes the file.
func (t *repeats) end() {
	for i := range t.slots {
		t.close(&t.slots[i])
	}
	t.holders, t.slots = [repeatSlots]holder{}, [repeatSlots]repeat{}
}

// merge adds what o found in other files. Both are ended.
func (t *repeats) merge(o *repeats) {
	t.limit = min(t.limit, o.limit)
	for key := range t.files {
		if key > t.limit {
			delete(t.files, key)
		}
	}
	for _, s := range o.files {
		t.keep(&s)
	}
}

// result returns the repeated requests, the most frequent first, with the totals over all of them.
func (t *repeats) result() (list []Repeat, all, steady int64) {
	t.prune()
	var found []repeat
	for _, s := range t.files {
		if s.n >= repeatLeast {
			found = append(found, s)
		}
	}
	slices.SortFunc(found, func(a, b repeat) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.key, b.key)) })
	for i := range found {
		s := &found[i]
		all += s.n
		if s.steady() {
			steady += s.n
		}
		if i < repeatsListed {
			shown := Repeat{Method: methodName(s.method), Path: s.path, Status: strconv.Itoa(s.status), Requests: s.n, Steady: s.steady()}
			if shown.Steady {
				shown.IntervalSeconds = float64(s.period/1e6) / 1e3
			}
			list = append(list, shown)
		}
	}
	return list, all, steady
}
