package anonymize

import (
	"bytes"

	"reprise/anonymize/endpoint"
)

// separators stand between the elements of a list.
const separators = ",;|"

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

// joints stand between the parts of names such as User:123, gid://shop/Product/123 and /u/123, and of addresses of pages
// such as https://shop.example/u/123?uid=123, which queries hold to say where to go next.
const joints = ":/?&=#"

// isPair tells whether a value is such a name: parts that are words or identifiers, with a number, a UUID or a mail address
// among them; a page's address and a query may have any other parts too. A value of words alone is replaced as one, so that
// it does not become the sum of its words.
func isPair(text []byte) bool {
	if !bytes.ContainsAny(text, joints) || endpoint.Classify(text) == endpoint.IP {
		return false
	}
	identified, page := false, bytes.Contains(text, []byte("://")) || bytes.IndexByte(text, '=') > 0
	for more := true; more; {
		i := bytes.IndexAny(text, joints)
		part := text
		if more = i >= 0; more {
			part, text = text[:i], text[i+1:]
		}
		switch endpoint.Classify(part) {
		case endpoint.Int, endpoint.UUID, endpoint.Mail, endpoint.PrefixInt:
			identified = true
		case endpoint.Word, endpoint.Hex, endpoint.Date:
		default:
			if !page {
				return false
			}
		}
	}
	return identified
}

// part appends the pseudonym of a part of a value, from the cache if it is there. What is taken apart itself is not cached
// here, nor taken from there: how far it is opened depends on what it lies in.
func (a *Anonymizer) part(dst, text []byte, e *entity) []byte {
	if a.depth >= maxDepth {
		dst, _ = a.pseudonym(dst, text, e)
		return dst
	}
	out, k, ok := a.cache.get(dst, e.use, text)
	if ok && !k.opened() {
		return out
	}
	if out, k = a.pseudonym(dst, text, e); !k.opened() {
		a.cache.put(e.use, text, out[len(dst):], k)
	}
	return out
}

// split replaces the parts between separators one by one.
func (a *Anonymizer) split(dst, text []byte, separators string, e *entity) []byte {
	for {
		i := bytes.IndexAny(text, separators)
		part := text
		if i >= 0 {
			part = text[:i]
		}
		if len(part) > 0 {
			dst = a.part(dst, part, e)
		}
		if i < 0 {
			return dst
		}
		dst = append(dst, text[i])
		text = text[i+1:]
	}
}

// punctuation may stand before and after a word of a text.
const punctuation = ".,;:!?\"'()<>[]{}"

// isSpace tells whether a byte separates words: a space, or a control byte, which becomes one.
func isSpace(c byte) bool { return c <= ' ' || c == 0x7f }

// wordLength is the length of the word that s begins with.
func wordLength(s []byte) int {
	for i, c := range s {
		if isSpace(c) {
			return i
		}
	}
	return len(s)
}

// words replaces the words of a text one by one, each by its own shape, so that an id in a text is the same as alone.
func (a *Anonymizer) words(dst, text []byte, e *entity) []byte {
	for {
		n := wordLength(text)
		tail := bytes.TrimLeft(text[:n], punctuation)
		dst = append(dst, text[:n-len(tail)]...)
		core := bytes.TrimRight(tail, punctuation)
		if len(core) > 0 {
			dst = a.part(dst, core, e)
		}
		dst = append(dst, tail[len(core):]...)
		if n == len(text) {
			return dst
		}
		dst = append(dst, ' ')
		text = text[n+1:]
	}
}
