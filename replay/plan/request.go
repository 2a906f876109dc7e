package plan

import (
	"bytes"

	"reprise/anonymize/trace"
)

// Safe reports whether a method has no side effects (RFC 9110, section 9.2.1).
func Safe(method string) bool {
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE":
		return true
	}
	return false
}

// fill makes the request of r the request of a. An absolute URI is reduced to its path and query: a log
// never steers the replay to another host.
func (a *Arrival) fill(r *trace.Record, allowWrites bool) {
	*a = Arrival{At: a.At, Method: r.Method, Target: originForm(r.Target), Endpoint: r.Endpoint, Host: r.Host,
		User: r.User, Status: r.Status}
	switch {
	case !replayable(a.Method, a.Target):
		a.Withheld = Unreplayable
	case !allowWrites && !Safe(a.Method):
		a.Withheld = Write
	}
}

// originForm is the path and query of a target in absolute form (RFC 9112, section 3.2), else the target.
func originForm(target []byte) []byte {
	_, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok || bytes.ContainsAny(target[:len(target)-len(rest)-3], "/?#") {
		return target
	}
	if slash := bytes.IndexAny(rest, "/?"); slash >= 0 && rest[slash] == '/' {
		return rest[slash:]
	}
	return []byte("/")
}

// replayable reports whether a request line can hold the method and target, and whether it is a request
// to the target itself: CONNECT asks for a tunnel to elsewhere.
func replayable(method string, target []byte) bool {
	if method == "CONNECT" || !token(method) || len(target) == 0 {
		return false
	}
	if target[0] != '/' && !(method == "OPTIONS" && string(target) == "*") {
		return false
	}
	for _, c := range target {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}

// token reports whether s is a token of RFC 9110, section 5.6.2.
func token(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && !bytes.ContainsRune([]byte("!#$%&'*+-.^_`|~"), rune(c)) {
			return false
		}
	}
	return s != ""
}
