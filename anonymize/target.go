package anonymize

import (
	"bytes"
	"strings"

	"reprise/anonymize/endpoint"
)

// MaxTarget is the length limit of a request target in bytes. Servers refuse longer ones.
const MaxTarget = 64 << 10

// target appends the pseudonym of a request target (RFC 9112, section 3.2) and returns its template.
func (a *Anonymizer) target(dst, target []byte) ([]byte, *endpoint.Template) {
	path := endpoint.Path(target)
	t := a.set.Match(path)
	a.template = t
	if string(target) == "*" {
		return append(dst, '*'), t
	}
	rest, end := target, len(path)
	if rest[0] != '/' {
		dst, rest = a.authority(dst, rest)
		if end = bytes.IndexAny(rest, "?#"); end < 0 {
			end = len(rest)
		}
	}
	dst = a.path(dst, rest[:end], t)
	if rest = rest[end:]; len(rest) > 0 && rest[0] == '?' {
		query := rest[1:]
		rest = nil
		if i := bytes.IndexByte(query, '#'); i >= 0 {
			query, rest = query[:i], query[i:]
		}
		dst = a.query(append(dst, '?'), query, '&')
	}
	if len(rest) > 0 {
		a.counts.replaced[kindFragment]++
		dst = a.value(append(dst, '#'), rest[1:], false, a.id)
	}
	return dst, t
}

// authority replaces what stands before the path in a target that is no path: scheme and authority of an absolute
// URI, or the host and port of CONNECT. Anything else has no form that could be kept: it is all path.
func (a *Anonymizer) authority(dst, target []byte) (out, rest []byte) {
	if i := bytes.Index(target, []byte("://")); i > 0 && i <= 8 {
		scheme := target[:i]
		if !bytes.EqualFold(scheme, []byte("http")) && !bytes.EqualFold(scheme, []byte("https")) {
			dst = a.value(dst, scheme, false, a.id)
		} else {
			dst = append(dst, scheme...)
		}
		dst = append(dst, "://"...)
		rest = target[i+3:]
		end := bytes.IndexAny(rest, "/?#")
		if end < 0 {
			end = len(rest)
		}
		return a.hostPort(dst, rest[:end]), rest[end:]
	}
	if host, port, ok := splitPort(target); ok && isHostName(host) && len(port) > 0 {
		return a.hostPort(dst, target), nil
	}
	return dst, target
}

// usualPorts are those that say nothing but the protocol; any other number becomes 0.
var usualPorts = set(`80 443 8080 8443`)

// hostPort replaces [userinfo@]host[:port]. The user info is a secret, and is left out.
func (a *Anonymizer) hostPort(dst, authority []byte) []byte {
	if i := bytes.LastIndexByte(authority, '@'); i >= 0 {
		a.counts.replaced[kindSecret]++
		authority = authority[i+1:]
	}
	host, port, _ := splitPort(authority)
	dst = append(dst, a.host(host)...)
	switch {
	case usualPorts[string(port)]:
		dst = append(append(dst, ':'), port...)
	case len(port) > 0:
		dst = append(dst, ":0"...)
	}
	return dst
}

// path appends a path: literal segments of the template as they are, the rest replaced.
func (a *Anonymizer) path(dst, path []byte, t *endpoint.Template) []byte {
	a.ofPath(path, t)
	for index := 0; len(path) > 0; {
		if path[0] == '/' {
			dst = append(dst, '/')
			path = path[1:]
			continue
		}
		end := bytes.IndexByte(path, '/')
		if end < 0 {
			end = len(path)
		}
		whole := path[:end]
		path = path[end:]
		seg, params, hasParams := bytes.Cut(whole, []byte{';'})
		if len(seg) > 0 {
			var known endpoint.Segment
			if index < len(t.Segments) {
				known = t.Segments[index]
			}
			dst = a.segment(dst, seg, known, index)
			index++
		}
		if hasParams {
			dst = a.query(append(dst, ';'), params, ';')
		}
	}
	return dst
}

// segment appends one path segment. A literal one stays, also at the place of an entity: /users/me is vocabulary.
func (a *Anonymizer) segment(dst, seg []byte, known endpoint.Segment, index int) []byte {
	if known.Literal || string(seg) == "." || string(seg) == ".." {
		a.counts.literals++
		return append(dst, seg...)
	}
	l := &a.layers
	l.decode(seg, false)
	stem, ext := endpoint.SplitExtension(l.text)
	a.out = a.out[:0]
	if number, ok := bytes.CutPrefix(stem, []byte(known.Prefix)); ok && known.Prefix != "" && onlyDigits(number) {
		a.counts.literals++
		a.out = a.replace(append(a.out, known.Prefix...), number, a.inPath(index, number))
	} else {
		a.out = a.replace(a.out, stem, a.inPath(index, stem))
	}
	a.out = append(a.out, ext...)
	return l.encode(dst, a.out)
}

// query appends the pairs of a query or of matrix parameters, which sep separates.
func (a *Anonymizer) query(dst, query []byte, sep byte) []byte {
	for first := true; ; first = false {
		if !first {
			dst = append(dst, sep)
		}
		end := bytes.IndexByte(query, sep)
		part := query
		if end >= 0 {
			part = query[:end]
		}
		dst = a.pair(dst, part, sep == '&')
		if end < 0 {
			return dst
		}
		query = query[end+1:]
	}
}

// nameKeys are words that may stand in a query alone, without a value.
var nameKeys = set(`wsdl rss rss2 atom rdf json xml debug print nocache raw all none true false`)

// pair appends one key=value. A key that is no vocabulary is replaced like a value, with or without the sign.
func (a *Anonymizer) pair(dst, pair []byte, form bool) []byte {
	if len(pair) == 0 {
		return dst
	}
	key, value, named := bytes.Cut(pair, []byte{'='})
	l := &a.layers
	l.decode(key, form)
	a.key = append(a.key[:0], l.text...)
	k := a.policy.find(a.key)
	switch {
	case k != nil || a.set.KeepsKey(a.key) || !named && nameKeys[string(a.key)]:
		dst = l.encode(dst, a.key)
	case len(key) > 0:
		a.counts.replaced[kindKey]++
		a.out = a.replace(a.out[:0], a.key, a.id)
		dst = l.encode(dst, a.out)
	}
	if !named {
		return dst
	}
	dst = append(dst, '=')
	if len(value) == 0 {
		a.counts.kept[slotEmpty]++
		return dst
	}
	l.decode(value, form)
	switch {
	case k != nil && k.placed:
		a.out = a.replace(a.out[:0], l.text, a.at(k.place, l.text))
	case a.policy.isSecret(k, a.key) && !isJWT(l.text):
		a.counts.replaced[kindSecret]++
		a.out = a.mapper.AppendNoise(a.out[:0], l.text)
	case a.keeps(k, a.key, l.text):
		return l.encode(dst, l.text)
	case k != nil && k.text:
		a.out = a.words(a.out[:0], l.text, a.id)
		a.counts.replaced[kindText]++
		if a.options.Observe != nil {
			a.options.Observe(a.id.name, l.text, a.out)
		}
	default:
		out, ok := a.degrees(a.out[:0], a.key, l.text, a.id)
		if !ok {
			out = a.replace(out, l.text, a.id)
		}
		a.out = out
	}
	return l.encode(dst, a.out)
}

// set is the words of a text.
func set(words string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

func onlyDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}
