package anonymize

import (
	"reprise/anonymize/endpoint"
)

// Uses of a cached pseudonym.
const (
	useValue  byte = iota + 1
	useEntity      // and those after it: one for each entity of the rules
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
		claimed := a.claimed
		out, k = a.pseudonym(dst, text, e)
		if a.claimed == claimed { // else the user is read again whenever the token comes
			a.cache.put(e.use, text, out[len(dst):], k)
		}
	}
	if a.options.Observe != nil {
		a.options.Observe(e.name, text, out[len(dst):])
	}
	a.counts.replaced[k]++
	return out
}

// maxWalk bounds how often a value is mapped again. One that can be counted is short and never needs as many. The map of a
// longer one is not one to one anyway, and that of parts is by its parts: only the shape is at stake.
const (
	maxWalk     = 1 << 12
	maxLongWalk = 1 << 2
	longValue   = 32
)

// pseudonym appends the pseudonym of a decoded value by its shape. The map of a shape that is open is one to one within a
// layout in which other shapes lie as well, such as addresses among dotted numbers, or cards among numbers; a result of
// another shape is mapped again, so that it never meets the pseudonym of a value of that shape.
func (a *Anonymizer) pseudonym(dst, text []byte, e *entity) ([]byte, kind) {
	shape := a.shapeOf(text, e)
	start := len(dst)
	dst = a.appendShape(dst, text, shape, e)
	if !shape.open() || shape == kindInt && len(text) < minSpecial {
		return dst, shape
	}
	most := maxWalk
	if len(text) > longValue || shape == kindList || shape == kindPair || shape == kindWords || shape == kindMails {
		most = maxLongWalk
	}
	for n := 0; n < most && a.shapeOf(dst[start:], e) != shape; n++ {
		mark := len(a.scratch)
		a.scratch = append(a.scratch, dst[start:]...)
		dst = a.appendShape(dst[:start], a.scratch[mark:], shape, e)
		a.scratch = a.scratch[:mark]
	}
	return dst, shape
}

// minSpecial is the least length of digits that can be something else than a number.
const minSpecial = 12

// open tells whether a pseudonym of this kind can come out in another shape.
func (k kind) open() bool {
	switch k {
	case kindText, kindNumbered, kindInt, kindList, kindPair, kindWords, kindMails:
		return true
	}
	return false
}

// opened tells whether values of this kind are taken apart.
func (k kind) opened() bool {
	switch k {
	case kindJWT, kindJSON, kindBase64, kindList, kindPair, kindWords, kindMails:
		return true
	}
	return false
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
	case kindPhone:
		return e.mapper.AppendPhone(dst, text)
	case kindCard:
		return e.mapper.AppendCard(dst, text)
	case kindResident:
		return e.mapper.AppendResident(dst, text)
	case kindAccount:
		return e.mapper.AppendIBAN(dst, text)
	case kindNumbered:
		return numbered(dst, text, e)
	case kindAddress:
		dst, _ = a.address(dst, text)
		return dst
	case kindJWT:
		return a.jwt(dst, text, e)
	case kindJSON:
		return a.json(dst, text, jsonPlace{entity: e})
	case kindBase64:
		return a.encoded(dst, text, e)
	case kindList:
		return a.split(dst, text, separators, e)
	case kindPair:
		return a.split(dst, text, joints, e)
	case kindWords:
		return a.words(dst, text, e)
	case kindMails:
		return a.mails(dst, text, e)
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
