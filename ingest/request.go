package ingest

import "bytes"

var http10 = []byte("HTTP/1.0")

// parseRequest fills Method, Target and Protocol from a decoded request column: the method is the first
// word, the protocol the last one if it begins with "HTTP/", the target everything between (raw spaces
// occur). A line without a protocol is HTTP/0.9 style and becomes HTTP/1.0.
func parseRequest(s []byte, r *Record) Reason {
	sp := bytes.IndexByte(s, ' ')
	if sp < 0 {
		return NoRequest // "-", "", "<html>", a TLS hello: one word is no request line
	}
	method, rest := s[:sp], s[sp+1:]
	if !isToken(method) {
		if isBinary(method) {
			return NoRequest
		}
		return BadRequestLine
	}
	r.Method, r.Target, r.Protocol = method, rest, http10
	if last := bytes.LastIndexByte(rest, ' '); last >= 0 && bytes.HasPrefix(rest[last+1:], http10[:5]) {
		r.Target, r.Protocol = rest[:last], rest[last+1:]
	} else if bytes.HasPrefix(rest, http10[:5]) && last < 0 {
		return BadRequestLine // "GET HTTP/1.1": the target is missing
	}
	if len(r.Target) == 0 || hasControl(rest) {
		return BadRequestLine
	}
	return Accepted
}

// splitRequest checks a request that was logged in columns of its own.
func splitRequest(r *Record) Reason {
	if len(r.Method) == 0 && len(r.Target) == 0 {
		return NoRequest
	}
	if !isToken(r.Method) {
		if isBinary(r.Method) {
			return NoRequest
		}
		return BadRequestLine
	}
	if len(r.Target) == 0 || hasControl(r.Target) {
		return BadRequestLine
	}
	if len(r.Protocol) == 0 {
		r.Protocol = http10
	}
	return Accepted
}

// authority returns the host of an absolute-form target (RFC 9112 section 3.2.2), without user, port or brackets.
func authority(target []byte) []byte {
	i := bytes.Index(target, []byte("://"))
	if i < 0 || i > 5 || target[0] == '/' {
		return nil
	}
	host := target[i+3:]
	if end := bytes.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if at := bytes.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return stripPort(host)
}

// tokenBytes marks the bytes of a token (RFC 9110 section 5.6.2).
var tokenBytes = func() (t [256]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		t[c] = true
	}
	return t
}()

func isToken(s []byte) bool {
	for _, c := range s {
		if !tokenBytes[c] {
			return false
		}
	}
	return len(s) > 0
}

// isBinary tells whether s holds a byte that no text protocol sends.
func isBinary(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c >= 0x7f {
			return true
		}
	}
	return false
}

func hasControl(s []byte) bool {
	for _, c := range s {
		if c < ' ' || c == 0x7f {
			return true
		}
	}
	return false
}
