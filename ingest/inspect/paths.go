package inspect

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
)

const (
	maxSegments = 6  // of a path that a template shows
	maxWord     = 32 // bytes of a segment that may stand literally
)

// paths counts requests by the shape of their path: words stay, everything else becomes a placeholder.
type paths struct {
	templates *tally
	buf       []byte
}

func newPaths(limit int) *paths { return &paths{templates: newTally(limit)} }

func (p *paths) add(method, target []byte) {
	path := target
	if end := bytes.IndexAny(path, "?#"); end >= 0 {
		path = path[:end]
	}
	p.buf = append(p.buf[:0], method[:min(len(method), maxWord)]...)
	p.buf = append(p.buf, ' ')
	p.buf = appendTemplate(p.buf, path)
	p.templates.add(p.buf)
}

// top returns the n most frequent templates, the most frequent first, ties by name.
func (p *paths) top(n int) []Endpoint {
	var list []Endpoint
	for _, name := range slices.Sorted(maps.Keys(p.templates.counts)) {
		list = append(list, Endpoint{Endpoint: name, Requests: *p.templates.counts[name]})
	}
	slices.SortStableFunc(list, func(a, b Endpoint) int { return cmp.Compare(b.Requests, a.Requests) })
	return list[:min(n, len(list))]
}

// appendTemplate appends the shape of path.
func appendTemplate(buf, path []byte) []byte {
	if len(path) == 0 || path[0] != '/' {
		return append(buf, "{not a path}"...)
	}
	for n := 0; len(path) > 0; n++ {
		if n == maxSegments {
			return append(buf, "/{rest}"...)
		}
		path = path[1:]
		end := bytes.IndexByte(path, '/')
		if end < 0 {
			end = len(path)
		}
		buf = append(buf, '/')
		buf = appendSegment(buf, path[:end])
		path = path[end:]
	}
	return buf
}

// appendSegment appends a segment that is a plain word, or a placeholder.
func appendSegment(buf, s []byte) []byte {
	digits, letters, joints, rest := 0, 0, 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		case c == '-' || c == '_' || c == '.':
			joints++
		default:
			rest++
		}
	}
	switch {
	case len(s) == 0:
		return buf
	case digits == len(s):
		return append(buf, "{number}"...)
	case digits == 0 && rest == 0 && len(s) <= maxWord:
		return append(buf, s...)
	case rest == 0 && digits > 0 && letters > 0 && len(s) <= 8:
		return append(buf, "{code}"...)
	}
	return append(buf, "{text}"...)
}
