package anonymize

import (
	"hash/maphash"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/trace"
)

// visitorBytes is the room of one entry for a client and its pseudonym. With it an entry has two cache lines, of which
// that of an IPv4 address needs one.
const visitorBytes = 97

// visitors remember who came lately, in a table of fixed size: a client with its user agent, which nearly every record
// has, is one look at one place.
type visitors struct {
	entries []visitor
	mask    uint64
	seed    maphash.Seed // random, so that no log can be made in which two user agents are taken for one
	names   []string     // of agents; they are few
	numbers map[string]uint32
}

// visitor is a client with a user agent. The client decides by its full text, the agent by its hash.
type visitor struct {
	agent   uint64
	user    trace.Pseudonym // of the two
	name    uint32          // of the agent, in names
	known   bool
	in, out uint8 // bytes of the client and its pseudonym
	bytes   [visitorBytes]byte
}

// newVisitors makes a table of a power of two entries, at least n.
func newVisitors(n int) *visitors {
	size := powerOfTwo(n)
	return &visitors{entries: make([]visitor, size), mask: uint64(size - 1), seed: maphash.MakeSeed(), numbers: make(map[string]uint32)}
}

// number is the place of a name of agents.
func (v *visitors) number(name string) uint32 {
	n, ok := v.numbers[name]
	if !ok {
		n = uint32(len(v.names))
		v.names, v.numbers[name] = append(v.names, name), n
	}
	return n
}

// visitor appends the pseudonym of a client, which stays an address if it is one, and returns the name of the user agent
// and the identity of the two together.
func (a *Anonymizer) visitor(dst, client, agent []byte) (out []byte, name string, id trace.Pseudonym) {
	v := a.visitors
	agent = agent[:min(len(agent), maxAgent)]
	hash := maphash.Bytes(v.seed, agent)
	e := &v.entries[(hash+maphash.Bytes(v.seed, client))&v.mask]
	if e.known && e.agent == hash && string(e.bytes[:e.in]) == string(client) {
		return append(dst, e.bytes[e.in:int(e.in)+int(e.out)]...), v.names[e.name], e.user
	}
	start := len(dst)
	if addr, _, ok := endpoint.ParseAddress(client); ok {
		dst = a.mapAddress(addr).AppendTo(dst)
	} else if len(client) > 0 {
		dst = a.mapper.AppendName(dst, client)
	}
	out = dst[start:]
	known := a.agent(agent)
	if len(out) > 0 || known.family != "" {
		a.key = append(append(a.key[:0], known.digest[:]...), out...)
		copy(id[:], a.mapper.Sum(labelClient, a.key)[:])
	}
	if len(client)+len(out) <= visitorBytes {
		e.agent, e.user, e.name, e.known, e.in, e.out = hash, id, v.number(known.family), true, uint8(len(client)), uint8(len(out))
		copy(e.bytes[copy(e.bytes[:], client):], out)
	}
	return dst, known.family, id
}
