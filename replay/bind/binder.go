package bind

import (
	"bytes"
	"fmt"
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
	scratch  []byte
}

type body struct {
	method string
	path   place
	typ    string
	parts  []part
}

// New prepares a binder. The seed fixes which ids are hot.
func New(rules *Rules, c Catalogue, seed uint64) (*Binder, error) {
	b := &Binder{entities: make(map[string]*entity)}
	for _, name := range rules.names() {
		r := rules.Entities[name]
		items, ok := c[r.IDs]
		if !ok {
			return nil, fmt.Errorf("entity %s: the catalogue has no list %q", name, r.IDs)
		}
		e := newEntity(name, r, items, seed)
		b.entities[name], b.order = e, append(b.order, e)
		if r.Identity {
			b.identity = e
		}
	}
	for _, e := range b.order {
		if e.rule.Owner == "" {
			continue
		}
		e.owner = b.identity
		for _, it := range e.items {
			b.identity.wealth[it.Owner]++
		}
	}
	for _, r := range rules.Bodies {
		method, path, _ := strings.Cut(r.On, " ")
		p := place{id: -1, segments: strings.Split(strings.TrimPrefix(path, "/"), "/")}
		for i, s := range p.segments {
			if strings.HasPrefix(s, "{") {
				p.segments[i] = "*"
			}
		}
		b.bodies = append(b.bodies, body{method: method, path: p, typ: r.Type, parts: split(r.Body, rules.Entities)})
	}
	return b, nil
}

// Learn counts the ids of an arrival.
func (b *Binder) Learn(a *plan.Arrival) {
	if a.Withheld != plan.Sent {
		return
	}
	if b.identity != nil && a.User != (trace.Pseudonym{}) {
		b.identity.count(string(a.User[:]), a)
	}
	for _, e := range b.order {
		for i := range e.places {
			if from, to, ok := e.places[i].find(a.Target); ok {
				e.count(string(a.Target[from:to]), a)
			}
		}
	}
}

// Settle decides the bindings; call it once, between Learn and Apply.
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
// needs an id the fixture does not have is withheld as unbound.
func (b *Binder) Apply(a *plan.Arrival) {
	if a.Withheld != plan.Sent {
		return
	}
	for _, e := range b.order {
		for i := range e.places {
			from, to, ok := e.places[i].find(a.Target)
			if !ok {
				continue
			}
			id, ok := e.bind(string(a.Target[from:to]))
			if !ok {
				b.withhold(a)
				return
			}
			a.Target = append(append(append([]byte(nil), a.Target[:from]...), id...), a.Target[to:]...)
			e.last[a.User] = id
		}
	}
	b.header(a)
	b.body(a)
}

func (b *Binder) withhold(a *plan.Arrival) {
	a.Withheld = plan.Unbound
	b.unbound++
}

// header names the user to the target. Production's 401 is kept a 401 by leaving the name out.
func (b *Binder) header(a *plan.Arrival) {
	if b.identity == nil || b.identity.rule.Header == "" || a.Status == 401 || a.User == (trace.Pseudonym{}) {
		return
	}
	if id, ok := b.identity.bind(string(a.User[:])); ok {
		h := append([]byte(nil), a.Header...)
		a.Header = fmt.Appendf(h, "%s: %s\r\n", b.identity.rule.Header, id)
	}
}

func (b *Binder) body(a *plan.Arrival) {
	path, _, _ := bytes.Cut(a.Target, []byte{'?'})
	for i := range b.bodies {
		r := &b.bodies[i]
		if r.method != a.Method {
			continue
		}
		if _, _, ok := r.path.findSegment(path); !ok {
			continue
		}
		b.scratch = b.scratch[:0]
		for _, p := range r.parts {
			if p.entity == "" {
				b.scratch = append(b.scratch, p.text...)
				continue
			}
			id, ok := b.entities[p.entity].lastOf(a.User)
			if !ok {
				b.withhold(a)
				return
			}
			b.scratch = append(b.scratch, id...)
		}
		a.Body, a.Type = append([]byte(nil), b.scratch...), r.typ
		return
	}
}

// Report says how well the fixture covers the plan.
type Report struct {
	Entities []EntityReport `json:"entities"`
	Unbound  int64          `json:"unbound"` // arrivals withheld
}

// EntityReport is the coverage of one entity.
type EntityReport struct {
	Name     string `json:"name"`
	Distinct int    `json:"distinct"` // pseudonyms in the plan
	IDs      int    `json:"ids"`      // ids of the fixture
	Folded   int    `json:"folded"`   // pseudonyms that share an id with another one
	Missing  int    `json:"missing"`  // answered 404 every time: bound to ids the fixture does not have
	Unbound  int    `json:"unbound"`  // got no id
}

// Report returns the coverage after Settle and the arrivals withheld so far by Apply.
func (b *Binder) Report() Report {
	r := Report{Unbound: b.unbound}
	for _, e := range b.order {
		e.report.Name, e.report.Distinct, e.report.IDs = e.name, len(e.seen), len(e.items)
		r.Entities = append(r.Entities, e.report)
	}
	return r
}
