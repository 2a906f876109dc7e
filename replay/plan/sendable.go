package plan

import (
	"bytes"
	"errors"
	"strings"
)

// What Check finds. None of them quotes the request: a plan can come from anywhere.
var (
	errMissing = errors.New("method or target is missing, or the instant is negative")
	errRequest = errors.New("no request line can hold the method and target")
	errHost    = errors.New("host is no name of a host")
	errHeader  = errors.New("header or type is not made of header lines that a plan may set")
)

// Check refuses an arrival that could not be sent as one request, or not to the target itself. The bytes go
// to the connection as they stand, so a line break in the wrong place would be a second request that nobody
// counts, and a second Content-Length would be read in two ways. A withheld arrival is never sent: of it
// only an instant, a method and a target are wanted. The error does not quote the arrival.
//
// Whoever writes a plan, reads one or sends an arrival asks this one function.
func (a *Arrival) Check() error {
	switch {
	case a.Method == "" || len(a.Target) == 0 || a.At < 0:
		return errMissing
	case a.Withheld != Sent:
		return nil
	case !requestLine(a.Method, a.Target):
		return errRequest
	case a.Host != "" && !IsHost(a.Host):
		return errHost
	case !fieldValue(a.Type) || !headerLines(a.Header):
		return errHeader
	}
	return nil
}

// requestLine reports whether a request line can hold the method and target, and whether it is a request
// to the target itself: CONNECT asks for a tunnel to elsewhere, and so does an absolute URI.
func requestLine(method string, target []byte) bool {
	if method == "CONNECT" || !IsToken(method) {
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

// headerLines reports whether h is empty or whole lines "Name: value\r\n", none of them the engine's own.
func headerLines(h []byte) bool {
	for len(h) > 0 {
		line, rest, ok := bytes.Cut(h, []byte("\r\n"))
		if !ok {
			return false
		}
		name, value, ok := bytes.Cut(line, []byte{':'})
		if !ok || !IsToken(name) || IsReserved(name) || !fieldValue(value) {
			return false
		}
		h = rest
	}
	return true
}

// IsToken reports whether s is a token of RFC 9110, section 5.6.2: a method or the name of a header field.
func IsToken[S ~string | ~[]byte](s S) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return len(s) > 0
}

// reserved are the header fields that route the request, frame it, belong to the connection (RFC 9110,
// section 7.6.1) or stand in another member of an arrival.
var reserved = [...]string{"host", "connection", "content-length", "content-type", "transfer-encoding", "te", "trailer",
	"upgrade", "expect", "keep-alive", "proxy-connection"}

// IsReserved reports whether a header field, in any case, is the engine's own to send or to leave out.
func IsReserved[S ~string | ~[]byte](name S) bool {
	for _, r := range reserved {
		if len(name) == len(r) && strings.EqualFold(string(name), r) {
			return true
		}
	}
	return false
}

// IsHost reports whether s can stand in a Host header: visible ASCII without what would end a host (RFC 3986,
// section 3.2), and without the comma, at which some servers cut a list.
func IsHost(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`/?#@,\`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// fieldValue reports whether s can be the value of a header field: no control characters but the tab.
func fieldValue[S ~string | ~[]byte](s S) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
