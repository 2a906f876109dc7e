package anonymize

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
	"reprise/ingest"
)

// maxSurveyed is the number of places of which a Survey keeps counts; it counts the rest as one.
const maxSurveyed = 2000

// Survey counts what stands where in a log, so that rules can be written for it: names of places that are vocabulary,
// and what values look like, never a value. It is not safe for concurrent use.
type Survey struct {
	set                     *endpoint.Set
	requests, users, others int64
	referers                int64
	places                  map[surveyed]*survey
	layers                  layers
	name                    []byte
}

// surveyed is a place; number is the segment of a path.
type surveyed struct {
	kind   rules.PlaceKind
	name   string
	number int
}

type survey struct {
	requests int64
	shapes   [looks]int64
	digits   int // of the longest number
}

// look is what a value looks like.
type look uint8

const (
	lookEmpty look = iota
	lookBool
	lookInt
	lookUUID
	lookMail
	lookDate
	lookIP
	lookHex
	lookNumbered
	lookWord
	lookText16
	lookText64
	lookText
	looks
)

var lookNames = [looks]string{"empty", "bool", "int", "uuid", "mail", "date", "ip", "hex", "prefix-int", "word", "text of up to 16 bytes", "text of up to 64 bytes",
	"longer text"}

// NewSurvey returns an empty Survey. The path templates also tell which names of keys and cookies are vocabulary.
func NewSurvey(set *endpoint.Set) *Survey {
	return &Survey{set: set, places: make(map[surveyed]*survey)}
}

// Add counts one record. Nothing of it is kept.
func (s *Survey) Add(r *ingest.Record) {
	s.requests++
	if len(r.User) > 0 {
		s.users++
	}
	if len(r.Referer) > 0 {
		s.referers++
	}
	s.path(endpoint.Path(r.Target))
	if _, query, ok := bytes.Cut(r.Target, []byte{'?'}); ok {
		query, _, _ = bytes.Cut(query, []byte{'#'})
		for pair := range bytes.SplitSeq(query, []byte{'&'}) {
			if key, value, named := bytes.Cut(pair, []byte{'='}); named && len(key) > 0 {
				s.pair(rules.Query, key, value)
			}
		}
	}
	for i := range r.Headers {
		switch h := &r.Headers[i]; {
		case h.Cookie != "":
			s.value(s.at(rules.Cookie, []byte(h.Cookie), 0), h.Value)
		case h.Name == "Cookie":
			for pair := range bytes.SplitSeq(h.Value, []byte{';'}) {
				if name, value, ok := bytes.Cut(bytes.TrimSpace(pair), []byte{'='}); ok {
					s.pair(rules.Cookie, name, value)
				}
			}
		default:
			s.value(s.at(rules.Header, []byte(h.Name), 0), h.Value)
		}
	}
}

// path counts the variable segments of a path that has a template.
func (s *Survey) path(path []byte) {
	t := s.set.Match(path)
	for i, known := range t.Segments {
		if len(path) == 0 {
			return
		}
		var seg []byte
		seg, path = endpoint.NextSegment(path)
		if !known.Literal && known.Class != endpoint.Rest {
			seg, _ = endpoint.SplitExtension(seg)
			s.value(s.at(rules.Path, []byte(t.Pattern), i), seg)
		}
	}
}

// pair counts a value of a query key or a cookie, whose name may tell something about a person.
func (s *Survey) pair(kind rules.PlaceKind, name, value []byte) {
	s.layers.decode(name, true)
	s.name = append(s.name[:0], s.layers.text...)
	if !s.set.KeepsKey(s.name) {
		s.others++
		return
	}
	if kind == rules.Query {
		s.name = rules.AppendLower(s.name[:0], s.name)
	}
	s.value(s.at(kind, s.name, 0), value)
}

// at is the count of a place, nil when there are too many.
func (s *Survey) at(kind rules.PlaceKind, name []byte, number int) *survey {
	p, ok := s.places[surveyed{kind, string(name), number}]
	if !ok && len(s.places) < maxSurveyed {
		p = new(survey)
		s.places[surveyed{kind, string(name), number}] = p
	}
	return p
}

func (s *Survey) value(p *survey, raw []byte) {
	if p == nil {
		s.others++
		return
	}
	s.layers.decode(raw, true)
	l := lookOf(s.layers.text)
	p.requests++
	p.shapes[l]++
	if l == lookInt {
		p.digits = max(p.digits, len(s.layers.text))
	}
}

func lookOf(text []byte) look {
	if len(text) == 0 {
		return lookEmpty
	}
	if string(text) == "true" || string(text) == "false" {
		return lookBool
	}
	switch endpoint.Classify(text) {
	case endpoint.Int:
		return lookInt
	case endpoint.UUID:
		return lookUUID
	case endpoint.Mail:
		return lookMail
	case endpoint.Date:
		return lookDate
	case endpoint.IP:
		return lookIP
	case endpoint.Hex:
		return lookHex
	case endpoint.PrefixInt:
		return lookNumbered
	case endpoint.Word:
		if len(text) <= 24 {
			return lookWord
		}
	}
	switch {
	case len(text) <= 16:
		return lookText16
	case len(text) <= 64:
		return lookText64
	}
	return lookText
}

// Findings are what a log contains.
type Findings struct {
	Requests int64
	Users    int64 // requests whose log names a user
	Referers int64 // requests with a Referer header
	Others   int64 // values at places whose names are no vocabulary, or beyond the number of places that are counted
	Places   []Finding
}

// Finding is what stands at one place.
type Finding struct {
	Kind     rules.PlaceKind
	Name     string // query key in lower case, cookie, canonical header, or template of the path
	Segment  int    // of a path, from 0
	Requests int64
	Shapes   []string // what the values look like, the most frequent first, with the share of each
	IDs      bool     // most values look like ids
}

// Findings are the counts so far, in the order of kind, number of requests, name.
func (s *Survey) Findings() Findings {
	f := Findings{Requests: s.requests, Users: s.users, Referers: s.referers, Others: s.others}
	for at, p := range s.places {
		f.Places = append(f.Places, Finding{Kind: at.kind, Name: at.name, Segment: at.number, Requests: p.requests, Shapes: p.describe(), IDs: p.ids()})
	}
	slices.SortFunc(f.Places, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Requests, a.Requests), strings.Compare(a.Name, b.Name), cmp.Compare(a.Segment, b.Segment))
	})
	return f
}

// ids tells whether most values look like names of things: numbers of three digits and more, or opaque.
func (p *survey) ids() bool {
	n := p.shapes[lookUUID] + p.shapes[lookMail] + p.shapes[lookHex] + p.shapes[lookNumbered]
	if p.digits > 2 {
		n += p.shapes[lookInt]
	}
	return 2*n > p.requests
}

// describe lists the shapes that at least one of a hundred values has.
func (p *survey) describe() []string {
	var order []look
	for l := range looks {
		if p.shapes[l] > 0 && p.shapes[l]*100 >= p.requests {
			order = append(order, l)
		}
	}
	slices.SortStableFunc(order, func(a, b look) int { return cmp.Compare(p.shapes[b], p.shapes[a]) })
	var all []string
	for _, l := range order {
		name := lookNames[l]
		if l == lookInt {
			name = fmt.Sprintf("int<=%d", p.digits)
		}
		all = append(all, fmt.Sprintf("%s %d%%", name, p.shapes[l]*100/p.requests))
	}
	return all
}
