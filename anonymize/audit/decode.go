package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// maxRounds is how often percent-encoding is undone: more often than the anonymizer does.
const maxRounds = 5

// unpercent undoes percent-encoding until there is none. The text itself stays as it is.
func unpercent(s []byte) []byte {
	if bytes.IndexByte(s, '%') < 0 {
		return s
	}
	out := append([]byte(nil), s...)
	for range maxRounds {
		n, again := 0, false
		for i := 0; i < len(out); i++ {
			c := out[i]
			if c == '%' && i+2 < len(out) {
				if v, err := strconv.ParseUint(string(out[i+1:i+3]), 16, 8); err == nil {
					c, again = byte(v), true
					i += 2
				}
			}
			out[n] = c
			n++
		}
		out = out[:n]
		if !again {
			break
		}
	}
	return out
}

// unjson undoes the escapes of JSON strings, wherever they stand.
func unjson(s []byte) []byte {
	if !bytes.Contains(s, []byte(`\`)) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		if s[i] == 'u' && i+4 < len(s) {
			if v, err := strconv.ParseUint(string(s[i+1:i+5]), 16, 16); err == nil {
				out = utf8.AppendRune(out, rune(v))
				i += 4
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// shortest64 is the shortest text that is looked at as base64 or hex, in bytes.
const shortest64 = 8

// in64 tells whether a byte can be part of base64 or base64url.
func in64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_' || c == '='
}

// hidden yields what stands in base64, base64url or hex in a text, whole words only, where it is printable.
func hidden(text []byte, yield func(inner []byte)) {
	for start := 0; start < len(text); start++ {
		if !in64(text[start]) {
			continue
		}
		end := start
		for end < len(text) && in64(text[end]) {
			end++
		}
		word := text[start:end]
		start = end
		if len(word) < shortest64 {
			continue
		}
		bare := bytes.TrimRight(word, "=")
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if inner, err := enc.DecodeString(string(bare)); err == nil && printable(inner) {
				yield(inner)
				break
			}
		}
		if inner, err := hex.DecodeString(string(word)); err == nil && printable(inner) {
			yield(inner)
		}
	}
}

// printable tells whether a text is UTF-8 without control characters.
func printable(s []byte) bool {
	if len(s) < 4 || !utf8.Valid(s) {
		return false
	}
	for _, r := range string(s) {
		if !unicode.IsPrint(r) && r != '\n' && r != '\t' {
			return false
		}
	}
	return true
}
