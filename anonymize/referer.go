package anonymize

import (
	"bytes"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
	"reprise/ingest"
)

// referer appends the Referer line as the rules want it. What is no page on the web has none.
func (a *Anonymizer) referer(dst []byte, in *ingest.Record) []byte {
	page := in.Referer
	if a.headers.referer == rules.DropReferer || len(page) == 0 || len(page) > maxHeader {
		return dst
	}
	i := bytes.Index(page, []byte("://"))
	if i < 0 || !bytes.EqualFold(page[:i], []byte("http")) && !bytes.EqualFold(page[:i], []byte("https")) {
		return dst
	}
	rest := page[i+3:]
	end := bytes.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	a.counts.headers[headerReferer]++
	dst = append(dst, "Referer: "...)
	if a.headers.referer == rules.SameRules && a.own(page, rest[:end], in.Host) {
		// The page is not the request: it names no user of it, and has its own endpoint.
		method, template := a.method, a.template
		a.method, a.reading = "GET", false
		dst, _ = a.target(dst, page)
		a.method, a.template, a.reading = method, template, true
	} else {
		dst = append(dst, page[:i+3]...)
		dst = append(a.hostPort(dst, rest[:end]), '/')
	}
	return append(dst, "\r\n"...)
}

// own tells whether a page is one of the service: on the host of the record or, where the log tells none, with a path
// that has a template.
func (a *Anonymizer) own(page, authority, host []byte) bool {
	if len(host) == 0 {
		return a.set.Match(endpoint.Path(page)).Pattern[0] != '{'
	}
	authority = authority[bytes.LastIndexByte(authority, '@')+1:]
	name, _, _ := splitPort(authority)
	host, _, _ = splitPort(host)
	return bytes.EqualFold(name, host)
}
