package audit

import (
	"bytes"
	"net/textproto"
	"slices"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
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

// neverKept are headers that no rule lets stay as they are.
var neverKept = words(`X-Forwarded-For X-Real-Ip X-Client-Ip True-Client-Ip Cf-Connecting-Ip Fastly-Client-Ip X-Cluster-Client-Ip
	X-Original-Forwarded-For Forwarded Cookie Set-Cookie Authorization Proxy-Authorization Referer User-Agent Host From`)

// travels tells whether the rules let a header, or a pseudonym of it, into the trace.
func (w *walker) travels(name string) bool {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	if canonical == "Cookie" {
		return w.rules.Cookies == rules.ReplaceCookies
	}
	return slices.ContainsFunc(w.rules.Entities, func(e rules.Entity) bool {
		return slices.ContainsFunc(e.At, func(p rules.Place) bool { return p.Kind == rules.Header && p.Name == canonical })
	})
}

// header goes over one header, but for those that the rules let stay.
func (w *walker) header(name string, value []byte) {
	switch canonical := textproto.CanonicalMIMEHeaderKey(name); {
	case slices.Contains(w.rules.Headers, canonical) && !neverKept[canonical]:
	case canonical == "Referer":
		w.referer(value)
	case canonical == "Cookie":
		w.cookies(value)
	case canonical == "Forwarded":
		w.forwarded(value)
	case canonical == "X-Forwarded-For":
		for node := range bytes.SplitSeq(value, []byte{','}) {
			w.node(bytes.TrimSpace(node))
		}
	default:
		if scheme, rest, ok := bytes.Cut(value, []byte{' '}); ok && strings.EqualFold(string(scheme), "bearer") {
			value = rest
		}
		w.visit(inHeader, value)
	}
}

// node is an element of X-Forwarded-For or Forwarded (RFC 7239, section 6).
func (w *walker) node(node []byte) {
	if len(node) > 0 && string(node) != "unknown" {
		w.visit(inHeader, node)
	}
}

// forwarded goes over the values of a Forwarded header (RFC 7239, section 4).
func (w *walker) forwarded(value []byte) {
	for _, pair := range bytes.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := bytes.Cut(bytes.TrimSpace(pair), []byte{'='})
		value = bytes.Trim(value, `"`)
		switch strings.ToLower(string(name)) {
		case "for", "by":
			w.node(value)
		case "host":
			w.authority(value)
		case "proto":
			if v := string(value); v != "http" && v != "https" {
				w.visit(inHeader, value)
			}
		default:
			w.visit(inHeader, pair)
		}
	}
}

// referer goes over the address of a page. The words of the service's own templates stay in it.
func (w *walker) referer(url []byte) {
	if len(url) > 0 {
		w.target("GET", w.set.Match(endpoint.Path(url)).Pattern, url)
	}
}

// cookieNames are names of cookies that many services use.
var cookieNames = words(`_ga _gid _gat _fbp _fbc _gcl_au _hjid __utma __utmb __utmc __utmz PHPSESSID JSESSIONID ASP.NET_SessionId connect.sid
	laravel_session XSRF-TOKEN csrftoken sessionid session sid SID uid locale currency theme consent cart cart_id remember_token
	__cfduid cf_clearance AWSALB AWSALBCORS wordpress_test_cookie wp-settings-time woocommerce_cart_hash frontend`)

// cookies goes over the pairs of a Cookie header. Names that are vocabulary or stand in the rules stay.
func (w *walker) cookies(list []byte) {
	for pair := range bytes.SplitSeq(list, []byte{';'}) {
		name, value, named := bytes.Cut(bytes.TrimSpace(pair), []byte{'='})
		if !named {
			name, value = nil, name
		}
		if len(name) > 0 && !cookieNames[string(name)] && !w.set.KeepsKey(name) && !w.placesCookie(string(name)) {
			w.visit(inCookie, name)
		}
		if len(value) > 0 {
			w.visit(inCookie, value)
		}
	}
}

// placesCookie tells whether an entity has a place in the cookie of a name.
func (w *walker) placesCookie(name string) bool {
	for _, e := range w.rules.Entities {
		for _, p := range e.At {
			if p.Kind == rules.Cookie && p.Name == name {
				return true
			}
		}
	}
	return false
}
