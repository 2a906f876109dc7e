package bind

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"reprise/anonymize/trace"
	"reprise/replay/plan"
)

// entity is one kind of id: what the plan has of it and what the fixture gives for it.
type entity struct {
	name   string
	rule   Entity
	places []place
	items  []Item // a seeded permutation of the fixture's list
	owner  *entity
	seen   map[string]*value
	bound  map[string]string
	last   map[trace.Pseudonym]string // id that each user touched last, as Apply goes along the plan
	wealth map[string]int             // for the identity: things that each fixture user owns
	report EntityReport
}

// value is one pseudonym as the plan has it.
type value struct {
	count   int64
	missing int64                     // answered 404
	owners  map[trace.Pseudonym]int64 // who got a 2xx for it, for owned entities
	owns    int64                     // for identities: distinct owned values
}

func newEntity(name string, rule Entity, items []Item, seed uint64) *entity {
	e := &entity{name: name, rule: rule, items: slices.Clone(items), seen: make(map[string]*value),
		bound: make(map[string]string), last: make(map[trace.Pseudonym]string), wealth: make(map[string]int)}
	for _, at := range rule.At {
		p, err := parsePlace(at)
		if err == nil { // Rules.validate has refused the others
			e.places = append(e.places, p)
		}
	}
	// The same list must be permuted alike for every entity that uses it, so the list names the stream.
	rng := rand.New(rand.NewPCG(seed, xxhash.Sum64String("bind/"+rule.IDs)))
	rng.Shuffle(len(e.items), func(i, j int) { e.items[i], e.items[j] = e.items[j], e.items[i] })
	return e
}

func (e *entity) count(key string, a *plan.Arrival) {
	v := e.seen[key]
	if v == nil {
		v = &value{}
		e.seen[key] = v
	}
	v.count++
	if a.Status == 404 && !e.rule.Identity {
		v.missing++
	}
	if e.owner == nil || a.Status/100 != 2 || a.User == (trace.Pseudonym{}) {
		return
	}
	if v.owners == nil {
		v.owners = make(map[trace.Pseudonym]int64)
	}
	v.owners[a.User]++
	if v.owners[a.User] == 1 {
		e.owner.own(a.User)
	}
}

// own notes that a user has one more thing of its own.
func (e *entity) own(u trace.Pseudonym) {
	if v := e.seen[string(u[:])]; v != nil {
		v.owns++
	}
}

// settle gives every pseudonym its id.
func (e *entity) settle() {
	hot := e.ranked()
	if e.owner != nil {
		e.settleOwned(hot)
		return
	}
	slots := e.items
	if e.rule.Identity {
		slots = e.richestFirst()
	}
	var present []string
	for _, key := range hot {
		if v := e.seen[key]; v.missing == v.count && !e.rule.Identity {
			e.bound[key] = absent(e.items, e.report.Missing)
			e.report.Missing++
			continue
		}
		present = append(present, key)
	}
	e.settleRanked(present, slots)
}

// settleRanked binds the k-th hottest to the k-th slot. With more pseudonyms than slots, the hotter half
// of the slots is one to one and the tail shares the rest by hash.
func (e *entity) settleRanked(hot []string, slots []Item) {
	if len(slots) == 0 {
		e.report.Unbound += len(hot)
		return
	}
	single := len(hot)
	if len(hot) > len(slots) {
		single = len(slots) / 2
	}
	for k, key := range hot {
		if k < single {
			e.bound[key] = slots[k].ID
			continue
		}
		e.bound[key] = slots[single+int(xxhash.Sum64String(key)%uint64(len(slots)-single))].ID
		e.report.Folded++
	}
}

// settleOwned binds each value among the things of its owner's fixture user.
func (e *entity) settleOwned(hot []string) {
	own := make(map[string][]string) // fixture user to its ids, in slot order
	for _, it := range e.items {
		own[it.Owner] = append(own[it.Owner], it.ID)
	}
	used := make(map[string]int)
	for _, key := range hot {
		v := e.seen[key]
		if v.missing == v.count {
			e.bound[key] = absent(e.items, e.report.Missing)
			e.report.Missing++
			continue
		}
		who, ok := e.ownerOf(v)
		if !ok { // nobody was ever let in: any id that exists answers alike
			e.settleRanked([]string{key}, e.items)
			continue
		}
		if e.rule.IDs == e.owner.rule.IDs {
			e.bound[key] = who
			continue
		}
		ids := own[who]
		if len(ids) == 0 {
			e.report.Unbound++
			continue
		}
		if used[who] >= len(ids) {
			e.report.Folded++
		}
		e.bound[key] = ids[used[who]%len(ids)]
		used[who]++
	}
}

// ownerOf is the fixture id of the user who was let in most often.
func (e *entity) ownerOf(v *value) (string, bool) {
	var best trace.Pseudonym
	var most int64
	for u, n := range v.owners {
		if n > most || n == most && slices.Compare(u[:], best[:]) < 0 {
			best, most = u, n
		}
	}
	if most == 0 {
		return "", false
	}
	return e.owner.bind(string(best[:]))
}

// ranked lists the pseudonyms, those who own most first, then the hottest; ties break by the pseudonym, so
// that the order of the plan does not matter.
func (e *entity) ranked() []string {
	keys := make([]string, 0, len(e.seen))
	for k := range e.seen {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int {
		a, b := e.seen[x], e.seen[y]
		return cmp.Or(cmp.Compare(b.owns, a.owns), cmp.Compare(b.count, a.count), cmp.Compare(x, y))
	})
	return keys
}

// richestFirst lists the fixture's users by how much they own, so that users who own things in the plan
// meet users who own things in the fixture.
func (e *entity) richestFirst() []Item {
	slots := slices.Clone(e.items)
	slices.SortStableFunc(slots, func(a, b Item) int { return cmp.Compare(e.wealth[b.ID], e.wealth[a.ID]) })
	return slots
}

// bind returns the id of a pseudonym.
func (e *entity) bind(key string) (string, bool) {
	id, ok := e.bound[key]
	return id, ok
}

// lastOf returns the id that a user touched last, the hottest one of the fixture before the first touch.
func (e *entity) lastOf(u trace.Pseudonym) (string, bool) {
	if id, ok := e.last[u]; ok {
		return id, true
	}
	if e.rule.Identity {
		return e.bind(string(u[:]))
	}
	if len(e.items) == 0 {
		return "", false
	}
	return e.items[0].ID, true
}
