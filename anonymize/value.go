package anonymize

import (
	"bytes"
	"net/netip"
	"unsafe"

	"reprise/anonymize/endpoint"
)

// Uses of a cached pseudonym.
const (
	useValue byte = iota + 1
	useClient
	useIdentity
)

// value appends the pseudonym of a raw value, in its own encoding. form says that + is a space.
func (a *Anonymizer) value(dst, raw []byte, form bool) []byte {
	a.layers.decode(raw, form)
	a.out = a.replace(a.out[:0], a.layers.text)
	return a.layers.encode(dst, a.out)
}

// replace appends the pseudonym of a decoded value, from the cache if it is there.
func (a *Anonymizer) replace(dst, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	out, k, ok := a.cache.get(dst, useValue, text)
	if !ok {
		out, k = a.pseudonym(dst, text)
		a.cache.put(useValue, text, out[len(dst):], k)
	}
	a.counts.replaced[k]++
	return out
}

// pseudonym appends the pseudonym of a decoded value by its shape.
func (a *Anonymizer) pseudonym(dst, text []byte) ([]byte, kind) {
	switch endpoint.Classify(text) {
	case endpoint.Int:
		return a.mapper.AppendInt(dst, text), kindInt
	case endpoint.UUID:
		return a.mapper.AppendUUID(dst, text), kindUUID
	case endpoint.Mail:
		return a.mapper.AppendMail(dst, text), kindMail
	case endpoint.Date:
		return a.mapper.AppendDate(dst, text), kindDate
	case endpoint.PrefixInt:
		return a.numbered(dst, text), kindNumbered
	case endpoint.IP, endpoint.Token:
		if out, ok := a.address(dst, text); ok {
			return out, kindAddress
		}
		if out, ok := a.list(dst, text); ok {
			return out, kindList
		}
	}
	return a.mapper.AppendText(dst, text), kindText
}

// numbered replaces letters and number apart, so that user-123 has the number of 123.
func (a *Anonymizer) numbered(dst, text []byte) []byte {
	end := len(text)
	for end > 0 && text[end-1] >= '0' && text[end-1] <= '9' {
		end--
	}
	return a.mapper.AppendInt(a.mapper.AppendText(dst, text[:end]), text[end:])
}

// list replaces the elements of a list one by one, if each has the shape of an identifier.
func (a *Anonymizer) list(dst, text []byte) ([]byte, bool) {
	const separators = ",;| "
	if !bytes.ContainsAny(text, separators) {
		return dst, false
	}
	for rest := text; ; {
		i := bytes.IndexAny(rest, separators)
		element := rest
		if i >= 0 {
			element = rest[:i]
		}
		switch endpoint.Classify(element) {
		case endpoint.Int, endpoint.UUID, endpoint.Mail, endpoint.Hex, endpoint.PrefixInt:
		default:
			return dst, false
		}
		if i < 0 {
			break
		}
		rest = rest[i+1:]
	}
	for rest := text; ; {
		i := bytes.IndexAny(rest, separators)
		if i < 0 {
			dst, _ = a.pseudonym(dst, rest)
			return dst, true
		}
		dst, _ = a.pseudonym(dst, rest[:i])
		dst = append(dst, rest[i])
		rest = rest[i+1:]
	}
}

// address appends the pseudonym of an IP address, which may have brackets and a port. The port's value
// is not kept.
func (a *Anonymizer) address(dst, text []byte) ([]byte, bool) {
	addr, port, ok := parseAddress(text)
	if !ok {
		return dst, false
	}
	bracket := text[0] == '['
	if bracket {
		dst = append(dst, '[')
	}
	dst = a.mapAddress(addr).AppendTo(dst)
	if bracket {
		dst = append(dst, ']')
	}
	if port {
		dst = append(dst, ":0"...)
	}
	return dst, true
}

// mapAddress leaves loopback addresses alone: they name nobody.
func (a *Anonymizer) mapAddress(addr netip.Addr) netip.Addr {
	if addr = addr.Unmap().WithZone(""); addr.IsLoopback() {
		return addr
	}
	return a.prefix.Map(addr)
}

// parseAddress reads an address with or without brackets and port.
func parseAddress(s []byte) (addr netip.Addr, port, ok bool) {
	if len(s) < 2 || len(s) > 64 {
		return addr, false, false
	}
	if s[0] == '[' {
		end := bytes.IndexByte(s, ']')
		if end < 2 || end != len(s)-1 && (s[end+1] != ':' || !onlyDigits(s[end+2:])) {
			return addr, false, false
		}
		addr, ok = parseBare(s[1:end])
		return addr, end < len(s)-1, ok
	}
	if addr, ok = parseBare(s); ok {
		return addr, false, true
	}
	colon := bytes.LastIndexByte(s, ':')
	if colon < 2 || !onlyDigits(s[colon+1:]) {
		return addr, false, false
	}
	addr, ok = parseBare(s[:colon])
	return addr, true, ok
}

func parseBare(s []byte) (netip.Addr, bool) {
	for _, c := range s {
		if unhex(c) == 255 && c != '.' && c != ':' && c != '%' {
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
