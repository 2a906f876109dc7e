package bind

import (
	"cmp"
	"slices"

	"reprise/anonymize/trace"
)

// population is the pseudonyms of one kind that the plan has, and what they are bound to.
type population struct {
	seen  map[string]*value
	bound map[string]binding
}

// value is one pseudonym as the plan has it.
type value struct {
	count   int64
	missing int64                     // answered 404
	owners  map[trace.Pseudonym]int64 // who got a 2xx for it, for owned entities
	denied  map[trace.Pseudonym]bool  // who got a 403 for it, for owned entities
	// Of a user:
	owns    int64 // distinct owned values
	refused int64 // times that one was refused
}

// binding is the fixture's id for a pseudonym.
type binding struct {
	id      string
	missing bool // an id that the fixture does not have
}

func newPopulation() population {
	return population{seen: make(map[string]*value), bound: make(map[string]binding)}
}

// add counts one more occurrence.
func (p *population) add(key []byte) *value {
	v := p.seen[string(key)]
	if v == nil {
		v = &value{}
		p.seen[string(key)] = v
	}
	v.count++
	return v
}

// ranked lists the pseudonyms, the hottest first; among users those who own most come before them, and
// then those who were refused something, so that their statuses are the last to suffer from sharing. Ties
// break by the pseudonym, so that the order of the plan does not matter.
func (p *population) ranked() []string {
	keys := make([]string, 0, len(p.seen))
	for k := range p.seen {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y string) int {
		a, b := p.seen[x], p.seen[y]
		return cmp.Or(cmp.Compare(b.owns, a.owns), cmp.Compare(b.refused, a.refused), cmp.Compare(b.count, a.count),
			cmp.Compare(x, y))
	})
	return keys
}
