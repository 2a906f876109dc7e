package endpoint

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"net/netip"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// householdBits is the part of an IPv6 address, in bits, that stands for a client. Providers give a customer a network
// of /56 or smaller (RFC 6177), within which one device takes new addresses all the time (RFC 8981).
const householdBits = 56

// ClientHash is the number of a client for Learner: the xxhash of its address, in which an IPv6 address counts by its
// first 56 bits, so that one person with many privacy addresses is not many clients. An IPv4 address counts whole, also
// when mapped into IPv6; the port does not count. What is no address is a name, and is hashed as it is. ClientHash
// never allocates.
func ClientHash(client []byte) uint64 {
	if v4, ok := parseQuad(client); ok {
		return hashQuad(v4)
	}
	addr, _, ok := ParseAddress(client)
	if !ok {
		return xxhash.Sum64(client)
	}
	if addr = addr.Unmap(); addr.Is4() {
		v4 := addr.As4()
		return xxhash.Sum64(v4[:])
	}
	v6 := addr.As16()
	return xxhash.Sum64(v6[:householdBits/8])
}

// hashQuad is the xxhash of four bytes (XXH64 of the xxHash specification, Yann Collet), which needs neither a loop nor a
// look at the length.
func hashQuad(v4 [4]byte) uint64 {
	const p1, p2, p3, p5 = 0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x27d4eb2f165667c5
	h := uint64(p5 + 4)
	h ^= uint64(binary.LittleEndian.Uint32(v4[:])) * p1
	h = bits.RotateLeft64(h, 23)*p2 + p3
	h = (h ^ h>>33) * p2
	h = (h ^ h>>29) * p3
	return h ^ h>>32
}

// parseQuad reads an IPv4 address as netip.ParseAddr does, and nothing else.
func parseQuad(s []byte) (v4 [4]byte, ok bool) {
	part, width, parts := uint(0), 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			if width > 0 && part == 0 { // no leading zeros
				return v4, false
			}
			part = part*10 + uint(c-'0')
			width++
			if part > 255 {
				return v4, false
			}
		case c == '.' && width > 0 && parts < 3:
			v4[parts] = byte(part)
			part, width = 0, 0
			parts++
		default:
			return v4, false
		}
	}
	if parts != 3 || width == 0 {
		return v4, false
	}
	v4[3] = byte(part)
	return v4, true
}

// ParseAddress reads an IP address with or without brackets and port, and tells whether it had a port.
func ParseAddress(s []byte) (addr netip.Addr, port, ok bool) {
	if len(s) < 2 || len(s) > 64 {
		return addr, false, false
	}
	if s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		if end < 2 || end != len(s)-1 && (s[end+1] != ':' || !isNumber(s[end+2:])) {
			return addr, false, false
		}
		addr, ok = parseBare(s[1:end])
		return addr, end < len(s)-1, ok
	}
	if addr, ok = parseBare(s); ok {
		return addr, false, true
	}
	colon := bytes.LastIndexByte(s, ':')
	if colon < 2 || !isNumber(s[colon+1:]) {
		return addr, false, false
	}
	addr, ok = parseBare(s[:colon])
	return addr, true, ok
}

func isNumber(s []byte) bool {
	for _, c := range s {
		if kindOf[c] != kDigit {
			return false
		}
	}
	return len(s) > 0
}

func parseBare(s []byte) (netip.Addr, bool) {
	for _, c := range s {
		if HexDigit(c) == 255 && c != '.' && c != ':' && c != '%' {
			return netip.Addr{}, false
		}
		if c == '%' {
			break // a zone follows
		}
	}
	// The string shares the bytes of s only while ParseAddr runs: an Addr keeps a zone as a copy, and the error, which
	// would keep the string, is dropped. Converting would cost an allocation per record.
	addr, err := netip.ParseAddr(unsafe.String(unsafe.SliceData(s), len(s)))
	return addr, err == nil
}
