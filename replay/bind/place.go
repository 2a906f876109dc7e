package bind

import (
	"bytes"
	"errors"
	"strings"
)

// place is where an id stands: a segment of a path, or a query value on a given or any path.
type place struct {
	path []segment // nil for any path
	id   int       // index of the {id} segment; -1 for a query place
	key  string    // of the query
}

// segment is one piece of a path between slashes.
type segment struct {
	literal string
	any     bool // a name in braces: any one segment that is not empty
}

// span is an id found in a target.
type span struct {
	from, to int
	entity   *entity
}

// parsePlace reads "/products/{id}", "?sku" or "/cart?sku". Its errors do not repeat the text.
func parsePlace(at string) (place, error) {
	path, key, query := strings.Cut(at, "?")
	p := place{id: -1, key: key}
	if query && (key == "" || strings.ContainsAny(key, "=&?#")) {
		return p, errors.New("must have one query key after the question mark, like ?sku")
	}
	if path == "" && query {
		return p, nil
	}
	var err error
	if p.path, err = parsePath(path); err != nil || query {
		return p, err
	}
	for i, s := range strings.Split(path[1:], "/") {
		switch {
		case s != "{id}":
		case p.id >= 0:
			return p, errors.New("has two {id} segments; give the other one another name")
		default:
			p.id = i
		}
	}
	if p.id < 0 {
		return p, errors.New("has no {id} segment and no query key")
	}
	return p, nil
}

// parsePath reads a path whose segments are literal or a name in braces.
func parsePath(path string) ([]segment, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New("must begin with a slash, or be ?key")
	}
	var segments []segment
	for s := range strings.SplitSeq(path[1:], "/") {
		braced := len(s) > 2 && s[0] == '{' && s[len(s)-1] == '}' && isName(s[1:len(s)-1])
		if !braced && strings.ContainsAny(s, "{} ") {
			return nil, errors.New("braces must hold a name and be a whole segment, like /products/{id}")
		}
		segments = append(segments, segment{literal: s, any: braced})
	}
	return segments, nil
}

// find appends the places' ids in target to spans, leaving out what overlaps a span that is there.
func (p *place) find(spans []span, target []byte, e *entity) []span {
	path, query, _ := bytes.Cut(target, []byte{'?'})
	if p.path != nil {
		from, to, ok := matchPath(p.path, p.id, path)
		if !ok {
			return spans
		}
		if p.key == "" {
			return add(spans, span{from, to, e})
		}
	}
	for at := len(path) + 1; len(query) > 0; {
		pair, rest, _ := bytes.Cut(query, []byte{'&'})
		if name, _, ok := bytes.Cut(pair, []byte{'='}); ok && string(name) == p.key {
			spans = add(spans, span{at + len(name) + 1, at + len(pair), e})
		}
		at += len(pair) + 1
		query = rest
	}
	return spans
}

// add inserts s in order of its place; an empty id and one that overlaps another are left out.
func add(spans []span, s span) []span {
	if s.from >= s.to {
		return spans
	}
	i := len(spans)
	for i > 0 && spans[i-1].from >= s.to {
		i--
	}
	if i > 0 && spans[i-1].to > s.from {
		return spans
	}
	spans = append(spans, span{})
	copy(spans[i+1:], spans[i:])
	spans[i] = s
	return spans
}

// matchPath matches the whole path and returns the bounds of segment number id, if that is not negative.
func matchPath(want []segment, id int, path []byte) (from, to int, ok bool) {
	if len(path) == 0 || path[0] != '/' {
		return 0, 0, false
	}
	at, rest := 1, path[1:]
	for i := range want {
		got, next, more := bytes.Cut(rest, []byte{'/'})
		if want[i].any && len(got) == 0 || !want[i].any && string(got) != want[i].literal || more == (i == len(want)-1) {
			return 0, 0, false
		}
		if i == id {
			from, to = at, at+len(got)
		}
		at += len(got) + 1
		rest = next
	}
	return from, to, true
}
