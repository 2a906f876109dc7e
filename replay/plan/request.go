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
		User: r.User, Status: r.Status, Header: sendableLines(r.Header)}
	switch {
	case a.Check() != nil:
		a.Withheld = Unreplayable
	case !allowWrites && !Safe(a.Method):
		a.Withheld = Write
	}
}

// sendableLines is the header without the lines that the engine writes itself, if there are any.
func sendableLines(h []byte) []byte {
	var out []byte
	cut := false
	for rest := h; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte("\r\n"))
		name, _, _ := bytes.Cut(line, []byte{':'})
		whole := rest[:len(rest)-len(after)]
		switch reserved := IsReserved(name); {
		case reserved && !cut:
			out, cut = append(out, h[:len(h)-len(rest)]...), true
		case !reserved && cut:
			out = append(out, whole...)
		}
		rest = after
	}
	if cut {
		return out
	}
	return h
}

// originForm is the path and query of a target in absolute form (RFC 9112, section 3.2), else the target.
func originForm(target []byte) []byte {
	_, rest, ok := bytes.Cut(target, []byte("://"))
	if !ok || bytes.ContainsAny(target[:len(target)-len(rest)-3], "/?#") {
		return target
	}
	switch end := bytes.IndexAny(rest, "/?"); {
	case end < 0:
		return []byte("/")
	case rest[end] == '?':
		return append([]byte("/"), rest[end:]...)
	default:
		return rest[end:]
	}
}
