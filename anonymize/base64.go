package anonymize

import (
	"encoding/base64"
	"unicode/utf8"
)

// minEncoded is the least number of characters, without padding, at which a value is tried as base64. Shorter ones decode
// to text by chance too often.
const minEncoded = 12

// The two alphabets of RFC 4648. Bits that nothing uses must be zero, so that a text has one encoding.
var (
	stdEncoding = base64.RawStdEncoding.Strict()
	urlEncoding = base64.RawURLEncoding.Strict()
)

// alphabetOf is the encoding of a value that can be base64, without its padding; nil if it cannot. A value without
// characters of its own alphabet has the one for URLs.
func alphabetOf(text []byte) (enc *base64.Encoding, body []byte) {
	body = text
	for len(body) > 0 && body[len(body)-1] == '=' && len(text)-len(body) < 2 {
		body = body[:len(body)-1]
	}
	if len(body) < minEncoded || len(body)%4 == 1 || len(body) < len(text) && len(text)%4 != 0 {
		return nil, nil
	}
	std, url := false, false
	for _, c := range body {
		switch {
		case c >= '0' && c <= '9', c|0x20 >= 'a' && c|0x20 <= 'z':
		case c == '+' || c == '/':
			std = true
		case c == '-' || c == '_':
			url = true
		default:
			return nil, nil
		}
	}
	switch {
	case std && url:
		return nil, nil
	case std:
		return stdEncoding, body
	}
	return urlEncoding, body
}

// isEncoded tells whether a value is base64 of printable UTF-8.
func (a *Anonymizer) isEncoded(text []byte) bool {
	if a.depth >= maxDepth {
		return false
	}
	enc, body := alphabetOf(text)
	if enc == nil {
		return false
	}
	var head [3]byte
	if n, err := enc.Decode(head[:], body[:4]); err != nil || !isText(head[:n]) {
		return false // nearly all that is no base64 ends here
	}
	mark := len(a.scratch)
	decoded, err := enc.AppendDecode(a.scratch, body)
	ok := err == nil && isText(decoded[mark:]) && utf8.Valid(decoded[mark:])
	a.scratch = decoded[:mark]
	return ok
}

// isText tells whether there are no control bytes in s.
func isText(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// encoded replaces the text that a value is base64 of, and encodes it again with the same alphabet and padding.
func (a *Anonymizer) encoded(dst, text []byte, e *entity) []byte {
	enc, body := alphabetOf(text)
	mark := len(a.scratch)
	a.scratch, _ = enc.AppendDecode(a.scratch, body) // isEncoded has seen that there is no error
	start := len(dst)
	a.depth++
	dst, _ = a.pseudonym(dst, a.scratch[mark:], e)
	a.depth--
	dst = a.reencode(dst, start, enc)
	a.scratch = a.scratch[:mark]
	if len(body) < len(text) {
		for (len(dst)-start)%4 != 0 {
			dst = append(dst, '=')
		}
	}
	return dst
}

// reencode replaces dst from start on by its encoding.
func (a *Anonymizer) reencode(dst []byte, start int, enc *base64.Encoding) []byte {
	mark := len(a.scratch)
	a.scratch = append(a.scratch, dst[start:]...)
	dst = enc.AppendEncode(dst[:start], a.scratch[mark:])
	a.scratch = a.scratch[:mark]
	return dst
}
