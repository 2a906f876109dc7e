package anonymize

import "bytes"

// isJWT tells whether a decoded value is a JSON Web Token in compact form (RFC 7519, RFC 7515): a header that is a JSON
// object with "alg", claims that are one, and a signature that may be empty.
func isJWT(text []byte) bool {
	header, claims, signature, ok := splitJWT(text)
	if !ok {
		return false
	}
	for _, c := range signature {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '-' && c != '_' {
			return false
		}
	}
	var buf [512]byte
	decoded, err := urlEncoding.AppendDecode(buf[:0], header)
	if err != nil || !isJSONObject(decoded) || !bytes.Contains(decoded, []byte(`"alg"`)) {
		return false
	}
	decoded, err = urlEncoding.AppendDecode(decoded[:0], claims)
	return err == nil && isJSONObject(decoded)
}

// splitJWT splits a value at its two dots. All headers that begin with a brace and a quote begin with eyJ.
func splitJWT(text []byte) (header, claims, signature []byte, ok bool) {
	if !bytes.HasPrefix(text, []byte("ey")) || bytes.Count(text, []byte{'.'}) != 2 {
		return nil, nil, nil, false
	}
	header, rest, _ := bytes.Cut(text, []byte{'.'})
	claims, signature, _ = bytes.Cut(rest, []byte{'.'})
	return header, claims, signature, true
}

// jwt replaces the claims of a token, what its header says beside algorithm and type, and its signature, by noise of the same
// length: no pseudonym of a token is valid.
func (a *Anonymizer) jwt(dst, text []byte, e *entity) []byte {
	header, claims, signature, _ := splitJWT(text)
	dst = a.jwtPart(dst, header, jsonPlace{entity: e, header: true})
	dst = a.jwtPart(append(dst, '.'), claims, jsonPlace{entity: e, claims: true})
	dst = append(dst, '.')
	mark := len(a.scratch)
	for range signature { // noise depends on where a text has letters and digits, and shall not tell that
		a.scratch = append(a.scratch, 'x')
	}
	dst = e.mapper.AppendNoise(dst, a.scratch[mark:])
	a.scratch = a.scratch[:mark]
	return dst
}

func (a *Anonymizer) jwtPart(dst, part []byte, p jsonPlace) []byte {
	mark := len(a.scratch)
	a.scratch, _ = urlEncoding.AppendDecode(a.scratch, part) // isJWT has seen that there is no error
	start := len(dst)
	a.depth++
	dst = a.json(dst, a.scratch[mark:], p)
	a.depth--
	dst = a.reencode(dst, start, urlEncoding)
	a.scratch = a.scratch[:mark]
	return dst
}

// isRegistered tells whether a name is one of RFC 7519, section 4.1 and 5, or RFC 7515, section 4.1: it says nothing about
// anybody.
func isRegistered(name []byte) bool {
	switch string(name) {
	case "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "alg", "typ", "cty", "kid", "jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit":
		return true
	}
	return false
}

// algorithms and types are the values that a token's header keeps: those of the registry of JOSE (RFC 7518, 8037, 8812) and the
// media types of tokens. Another one is whatever somebody wrote there.
var (
	algorithms = set(`none HS256 HS384 HS512 RS256 RS384 RS512 ES256 ES384 ES512 PS256 PS384 PS512 ES256K EdDSA Ed25519 Ed448
		RSA1_5 RSA-OAEP RSA-OAEP-256 A128KW A192KW A256KW dir ECDH-ES ECDH-ES+A128KW ECDH-ES+A192KW ECDH-ES+A256KW A128GCMKW A192GCMKW A256GCMKW
		PBES2-HS256+A128KW PBES2-HS384+A192KW PBES2-HS512+A256KW`)
	tokenTypes = set(`JWT jwt JOSE JOSE+JSON JWS JWE JWK at+jwt dpop+jwt logout+jwt secevent+jwt token-introspection+jwt oauth-authz-req+jwt`)
)

// isHeaderWord tells whether a value of a token's header says nothing about anybody.
func isHeaderWord(key, text []byte) bool {
	switch string(key) {
	case "alg":
		return algorithms[string(text)]
	case "typ":
		return tokenTypes[string(text)]
	}
	return false
}
