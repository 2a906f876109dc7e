package endpoint

import (
	"bytes"
	"math/bits"
	"strings"
)

const (
	// fanOut is the number of literal children from which on a word must also be frequent.
	fanOut = 64
	// fanOutClients is the number of distinct clients that it then needs.
	fanOutClients = 16
)

// node is one position in the trie of reduced paths.
type node struct {
	hits     int64
	clients  uint64
	ends     [2]int64 // requests that end here: without and with a slash at the end
	children map[string]*node
}

// add counts the visits of one reduced path, which starts with a slash.
func (n *node) add(path string, v *visits) {
	n.count(v)
	if path == "/" {
		n.ends[1] += v.hits
		return
	}
	path, slash := strings.CutSuffix(path, "/")
	for seg := range strings.SplitSeq(path[1:], "/") {
		child := n.children[seg]
		if child == nil {
			child = &node{}
			n.put(seg, child)
		}
		n = child
		n.count(v)
	}
	if slash {
		n.ends[1] += v.hits
	} else {
		n.ends[0] += v.hits
	}
}

func (n *node) put(seg string, child *node) {
	if n.children == nil {
		n.children = make(map[string]*node)
	}
	n.children[seg] = child
}

func (n *node) count(v *visits) {
	n.hits += v.hits
	n.clients |= v.clients
}

// collapse merges the words that may not stay, here and below.
func (n *node) collapse(depth, bar int) {
	literal := 0
	for seg := range n.children {
		if generic(seg) != seg {
			literal++
		}
	}
	crowded := literal > fanOut && depth > 0
	var merged []string
	for seg, child := range n.children {
		if generic(seg) == seg || IsRouteWord([]byte(seg)) {
			continue
		}
		clients := bits.OnesCount64(child.clients)
		if clients < bar || crowded && (child.hits*100 < n.hits || clients < fanOutClients) {
			merged = append(merged, seg)
		}
	}
	for _, seg := range merged {
		child := n.children[seg]
		delete(n.children, seg)
		into := generic(seg)
		if same := n.children[into]; same != nil {
			same.merge(child)
		} else {
			n.put(into, child)
		}
	}
	for _, child := range n.children {
		child.collapse(depth+1, bar)
	}
}

// merge adds o to n; o is not used any more.
func (n *node) merge(o *node) {
	n.hits += o.hits
	n.clients |= o.clients
	n.ends[0] += o.ends[0]
	n.ends[1] += o.ends[1]
	for seg, child := range o.children {
		if same := n.children[seg]; same != nil {
			same.merge(child)
		} else {
			n.put(seg, child)
		}
	}
}

// generic is the variable that a reduced segment merges into; a variable is its own.
func generic(seg string) string {
	open := strings.IndexByte(seg, '{')
	switch {
	case open == 0:
		return seg
	case open > 0:
		return "{prefix-int}" + seg[open+len("{int}"):]
	}
	_, ext := SplitExtension([]byte(seg))
	return "{word}" + string(ext)
}

// patterns yields the patterns of n's subtree; prefix is n's own.
func (n *node) patterns(prefix []byte, yield func(pattern string, hits int64)) {
	if n.ends[0] > 0 {
		yield(string(prefix), n.ends[0])
	}
	if n.ends[1] > 0 {
		yield(string(prefix)+"/", n.ends[1])
	}
	for seg, child := range n.children {
		p := append(append(bytes.Clone(prefix), '/'), seg...)
		child.patterns(p, yield)
	}
}
