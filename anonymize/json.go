package anonymize

import "bytes"

// jsonPlace is where a JSON value stands.
type jsonPlace struct {
	entity *entity
	key    []byte // of the object that it belongs to, perhaps through arrays
	secret bool   // the key names a secret
	claims bool   // it is the claims of a token: places of the rules can name them
	header bool   // it is the header of a token
}

// json appends a JSON text that isJSON knows, with its strings and numbers replaced. Keys that are vocabulary stay, and so do
// true, false, null and all white space.
func (a *Anonymizer) json(dst, text []byte, p jsonPlace) []byte {
	n := jsonSpace(text)
	dst, end := a.jsonValue(append(dst, text[:n]...), text[n:], p)
	return append(dst, text[n+end:]...)
}

// jsonValue appends the value that s begins with and tells its length in s.
func (a *Anonymizer) jsonValue(dst, s []byte, p jsonPlace) ([]byte, int) {
	switch s[0] {
	case '{':
		return a.jsonObject(dst, s, p)
	case '[':
		return a.jsonArray(dst, s, p)
	case '"':
		n := jsonString(s)
		return a.jsonText(dst, s[:n], p), n
	case 't', 'f', 'n':
		n := jsonWord(s)
		return append(dst, s[:n]...), n
	}
	n := jsonNumber(s)
	return a.jsonNumber(dst, s[:n], p), n
}

func (a *Anonymizer) jsonObject(dst, s []byte, p jsonPlace) ([]byte, int) {
	for i := 0; ; {
		switch s[i] {
		case '}':
			return append(dst, '}'), i + 1
		case '"':
			n := jsonString(s[i:])
			mark := len(a.scratch)
			a.scratch = appendUnquoted(a.scratch, s[i:i+n])
			key := a.scratch[mark:len(a.scratch):len(a.scratch)]
			dst = a.jsonKey(dst, s[i:i+n], key, p)
			i += n
			n = jsonSpace(s[i:]) + 1 // with the colon
			n += jsonSpace(s[i+n:])
			dst = append(dst, s[i:i+n]...)
			i += n
			below := p
			below.key = key
			below.secret = p.secret || a.policy.rules.IsSecret(key)
			dst, n = a.jsonValue(dst, s[i:], below)
			i += n
			a.scratch = a.scratch[:mark]
		default: // the brace, a comma or space
			dst = append(dst, s[i])
			i++
		}
	}
}

func (a *Anonymizer) jsonArray(dst, s []byte, p jsonPlace) ([]byte, int) {
	dst = append(dst, '[')
	for i := 1; ; {
		switch s[i] {
		case ']':
			return append(dst, ']'), i + 1
		case ',', ' ', '\t', '\n', '\r':
			dst = append(dst, s[i])
			i++
		default:
			var n int
			dst, n = a.jsonValue(dst, s[i:], p)
			i += n
		}
	}
}

// jsonKey appends a key; quoted is how it stands in the text.
func (a *Anonymizer) jsonKey(dst, quoted, key []byte, p jsonPlace) []byte {
	if len(key) == 0 || a.set.KeepsKey(key) || (p.claims || p.header) && isRegistered(key) {
		return append(dst, quoted...)
	}
	start := len(dst)
	dst = a.part(append(dst, '"'), key, p.entity)
	return a.quote(dst, start+1)
}

// jsonText appends a string.
func (a *Anonymizer) jsonText(dst, quoted []byte, p jsonPlace) []byte {
	mark := len(a.scratch)
	a.scratch = appendUnquoted(a.scratch, quoted)
	text := a.scratch[mark:]
	if len(text) == 0 || p.header && isHeaderWord(p.key, text) {
		a.scratch = a.scratch[:mark]
		return append(dst, quoted...)
	}
	start := len(dst)
	dst = append(dst, '"')
	e := p.entity
	if p.claims {
		e = a.claim(p.key, text, e)
	}
	if p.secret && !isJWT(text) {
		dst = e.mapper.AppendNoise(dst, text)
	} else if out, ok := a.degrees(dst, p.key, text, e); ok {
		dst = out
	} else {
		a.depth++
		dst = a.part(dst, text, e)
		a.depth--
	}
	a.scratch = a.scratch[:mark]
	return a.quote(dst, start+1)
}

// jsonNumber appends a number: sign and exponent's form stay, and whole numbers are those of the same digits elsewhere.
func (a *Anonymizer) jsonNumber(dst, number []byte, p jsonPlace) []byte {
	e := p.entity
	if p.claims {
		e = a.claim(p.key, number, e)
	}
	if !p.secret {
		if out, ok := a.degrees(dst, p.key, number, e); ok {
			return out
		}
	}
	if number[0] == '-' {
		dst, number = append(dst, '-'), number[1:]
	}
	if p.secret {
		for i, c := range number {
			if c >= '0' && c <= '9' {
				c = '0'
				if i == 0 {
					c = '1'
				}
			}
			dst = append(dst, c)
		}
		return dst
	}
	if i := bytes.IndexAny(number, "eE"); i >= 0 {
		dst = a.part(dst, number[:i], e)
		dst = append(dst, number[i])
		if number = number[i+1:]; number[0] == '-' || number[0] == '+' {
			dst, number = append(dst, number[0]), number[1:]
		}
	}
	return a.part(dst, number, e)
}

// quote escapes what may not stand in a JSON string in dst from start on, and ends the string.
func (a *Anonymizer) quote(dst []byte, start int) []byte {
	if !bytes.ContainsAny(dst[start:], "\"\\") {
		return append(dst, '"')
	}
	mark := len(a.scratch)
	a.scratch = append(a.scratch, dst[start:]...)
	dst = dst[:start]
	for _, c := range a.scratch[mark:] {
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	a.scratch = a.scratch[:mark]
	return append(dst, '"')
}
