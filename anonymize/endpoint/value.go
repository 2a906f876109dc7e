package endpoint

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

const (
	// ValueLimit is the number of distinct pairs of watched key and value that a Learner keeps.
	ValueLimit = 50_000
	// maxValue is the longest query value, in bytes, that can be given. One that is learned is no longer than a key.
	maxValue = 64
	// maxValueDigits is the longest number that is learned: four digits count pages and years, more can be an id.
	maxValueDigits = 4
)

// WatchValues makes AddTarget count the values of these query keys, each with how many of its values may be kept.
// Keys are compared without case. It is called before the first request; learners that are merged watch the same keys.
func (l *Learner) WatchValues(keys map[string]int) {
	l.watched = make(map[string]int, len(keys))
	for key, n := range keys {
		l.watched[strings.ToLower(key)] = n
	}
	l.values = newCensus(ValueLimit, ValueLimit*maxValue)
}

// isValue tells whether a decoded value can be vocabulary: a word, or a small number. Mail addresses, tokens, dates,
// words with a number behind them and anything with a space or another byte that no route word has cannot.
func isValue(value []byte) bool {
	if len(value) == 0 || len(value) > maxKey {
		return false
	}
	switch Classify(value) {
	case Word:
		return true
	case Int:
		return len(value) <= maxValueDigits
	}
	return false
}

// addValue counts the value of a decoded key, if the key is watched. Both stand in the text that the account has.
func (l *Learner) addValue(key, value []byte, client uint64) {
	if len(key) == 0 || len(key) > maxKey {
		return
	}
	pair := appendLower(l.pair[:0], key)
	if _, ok := l.watched[string(pair)]; !ok {
		return
	}
	var buf [maxDecode]byte
	if decoded := decode(buf[:], value); isValue(decoded) {
		l.pair = append(append(pair, '='), decoded...)
		l.values.visits(l.pair).add(client)
	}
}

// frequent are the values of each watched key that at least bar clients asked for, the most frequent as far as they may be
// kept, equal ones by their text.
func (l *Learner) frequent(bar int) map[string][]string {
	type counted struct {
		value string
		hits  int64
	}
	found := make(map[string][]counted)
	l.values.prune()
	for pair, v := range l.values.seen {
		if bits.OnesCount64(v.clients) >= bar {
			key, value, _ := strings.Cut(pair, "=")
			found[key] = append(found[key], counted{value, v.hits})
		}
	}
	values := make(map[string][]string, len(found))
	for key, all := range found {
		slices.SortFunc(all, func(a, b counted) int {
			return cmp.Or(cmp.Compare(b.hits, a.hits), strings.Compare(a.value, b.value))
		})
		for _, c := range all[:min(len(all), max(0, l.watched[key]))] {
			values[key] = append(values[key], c.value)
		}
	}
	return values
}

// KeepsValue reports whether a decoded value of a decoded query key is vocabulary: one that enough distinct clients asked
// for, of a key that was watched, or one of the file that was given. Keys are compared without case, values byte by byte.
// It never allocates.
func (s *Set) KeepsValue(key, value []byte) bool {
	if len(s.values) == 0 || len(key) > maxKey {
		return false
	}
	var buf [maxKey]byte
	return s.values[string(appendLower(buf[:0], key))][string(value)]
}

// Values are the values of query keys that KeepsValue knows, by key in lower case and sorted. They must not be changed.
func (s *Set) Values() map[string][]string { return s.valueList }

// appendLower appends s with its ASCII letters in lower case.
func appendLower(b, s []byte) []byte {
	for _, c := range s {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}

// cutPart takes the next name=value of a query off it.
func cutPart(query []byte) (key, value, rest []byte) {
	part := query
	if i := bytes.IndexByte(query, '&'); i >= 0 {
		part, rest = query[:i], query[i+1:]
	}
	if i := bytes.IndexByte(part, '='); i >= 0 {
		return part[:i], part[i+1:], rest
	}
	return part, nil, rest
}
