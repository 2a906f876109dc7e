package bind

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"reprise/anonymize/trace"
	"reprise/replay/plan"
)

// entity is one kind of id: what the plan has of it and what the fixture gives for it.
type entity struct {
	name   string
	rule   Entity
	places []place
	items  []Item              // a seeded permutation of the fixture's list
	own    map[string][]string // for owned entities: fixture user to its ids, in the order of items
	top    uint64              // the highest id of the fixture
	owner  *entity
	values population                 // what stands at the places
	users  population                 // for the identity: the users of the plan
	wealth map[string]int             // for the identity: things that each fixture user owns
	last   map[trace.Pseudonym]string // id that each user touched last, as Apply goes along the plan
	report EntityReport
}

func newEntity(name string, rule Entity, c Catalogue, seed uint64) (*entity, error) {
	list, ok := c[rule.IDs]
	if !ok {
		return nil, fmt.Errorf("entity %s: the catalogue has no list %q", name, rule.IDs)
	}
	if rule.Identity && len(list) == 0 {
		return nil, fmt.Errorf("entity %s: the catalogue's list %q is empty, so no user can be bound", name, rule.IDs)
	}
	e := &entity{name: name, rule: rule, items: permute(list, seed, rule.IDs), top: highest(list), values: newPopulation(),
		users: newPopulation(), wealth: make(map[string]int), last: make(map[trace.Pseudonym]string)}
	for _, at := range rule.At {
		p, err := parsePlace(at)
		if err != nil {
			return nil, fmt.Errorf("entity %s: %w", name, err)
		}
		e.places = append(e.places, p)
	}
	return e, nil
}

// setOwner makes e's things those of the identity's users.
func (e *entity) setOwner(identity *entity) error {
	e.owner, e.own = identity, make(map[string][]string)
	themselves := e.rule.IDs == identity.rule.IDs
	for i := range e.items {
		it := &e.items[i]
		if themselves {
			it.Owner = it.ID
		} else {
			identity.wealth[it.Owner]++
		}
		if it.Owner == "" {
			return fmt.Errorf("entity %s: the catalogue's list %q does not name the owner of every id", e.name, e.rule.IDs)
		}
		e.own[it.Owner] = append(e.own[it.Owner], it.ID)
	}
	return nil
}

// learn counts an id at one of the places.
func (e *entity) learn(id []byte, a *plan.Arrival) {
	v := e.values.add(id)
	if a.Status == 404 {
		v.missing++
	}
	if e.owner == nil || a.User == (trace.Pseudonym{}) {
		return
	}
	switch user := e.owner.users.seen[string(a.User[:])]; {
	case a.Status/100 == 2:
		if v.owners == nil {
			v.owners = make(map[trace.Pseudonym]int64)
		}
		v.owners[a.User]++
		if v.owners[a.User] == 1 && e.rule.IDs != e.owner.rule.IDs {
			user.owns++
		}
	case a.Status == 403:
		if v.denied == nil {
			v.denied = make(map[trace.Pseudonym]bool)
		}
		v.denied[a.User] = true
		user.refused++
	}
}

// settle gives every pseudonym its id; the identity comes first.
func (e *entity) settle() {
	if e.rule.Identity {
		e.assign(e.users.ranked(), e.richestFirst(), &e.users)
	}
	var present []string
	for _, key := range e.values.ranked() {
		if v := e.values.seen[key]; v.missing < v.count {
			present = append(present, key)
			continue
		}
		e.values.bound[key] = binding{id: e.absent(e.report.Missing), missing: true}
		e.report.Missing++
	}
	if e.owner == nil {
		e.assign(present, e.items, &e.values)
	} else {
		e.assignOwned(present)
	}
}

// absent is the k-th id, from 0, that the fixture does not have and no request of the run will make: it is
// counted down from the end of int32, or of int64 for a fixture that comes near, since new rows get the
// ids that follow the highest one.
func (e *entity) absent(k int) string {
	limit := uint64(math.MaxInt32)
	if e.top >= limit/2 {
		limit = math.MaxInt64
	}
	return strconv.FormatUint(limit-uint64(k), 10)
}

// assign binds the k-th hottest to the k-th slot. With more pseudonyms than slots, the first half of the
// slots is one to one and the tail shares the rest by hash.
func (e *entity) assign(hot []string, slots []Item, to *population) {
	if len(slots) == 0 {
		e.report.Unbound += len(hot)
		return
	}
	single := len(hot)
	if len(hot) > len(slots) {
		single = len(slots) / 2
		e.report.Folded += len(hot) - len(slots)
	}
	for k, key := range hot {
		if k >= single {
			k = single + int(xxhash.Sum64String(key)%uint64(len(slots)-single))
		}
		to.bound[key] = binding{id: slots[k].ID}
	}
}

// assignOwned binds each value among the things of its owner's fixture user, and what nobody was let in
// to among the things of those who were not refused.
func (e *entity) assignOwned(hot []string) {
	used := make(map[string]int)
	next := 0
	for _, key := range hot {
		v := e.values.seen[key]
		who, ok := e.ownerOf(v)
		if !ok {
			who, next = e.stranger(v, next)
		}
		ids := e.own[who]
		if len(ids) == 0 {
			e.report.Unbound++
			continue
		}
		if used[who] >= len(ids) {
			e.report.Folded++
		}
		e.values.bound[key] = binding{id: ids[used[who]%len(ids)]}
		used[who]++
	}
}

// ownerOf is the fixture id of the user who was let in most often; a tie goes to the smaller pseudonym.
func (e *entity) ownerOf(v *value) (string, bool) {
	var best trace.Pseudonym
	var most int64
	for u, n := range v.owners {
		if n > most || n == most && string(u[:]) < string(best[:]) {
			best, most = u, n
		}
	}
	b, ok := e.owner.users.bound[string(best[:])]
	return b.id, ok && most > 0
}

// stranger is an owner, from item number next on, who is none of those that v refused; "" when all are.
func (e *entity) stranger(v *value, next int) (who string, after int) {
	refused := make(map[string]bool, len(v.denied))
	for u := range v.denied {
		refused[e.owner.users.bound[string(u[:])].id] = true
	}
	for range e.items {
		who, next = e.items[next].Owner, (next+1)%len(e.items)
		if !refused[who] {
			return who, next
		}
	}
	return "", next
}

// richestFirst lists the fixture's users by how much they own, so that users who own things in the plan
// meet users who own things in the fixture.
func (e *entity) richestFirst() []Item {
	slots := slices.Clone(e.items)
	slices.SortStableFunc(slots, func(a, b Item) int { return cmp.Compare(e.wealth[b.ID], e.wealth[a.ID]) })
	return slots
}

// lastOf returns the id that a user touched last. Before the first touch it is the user's own for the
// identity, the first of the user's own things for what is owned, and else the fixture's hottest.
func (e *entity) lastOf(u trace.Pseudonym) (string, bool) {
	if id, ok := e.last[u]; ok {
		return id, true
	}
	switch {
	case e.rule.Identity:
		b, ok := e.users.bound[string(u[:])]
		return b.id, ok
	case e.owner != nil:
		own := e.own[e.owner.users.bound[string(u[:])].id]
		if len(own) == 0 {
			return "", false
		}
		return own[0], true
	case len(e.items) == 0:
		return "", false
	}
	return e.items[0].ID, true
}
