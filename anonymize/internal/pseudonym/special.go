package pseudonym

import "net/netip"

// special4 and special6 are tries of the special blocks.
var (
	special4 = newSpecial(96, specialBlocks4)
	special6 = newSpecial(0, specialBlocks6)
)

// specialNode is a position in the address space. Node 0 is the root.
type specialNode struct {
	below bool   // a special block lies below, so this bit must not flip
	leaf  bool   // this is a special block
	next  [2]int // -1 = nothing special there
}

// The special blocks of RFC 6890 and its registries, but for 240/4: logs that were made anonymous before use it for
// public clients.
var specialBlocks4 = []string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/4"}

var specialBlocks6 = []string{"::/128", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8"}

func newSpecial(offset int, blocks []string) []specialNode {
	nodes := []specialNode{{next: [2]int{-1, -1}}}
	for _, text := range blocks {
		p := netip.MustParsePrefix(text)
		bits := p.Addr().As16()
		at := 0
		for i := offset; i < offset+p.Bits(); i++ {
			nodes[at].below = true
			b := bits[i/8] >> (7 - i%8) & 1
			if nodes[at].next[b] < 0 {
				nodes = append(nodes, specialNode{next: [2]int{-1, -1}})
				nodes[at].next[b] = len(nodes) - 1
			}
			at = nodes[at].next[b]
		}
		nodes[at].leaf = true
	}
	return nodes
}
