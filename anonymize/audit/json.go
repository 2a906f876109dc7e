package audit

import (
	"bytes"
	"encoding/base64"
	"regexp"
)

var (
	jwtForm = regexp.MustCompile(`\bey[0-9A-Za-z_-]{4,}\.[0-9A-Za-z_-]{2,}\.`)
	keyForm = regexp.MustCompile(`"([^"\\]{1,40})"\s*:`)
	algForm = regexp.MustCompile(`"alg"\s*:\s*"(?:none|(?:HS|RS|ES|PS)(?:256|384|512)|ES256K|EdDSA|Ed25519|Ed448|dir|RSA1_5|RSA-OAEP(?:-256)?|` +
		`A(?:128|192|256)(?:GCM)?KW|ECDH-ES(?:\+A(?:128|192|256)KW)?|PBES2-HS(?:256\+A128|384\+A192|512\+A256)KW)"|` +
		`"typ"\s*:\s*"(?:JWT|jwt|JOSE(?:\+JSON)?|JW[SEK]|(?:at|dpop|logout|secevent|token-introspection|oauth-authz-req)\+jwt)"`)
	wordForm = regexp.MustCompile(`\b(?:true|false|null)\b`)
)

// registered are the names of RFC 7519, sections 4.1 and 5, and RFC 7515, section 4.1.
var registered = words(`iss sub aud exp nbf iat jti alg typ cty kid jku jwk x5u x5c x5t x5t#S256 crit`)

// unpublic takes out of a text what may stay in it: the header of a JSON Web Token that names an algorithm only, and in
// JSON the keys that are vocabulary and the three words.
func unpublic(text []byte, keeps func(key []byte) bool) []byte {
	if bytes.Count(text, []byte{'.'}) >= 2 {
		text = jwtForm.ReplaceAllFunc(text, func(m []byte) []byte {
			if header, rest, _ := bytes.Cut(m, []byte{'.'}); isPublicHeader(header) {
				return rest
			}
			return m
		})
	}
	if trimmed := bytes.TrimSpace(text); len(trimmed) < 2 || trimmed[0] != '{' && trimmed[0] != '[' {
		return text
	}
	text = algForm.ReplaceAll(text, nil)
	text = keyForm.ReplaceAllFunc(text, func(m []byte) []byte {
		key := keyForm.FindSubmatch(m)[1]
		if keeps(key) || registered[string(key)] {
			return []byte{':'}
		}
		return m
	})
	return wordForm.ReplaceAll(text, nil)
}

// isPublicHeader tells whether a word is the header of a JSON Web Token without anything but algorithm and type.
func isPublicHeader(word []byte) bool {
	header, err := base64.RawURLEncoding.DecodeString(string(word))
	if err != nil || !bytes.Contains(header, []byte(`"alg"`)) {
		return false
	}
	run, _ := cutRun(algForm.ReplaceAll(header, nil))
	return len(run) == 0
}
