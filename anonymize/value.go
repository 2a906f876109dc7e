package anonymize

import (
	"bytes"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
)

// Uses of a cached pseudonym.
const (
	useValue byte = iota + 1
	useClient
	useIdentity
	useEntity // and those after it: one for each entity of the rules
)

// value appends the pseudonym of a raw value, in its own encoding. form says that + is a space.
func (a *Anonymizer) value(dst, raw []byte, form bool, e *entity) []byte {
	a.layers.decode(raw, form)
	a.out = a.replace(a.out[:0], a.layers.text, e)
	return a.layers.encode(dst, a.out)
}

// replace appends the pseudonym that a decoded value has as one of e, from the cache if it is there.
func (a *Anonymizer) replace(dst, text []byte, e *entity) []byte {
	if len(text) == 0 {
		return dst
	}
	out, k, ok := a.cache.get(dst, e.use, text)
	if !ok {
		out, k = a.pseudonym(dst, text, e)
		a.cache.put(e.use, text, out[len(dst):], k)
	}
	if a.options.Observe != nil {
		a.options.Observe(e.name, text, out[len(dst):])
	}
	a.counts.replaced[k]++
	return out
}

// shapeOf tells how a decoded value of e is replaced.
func shapeOf(text []byte, e *entity) kind {
	switch {
	case e.format == rules.Text:
		return kindText
	case e.format == rules.Int && onlyDigits(text):
		return kindInt
	}
	switch endpoint.Classify(text) {
	case endpoint.Int:
		return kindInt
	case endpoint.UUID:
		return kindUUID
	case endpoint.Mail:
		return kindMail
	case endpoint.Date:
		if pseudonym.IsDate(text) {
			return kindDate
		}
	case endpoint.PrefixInt:
		return kindNumbered
	case endpoint.IP, endpoint.Token:
		if _, _, ok := endpoint.ParseAddress(text); ok {
			return kindAddress
		}
		if isList(text) {
			return kindList
		}
	}
	return kindText
}

// maxWalk bounds how often a value is mapped again; a value that can be counted never needs as many.
const maxWalk = 1 << 12

// pseudonym appends the pseudonym of a decoded value by its shape. The maps of texts and of numbered words are one to
// one within their layout, in which other shapes can lie as well, such as addresses among dotted numbers; a result of
// another shape is mapped again, so that it never meets the pseudonym of a value of that shape.
func (a *Anonymizer) pseudonym(dst, text []byte, e *entity) ([]byte, kind) {
	shape := shapeOf(text, e)
	start := len(dst)
	dst = a.appendShape(dst, text, shape, e)
	if shape != kindText && shape != kindNumbered {
		return dst, shape
	}
	for n := 0; n < maxWalk && shapeOf(dst[start:], e) != shape; n++ {
		a.walk = append(a.walk[:0], dst[start:]...)
		dst = a.appendShape(dst[:start], a.walk, shape, e)
	}
	return dst, shape
}

func (a *Anonymizer) appendShape(dst, text []byte, shape kind, e *entity) []byte {
	switch shape {
	case kindInt:
		return e.mapper.AppendInt(dst, text)
	case kindUUID:
		return e.mapper.AppendUUID(dst, text)
	case kindMail:
		return e.mapper.AppendMail(dst, text)
	case kindDate:
		return e.mapper.AppendDate(dst, text)
	case kindNumbered:
		return numbered(dst, text, e)
	case kindAddress:
		dst, _ = a.address(dst, text)
		return dst
	case kindList:
		return a.list(dst, text, e)
	}
	return e.mapper.AppendText(dst, text)
}

// numbered replaces letters and number apart, so that user-123 has the number of 123.
func numbered(dst, text []byte, e *entity) []byte {
	end := len(text)
	for end > 0 && text[end-1] >= '0' && text[end-1] <= '9' {
		end--
	}
	return e.mapper.AppendInt(e.mapper.AppendText(dst, text[:end]), text[end:])
}

// separators stand between the elements of a list.
const separators = ",;| "

// isList tells whether a value is a list whose elements all have the shape of an identifier.
func isList(text []byte) bool {
	if !bytes.ContainsAny(text, separators) {
		return false
	}
	for {
		i := bytes.IndexAny(text, separators)
		element := text
		if i >= 0 {
			element = text[:i]
		}
		switch endpoint.Classify(element) {
		case endpoint.Int, endpoint.UUID, endpoint.Mail, endpoint.Hex, endpoint.PrefixInt:
		default:
			return false
		}
		if i < 0 {
			return true
		}
		text = text[i+1:]
	}
}

// list replaces the elements of a list one by one.
func (a *Anonymizer) list(dst, text []byte, e *entity) []byte {
	for {
		i := bytes.IndexAny(text, separators)
		if i < 0 {
			dst, _ = a.pseudonym(dst, text, e)
			return dst
		}
		dst, _ = a.pseudonym(dst, text[:i], e)
		dst = append(dst, text[i])
		text = text[i+1:]
	}
}

// address appends the pseudonym of an IP address, which may have brackets and a port. The port's value
// is not kept.
func (a *Anonymizer) address(dst, text []byte) ([]byte, bool) {
	addr, port, ok := endpoint.ParseAddress(text)
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
