package ingest

import "bytes"

// traefik parses the common log format of Traefik (pkg/middlewares/accesslog/logger_formatters.go):
//
//	client - user [time] "method target protocol" status size "referer" "agent" count "router" "url" Nms
//
// The time is the start of the request. Traefik escapes nothing, so an agent may hold what looks like the columns
// after it. Router and url come from the configuration: they are found from the right. Of what stands between,
// the request ends at the first quote behind a protocol that a status and a size follow, the referer at the first quote before a
// quoted column.
type traefik struct {
	head   family // of what stands before the time
	moment Stamp
}

func newTraefik(o FormatOptions) *traefik {
	return &traefik{head: family{name: "traefik"}, moment: o.Stamp.or(StampStart)}
}

// Name implements Format.
func (f *traefik) Name() string { return "traefik" }

// Parse implements Format.
func (f *traefik) Parse(line []byte, r *Record) Verdict {
	r.reset()
	at, whole := clfAnchor(line)
	if at < 0 {
		return reject(BadTime, len(line))
	}
	sec, off, ok := f.head.clock.parse(line[at+1:])
	if !ok {
		return reject(BadTime, at+1)
	}
	if !whole {
		return reject(BadColumns, at+1+clfSize)
	}
	if v := f.head.parsePrefix(line[:at], true, r); v.Reason != Accepted {
		return v
	}
	from := at + clfSize + 4 // after `[time] "`
	quote, after := f.parseResult(line, from, r)
	if quote < 0 {
		return reject(BadColumns, from)
	}
	outcome := parseTriple(line[from:quote], r)
	if outcome > NoRequest {
		return reject(outcome, from)
	}
	tail, ok := f.parseTail(line[after:], r)
	if !ok {
		return reject(BadColumns, after)
	}
	if !f.parseAgent(line[after:after+tail], r) {
		return reject(BadColumns, after)
	}
	r.Offset = off
	r.setTime(sec*1e9, f.moment)
	if outcome == Accepted {
		r.splitTarget()
	}
	return Verdict{Reason: outcome}
}

// parseResult finds the quote that ends the request, which starts at line[from], and reads status and size behind
// it. It returns the index of the quote, or -1, and the index after the size.
func (f *traefik) parseResult(line []byte, from int, r *Record) (quote, after int) {
	for i := requestQuote(line, from, from); i >= 0; i = requestQuote(line, from, i+1) {
		status, next, ok := proxyWord(line, i+1)
		if !ok || !isDigits(status) && string(status) != "-" {
			continue
		}
		size, next, ok := proxyWord(line, next)
		if !ok || next == len(line) {
			continue
		}
		if r.Status, ok = parseStatus(status); ok && string(size) != "-" {
			r.Bytes, ok = parseCount(size)
		}
		if ok {
			return i, next
		}
	}
	return -1, 0
}

// parseTail reads ` count "router" "url" Nms` at the end of s and returns where it begins.
func (f *traefik) parseTail(s []byte, r *Record) (at int, ok bool) {
	sp := bytes.LastIndexByte(s, ' ')
	if sp < 0 || !bytes.HasSuffix(s, []byte("ms")) {
		return 0, false
	}
	millis, ok := parseCount(s[sp+1 : len(s)-2])
	if !ok || millis > maxDuration/1e6 {
		return 0, false
	}
	r.Duration = millis * 1e6
	for range 2 {
		if sp = columnBefore(s[:sp]); sp < 0 {
			return 0, false
		}
	}
	at = bytes.LastIndexByte(s[:sp], ' ')
	return at, at >= 0 && (isDigits(s[at+1:sp]) || string(s[at+1:sp]) == "-")
}

// columnBefore returns the index of the space before the last column of s, which is quoted, or "-" and the space
// before it. -1 = there is none.
func columnBefore(s []byte) int {
	if bytes.HasSuffix(s, []byte(" -")) {
		return len(s) - 2
	}
	if n := len(s); n > 2 && s[n-1] == '"' {
		return bytes.LastIndex(s[:n-1], []byte(` "`))
	}
	return -1
}

// parseAgent reads ` "referer" "agent"`, which is all of s.
func (f *traefik) parseAgent(s []byte, r *Record) bool {
	if bytes.HasPrefix(s, []byte(" - ")) { // as in versions that quote nothing that is absent
		s = s[2:]
	} else {
		if !bytes.HasPrefix(s, []byte(` "`)) {
			return false
		}
		end := bytes.Index(s[2:], []byte(`" `))
		if end < 0 {
			return false
		}
		for !isColumnStart(s[2+end+2:]) {
			n := bytes.Index(s[2+end+1:], []byte(`" `))
			if n < 0 {
				return false
			}
			end += 1 + n
		}
		r.Referer = text(s[2:2+end], true)
		s = s[2+end+1:]
	}
	if string(s) == " -" {
		return true
	}
	if n := len(s); n < 3 || s[0] != ' ' || s[1] != '"' || s[n-1] != '"' {
		return false
	}
	r.Agent = text(s[2:len(s)-1], true)
	return true
}

// isColumnStart tells whether a quoted column starts s, or s is an absent one.
func isColumnStart(s []byte) bool { return len(s) > 1 && s[0] == '"' || string(s) == "-" }

// parseTriple is parseRequest for servers that write method, target and protocol each as "-" when they have none.
func parseTriple(s []byte, r *Record) Reason {
	if bytes.HasPrefix(s, []byte("- ")) {
		return NoRequest
	}
	return parseLoggedRequest(s, true, r)
}
