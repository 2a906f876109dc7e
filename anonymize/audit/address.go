package audit

import (
	"math"
	"net/netip"
)

// block is a range of addresses within which a pseudonym stays.
type block struct {
	prefix netip.Prefix
	domain float64 // addresses
}

// blocks4 are the special blocks of IPv4 (RFC 6890), which stay what they are. The first is everything else; its domain is
// that of 240/4, the smallest range of the size of a class A that counts as public.
var blocks4 = append([]block{{domain: 1 << 28}}, blocksOf("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
	"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4")...)

// blocks6 are those of IPv6.
var blocks6 = append([]block{{domain: math.Pow(2, 100)}}, blocksOf("64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16",
	"3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "ff00::/8")...)

func blocksOf(prefixes ...string) (b []block) {
	for _, text := range prefixes {
		p := netip.MustParsePrefix(text)
		b = append(b, block{p, math.Pow(2, float64(p.Addr().BitLen()-p.Bits()))})
	}
	return b
}

// classOf is the class of an address, false for one that may stay: loopback and the unspecified address.
func classOf(a netip.Addr) (class, bool) {
	if a.IsLoopback() || a.IsUnspecified() {
		return 0, false
	}
	k, blocks := ofV6, blocks6
	if a.Is4() {
		k, blocks = ofV4, blocks4
	}
	for i := range blocks[1:] {
		if blocks[i+1].prefix.Contains(a) {
			return newClass(k, i+1), true
		}
	}
	return newClass(k, 0), true
}

// isPublic4 tells whether an address is IPv4 of the public Internet, where 240/4 is not.
func isPublic4(a netip.Addr) bool {
	if !a.Is4() {
		return false
	}
	c, ok := classOf(a)
	return ok && c.size() == 0 && a.As4()[0] < 240
}
