package inspect

import (
	"cmp"
	"slices"
	"strconv"
)

// methods are those counted by name: HTTP and WebDAV. Any other word of the log could say something about someone.
var methods = [...]string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
	"LOCK", "UNLOCK", "REPORT", "SEARCH", "PURGE", "QUERY", "PRI", "other"}

// otherMethod is the place of all others.
const otherMethod = uint8(len(methods) - 1)

// methodOf returns the place of a method.
func methodOf(method []byte) uint8 {
	for i := range methods[:otherMethod] {
		if string(method) == methods[i] {
			return uint8(i)
		}
	}
	return otherMethod
}

func methodName(place uint8) string { return methods[place] }

// maxStatuses is the number of unusual status codes that are counted one by one: the smallest.
const maxStatuses = 32

// statuses counts the usual status codes in an array, and the smallest of the others one by one.
type statuses struct {
	usual  [600]int64
	rare   []statusCount // by code
	others int64
}

type statusCount struct {
	code int
	n    int64
}

func (s *statuses) add(code int) {
	if code >= 0 && code < len(s.usual) {
		s.usual[code]++
		return
	}
	s.addRare(statusCount{code, 1})
}

func (s *statuses) addRare(c statusCount) {
	at, known := slices.BinarySearchFunc(s.rare, c.code, func(known statusCount, code int) int { return cmp.Compare(known.code, code) })
	switch {
	case known:
		s.rare[at].n += c.n
	case at == maxStatuses:
		s.others += c.n
	default:
		if len(s.rare) == maxStatuses {
			s.others += s.rare[maxStatuses-1].n
			s.rare = s.rare[:maxStatuses-1]
		}
		s.rare = slices.Insert(s.rare, at, c)
	}
}

func (s *statuses) merge(o *statuses) {
	for code, n := range o.usual {
		s.usual[code] += n
	}
	for _, c := range o.rare {
		s.addRare(c)
	}
	s.others += o.others
}

// result returns the counts by code, with the rest under "others".
func (s *statuses) result() map[string]int64 {
	m := map[string]int64{}
	for _, c := range s.rare {
		m[strconv.Itoa(c.code)] = c.n
	}
	if s.others > 0 {
		m["others"] = s.others
	}
	for code, n := range s.usual {
		if n > 0 {
			m[strconv.Itoa(code)] = n
		}
	}
	return m
}
