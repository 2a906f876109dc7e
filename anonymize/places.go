package anonymize

import (
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
)

// userEntity is the entity that tells who sent a request.
const userEntity = "user"

// place is where the values of an entity stand: the entity's number in the rules, and the place's number among those
// of the entity. The user is read from the first place that has a value.
type place struct {
	entity, rank int
}

// places are those of all rules, ready to be looked up. They are read-only and shared by all workers.
type places struct {
	query, cookie, header, claim map[string]place // query keys in lower case
	paths                        []pathPlace
	fitting                      map[*endpoint.Template][]pathPlace // those of paths that can fit a template, if any
	user                         int                                // number of the user entity, or -1
	userBeyond                   bool                               // the user can stand in a cookie, a header or a claim
	userClaims                   bool                               // in a claim
}

// pathPlace is a segment of the paths that begin with a pattern.
type pathPlace struct {
	place
	segments []string // "" for any
	index    int
}

// newPlaces compiles the places of the rules for the templates of a service. The first of several entities that name
// one place has it.
func newPlaces(r *rules.Rules, set *endpoint.Set) *places {
	p := &places{user: -1, query: map[string]place{}, cookie: map[string]place{}, header: map[string]place{}, claim: map[string]place{}}
	for i, e := range r.Entities {
		if e.Name == userEntity {
			p.user = i
		}
		for rank, at := range e.At {
			p.add(place{i, rank}, at)
		}
	}
	if len(p.paths) > 0 {
		p.fitting = make(map[*endpoint.Template][]pathPlace)
		for _, t := range set.Templates() {
			p.fitting[t] = p.fit(t)
		}
	}
	return p
}

func (p *places) add(here place, at rules.Place) {
	var to map[string]place
	name := at.Name
	switch at.Kind {
	case rules.Path:
		p.paths = append(p.paths, pathPlace{here, at.Segments, at.Index})
		return
	case rules.Query:
		to, name = p.query, strings.ToLower(name)
	case rules.Cookie:
		to = p.cookie
	case rules.Header:
		to = p.header
	case rules.Claim:
		to = p.claim
	}
	if _, taken := to[name]; !taken {
		to[name] = here
	}
	p.userBeyond = p.userBeyond || here.entity == p.user && at.Kind != rules.Query
	p.userClaims = p.userClaims || here.entity == p.user && at.Kind == rules.Claim
}

// fit are the places of paths that can stand in those of a template: a literal of one must be that of the other.
func (p *places) fit(t *endpoint.Template) []pathPlace {
	names := strings.FieldsFunc(t.Pattern, func(r rune) bool { return r == '/' })
	rest := len(t.Segments) > 0 && !t.Segments[len(t.Segments)-1].Literal && t.Segments[len(t.Segments)-1].Class == endpoint.Rest
	var fitting []pathPlace
next:
	for _, at := range p.paths {
		if len(at.segments) > len(t.Segments) && !rest {
			continue
		}
		for i, want := range at.segments[:min(len(at.segments), len(t.Segments))] {
			if want != "" && t.Segments[i].Literal && names[i] != want {
				continue next
			}
		}
		fitting = append(fitting, at)
	}
	return fitting
}

// ofPath finds the places in a path and puts them into a.placed. It costs nothing when the rules name no paths.
func (a *Anonymizer) ofPath(path []byte, t *endpoint.Template) {
	a.placed = a.placed[:0]
	if len(a.places.paths) == 0 {
		return
	}
	fitting, known := a.places.fitting[t]
	if !known {
		fitting = a.places.paths // of a path without a template
	}
	for i := range fitting {
		if at := &fitting[i]; at.begins(path) {
			a.placed = append(a.placed, at)
		}
	}
}

// begins tells whether a path begins with the pattern.
func (at *pathPlace) begins(path []byte) bool {
	var buf [maxSegment]byte
	for _, want := range at.segments {
		var seg []byte
		seg, path = endpoint.NextSegment(path)
		if len(seg) == 0 && len(path) == 0 {
			return false
		}
		if want != "" && string(endpoint.Unescape(buf[:0], seg)) != want {
			return false
		}
	}
	return true
}

// maxSegment is the longest segment, in bytes, that is compared with a pattern without making room for it.
const maxSegment = 256

// inPath is the entity of a path's segment, and the default where the rules name none.
func (a *Anonymizer) inPath(index int, text []byte) *entity {
	for _, at := range a.placed {
		if at.index == index {
			return a.at(at.place, text)
		}
	}
	return a.id
}

// at is the entity of a place at which a decoded value stands. If it is the user, the value is remembered.
func (a *Anonymizer) at(p place, text []byte) *entity {
	if p.entity == a.places.user && p.rank < a.userRank && len(text) > 0 && a.reading {
		a.userRank = p.rank
		a.userText = append(a.userText[:0], text...)
	}
	return a.named[p.entity]
}

// claim is the entity of a claim of a JSON Web Token whose decoded value is text; where the rules name none it is that
// of the token itself.
func (a *Anonymizer) claim(name, text []byte, outer *entity) *entity {
	if p, ok := a.places.claim[string(name)]; ok {
		if p.entity == a.places.user {
			a.claimed++ // so that the token is not remembered without its user
		}
		return a.at(p, text)
	}
	return outer
}
