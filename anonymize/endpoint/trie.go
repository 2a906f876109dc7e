package endpoint

import (
	"math/bits"
	"strings"
)

const (
	// fanOut is the number of literal children from which on a word must also be frequent.
	fanOut = 64
	// fanOutClients is the number of distinct clients that it then needs.
	fanOutClients = 16
)

// tail is what is left of a reduced path below some node of the trie of all: "" and "/" end there.
type tail struct {
	path   string
	visits *visits
}

// node is one position in the trie of reduced paths. Only the nodes between the root and the one at work, and their
// children, exist at a time: a trie of hostile paths would be many times as large as the paths.
type node struct {
	hits    int64
	clients uint64
	tails   []tail
}

func (n *node) add(t tail) {
	n.hits += t.visits.hits
	n.clients |= t.visits.clients
	n.tails = append(n.tails, t)
}

// merge adds o to n; o is not used any more.
func (n *node) merge(o *node) {
	n.hits += o.hits
	n.clients |= o.clients
	n.tails = append(n.tails, o.tails...)
}

// patterns yields the patterns of n's subtree, in which the words that may not stay are merged, from the root down;
// prefix is n's own.
func (n *node) patterns(prefix []byte, depth, bar int, yield func(pattern string, v *visits)) {
	children := map[string]*node{}
	ends := [2]visits{} // requests that end here: without and with a slash at the end
	for _, t := range n.tails {
		if len(t.path) < 2 {
			ends[len(t.path)].merge(t.visits)
			continue
		}
		seg := t.path[1:]
		if i := strings.IndexByte(seg, '/'); i >= 0 {
			seg = seg[:i]
		}
		child := children[seg]
		if child == nil {
			child = &node{}
			children[seg] = child
		}
		child.add(tail{path: t.path[1+len(seg):], visits: t.visits})
	}
	n.tails = nil
	collapse(n, children, depth, bar)
	for slash := range ends {
		if ends[slash].hits > 0 {
			yield(string(prefix)+"/"[:slash], &ends[slash])
		}
	}
	for seg, child := range children {
		delete(children, seg)
		child.patterns(append(append(prefix[:len(prefix):len(prefix)], '/'), seg...), depth+1, bar, yield)
	}
}

// collapse merges the children of n whose words may not stay.
func collapse(n *node, children map[string]*node, depth, bar int) {
	type word struct {
		seg, into string
		node      *node
	}
	var words []word
	for seg, child := range children {
		if into := generic(seg); into != seg {
			words = append(words, word{seg, into, child})
		}
	}
	crowded := len(words) > fanOut && depth > 0
	for _, w := range words {
		clients := bits.OnesCount64(w.node.clients)
		if clients >= bar && !(crowded && (w.node.hits*100 < n.hits || clients < fanOutClients)) || isRouteWord([]byte(w.seg)) {
			continue
		}
		delete(children, w.seg)
		if same := children[w.into]; same != nil {
			same.merge(w.node)
		} else {
			children[w.into] = w.node
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
