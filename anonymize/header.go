package anonymize

import (
	"bytes"

	"reprise/anonymize/rules"
	"reprise/ingest"
)

// Limits of headers. What is longer is left out.
const (
	maxKept   = 199     // bytes of a value that stays as it is
	maxHeader = 8 << 10 // bytes of a value that is replaced
)

// treatment is what becomes of a header that the rules keep.
type treatment uint8

const (
	treatKeep    treatment = iota + 1
	treatAddress           // the addresses in it are replaced
	treatForward           // the same for that of RFC 7239
	treatReplace           // the value is that of an entity
	treatNever             // other rules decide, or it is left out
)

// treatments of headers that are not as the others. Those of addresses come into the trace when an entity names them;
// their addresses are those of clients all the same. Host, Referer and User-Agent have rules of their own.
var treatments = map[string]treatment{"X-Forwarded-For": treatAddress, "X-Real-Ip": treatAddress, "X-Client-Ip": treatAddress,
	"True-Client-Ip": treatAddress, "Cf-Connecting-Ip": treatAddress, "Fastly-Client-Ip": treatAddress, "X-Cluster-Client-Ip": treatAddress,
	"X-Original-Forwarded-For": treatAddress, "Forwarded": treatForward,
	"Cookie": treatNever, "Referer": treatNever, "User-Agent": treatNever, "Host": treatNever}

// headerPolicy is what the rules say of headers. It is read-only.
type headerPolicy struct {
	keep    map[string]treatment // of those that come into the trace
	cookies bool                 // their values are replaced, not dropped
	referer rules.Referer
	idle    bool // no header has to be looked at
}

func newHeaderPolicy(r *rules.Rules, p *places) headerPolicy {
	h := headerPolicy{keep: make(map[string]treatment), cookies: r.Cookies == rules.ReplaceCookies, referer: r.Referer}
	for _, name := range r.Headers {
		if isToken(name) && treatments[name] == 0 && !r.IsSecret([]byte(name)) {
			h.keep[name] = treatKeep
		}
	}
	for name := range p.header {
		switch t := treatments[name]; {
		case !isToken(name), t == treatNever:
		case t == 0:
			h.keep[name] = treatReplace
		default:
			h.keep[name] = t
		}
	}
	h.idle = len(h.keep) == 0 && !h.cookies && h.referer == rules.DropReferer && !p.userBeyond
	return h
}

// isToken tells whether s is a token of RFC 9110, section 5.6.2.
func isToken[S ~string | ~[]byte](s S) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || bytes.IndexByte([]byte(`"(),/:;<=>?@[\]{}`), c) >= 0 {
			return false
		}
	}
	return len(s) > 0
}

// header appends the header lines that the rules keep of a record, and reads the user from all of them.
func (a *Anonymizer) header(dst []byte, in *ingest.Record) []byte {
	if a.headers.idle {
		return dst
	}
	a.cookies = a.cookies[:0]
	for i := range in.Headers {
		h := &in.Headers[i]
		value := bytes.TrimSpace(h.Value)
		switch {
		case len(value) == 0 || len(value) > maxHeader || string(value) == "-":
		case h.Cookie != "":
			a.cookie([]byte(h.Cookie), value)
		case h.Name == "Cookie":
			a.cookieList(value)
		default:
			dst = a.line(dst, h.Name, value)
		}
	}
	if len(in.Forwarded) > 0 && len(in.Forwarded) <= maxHeader && string(in.Forwarded) != "-" {
		dst = a.line(dst, "X-Forwarded-For", in.Forwarded)
	}
	if len(a.cookies) > 0 {
		dst = append(append(append(dst, "Cookie: "...), a.cookies...), "\r\n"...)
	}
	return a.referer(dst, in)
}

// line appends one header line if the rules keep the header, or an entity has its place there.
func (a *Anonymizer) line(dst []byte, name string, value []byte) []byte {
	start := len(dst)
	dst = append(append(dst, name...), ": "...)
	switch t := a.headers.keep[name]; {
	case t == treatKeep && len(value) <= maxKept && isPrintable(value):
		a.counts.headers[headerKept]++
		dst = append(dst, value...)
	case t == treatReplace:
		dst = a.credentials(dst, name, value)
	case t == treatAddress:
		first, _, _ := bytes.Cut(value, []byte{','})
		first, _, _ = splitPort(bytes.TrimSpace(first))
		a.at(a.places.header[name], first)
		dst = a.forwardedFor(dst, value)
	case t == treatForward:
		dst = a.forwarded(dst, value)
	default:
		if a.places.userClaims {
			_, rest := authScheme(value)
			a.claims(rest)
		}
		a.counts.headers[headerDropped]++
		return dst[:start]
	}
	if a.headers.keep[name] != treatKeep {
		a.counts.headers[headerReplaced]++
	}
	return append(dst, "\r\n"...)
}

// credentials appends the pseudonym of a header's value at the place of an entity, which a scheme may stand before.
func (a *Anonymizer) credentials(dst []byte, name string, value []byte) []byte {
	scheme, rest := authScheme(value)
	dst = append(dst, scheme...)
	a.layers.decode(rest, false)
	a.out = a.replace(a.out[:0], a.layers.text, a.at(a.places.header[name], a.layers.text))
	return a.layers.encode(dst, a.out)
}

// claims reads the user from the claims of a value that does not come into the trace.
func (a *Anonymizer) claims(value []byte) {
	a.layers.decode(value, false)
	if isJWT(a.layers.text) {
		a.out = a.replace(a.out[:0], a.layers.text, a.id)
	}
}

// authScheme splits the scheme off credentials that are a token (RFC 6750).
func authScheme(value []byte) (scheme, rest []byte) {
	const bearer = "bearer "
	if len(value) > len(bearer) && bytes.EqualFold(value[:len(bearer)], []byte(bearer)) {
		return value[:len(bearer)], value[len(bearer):]
	}
	return nil, value
}

func isPrintable(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// forwardedFor replaces the elements of an X-Forwarded-For list.
func (a *Anonymizer) forwardedFor(dst, list []byte) []byte {
	for first := true; ; first = false {
		element, rest, more := bytes.Cut(list, []byte{','})
		if !first {
			dst = append(dst, ", "...)
		}
		dst = a.node(dst, bytes.TrimSpace(element))
		if list = rest; !more {
			return dst
		}
	}
}

// node replaces a node of RFC 7239, section 6: an address stays one, without its port; "unknown" stays; what the proxy
// obfuscated, and any name, becomes an obfuscated name.
func (a *Anonymizer) node(dst, node []byte) []byte {
	switch {
	case len(node) == 0:
		return dst
	case bytes.EqualFold(node, []byte("unknown")):
		return append(dst, "unknown"...)
	}
	if host, _, ok := splitPort(node); ok {
		node = host
	}
	if out, ok := a.address(dst, node); ok {
		return out
	}
	return a.mapper.AppendName(append(dst, '_'), node)
}

// forwarded replaces the values of a Forwarded header (RFC 7239, section 4). Parameters other than for, by, host and
// proto are left out.
func (a *Anonymizer) forwarded(dst, list []byte) []byte {
	start := len(dst)
	for len(list) > 0 {
		end := bytes.IndexAny(list, ",;")
		sep := byte(';')
		pair := list
		if end >= 0 {
			pair, sep, list = list[:end], list[end], list[end+1:]
		} else {
			list = nil
		}
		name, value, _ := bytes.Cut(bytes.TrimSpace(pair), []byte{'='})
		value = bytes.Trim(value, `"`)
		before := len(dst)
		switch {
		case bytes.EqualFold(name, []byte("for")):
			dst = append(a.node(append(dst, `for="`...), value), '"')
		case bytes.EqualFold(name, []byte("by")):
			dst = append(a.node(append(dst, `by="`...), value), '"')
		case bytes.EqualFold(name, []byte("host")):
			dst = append(a.hostPort(append(dst, `host="`...), value), '"')
		case bytes.EqualFold(value, []byte("http")), bytes.EqualFold(value, []byte("https")):
			dst = append(append(dst, "proto="...), value...)
		}
		if len(dst) > before && len(list) > 0 {
			dst = append(dst, sep)
		}
	}
	for len(dst) > start && (dst[len(dst)-1] == ',' || dst[len(dst)-1] == ';') {
		dst = dst[:len(dst)-1]
	}
	return dst
}
