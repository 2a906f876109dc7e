package audit

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"net/netip"

	"reprise/anonymize/trace"
)

// groupLimit is the number of groups of one kind whose users are counted. Records of later groups count as unjudged.
const groupLimit = 1 << 17

// MaxK is the greatest k: so many users are told apart within a group.
const MaxK = 16

// group is the users of one value of a quasi-identifier, up to a few of them.
type group struct {
	users   [MaxK]uint32 // hashes
	n       uint8
	records uint32
}

// quasi counts the groups of one quasi-identifier.
type quasi struct {
	name   string
	groups map[uint64]*group
	over   int64 // records of groups beyond the limit
}

// grouping counts how many users share what could tell them apart (k-anonymity, Sweeney 2002).
type grouping struct {
	seed  maphash.Seed
	k     int
	kinds []quasi
}

var quasiNames = []string{"user agent", "network", "endpoint", "user agent and network", "endpoint and network"}

func newGrouping(k int) *grouping {
	g := &grouping{seed: maphash.MakeSeed(), k: k}
	for _, name := range quasiNames {
		g.kinds = append(g.kinds, quasi{name: name, groups: make(map[uint64]*group)})
	}
	return g
}

// network is the /24 or /48 of a client, or its name.
func network(client []byte) string {
	a, err := netip.ParseAddr(string(client))
	if err != nil {
		return string(client)
	}
	bits := 24
	if a.Is6() {
		bits = 48
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return string(client)
	}
	return p.String()
}

func (g *grouping) record(r *trace.Record) {
	if r.User == (trace.Pseudonym{}) {
		return
	}
	user := binary.LittleEndian.Uint32(r.User[:4]) | 1
	net := network(r.Client)
	for i, value := range [...]string{r.Agent, net, r.Endpoint, r.Agent + "\n" + net, r.Endpoint + "\n" + net} {
		g.kinds[i].add(maphash.String(g.seed, value), user)
	}
}

func (q *quasi) add(h uint64, user uint32) {
	p := q.groups[h]
	if p == nil {
		if len(q.groups) >= groupLimit {
			q.over++
			return
		}
		p = new(group)
		q.groups[h] = p
	}
	p.records++
	for _, u := range p.users[:p.n] {
		if u == user {
			return
		}
	}
	if int(p.n) < len(p.users) {
		p.users[p.n] = user
		p.n++
	}
}

// check says how many records are in groups below k.
func (g *grouping) check(records int64, given bool) Check {
	c := Check{Name: "k-anonymity", Status: Note}
	k := g.k
	var alone int64
	for _, q := range g.kinds {
		var groups, in, single int64
		for _, p := range q.groups {
			if int(p.n) < k {
				groups++
				in += int64(p.records)
			}
			if p.n == 1 {
				single++
			}
		}
		c.number(q.name+" groups", int64(len(q.groups)))
		c.number(q.name+" records below k", in)
		c.detail("%s: %d of %d groups have fewer than %d users (%d have one), with %.1f %% of the records", q.name, groups, len(q.groups), k, single,
			100*float64(in)/float64(max(records, 1)))
		if q.over > 0 {
			c.detail("%s: %d records of further groups were not counted", q.name, q.over)
		}
		alone = max(alone, in)
	}
	c.Summary = fmt.Sprintf("up to %.1f %% of the records are in groups of fewer than %d users: who knows enough about one can find more",
		100*float64(alone)/float64(max(records, 1)), k)
	if alone == 0 {
		c.Status, c.Summary = OK, fmt.Sprintf("every group has %d users or more", k)
	}
	if given && alone > 0 {
		details := c.Details
		c.Details = nil
		c.red("make the trace of a longer log, so that groups grow, or accept a lower --k", "%d records are in groups of fewer than %d users", alone, k)
		c.Details = details
	}
	return c
}
