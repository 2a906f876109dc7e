package ingest

import (
	"bytes"
	"encoding/binary"
)

var http10 = []byte("HTTP/1.0")

// parseLoggedRequest is parseRequest for a column as it was logged. plain says that the line holds no escapes.
func parseLoggedRequest(s []byte, plain bool, r *Record) Reason {
	if !plain {
		decoded := text(s, false)
		if decoded != nil && len(decoded) < len(s) {
			r.Flags |= FlagDecoded
		}
		return parseRequest(decoded, r)
	}
	if len(s) == 0 || len(s) == 1 && s[0] == '-' {
		return NoRequest
	}
	// The usual line: "METHOD target HTTP/1.1".
	const protocol = len(" HTTP/1.1")
	n := len(s) - protocol
	if n < 3 || string(s[n:n+6]) != " HTTP/" || s[n+7] != '.' || s[n+6]-'0' > 9 || s[n+8]-'0' > 9 {
		return parseRequest(s, r)
	}
	for i := range n {
		if tokenBytes[s[i]] {
			continue
		}
		if i == 0 || s[i] != ' ' || i+1 >= n || hasControl(s[i+1:n]) {
			break
		}
		r.Method, r.Target, r.Protocol = s[:i], s[i+1:n], s[n+1:]
		return Accepted
	}
	return parseRequest(s, r)
}

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

// hasControl tells whether s holds a control byte (below 0x20, or 0x7f). It looks at eight bytes at once: a
// byte below n sets its top bit in (x - n...n) &^ x, and one that equals 0x7f is below 1 after the
// exclusive or (S. E. Anderson, Bit Twiddling Hacks, "determine if a word has a byte less than n").
func hasControl(s []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		x := binary.LittleEndian.Uint64(s)
		y := x ^ 0x7f*ones
		if ((x-0x20*ones)&^x|(y-ones)&^y)&tops != 0 {
			return true
		}
	}
	for _, c := range s {
		if c < ' ' || c == 0x7f {
			return true
		}
	}
	return false
}
