package bind

import (
	"bytes"
	"fmt"
	"strings"
)

// place is where an id stands: a path with one {id} segment, or a query key on an optional path.
type place struct {
	segments []string // of the path, "" for {id}, "*" for any; nil for any path
	id       int      // index of the {id} segment, -1 for a query place
	key      string   // of the query
}

// parsePlace reads "/products/{id}", "?sku" or "/cart?sku".
func parsePlace(at string) (place, error) {
	path, key, query := strings.Cut(at, "?")
	p := place{id: -1, key: key}
	if query && key == "" || !query && path == "" || path != "" && path[0] != '/' {
		return p, fmt.Errorf("%q is neither /path/{id} nor ?key", at)
	}
	if path == "" {
		return p, nil
	}
	p.segments = strings.Split(path[1:], "/")
	for i, s := range p.segments {
		if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
			continue
		}
		if p.id >= 0 || query {
			p.segments[i] = "*"
			continue
		}
		p.id, p.segments[i] = i, ""
	}
	if !query && p.id < 0 {
		return p, fmt.Errorf("%q has no {id} segment", at)
	}
	return p, nil
}

// find returns the bounds of the id in target.
func (p *place) find(target []byte) (from, to int, ok bool) {
	path, query, _ := bytes.Cut(target, []byte{'?'})
	if p.segments != nil {
		from, to, ok = p.findSegment(path)
		if !ok || p.key == "" {
			return from, to, ok
		}
	}
	for at := len(path) + 1; len(query) > 0; {
		pair, rest, _ := bytes.Cut(query, []byte{'&'})
		if name, value, ok := bytes.Cut(pair, []byte{'='}); ok && string(name) == p.key {
			return at + len(name) + 1, at + len(name) + 1 + len(value), true
		}
		at += len(pair) + 1
		query = rest
	}
	return 0, 0, false
}

// findSegment matches the path and returns the bounds of the {id} segment.
func (p *place) findSegment(path []byte) (from, to int, ok bool) {
	at := 1
	if len(path) == 0 || path[0] != '/' {
		return 0, 0, false
	}
	rest := path[1:]
	for i, want := range p.segments {
		segment, next, more := bytes.Cut(rest, []byte{'/'})
		switch want {
		case "":
			from, to = at, at+len(segment)
		case "*":
		default:
			if string(segment) != want {
				return 0, 0, false
			}
		}
		if more == (i == len(p.segments)-1) {
			return 0, 0, false
		}
		at += len(segment) + 1
		rest = next
	}
	return from, to, p.id < 0 || from < to
}
