package bind

import (
	"bytes"
	"slices"
	"strings"

	"reprise/anonymize/trace"
	"reprise/replay/plan"
)

// Binder binds the arrivals of one plan. Use: Learn every arrival, Settle, then Apply to every arrival.
// It is not safe for concurrent use.
type Binder struct {
	entities map[string]*entity
	order    []*entity // in name order
	identity *entity   // nil when no entity is the user
	bodies   []body
	settled  bool
	unbound  int64
	// Of the arrival at hand:
	spans   []span
	touched []touch
}

// touch is an id that a user touches, and the one before it: the arrival may be withheld after all.
type touch struct {
	entity *entity
	before string // empty for none
}

// New prepares a binder. The seed fixes which ids are hot. It fails when the rules contradict themselves
// or ask for what the catalogue does not have.
func New(rules *Rules, c Catalogue, seed uint64) (*Binder, error) {
	if err := rules.validate(); err != nil {
		return nil, err
	}
	b := &Binder{entities: make(map[string]*entity)}
	for _, name := range rules.names() {
		e, err := newEntity(name, rules.Entities[name], c, seed)
		if err != nil {
			return nil, err
		}
		b.entities[name], b.order = e, append(b.order, e)
		if e.rule.Identity {
			b.identity = e
		}
	}
	for _, e := range b.order {
		if e.rule.Owner == "" {
			continue
		}
		if err := e.setOwner(b.identity); err != nil {
			return nil, err
		}
	}
	for _, r := range rules.Bodies {
		made, err := newBody(r, rules.Entities)
		if err != nil {
			return nil, err
		}
		b.bodies = append(b.bodies, made)
	}
	return b, nil
}

// Learn counts the ids of an arrival; one that is withheld does not count.
func (b *Binder) Learn(a *plan.Arrival) {
	if a.Withheld != plan.Sent {
		return
	}
	if b.identity != nil && a.User != (trace.Pseudonym{}) {
		b.identity.users.add(a.User[:])
	}
	for _, s := range b.find(a.Target) {
		s.entity.learn(a.Target[s.from:s.to], a)
	}
}

// find returns the ids in a target, in the order in which they stand; valid until the next call.
func (b *Binder) find(target []byte) []span {
	b.spans = b.spans[:0]
	for _, e := range b.order {
		for i := range e.places {
			b.spans = e.places[i].find(b.spans, target, e)
		}
	}
	return b.spans
}

// Settle decides the bindings. Apply calls it when the caller has not; Learn has no effect after it.
func (b *Binder) Settle() {
	if b.settled {
		return
	}
	b.settled = true
	if b.identity != nil {
		b.identity.settle()
	}
	for _, e := range b.order {
		if e != b.identity {
			e.settle()
		}
	}
}

// Apply rewrites the arrival in place: ids in the target, the user's header, the body. An arrival that
// needs an id the fixture does not have is withheld as unbound and stays as it was. The slices of what
// was rewritten are new, so that a borrowed arrival may be given.
func (b *Binder) Apply(a *plan.Arrival) {
	b.Settle()
	if a.Withheld != plan.Sent {
		return
	}
	target, ok := b.target(a)
	if !ok {
		b.withhold(a)
		return
	}
	b.touch(a) // a body may name what its own target touches
	body, typ, ok := b.body(a, target)
	if !ok {
		b.untouch(a)
		b.withhold(a)
		return
	}
	if a.Target = target; typ != "" {
		a.Body, a.Type = body, typ
	}
	b.header(a)
}

func (b *Binder) withhold(a *plan.Arrival) {
	a.Withheld = plan.Unbound
	b.unbound++
}

// target returns the target with the fixture's ids in it.
func (b *Binder) target(a *plan.Arrival) ([]byte, bool) {
	spans := b.find(a.Target)
	if len(spans) == 0 {
		return a.Target, true
	}
	size := len(a.Target)
	for _, s := range spans {
		bound, ok := s.entity.values.bound[string(a.Target[s.from:s.to])]
		if !ok {
			return nil, false
		}
		size += len(bound.id) - (s.to - s.from)
	}
	out, done := make([]byte, 0, size), 0
	for _, s := range spans {
		bound := s.entity.values.bound[string(a.Target[s.from:s.to])]
		out = append(append(out, a.Target[done:s.from]...), bound.id...)
		done = s.to
	}
	return append(out, a.Target[done:]...), true
}

// touch remembers the ids of the target at hand as those that the user touched last.
func (b *Binder) touch(a *plan.Arrival) {
	b.touched = b.touched[:0]
	for _, s := range b.spans {
		bound := s.entity.values.bound[string(a.Target[s.from:s.to])]
		if !bound.missing { // what does not exist cannot be put into a cart
			b.touched = append(b.touched, touch{s.entity, s.entity.last[a.User]})
			s.entity.last[a.User] = bound.id
		}
	}
}

// untouch undoes touch: a withheld arrival touches nothing.
func (b *Binder) untouch(a *plan.Arrival) {
	for _, t := range slices.Backward(b.touched) {
		if t.before == "" {
			delete(t.entity.last, a.User)
		} else {
			t.entity.last[a.User] = t.before
		}
	}
}

// header names the user to the target. Production's 401 is kept a 401 by leaving the name out.
func (b *Binder) header(a *plan.Arrival) {
	if b.identity == nil || b.identity.rule.Header == "" {
		return
	}
	name := b.identity.rule.Header
	user, ok := b.identity.users.bound[string(a.User[:])]
	if a.Status == 401 || !ok {
		if len(a.Header) > 0 {
			a.Header = appendWithout(nil, a.Header, name)
		}
		return
	}
	h := make([]byte, 0, len(a.Header)+len(name)+len(user.id)+4)
	h = append(append(append(appendWithout(h, a.Header, name), name...), ": "...), user.id...)
	a.Header = append(h, '\r', '\n')
}

// appendWithout appends header lines but those of one name: what the log said there was of another data set.
func appendWithout(dst, header []byte, name string) []byte {
	for len(header) > 0 {
		end := bytes.Index(header, []byte("\r\n")) + 2
		if end < 2 {
			end = len(header)
		}
		if field, _, _ := bytes.Cut(header[:end], []byte{':'}); !strings.EqualFold(string(field), name) {
			dst = append(dst, header[:end]...)
		}
		header = header[end:]
	}
	return dst
}

// Report says how well the fixture covers the plan.
type Report struct {
	Entities []EntityReport `json:"entities"`
	Unbound  int64          `json:"unbound"` // arrivals withheld
}

// EntityReport is the coverage of one entity.
type EntityReport struct {
	Name     string `json:"name"`
	Distinct int    `json:"distinct"` // pseudonyms in the plan; for the identity, users and values together
	IDs      int    `json:"ids"`      // ids of the fixture
	Folded   int    `json:"folded"`   // pseudonyms beyond the ids there are for them, so that some share one
	Missing  int    `json:"missing"`  // answered 404 every time: bound to ids the fixture does not have
	Unbound  int    `json:"unbound"`  // got no id
}

// Report returns the coverage after Settle and the arrivals withheld so far by Apply.
func (b *Binder) Report() Report {
	r := Report{Unbound: b.unbound}
	for _, e := range b.order {
		e.report.Name, e.report.Distinct, e.report.IDs = e.name, len(e.values.seen)+len(e.users.seen), len(e.items)
		r.Entities = append(r.Entities, e.report)
	}
	return r
}
