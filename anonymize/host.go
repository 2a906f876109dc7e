package anonymize

import (
	"bytes"

	"reprise/anonymize/endpoint"
)

// hostLimit is the number of hosts that a worker remembers, and maxHost the length in bytes of the longest one that is a name
// in the DNS (RFC 1035, section 2.3.4). A log can hold longer ones, which are not worth their room.
const (
	hostLimit = 4096
	maxHost   = 253
)

// serviceLabels are labels of host names that say what a host is for, and nothing about whose it is.
var serviceLabels = set(`www www1 www2 api app apps static assets cdn img image images media m mobile admin blog shop store mail smtp imap
	ftp docs help support status dev test staging beta auth login sso ws files download downloads search news forum wiki git`)

// host returns the pseudonym of a host name or address without a port.
func (a *Anonymizer) host(host []byte) string {
	if len(host) == 0 {
		return ""
	}
	a.counts.replaced[kindHost]++ // localhost too: what is counted must not depend on what is remembered
	if s, ok := a.hosts[string(host)]; ok {
		return s
	}
	if len(a.hosts) >= hostLimit {
		clear(a.hosts)
	}
	a.hostBuf = a.appendHost(a.hostBuf[:0], host)
	s := string(a.hostBuf)
	if len(host) <= maxHost {
		a.hosts[string(host)] = s
	}
	return s
}

func (a *Anonymizer) appendHost(dst, host []byte) []byte {
	if bytes.EqualFold(host, []byte("localhost")) {
		return append(dst, "localhost"...)
	}
	if out, ok := a.address(dst, host); ok {
		return out
	}
	if !isHostName(host) {
		return append(a.mapper.AppendName(dst, host), ".example"...)
	}
	return a.mapper.AppendHost(dst, host, func(label []byte) bool { return serviceLabels[string(label)] })
}

// isHostName tells whether s could be a name in the DNS.
func isHostName(s []byte) bool {
	for i, c := range s {
		dot := c == '.'
		if dot && (i == 0 || s[i-1] == '.') || !dot && c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return len(s) > 0 && len(s) <= maxHost
}

// splitPort splits a port of one to five digits off an authority.
func splitPort(s []byte) (host, port []byte, ok bool) {
	i := bytes.LastIndexByte(s, ':')
	if i < 0 || len(s)-i > 6 || !onlyDigits(s[i+1:]) || bytes.IndexByte(s[:i], ':') >= 0 && s[0] != '[' {
		return s, nil, false
	}
	return s[:i], s[i+1:], true
}

// methods are the methods that stay: those of the IANA registry that clients use, and PURGE.
var methods = func() map[string]string {
	m := make(map[string]string)
	for w := range set(`GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH
		MKACTIVITY CHECKOUT MERGE BIND REBIND UNBIND ACL LINK UNLINK LABEL PRI PURGE QUERY UPDATE BASELINE-CONTROL
		VERSION-CONTROL UNCHECKOUT CHECKIN MKWORKSPACE MKCALENDAR ORDERPATCH MKREDIRECTREF UPDATEREDIRECTREF`) {
		m[w] = w
	}
	return m
}()

// maxMethod is the longest method in bytes.
const maxMethod = 32

// methodOf returns the method as a string that is kept: itself when it is known, else a token of its shape.
func (a *Anonymizer) methodOf(method []byte) (string, Refusal) {
	if len(method) > 0 && string(method) == a.usual {
		return a.usual, 0
	}
	if s, ok := methods[string(method)]; ok {
		a.usual = s
		return s, 0
	}
	if s, ok := a.methods[string(method)]; ok {
		return s, 0
	}
	if len(method) > maxMethod || !isToken(method) {
		return "", RefusedMethod
	}
	if len(a.methods) >= hostLimit {
		clear(a.methods)
	}
	s := string(a.mapper.AppendText(nil, method))
	if endpoint.Classify(method) == endpoint.Int || methods[s] != "" {
		return "", RefusedMethod // no method is a number, and chance must not make a real one
	}
	a.methods[string(method)] = s
	return s, 0
}
