package ingest

import (
	"bytes"
)

// proxyFormats are the text formats of proxies.
var proxyFormats = []known{
	{"haproxy", "HAProxy httplog", StampStart, func(o FormatOptions) Format { return newHAProxy(o) }},
	{"envoy", "Envoy text", StampStart, func(o FormatOptions) Format { return &envoy{moment: o.Stamp.or(StampStart)} }},
	{"traefik", "Traefik common log format", StampStart, func(o FormatOptions) Format { return newTraefik(o) }},
	{"caddy_console", "Caddy console", StampEnd, openCaddyConsole},
}

// haproxy parses what HAProxy's `option httplog` writes, from 1.4 to 3.x, and `option httpslog`, whose further
// columns at the end are skipped (HAProxy configuration manual, section 8.2.3 and 8.2.5):
//
//	client:port [date.ms] frontend~ backend/server TR/Tw/Tc/Tr/Ta status bytes reqcookie rescookie state
//	actconn/feconn/beconn/srvconn/retries srvqueue/backendqueue {request headers} {response headers} "request"
//
// A syslog prefix may stand before it. The date is the start of the request, since 1.7 of its first byte;
// before, it is the moment of the accept, or of the end of the request before on the same connection. It names
// no zone. With `option logasap` time and bytes have a plus sign and are what was known when the response
// began: lower bounds. What the captured headers are is known to the configuration only, so they are skipped.
type haproxy struct {
	clock  wallClock
	moment Stamp
}

func newHAProxy(o FormatOptions) *haproxy {
	return &haproxy{clock: wallClock{loc: o.Location}, moment: o.Stamp.or(StampStart)}
}

// Name implements Format.
func (f *haproxy) Name() string { return "haproxy" }

// Parse implements Format.
func (f *haproxy) Parse(line []byte, r *Record) Verdict {
	r.reset()
	at := f.anchor(line)
	if at < 0 {
		if isProxyMessage(line) {
			return Verdict{Reason: Skip}
		}
		return reject(BadTime, 0)
	}
	nanos, digits, size, ok := f.clock.read(line[at+2:])
	if !ok {
		return reject(BadTime, at+2)
	}
	p := at + 2 + size + 1 // after the bracket
	from := bytes.LastIndexByte(line[:at], ' ') + 1
	if from > 0 && (from < 2 || line[from-2] != ':') {
		return reject(BadColumns, 0) // the words before the client are no syslog prefix
	}
	r.Client = cutPort(line[from:at])
	outcome, v := f.parseColumns(line, p, r)
	if v.Reason > Skip {
		return v
	}
	ns, off := f.clock.instant(nanos, r.Duration, f.moment)
	r.Offset, r.Precision = off, precisionOf(digits)
	r.setTime(ns, f.moment)
	return Verdict{Reason: outcome}
}

// anchor returns the index of the space before the bracket of the date, or -1.
func (f *haproxy) anchor(line []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(line[i:], '[')
		if n < 0 {
			return -1
		}
		if i += n; i > 1 && line[i-1] == ' ' && isWallTime(line[i+1:]) {
			return i - 1
		}
	}
}

// parseColumns reads what stands after the date. A line of a connection that carried no request is told by
// its columns: `frontend/bind: message`, or the three timers of `option tcplog`.
func (f *haproxy) parseColumns(line []byte, p int, r *Record) (Reason, Verdict) {
	frontend, p, ok := proxyWord(line, p)
	if !ok {
		return 0, reject(BadColumns, p)
	}
	if frontend[len(frontend)-1] == ':' {
		return NoRequest, Verdict{}
	}
	backend, p, ok := proxyWord(line, p)
	if !ok || bytes.IndexByte(backend, '/') < 0 {
		return 0, reject(BadColumns, p)
	}
	timers, next, ok := proxyWord(line, p)
	if !ok {
		return 0, reject(BadColumns, p)
	}
	n, ok := f.parseTimers(timers, r)
	if !ok {
		return 0, reject(BadDuration, p+1)
	}
	p = next
	if n != 3 {
		status, next, ok := proxyWord(line, p)
		if !ok {
			return 0, reject(BadColumns, p)
		}
		if r.Status, ok = parseStatus(status); !ok {
			return 0, reject(BadStatus, p+1)
		}
		p = next
	}
	size, next, ok := proxyWord(line, p)
	if !ok {
		return 0, reject(BadColumns, p)
	}
	if r.Bytes, ok = parseCount(size); !ok {
		return 0, reject(BadSize, p+1)
	}
	r.Flags |= FlagWithHeaders
	if n == 3 {
		return NoRequest, Verdict{}
	}
	if p = afterQueues(line, next); p < 0 {
		return 0, reject(BadColumns, next)
	}
	return f.parseQuoted(line, p, r)
}

// parseTimers reads "TR/Tw/Tc/Tr/Ta" or tcplog's "Tw/Tc/Tt", in milliseconds, -1 where a phase was not
// reached, and returns how many there are.
func (f *haproxy) parseTimers(s []byte, r *Record) (n int, ok bool) {
	var before []byte
	for {
		slash := bytes.IndexByte(s, '/')
		n++
		if slash < 0 {
			break
		}
		if !isTimer(s[:slash]) {
			return 0, false
		}
		before, s = s[:slash], s[slash+1:]
	}
	if n != 5 && n != 3 {
		return 0, false
	}
	total, ok := parseCount(s)
	if !ok || total > maxDuration/1e6 {
		return 0, false
	}
	r.Duration = total * 1e6
	if n == 5 && before[0] != '-' {
		r.Upstream, r.UpstreamUnit = before, 1e6
	}
	return n, true
}

func isTimer(s []byte) bool {
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return isDigits(s)
}

func isDigits(s []byte) bool {
	for _, c := range s {
		if !isDigit(c) {
			return false
		}
	}
	return len(s) > 0
}

// afterQueues returns the index after `cookie cookie state n/n/n/n/n n/n`, which starts at line[p], or -1.
// Captured cookies are logged raw and may hold spaces, so the three columns after them are looked for.
func afterQueues(line []byte, p int) int {
	for words := 0; ; words++ {
		word, next, ok := proxyWord(line, p)
		if !ok {
			return -1
		}
		p = next
		if words < 2 || len(word) != 4 || isDigit(word[0]) {
			continue
		}
		counts, next, ok := proxyWord(line, p)
		if !ok || !isCounts(counts, 4) {
			continue
		}
		queues, next, ok := proxyWord(line, next)
		if ok && isCounts(queues, 1) {
			return next
		}
	}
}

// isCounts tells whether s is numbers with so many slashes between them. The retries have a plus sign after
// a redispatch.
func isCounts(s []byte, slashes int) bool {
	for _, c := range s {
		if c == '/' {
			slashes--
		} else if !isDigit(c) && c != '+' && c != '-' {
			return false
		}
	}
	return slashes == 0
}

// parseQuoted reads the request after the captured headers, in both of which HAProxy writes quotes, number
// signs, control bytes and bytes above 126 as #XX. A line cut at the syslog limit (1,024 bytes unless `log ...
// len` says otherwise) lacks the closing quote, and mostly the end of the target.
func (f *haproxy) parseQuoted(line []byte, p int, r *Record) (Reason, Verdict) {
	quote := bytes.IndexByte(line[p:], '"')
	if quote < 0 {
		return 0, reject(BadColumns, len(line))
	}
	from := p + quote + 1
	end := bytes.IndexByte(line[from:], '"')
	var outcome Reason
	if end < 0 {
		if outcome = parseCutRequest(line[from:], r); outcome != Accepted {
			return 0, reject(BadQuote, from)
		}
	} else if outcome = parseLoggedRequest(undoNumberSigns(line[from:from+end], r), true, r); outcome > NoRequest {
		return 0, reject(outcome, from)
	}
	if outcome == Accepted {
		r.splitTarget()
	}
	return outcome, Verdict{}
}

// parseCutRequest reads a request whose end is missing.
func parseCutRequest(s []byte, r *Record) Reason {
	if n := len(s); n > 0 && s[n-1] == '#' {
		s = s[:n-1] // the rest of an escape is gone
	} else if n > 1 && s[n-2] == '#' {
		s = s[:n-2]
	}
	if outcome := parseRequest(undoNumberSigns(s, r), r); outcome != Accepted {
		return outcome
	}
	if sp := bytes.LastIndexByte(r.Target, ' '); sp > 0 && bytes.HasPrefix(http10, r.Target[sp+1:]) {
		r.Target = r.Target[:sp] // only the protocol is cut
	}
	if len(r.Protocol) < len(http10) {
		r.Protocol = http10 // its version is cut
	}
	r.Flags |= FlagTruncated
	return Accepted
}

// undoNumberSigns decodes #XX in place and notes it in r.
func undoNumberSigns(s []byte, r *Record) []byte {
	t := undoHex(s, '#', "")
	if len(t) < len(s) {
		r.Flags |= FlagDecoded
	}
	return t
}

// proxyWord returns the word after the space at line[p] and the index after it. Without one, ok is false and
// next is p.
func proxyWord(line []byte, p int) (word []byte, next int, ok bool) {
	if p+1 >= len(line) || line[p] != ' ' || line[p+1] == ' ' {
		return nil, p, false
	}
	p++
	if sp := bytes.IndexByte(line[p:], ' '); sp >= 0 {
		return line[p : p+sp], p + sp, true
	}
	return line[p:], len(line), true
}

// proxyMessages begin the messages of the HAProxy process that stand between its access lines.
var proxyMessages = [][]byte{
	[]byte("Proxy "), []byte("Server "), []byte("Backup Server "), []byte("Health check "), []byte("backend "), []byte("Backend "), []byte("Stopping "),
	[]byte("Pausing "), []byte("Enabling "), []byte("Resuming "), []byte("Connect from "), []byte("Loading "), []byte("Reexecuting "),
}

// isProxyMessage tells a message of the process: a known beginning after its syslog tag, or
// `[WARNING] (pid) : ` as it writes to the standard error.
func isProxyMessage(line []byte) bool {
	if tag := bytes.Index(line, []byte("haproxy[")); tag >= 0 {
		if end := bytes.Index(line[tag:], []byte("]: ")); end >= 0 {
			line = line[tag+end+3:]
		}
	}
	if len(line) > 0 && line[0] == '[' {
		end := bytes.IndexByte(line, ']')
		pid := bytes.IndexByte(line, '(')
		return end > 0 && pid > end && pid < end+16 && bytes.HasPrefix(bytes.TrimLeft(line[pid+1:], "0123456789"), []byte(") : "))
	}
	for _, m := range proxyMessages {
		if bytes.HasPrefix(line, m) {
			return true
		}
	}
	return false
}
