package ingest

import "bytes"

// envoy parses Envoy's default access log string, and the longer one of Istio (Envoy documentation, "Access
// logging", default format string; Istio documentation, "Envoy access logs"):
//
//	[start] "method target protocol" code flags received sent duration upstream_ms
//	"forwarded list" "agent" "request id" "authority" "upstream host"
//
// Istio has details of the response, of the end of the connection and of the failure after flags, and the cluster,
// four addresses and names at the end. Envoy escapes nothing: of a column that may hold quotes the first place counts
// at which what follows can be the next columns. Client is the first address of the list, else the peer's as Istio
// logs it.
type envoy struct {
	moment Stamp
}

// Name implements Format.
func (f *envoy) Name() string { return "envoy" }

// Parse implements Format.
func (f *envoy) Parse(line []byte, r *Record) Verdict {
	r.reset()
	if len(line) < 24 || line[0] != '[' {
		return reject(BadTime, 0)
	}
	var c calendar
	size := parseISO(line[1:], &c)
	if size == 0 || c.set&hasZone == 0 {
		return reject(BadTime, 1)
	}
	ns, _ := c.instant(nil, 0) // parseISO has checked it, and it names its zone
	from := 1 + size
	if !bytes.HasPrefix(line[from:], []byte(`] "`)) {
		return reject(BadColumns, from)
	}
	from += 3
	quote, after := f.parseResult(line, from, r)
	if quote < 0 {
		return reject(BadColumns, from)
	}
	outcome := parseTriple(line[from:quote], r)
	if outcome > NoRequest {
		return reject(outcome, from)
	}
	p := f.parseNumbers(line, after, r)
	if p < 0 {
		return reject(BadColumns, after)
	}
	end := f.parseQuoted(line, p, r)
	if end < 0 {
		return reject(BadQuote, p)
	}
	if r.Client == nil {
		r.Client = peerAddress(line[end:])
	}
	r.Offset, r.Precision = c.offset, precisionOf(c.digits)
	r.setTime(ns, f.moment)
	if outcome == Accepted && r.Host == nil && r.Target[0] != '/' {
		r.Host = authority(r.Target)
	}
	return Verdict{Reason: outcome}
}

// parseResult finds the quote that ends the request, which starts at line[from], by the code and the flags behind
// it. It returns the index of the quote, or -1, and the index after the flags.
func (f *envoy) parseResult(line []byte, from int, r *Record) (quote, after int) {
	for i := requestQuote(line, from, from); i >= 0; i = requestQuote(line, from, i+1) {
		code, next, ok := proxyWord(line, i+1)
		if !ok || len(code) > 4 || !isDigits(code) {
			continue
		}
		flags, next, ok := proxyWord(line, next)
		if !ok || !isFlags(flags) {
			continue
		}
		if r.Status, ok = parseStatus(code); ok {
			return i, next
		}
	}
	return -1, 0
}

// requestQuote returns the index of the first quote from line[at] on that can end the request which starts at
// line[from], where nothing is escaped: it stands behind a protocol and before a column. -1 = there is none.
func requestQuote(line []byte, from, at int) int {
	for {
		n := bytes.Index(line[at:], []byte(`" `))
		if n < 0 {
			return -1
		}
		at += n
		if endsRequest(line[from:at]) {
			return at
		}
		at++
	}
}

// isFlags tells whether s is a list of response flags, such as "UF,URX", or "-".
func isFlags(s []byte) bool {
	if string(s) == "-" {
		return true
	}
	for _, c := range s {
		if c != ',' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return len(s) > 0 && s[0] <= 'Z'
}

// endsRequest tells whether s can be a whole request of a server that always writes method, target and protocol.
func endsRequest(s []byte) bool {
	last := s[bytes.LastIndexByte(s, ' ')+1:]
	return isAbsent(last) || bytes.HasPrefix(last, http10[:5])
}

// envoyDetails is how many columns Istio has between flags and numbers, in all its versions at most.
const envoyDetails = 3

// parseNumbers reads ` received sent duration upstream` at line[p:], or behind Istio's details, and returns the
// index after them, or -1.
func (f *envoy) parseNumbers(line []byte, p int, r *Record) int {
	for range envoyDetails + 1 {
		if next := f.parseFour(line, p, r); next > 0 {
			return next
		}
		if p+1 < len(line) && line[p+1] == '"' { // the reason of a failure, free text
			end := bytes.Index(line[p+2:], []byte(`" `))
			if end < 0 {
				return -1
			}
			p += 2 + end + 1
			continue
		}
		_, next, ok := proxyWord(line, p)
		if !ok {
			return -1
		}
		p = next
	}
	return -1
}

// parseFour reads the four numbers before a quoted column. It returns the index after them, or 0.
func (f *envoy) parseFour(line []byte, p int, r *Record) int {
	var words [4][]byte
	for i := range words {
		word, next, ok := proxyWord(line, p)
		if !ok || !isDigits(word) && string(word) != "-" {
			return 0
		}
		words[i], p = word, next
	}
	if p+1 >= len(line) || line[p+1] != '"' {
		return 0
	}
	if n, ok := parseCount(words[1]); ok {
		r.Bytes = n
	}
	if n, ok := parseCount(words[2]); ok && n <= maxDuration/1e6 {
		r.Duration = n * 1e6
	}
	if words[3][0] != '-' {
		r.Upstream, r.UpstreamUnit = words[3], 1e6
	}
	return p
}

// parseQuoted reads the five quoted columns at line[p:] and returns the index after them, or -1.
func (f *envoy) parseQuoted(line []byte, p int, r *Record) int {
	if !bytes.HasPrefix(line[p:], []byte(` "`)) {
		return -1
	}
	p += 2
	end := bytes.Index(line[p:], []byte(`" "`))
	if end < 0 {
		return -1
	}
	list := line[p : p+end]
	p += end + 3
	agent, id, host, next := f.afterAgent(line, p, isUpstream)
	if agent < 0 {
		agent, id, host, next = f.afterAgent(line, p, func([]byte) bool { return true })
	}
	if agent < 0 {
		return -1
	}
	parseClients(list, r)
	r.Agent, r.RequestID, r.Host = text(line[p:agent], true), text(id, true), stripPort(text(host, true))
	return next
}

// afterAgent finds the quote that ends the agent, which starts at line[p], or -1, by the three columns behind it. The
// last of them must be one that upstream takes. next is the index after them.
func (f *envoy) afterAgent(line []byte, p int, upstream func([]byte) bool) (agent int, id, host []byte, next int) {
	for agent = p; ; agent++ {
		n := bytes.Index(line[agent:], []byte(`" "`))
		if n < 0 {
			return -1, nil, nil, 0
		}
		agent += n
		id, next, ok := quotedWord(line, agent+2)
		if !ok {
			continue
		}
		host, next, ok := quotedWord(line, next+1)
		if !ok {
			continue
		}
		last, next, ok := quotedWord(line, next+1)
		if ok && upstream(last) {
			return agent, id, host, next
		}
	}
}

// isUpstream tells whether s looks like an upstream host: address and port, the path of a socket, or none.
func isUpstream(s []byte) bool {
	return isAbsent(s) || len(cutPort(s)) < len(s) || bytes.IndexByte(s, '/') >= 0
}

// quotedWord reads `"word"` at line[p], before a space or the end, and returns the index after it.
func quotedWord(line []byte, p int) (word []byte, next int, ok bool) {
	if p >= len(line) || line[p] != '"' {
		return nil, 0, false
	}
	end := bytes.IndexByte(line[p+1:], '"')
	if end < 0 {
		return nil, 0, false
	}
	word = line[p+1 : p+1+end]
	next = p + end + 2
	return word, next, bytes.IndexByte(word, ' ') < 0 && (next == len(line) || line[next] == ' ')
}

// peerAddress returns the client that Istio logs after the quoted columns, the fourth of six: `cluster local local
// peer:port name route`. It is nil when there are no such columns.
func peerAddress(s []byte) []byte {
	var peer []byte
	p := 0
	for i := range 6 {
		word, next, ok := proxyWord(s, p)
		if !ok {
			return nil
		}
		if i == 3 {
			peer = word
		}
		p = next
	}
	if isAbsent(peer) {
		return nil
	}
	return cutPort(peer)
}
