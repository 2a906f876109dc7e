package rules

import (
	"net/netip"
	"slices"
	"strings"
)

// ip reads the rules of addresses.
func (b *builder) ip(c cursor) error {
	fields, err := c.fields()
	if err == nil {
		err = known(fields, "mode", "keep")
	}
	for _, f := range fields {
		switch {
		case err != nil:
		case f.name == "mode":
			var i int
			i, err = f.value.choice(modeNames...)
			b.rules.IP.Mode = IPMode(max(i, 0))
		case f.name == "keep":
			b.rules.IP.Keep, err = prefixes(f.value)
		}
	}
	return err
}

// special are blocks whose addresses are not given to anybody by a registry (IANA special-purpose registries).
var special = func() (all []netip.Prefix) {
	for p := range strings.FieldsSeq(`0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16
		198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 ::/127 fc00::/7 fe80::/10 ff00::/8 2001:db8::/32`) {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}()

// The most public space that may stay: as much as one prefix of these lengths.
const (
	public4 = 8
	public6 = 32
)

// prefixes reads blocks of addresses that stay.
func prefixes(c cursor) ([]netip.Prefix, error) {
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	var all []netip.Prefix
	var space [2]uint64 // public addresses in units of 2^-64 of all of IPv4 and of IPv6
	for _, item := range items {
		text, err := item.text()
		if err != nil {
			return nil, err
		}
		p, err := parsePrefix(item, text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(all, p.Overlaps) {
			return nil, item.fail("overlaps another block of the list: remove one")
		}
		all = append(all, p)
		if slices.ContainsFunc(special, func(s netip.Prefix) bool { return s.Bits() <= p.Bits() && s.Overlaps(p) }) {
			continue
		}
		family, most := 0, public4
		if p.Addr().Is6() {
			family, most = 1, public6
		}
		size := uint64(1)
		if p.Bits() < 64 {
			size <<= 64 - max(p.Bits(), 1)
		}
		if space[family] += size; p.Bits() < most || space[family] > 1<<(64-most) {
			return nil, item.fail("keeps more public addresses than a /%d has: whoever has one of them could be named; keep smaller blocks", most)
		}
	}
	slices.SortFunc(all, func(a, b netip.Prefix) int { return a.Addr().Compare(b.Addr()) })
	return all, nil
}

func parsePrefix(c cursor, text string) (p netip.Prefix, err error) {
	if strings.Contains(text, "/") {
		p, err = netip.ParsePrefix(text)
	} else {
		var a netip.Addr
		if a, err = netip.ParseAddr(text); err == nil {
			p = netip.PrefixFrom(a, a.BitLen()) // without the zone
		}
		if a.Zone() != "" {
			return p, c.fail("has a zone, which no log tells: write fe80::/10")
		}
	}
	switch {
	case err != nil:
		return p, c.fail("is no block of addresses: write 10.0.0.0/8, or one address")
	case p.Addr().Is4In6():
		return p, c.fail("is an IPv4 block in the form of IPv6: write it as IPv4")
	case p != p.Masked():
		return p, c.fail("has bits behind its length: write the first address of the block, as in 10.0.0.0/8")
	}
	return p, nil
}
