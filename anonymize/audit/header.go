package audit

import (
	"bytes"
	"slices"

	"reprise/anonymize/endpoint"
)

// lines goes over the header lines of a trace.
func (w *walker) lines(header []byte) {
	for line := range bytes.SplitSeq(header, []byte("\r\n")) {
		if name, value, ok := bytes.Cut(line, []byte(": ")); ok {
			w.header(string(name), value)
		} else if len(line) > 0 {
			w.visit(inHeader, line)
		}
	}
}

// header goes over one header, but for those that the rules let stay.
func (w *walker) header(name string, value []byte) {
	switch {
	case slices.Contains(w.rules.Headers, name):
	case name == "Referer":
		w.referer(value)
	case name == "Cookie":
		w.cookies(value)
	default:
		w.visit(inHeader, value)
	}
}

// referer goes over the address of a page. The words of the service's own templates stay in it.
func (w *walker) referer(url []byte) {
	method, pattern := "GET", "{unmatched}"
	if w.set != nil {
		pattern = w.set.Match(endpoint.Path(url)).Pattern
	}
	if len(url) > 0 {
		w.target(method, pattern, url)
	}
}

// cookies goes over the pairs of a Cookie header. Names that are vocabulary stay.
func (w *walker) cookies(value []byte) {
	for pair := range bytes.SplitSeq(value, []byte{';'}) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(pair), []byte{'='})
		if !w.keepsKey(name) && !w.isSecret(name) {
			w.visit(inCookie, name)
		}
		w.visit(inCookie, value)
	}
}
