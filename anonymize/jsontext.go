package anonymize

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"reprise/anonymize/endpoint"
)

// maxNesting bounds objects and arrays in one another; a text with more is no JSON for us.
const maxNesting = 32

// isJSON tells whether s is an object, an array or a string of JSON (RFC 8259), perhaps with white space around it.
func isJSON(s []byte) bool {
	n := jsonSpace(s)
	if n == len(s) || s[n] != '{' && s[n] != '[' && s[n] != '"' {
		return false
	}
	s = s[n:]
	n = jsonLength(s, maxNesting)
	return n > 0 && n+jsonSpace(s[n:]) == len(s)
}

// isJSONObject is isJSON for objects only.
func isJSONObject(s []byte) bool {
	n := jsonSpace(s)
	return n < len(s) && s[n] == '{' && isJSON(s)
}

// jsonSpace is the length of the white space that s begins with.
func jsonSpace(s []byte) int {
	for i, c := range s {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return i
		}
	}
	return len(s)
}

// jsonLength is the length of the value that s begins with, 0 if there is none or it nests deeper than given.
func jsonLength(s []byte, nesting int) int {
	if len(s) == 0 {
		return 0
	}
	switch s[0] {
	case '{', '[':
		if nesting == 0 {
			return 0
		}
		return jsonGroup(s, nesting-1)
	case '"':
		return jsonString(s)
	case 't', 'f', 'n':
		return jsonWord(s)
	}
	return jsonNumber(s)
}

// jsonGroup is the length of an object or an array.
func jsonGroup(s []byte, nesting int) int {
	object, end := s[0] == '{', byte(']')
	if object {
		end = '}'
	}
	i := 1 + jsonSpace(s[1:])
	if i < len(s) && s[i] == end {
		return i + 1
	}
	for {
		if object {
			n := jsonString(s[i:])
			if n == 0 {
				return 0
			}
			i += n
			i += jsonSpace(s[i:])
			if i == len(s) || s[i] != ':' {
				return 0
			}
			i++
			i += jsonSpace(s[i:])
		}
		n := jsonLength(s[i:], nesting)
		if n == 0 {
			return 0
		}
		i += n
		i += jsonSpace(s[i:])
		switch {
		case i == len(s) || s[i] != ',' && s[i] != end:
			return 0
		case s[i] == end:
			return i + 1
		}
		i++
		i += jsonSpace(s[i:])
	}
}

func jsonWord(s []byte) int {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(s) >= len(w) && string(s[:len(w)]) == w {
			return len(w)
		}
	}
	return 0
}

// jsonString is the length of a string with its quotes.
func jsonString(s []byte) int {
	if len(s) == 0 || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return 0
		case c != '\\':
		case i+1 < len(s) && bytes.IndexByte([]byte(`"\/bfnrt`), s[i+1]) >= 0:
			i++
		case i+5 < len(s) && s[i+1] == 'u' && isHex4(s[i+2:i+6]):
			i += 5
		default:
			return 0
		}
	}
	return 0
}

func isHex4(s []byte) bool {
	for _, c := range s {
		if endpoint.HexDigit(c) > 15 {
			return false
		}
	}
	return true
}

// jsonNumber is the length of a number.
func jsonNumber(s []byte) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	n := digitsLength(s[i:])
	if n == 0 || n > 1 && s[i] == '0' {
		return 0
	}
	i += n
	if i < len(s) && s[i] == '.' {
		if n = digitsLength(s[i+1:]); n == 0 {
			return 0
		}
		i += 1 + n
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		if n = digitsLength(s[j:]); n == 0 {
			return 0
		}
		i = j + n
	}
	return i
}

func digitsLength(s []byte) int {
	for i, c := range s {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(s)
}

// appendUnquoted appends the text of a string that jsonString knows. Half of a surrogate pair becomes U+FFFD.
func appendUnquoted(dst, quoted []byte) []byte {
	s := quoted[1 : len(quoted)-1]
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			continue
		}
		i++
		if at := bytes.IndexByte([]byte("bfnrt"), s[i]); at >= 0 {
			dst = append(dst, "\b\f\n\r\t"[at])
			continue
		}
		if s[i] != 'u' {
			dst = append(dst, s[i])
			continue
		}
		r := hex4(s[i+1:])
		i += 4
		if utf16.IsSurrogate(r) && i+6 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(s[i+3:])); pair != utf8.RuneError {
				r = pair
				i += 6
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func hex4(s []byte) rune {
	v, err := strconv.ParseUint(string(s[:4]), 16, 16)
	if err != nil {
		return utf8.RuneError // not after isHex4
	}
	return rune(v)
}
