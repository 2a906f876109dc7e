package endpoint

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

const (
	// Limit is the number of distinct reduced paths that a Learner keeps.
	Limit = 200_000
	// KeyLimit is the number of distinct query keys that a Learner keeps.
	KeyLimit = 20_000
	// Room is the number of bytes of reduced paths that a Learner keeps.
	Room = 64 << 20
)

// recentPaths is how many paths a Learner remembers as they stand in the log, a power of two.
const recentPaths = 4096

// crowdWords is the size of the map of all clients, in 64-bit words.
const crowdWords = 64

// Learner counts reduced paths, query keys and the values of watched ones. It is not safe for concurrent use: give each worker one and Merge them.
type Learner struct {
	paths    census
	outlines *census // of the paths that are not counted themselves; nil = they are not counted at all
	keys     census
	watched  map[string]int // how many values of these query keys may be kept
	values   census         // of pairs key=value
	pair     []byte
	crowd    [crowdWords]uint64
	buf      []byte
	outline  []byte
	// recent spares the paths that come again and again the reduction. It is found by a hash with a random seed, so no
	// log can be made in which two paths are taken for one.
	seed   maphash.Seed
	recent []recentPath
	bar    uint64 // of paths, when recent was right
}

// recentPath is a path, by its hash, and the account of its reduced form.
type recentPath struct {
	hash   uint64
	visits *visits
}

// NewLearner returns an empty Learner.
func NewLearner() *Learner { return newLearner(Limit, Room) }

// NewBoundedLearner returns an empty Learner that keeps fewer distinct reduced paths than Limit, of fewer bytes in all
// than Room. Requests of the others are not lost to it: they count for the Outline of their path, as if no word of theirs
// were vocabulary.
func NewBoundedLearner(limit, room int) *Learner {
	l := newLearner(limit, room)
	outlines := newCensus(outlineLimit, outlineLimit*maxWord)
	l.outlines = &outlines
	l.paths.dropped = func(text string, v *visits) {
		l.outlines.visits(appendOutline(nil, []byte(text))).merge(v)
	}
	return l
}

// outlineLimit is the number of distinct outlines that a bounded Learner keeps.
const outlineLimit = 4096

func newLearner(limit, room int) *Learner {
	return &Learner{
		paths: newCensus(limit, room), keys: newCensus(KeyLimit, KeyLimit*maxKey),
		seed: maphash.MakeSeed(), recent: make([]recentPath, recentPaths),
	}
}

// AddTarget counts one request by its target: the path, and the keys of the query. client is a number that
// stands for the client, such as ClientHash of its address, and status is the answer's; only 2xx and 3xx count.
func (l *Learner) AddTarget(target []byte, client uint64, status int) {
	l.Add(Path(target), client, status)
	if _, query, ok := bytes.Cut(target, []byte{'?'}); ok && taught(status) {
		l.addKeys(query, Mix(client))
	}
}

// Add counts one request by its path alone (see Path). A path seen before costs no allocation.
func (l *Learner) Add(path []byte, client uint64, status int) {
	if !taught(status) || len(path) == 0 || path[0] != '/' {
		return
	}
	spread := Mix(client)
	l.crowd[spread%crowdWords] |= 1 << (spread >> 32 & 63)
	if l.bar != l.paths.bar { // accounts were dropped, which recent may hold
		clear(l.recent)
		l.bar = l.paths.bar
	}
	hash := maphash.Bytes(l.seed, path)
	known := &l.recent[hash%recentPaths]
	if known.hash != hash {
		l.buf = appendPath(l.buf[:0], path)
		v := l.paths.visits(l.buf)
		if v == nil && l.outlines != nil {
			l.outline = appendOutline(l.outline[:0], l.buf)
			v = l.outlines.visits(l.outline)
		}
		*known = recentPath{hash: hash, visits: v}
	}
	known.visits.add(spread)
}

func taught(status int) bool { return status >= 200 && status <= 399 }

// addKeys counts the keys of a query that could be names, and the values of watched ones. The fixed keys need no counting.
func (l *Learner) addKeys(query []byte, client uint64) {
	if i := bytes.IndexByte(query, '#'); i >= 0 {
		query = query[:i]
	}
	var buf [maxDecode]byte
	for len(query) > 0 {
		var name, value []byte
		name, value, query = cutPart(query)
		key := decode(buf[:], name)
		if isKeyName(key) && !isFixedKey(key) {
			l.keys.visits(key).add(client)
		}
		if len(l.watched) > 0 {
			l.addValue(key, value, client)
		}
	}
}

// Mix spreads the bits of x, so that those of hashes that were put together are as good as random (the finalizer of splitmix64, Steele, Lea and Flood 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Merge adds what o counted. The result equals that of one Learner that saw both streams. o stays usable.
func (l *Learner) Merge(o *Learner) {
	for i, w := range o.crowd {
		l.crowd[i] |= w
	}
	l.paths.merge(&o.paths)
	if l.outlines != nil && o.outlines != nil {
		l.outlines.merge(o.outlines)
	}
	l.keys.merge(&o.keys)
	if l.watched != nil && o.watched != nil {
		l.values.merge(&o.values)
	}
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
	l.keys.prune()
	bar := vocabularyBar(l.clients())
	var found []*Template
	l.patterns(bar, func(pattern string, v *visits) {
		found = append(found, &Template{Pattern: pattern, Count: v.hits, Clients: bits.OnesCount64(v.clients)})
	})
	var keys []string
	for key, v := range l.keys.seen {
		if bits.OnesCount64(v.clients) >= bar {
			keys = append(keys, key)
		}
	}
	var values map[string][]string
	if l.watched != nil {
		values = l.frequent(bar)
	}
	set, err := newSet(found, keys, values)
	if err != nil { // patterns that we wrote ourselves always parse
		panic("endpoint: " + err.Error())
	}
	return set
}

func (l *Learner) patterns(bar int, yield func(pattern string, v *visits)) {
	l.paths.prune()
	root := &node{}
	for path, v := range l.paths.seen {
		root.add(tail{path: path, visits: v})
	}
	if l.outlines != nil {
		l.outlines.prune()
		for path, v := range l.outlines.seen {
			root.add(tail{path: path, visits: v})
		}
	}
	root.patterns(nil, 0, bar, yield)
}

// Traffic is the requests of one template.
type Traffic struct {
	Pattern  string
	Requests int64 // that taught it, with a status of 2xx or 3xx
}

// Traffic returns the templates that Set would have, the most frequent first and equal ones by pattern, without the
// memory that matching takes.
func (l *Learner) Traffic() []Traffic {
	var all []Traffic
	l.patterns(vocabularyBar(l.clients()), func(pattern string, v *visits) {
		all = append(all, Traffic{Pattern: pattern, Requests: v.hits})
	})
	slices.SortFunc(all, func(a, b Traffic) int {
		return cmp.Or(cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Pattern, b.Pattern))
	})
	return all
}

// Kept is the part of all distinct reduced paths that the Learner could count one by one: 1 when it kept all of them, else an
// estimate with a relative error of about one in the root of their number.
func (l *Learner) Kept() float64 {
	l.paths.prune()
	return l.paths.kept()
}
