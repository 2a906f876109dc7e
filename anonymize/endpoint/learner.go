package endpoint

import (
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

// Limit is the number of distinct reduced paths that a Learner keeps.
const Limit = 200_000

// crowdWords is the size of the map of all clients, in 64-bit words.
const crowdWords = 64

// Learner counts reduced paths. It is not safe for concurrent use: give each worker one and Merge them.
type Learner struct {
	limit int
	paths map[string]*visits
	bar   uint64 // hashes above it are not among the smallest
	crowd [crowdWords]uint64
	buf   []byte
}

// visits are the answered requests of one reduced path.
type visits struct {
	hits    int64
	clients uint64 // a bit per hashed client
	hash    uint64
}

// NewLearner returns an empty Learner.
func NewLearner() *Learner {
	return &Learner{limit: Limit, paths: make(map[string]*visits), bar: ^uint64(0)}
}

// Add counts one request. The path is that of a request target (see Path), client is any number that
// stands for the client, such as a hash of the address, and status is the answer's; only 2xx and 3xx count.
// A path seen before costs no allocation.
func (l *Learner) Add(path []byte, client uint64, status int) {
	if status < 200 || status > 399 || len(path) == 0 || path[0] != '/' {
		return
	}
	spread := mix(client)
	l.crowd[spread%crowdWords] |= 1 << (spread >> 32 & 63)
	l.buf = appendPath(l.buf[:0], path)
	v := l.paths[string(l.buf)]
	if v == nil {
		hash := xxhash.Sum64(l.buf)
		if hash > l.bar {
			return
		}
		v = &visits{hash: hash}
		l.paths[string(l.buf)] = v
		if len(l.paths) > l.limit+l.limit/4 {
			l.prune()
		}
	}
	v.hits++
	v.clients |= 1 << (spread >> 58)
}

// mix spreads the bits of x (the finalizer of splitmix64, Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// prune keeps the limit paths with the smallest hashes. A path that is among them at the end was never
// dropped before, so its count is exact.
func (l *Learner) prune() {
	if len(l.paths) <= l.limit {
		return
	}
	hashes := make([]uint64, 0, len(l.paths))
	for _, v := range l.paths {
		hashes = append(hashes, v.hash)
	}
	slices.Sort(hashes)
	l.bar = hashes[l.limit-1]
	for path, v := range l.paths {
		if v.hash > l.bar {
			delete(l.paths, path)
		}
	}
}

// Merge adds what o counted. The result equals that of one Learner that saw both streams. o stays usable.
func (l *Learner) Merge(o *Learner) {
	for i, w := range o.crowd {
		l.crowd[i] |= w
	}
	l.bar = min(l.bar, o.bar)
	for path, v := range o.paths {
		if v.hash > l.bar {
			continue
		}
		mine := l.paths[path]
		if mine == nil {
			mine = &visits{hash: v.hash}
			l.paths[path] = mine
		}
		mine.hits += v.hits
		mine.clients |= v.clients
	}
	for path, v := range l.paths {
		if v.hash > l.bar {
			delete(l.paths, path)
		}
	}
	l.prune()
}

// clients counts the distinct clients, at most as many as there were.
func (l *Learner) clients() int {
	n := 0
	for _, w := range l.crowd {
		n += bits.OnesCount64(w)
	}
	return n
}

// vocabularyBar is the number of distinct clients that make a word vocabulary, given all clients of the
// log (see the package's doc).
func vocabularyBar(clients int) int {
	switch {
	case clients >= 64:
		return 16
	case clients >= 16:
		return max(5, (clients+3)/4)
	}
	return max(2, (clients+2)/3)
}

// Set computes the templates. It is a pure function of the requests added; the Learner stays usable.
func (l *Learner) Set() *Set {
	l.prune()
	root := &node{}
	for path, v := range l.paths {
		root.add(path, v)
	}
	root.collapse(0, vocabularyBar(l.clients()))
	var found []*Template
	root.patterns(nil, func(pattern string, hits int64) {
		found = append(found, &Template{Pattern: pattern, Count: hits})
	})
	set, err := newSet(found)
	if err != nil { // patterns that we wrote ourselves always parse
		panic("endpoint: " + err.Error())
	}
	return set
}
