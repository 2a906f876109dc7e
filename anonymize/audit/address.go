package audit

import (
	"encoding/binary"
	"math"
	"math/bits"
	"net/netip"
)

// block is a range of addresses within which a pseudonym stays.
type block struct {
	prefix netip.Prefix
	domain float64 // addresses
}

// blocks4 are the special blocks of IPv4 (RFC 6890), which stay what they are. The first is everything else.
var blocks4 = append([]block{{domain: 1 << 32}}, blocksOf("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16",
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

// firstPublic is the size of the class of public IPv4 addresses of which a pseudonym keeps no bit; the next keeps one, and
// so on.
const firstPublic = 24

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
	if k == ofV4 {
		return newClass(k, firstPublic+keptBits(a)), true
	}
	return newClass(k, 0), true
}

// keptBits is the length of the prefix that the pseudonym of a public IPv4 address keeps, lest it become special: all that it
// shares with a special block, and the bit after it. Next to a small block that is nearly all of the address.
func keptBits(a netip.Addr) (n int) {
	ip := binary.BigEndian.Uint32(a.AsSlice())
	for _, b := range blocks4[1:] {
		n = max(n, bits.LeadingZeros32(ip^binary.BigEndian.Uint32(b.prefix.Addr().AsSlice()))+1)
	}
	return n
}

// domain4 is the number of addresses that the pseudonym of one of a class can be.
func domain4(size int) float64 {
	if size >= firstPublic {
		return math.Pow(2, float64(32-(size-firstPublic)))
	}
	return blocks4[size].domain
}

// isPublic4 tells whether an address is IPv4 of the public Internet, where 240/4 is not.
func isPublic4(a netip.Addr) bool {
	if !a.Is4() {
		return false
	}
	c, ok := classOf(a)
	return ok && c.size() >= firstPublic && a.As4()[0] < 240
}
