package ingest

import "bytes"

// family is the scanner of the common log format and what grew out of it:
//
//	common          client ident user [time] "request" status size
//	combined        common "referer" "agent"
//	main            combined "forwarded list", as in nginx's sample configuration
//	vhost_common    host:port common
//	vhost_combined  host:port combined
//
// Further columns at the end are skipped. The time is the anchor: everything before it is free text in
// practice (address lists, users with spaces), everything after it is delimited.
type family struct {
	name      string
	vhost     bool // the virtual host stands first
	agent     bool // referer and agent are required
	forwarded bool // a quoted address list follows the agent
	clock     clfClock
}

// combinedFamily are the formats that begin like the common log format.
var combinedFamily = []known{
	{"ingress", "ingress-nginx", StampEnd, openIngress},
	{"main", "nginx main", StampEnd, func(FormatOptions) Format { return &family{name: "main", agent: true, forwarded: true} }},
	{"vhost_combined", "Apache vhost_combined", StampStart, func(FormatOptions) Format { return &family{name: "vhost_combined", vhost: true, agent: true} }},
	{"combined", "nginx or Apache combined", StampAuto, func(FormatOptions) Format { return &family{name: "combined", agent: true} }},
	{"vhost_common", "Apache common with the virtual host", StampStart, func(FormatOptions) Format { return &family{name: "vhost_common", vhost: true} }},
	{"common", "common", StampAuto, func(FormatOptions) Format { return &family{name: "common"} }},
}

// Name implements Format.
func (f *family) Name() string { return f.name }

// Parse implements Format.
func (f *family) Parse(line []byte, r *Record) Verdict {
	r.reset()
	if n := len(line); n > 2 && line[0] == '"' && line[n-1] == '"' { // the whole line stands in quotes of its own
		v := f.parse(line[1:n-1], r)
		if v.Column > 0 {
			v.Column++
		}
		return v
	}
	v := f.parse(line, r)
	if v.Rejected() && isServerMessage(line) {
		return Verdict{Reason: Skip}
	}
	return v
}

// parse goes through the line once. Each part has a short way for what nearly all lines look like, and the
// long way takes whatever the short one does not know; both give the same record.
func (f *family) parse(line []byte, r *Record) Verdict {
	plain := bytes.IndexByte(line, '\\') < 0
	at, whole := f.usualPrefix(line, r), true
	usual := at >= 0
	if !usual {
		if at, whole = clfAnchor(line); at < 0 {
			return reject(BadTime, len(line))
		}
	}
	sec, off, ok := f.clock.parse(line[at+1:])
	if !ok {
		return reject(BadTime, at+1)
	}
	r.Start, r.Offset = sec*1e9, off
	if !usual {
		if !whole {
			return reject(BadColumns, at+1+clfSize)
		}
		if v := f.parsePrefix(line[:at], plain, r); v.Reason != Accepted {
			return v
		}
	}
	from := at + clfSize + 4 // after `[time] "`
	quote := closingQuote(line, from, plain)
	if quote < 0 {
		return reject(BadQuote, from)
	}
	outcome := parseLoggedRequest(line[from:quote], plain, r)
	if outcome > NoRequest {
		return reject(outcome, from)
	}
	p := usualResult(line, quote+1, r)
	if p < 0 {
		var v Verdict
		if p, v = parseResult(line, quote+1, r); v.Reason != Accepted {
			return v
		}
	}
	if v := f.parseTail(line, p, plain, r); v.Reason != Accepted {
		return v
	}
	if outcome == Accepted && r.Target[0] != '/' && r.Host == nil {
		r.Host = authority(r.Target)
	}
	return Verdict{Reason: outcome}
}

// Kinds of bytes that usualPrefix knows.
const (
	wordByte  = 1 // of a host name or an address
	wordColon = 2 // before a port, or in an IPv6 address
)

var wordBytes = func() (t [256]uint8) {
	for _, c := range "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		t[c] = wordByte
	}
	t[':'] = wordColon
	return t
}()

// usualPrefix reads `client - - [` before a time and its closing `] "`, with the host in front where the
// format has one, and returns the index of the bracket; -1 for any other prefix, a wrong one too.
func (f *family) usualPrefix(line []byte, r *Record) int {
	var host []byte
	from := 0
	if f.vhost {
		if host, from = usualWord(line, 0); host == nil {
			return -1
		}
	}
	client, next := usualWord(line, from)
	if client == nil {
		return -1
	}
	const before, after = "- - [", `] "`
	rest := line[next:]
	if len(rest) < len(before)+clfSize+len(after) || string(rest[:len(before)]) != before || string(rest[len(before)+clfSize:len(before)+clfSize+len(after)]) != after {
		return -1
	}
	r.Host, r.Client = host, client
	return next + len(before) - 1
}

// usualWord returns the host name or address at line[from:], without its port, and the index after the
// space that ends it; nil when something else stands there.
func usualWord(line []byte, from int) (word []byte, next int) {
	kinds := uint8(0)
	for i := from; i < len(line); i++ {
		kind := wordBytes[line[i]]
		kinds |= kind
		if kind != 0 {
			continue
		}
		if line[i] != ' ' || i == from || line[from] == '-' {
			return nil, 0
		}
		word = line[from:i:i]
		if kinds&wordColon != 0 {
			word = stripPort(word)
		}
		return word, i + 1
	}
	return nil, 0
}

// clfAnchor finds the bracket before the time. Text that somebody smuggled in before it cannot hold a bare
// quote, so the time that a quote follows is the true one; whole is false when no quote follows any.
func clfAnchor(line []byte) (at int, whole bool) {
	first := -1
	for i := 0; ; i++ {
		n := bytes.IndexByte(line[i:], '[')
		if n < 0 {
			return first, false
		}
		i += n
		rest := line[i+1:]
		if !isCLF(rest) || len(rest) == clfSize || rest[clfSize] != ']' {
			continue
		}
		if len(rest) > clfSize+2 && rest[clfSize+1] == ' ' && rest[clfSize+2] == '"' {
			return i, true
		}
		if first < 0 {
			first = i
		}
	}
}

// parsePrefix reads host, client, ident and user from what stands before the time.
func (f *family) parsePrefix(s []byte, plain bool, r *Record) Verdict {
	if len(s) == 0 || s[len(s)-1] != ' ' {
		return reject(BadColumns, len(s))
	}
	s = s[:len(s)-1]
	pos := 0
	if f.vhost {
		sp := bytes.IndexByte(s, ' ')
		if sp < 0 {
			return reject(BadColumns, len(s))
		}
		if host := s[:sp]; !isAbsent(host) {
			r.Host = stripPort(host)
		}
		pos = sp + 1
	}
	end := clientEnd(s, pos)
	if end <= pos || f.vhost && string(s[pos:end]) == "-" {
		return reject(BadColumns, pos)
	}
	parseClients(s[pos:end], r)
	if end == len(s) {
		return reject(BadColumns, end)
	}
	ident := bytes.IndexByte(s[end+1:], ' ')
	if ident <= 0 {
		return reject(BadColumns, end+1)
	}
	from := end + ident + 2
	user, ok := parseUser(s[from:])
	if !ok {
		return reject(BadColumns, from)
	}
	r.User = text(user, plain)
	return Verdict{}
}

// clientEnd returns the end of the client column that starts at from: a word, or words that commas join.
func clientEnd(s []byte, from int) int {
	for i := from; ; {
		sp := bytes.IndexByte(s[i:], ' ')
		if sp < 0 {
			return len(s)
		}
		i += sp
		if i == from || s[i-1] != ',' {
			return i
		}
		i++
	}
}

// parseUser returns the user, nil when there is none. A user may hold spaces; what looks like the columns of
// another line (two writers that wrote into each other) is refused.
func parseUser(s []byte) (user []byte, ok bool) {
	if isAbsent(s) {
		return nil, len(s) > 0
	}
	if s[0] == '[' { // `client - [client] - user [time]`, an older ingress-nginx default
		end := bytes.Index(s, []byte("] - "))
		if end < 0 {
			return nil, false
		}
		return parseUser(s[end+4:])
	}
	if bytes.IndexByte(s, ' ') >= 0 {
		if s[0] == '-' && s[1] == ' ' || bytes.Contains(s, []byte(" - ")) {
			return nil, false
		}
	}
	if b := bytes.IndexByte(s, '['); b >= 0 && b+1 < len(s) && isDigit(s[b+1]) {
		return nil, false
	}
	return s, true
}

// usualResult reads ` status size` at line[p:] when the status has three digits and the size is a number or
// "-", and returns where the next column starts; -1 for anything else.
func usualResult(line []byte, p int, r *Record) int {
	if p+6 > len(line) || line[p] != ' ' || line[p+4] != ' ' {
		return -1
	}
	a, b, c := line[p+1]-'0', line[p+2]-'0', line[p+3]-'0'
	if a > 9 || b > 9 || c > 9 {
		return -1
	}
	r.Status = int(a)*100 + int(b)*10 + int(c)
	size, i := int64(0), p+5
	for ; i < len(line) && i < p+5+18; i++ { // 18 digits fit 63 bits
		d := line[i] - '0'
		if d > 9 {
			break
		}
		size = size*10 + int64(d)
	}
	if i == p+5 && line[i] == '-' {
		i++ // Apache's %b writes "-" for none
	} else if i == p+5 {
		return -1
	}
	if i < len(line) && line[i] != ' ' {
		return -1
	}
	r.Bytes = size
	return i
}

// parseResult reads ` status size` at line[p:] and returns where the next column starts.
func parseResult(line []byte, p int, r *Record) (int, Verdict) {
	status, next, reason := column(line, p, true)
	if reason != Accepted {
		return 0, reject(BadColumns, p)
	}
	var ok bool
	if r.Status, ok = parseStatus(status); !ok {
		return 0, reject(BadStatus, p+1)
	}
	p = next
	size, next, reason := column(line, p, true)
	if reason != Accepted || len(size) == 0 {
		return 0, reject(BadColumns, p)
	}
	if len(size) == 1 && size[0] == '-' {
		r.Bytes = 0 // Apache's %b writes "-" for none
	} else if r.Bytes, ok = parseCount(size); !ok {
		return 0, reject(BadSize, p+1)
	}
	return next, Verdict{}
}

// parseTail reads referer, agent and address list at line[p:].
func (f *family) parseTail(line []byte, p int, plain bool, r *Record) Verdict {
	if !f.agent && (p+1 >= len(line) || line[p+1] != '"') {
		return Verdict{}
	}
	referer, next, reason := column(line, p, plain)
	if reason != Accepted {
		return reject(reason, p)
	}
	agent, after, reason := column(line, next, plain)
	if reason != Accepted {
		return reject(reason, next)
	}
	r.Referer, r.Agent = text(referer, plain), text(agent, plain)
	if !f.forwarded {
		return Verdict{}
	}
	list, _, reason := column(line, after, plain)
	if reason != Accepted {
		return reject(reason, after)
	}
	if line[after+1] != '"' || !isAddressList(list) {
		return reject(BadColumns, after+1)
	}
	r.Forwarded = text(list, plain)
	return Verdict{}
}

// column reads one column after the space at line[p], quoted or up to the next space, and returns its
// bytes and the index after it.
func column(line []byte, p int, plain bool) (s []byte, next int, reason Reason) {
	if p+1 >= len(line) || line[p] != ' ' {
		return nil, 0, BadColumns
	}
	p++
	if line[p] == '"' {
		if p+2 < len(line) && line[p+1] == '-' && line[p+2] == '"' && (p+3 == len(line) || line[p+3] == ' ') {
			return nil, p + 3, Accepted // absent, as in every second line
		}
		end := closingQuote(line, p+1, plain)
		if end < 0 {
			return nil, 0, BadQuote
		}
		if end+1 < len(line) && line[end+1] != ' ' {
			return nil, 0, BadColumns
		}
		return line[p+1 : end], end + 1, Accepted
	}
	end := bytes.IndexByte(line[p:], ' ')
	if end < 0 {
		return line[p:], len(line), Accepted
	}
	return line[p : p+end], p + end, Accepted
}

// isAddressList tells whether a column can be an X-Forwarded-For list: absent, or one that begins like an
// address or with a word that proxies use for one.
func isAddressList(s []byte) bool {
	if isAbsent(s) || hexDigit(s[0]) < 16 || s[0] == ':' || s[0] == '[' {
		return true
	}
	return bytes.HasPrefix(s, []byte("unknown")) || bytes.HasPrefix(s, []byte("unix:")) || s[0] == '_'
}

// text returns a column's text: nil when absent, escapes undone in place when the line has any.
func text(s []byte, plain bool) []byte {
	if isAbsent(s) {
		return nil
	}
	if plain {
		return s
	}
	return unescape(s)
}
