package ingest

import "strings"

// maxJSONHeaders bounds the headers of a mapping.
const maxJSONHeaders = 32

// jsonField is what a mapped value is about.
type jsonField uint8

const (
	jsonStart jsonField = iota
	jsonTime            // start or end: the mapping's stamp tells
	jsonEnd
	jsonDuration
	jsonClient
	jsonForwarded
	jsonUser
	jsonHost
	jsonRequest // a request line
	jsonMethod
	jsonTarget
	jsonPath  // a target without its query
	jsonQuery // with or without "?"
	jsonURL   // an absolute URL of a format that always writes one: the client sent path and query
	jsonProtocol
	jsonStatus
	jsonBytes
	jsonReferer
	jsonAgent
	jsonID
	jsonUpstream
	jsonMessage // what kind of line it is

	jsonHeaders // the first of so many request headers without a field of their own

	jsonFields = jsonHeaders + maxJSONHeaders // how many there are: no more than a uint64 has bits
)

// jsonColumn is a use of the value at a path.
type jsonColumn struct {
	field jsonField
	rank  uint8    // columns of lower rank go before others of the same field
	kind  timeKind // of times
	unit  int64    // nanoseconds, of durations; see parseSpan
	total bool     // a size that counts the header too
	float bool     // a duration in seconds or, where it is whole and large, in nanoseconds
}

// jsonNode is a place in the tree of mapped paths: an object, a value, or both where a key may hold either.
type jsonNode struct {
	columns []jsonColumn
	mark    uint64 // bits of the keys that tell one kind of line from another
	keys    []jsonKey
	table   []uint8 // index into keys plus one, by hash; 0 = free
	fold    bool    // the keys are header names, which are case-insensitive (RFC 9110 section 5.1)
}

type jsonKey struct {
	name string
	node *jsonNode
}

// maxKeys bounds the keys of a node: table holds their indexes in a byte.
const maxKeys = 255

// hashKey mixes what is cheap to see of a key. Case is left out for the sake of header names.
func hashKey[T string | []byte](key T) uint {
	n := len(key)
	return uint(n)*5 + uint(key[0]|0x20)*3 + uint(key[n>>1]|0x20)*31 + uint(key[n-1]|0x20)*131
}

// child returns the node of a key, nil when no path leads through it.
func (n *jsonNode) child(key []byte) *jsonNode {
	if len(key) == 0 {
		return nil
	}
	mask := uint(len(n.table) - 1)
	for h := hashKey(key) & mask; ; h = (h + 1) & mask {
		i := n.table[h]
		if i == 0 {
			return nil
		}
		k := &n.keys[i-1]
		if string(key) == k.name || n.fold && equalFold(key, k.name) {
			return k.node
		}
	}
}

// equalFold compares without regard to the case of ASCII letters.
func equalFold(a []byte, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i, c := range a {
		if lowerByte(c) != lowerByte(b[i]) {
			return false
		}
	}
	return true
}

func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// grow returns the node of a key and makes it when it is new; nil when there are too many.
func (n *jsonNode) grow(key string) *jsonNode {
	for i := range n.keys {
		if k := &n.keys[i]; k.name == key || n.fold && strings.EqualFold(k.name, key) {
			return k.node
		}
	}
	if len(n.keys) == maxKeys {
		return nil
	}
	fold := strings.HasSuffix(strings.ToLower(key), "headers")
	n.keys = append(n.keys, jsonKey{key, &jsonNode{fold: fold}})
	return n.keys[len(n.keys)-1].node
}

// index builds the hash tables below n.
func (n *jsonNode) index() {
	size := 8
	for size < 4*len(n.keys) {
		size *= 2
	}
	n.table = make([]uint8, size)
	mask := uint(size - 1)
	for i := range n.keys {
		k := &n.keys[i]
		h := hashKey(k.name) & mask
		for n.table[h] != 0 {
			h = (h + 1) & mask
		}
		n.table[h] = uint8(i + 1)
		k.node.index()
	}
}
