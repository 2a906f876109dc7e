package anonymize

import (
	"net/netip"

	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
)

// addressMap maps addresses under one key.
type addressMap interface {
	Map(netip.Addr) netip.Addr
}

// newAddressMap makes the map of a mode for one worker. The key is that of addressKey.
func newAddressMap(key []byte, mode rules.IPMode) (addressMap, error) {
	switch mode {
	case rules.Flat:
		return pseudonym.NewFlat(key)
	case rules.Docs:
		return pseudonym.NewDocs(key)
	}
	return pseudonym.NewPrefix(key, true)
}

// addressKey derives the key of a mode, so that a trace of one says nothing about a trace of another.
func addressKey(master []byte, mode rules.IPMode) []byte {
	class := "pfx"
	switch mode {
	case rules.Flat:
		class = "flat"
	case rules.Docs:
		class = "docs"
	}
	return pseudonym.Subkey(master, "address", class)
}

// mapAddress leaves alone loopback addresses, which name nobody, and those that the rules keep. No other address
// becomes one of them: it is mapped on until it is outside, so that a permutation stays one.
func (a *Anonymizer) mapAddress(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if addr.IsLoopback() || a.keepsAddress(addr) {
		return addr
	}
	addr = a.addresses.Map(addr)
	for n := 0; n < maxWalk && a.keepsAddress(addr); n++ {
		addr = a.addresses.Map(addr)
	}
	return addr
}

func (a *Anonymizer) keepsAddress(addr netip.Addr) bool {
	for _, p := range a.options.Rules.IP.Keep {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}
