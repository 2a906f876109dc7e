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
	if err := a.Check(); err != nil {
		return fmt.Errorf("%w: %w", replay.ErrUnreplayable, err)
	}
	if !plan.IsHost(host) {
		return fmt.Errorf("%w: its host", replay.ErrUnreplayable)
	}
	return nil
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
