package httptarget

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"reprise/replay"
	"reprise/replay/plan"
)

// AppendRequest appends the bytes of an HTTP/1.1 request (RFC 9112). The target is sent byte for byte. An
// arrival whose method, target, header or host no request can hold gives replay.ErrUnreplayable.
func AppendRequest(b []byte, a *plan.Arrival, host, agent string) ([]byte, error) {
	if err := check(a, host); err != nil {
		return b, err
	}
	b = append(append(b, a.Method...), ' ')
	b = append(append(b, a.Target...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, host...), "\r\n"...)
	if !hasField(a.Header, "user-agent") {
		b = append(append(append(b, "User-Agent: "...), agent...), "\r\n"...)
	}
	b = append(b, a.Header...)
	if a.Type != "" {
		b = append(append(append(b, "Content-Type: "...), a.Type...), "\r\n"...)
	}
	if sendsLength(a) {
		b = strconv.AppendInt(append(b, "Content-Length: "...), int64(len(a.Body)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	return append(b, a.Body...), nil
}

// sendsLength says whether a request needs Content-Length: with content, and for methods that define a
// meaning for content also without (RFC 9110, 8.6).
func sendsLength(a *plan.Arrival) bool {
	switch a.Method {
	case "POST", "PUT", "PATCH":
		return true
	}
	return len(a.Body) > 0
}

// check refuses what would be another request on the wire than it is in the plan.
func check(a *plan.Arrival, host string) error {
	var what string
	switch {
	case !isToken(a.Method) || a.Method == "CONNECT":
		what = "its method"
	case !sendable(a.Target):
		what = "its target"
	case host == "" || !cleanValue(host) || strings.ContainsAny(host, " /?#@,\t"):
		what = "its host"
	case !cleanValue(a.Type):
		what = "its content type"
	case !cleanHeader(a.Header):
		what = "a header line"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", replay.ErrUnreplayable, what)
}

// sendable allows origin form, and the asterisk. An absolute URI never gets here: it could name another host.
func sendable(target []byte) bool {
	if len(target) == 0 || target[0] != '/' && string(target) != "*" {
		return false
	}
	for _, c := range target {
		if c <= ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// cleanHeader wants whole lines "Name: value\r\n" that do not touch the framing or the host.
func cleanHeader(h []byte) bool {
	for len(h) > 0 {
		line, rest, ok := bytes.Cut(h, []byte("\r\n"))
		name, value, colon := bytes.Cut(line, []byte(":"))
		if !ok || !colon || !isToken(string(name)) || !cleanValue(string(value)) {
			return false
		}
		switch strings.ToLower(string(name)) {
		case "host", "content-length", "transfer-encoding", "upgrade", "expect":
			return false
		}
		h = rest
	}
	return true
}

// hasField looks for a field name, lower case, in header lines.
func hasField(h []byte, name string) bool {
	for len(h) > 0 {
		line, rest, _ := bytes.Cut(h, []byte("\r\n"))
		if len(line) > len(name) && line[len(name)] == ':' && strings.EqualFold(string(line[:len(name)]), name) {
			return true
		}
		h = rest
	}
	return false
}

func cleanValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isToken is the token of RFC 9110, 5.6.2.
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
