package bind

import (
	"bytes"
	"strings"

	"reprise/replay/plan"
)

// body is a Body made ready.
type body struct {
	method string
	path   []segment
	typ    string
	parts  []part
}

// part is a piece of a body: text, or the id of an entity.
type part struct {
	text   string
	entity string
}

func newBody(r Body, entities map[string]Entity) (body, error) {
	method, path, _ := strings.Cut(r.On, " ")
	segments, err := parsePath(path)
	typ := r.Type
	if typ == "" {
		typ = defaultType
	}
	return body{method: method, path: segments, typ: typ, parts: split(r.Body, entities)}, err
}

// body returns the body that the first rule for the request gives, and no type when there is no rule. It
// is not ok when an id is wanted that the fixture does not have.
func (b *Binder) body(a *plan.Arrival, target []byte) (content []byte, typ string, ok bool) {
	path, _, _ := bytes.Cut(target, []byte{'?'})
	for i := range b.bodies {
		r := &b.bodies[i]
		if r.method != a.Method {
			continue
		}
		if _, _, match := matchPath(r.path, -1, path); !match {
			continue
		}
		content = []byte{}
		for _, p := range r.parts {
			if p.entity == "" {
				content = append(content, p.text...)
				continue
			}
			id, known := b.entities[p.entity].lastOf(a.User)
			if !known {
				return nil, "", false
			}
			content = append(content, id...)
		}
		return content, r.typ, true
	}
	return nil, "", true
}

// split cuts a body at its {entity} marks; other braces are text, as JSON is full of them.
func split(body string, entities map[string]Entity) []part {
	var parts []part
	text := 0
	for at, name := range marks(body) {
		if _, ok := entities[name]; ok {
			parts = append(parts, part{text: body[text:at]}, part{entity: name})
			text = at + len(name) + 2
		}
	}
	return append(parts, part{text: body[text:]})
}

// unknownMark returns the first {name} that is no entity. A bare name in braces is not JSON, so it is a
// slip of the pen and not text.
func unknownMark(body string, entities map[string]Entity) (string, bool) {
	for _, name := range marks(body) {
		if _, ok := entities[name]; !ok && isName(name) {
			return name, true
		}
	}
	return "", false
}

// marks yields each innermost {...} with its offset.
func marks(body string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		open := -1
		for i := range len(body) {
			switch body[i] {
			case '{':
				open = i
			case '}':
				if open >= 0 && !yield(open, body[open+1:i]) {
					return
				}
				open = -1
			}
		}
	}
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || i > 0 && (c >= '0' && c <= '9' || c == '-')) {
			return false
		}
	}
	return s != ""
}
