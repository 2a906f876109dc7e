package ingest

import "bytes"

// record fills r from the slots of the line.
func (f *jsonFormat) record(r *Record) Verdict {
	if !f.fits() {
		for _, m := range f.message {
			if f.marks&m == m {
				return Verdict{Reason: Skip}
			}
		}
		return reject(BadColumns, len(f.line))
	}
	if f.handled != "" && f.has(jsonMessage) && string(f.text(jsonMessage)) != f.handled {
		return Verdict{Reason: Skip} // an error of a request that has an access line too
	}
	if f.has(jsonPath) && f.has(jsonQuery) {
		f.joinQuery()
	}
	f.people(r)
	if v := f.numbers(r); v.Reason != Accepted {
		return v
	}
	if v := f.when(r); v.Reason != Accepted {
		return v
	}
	reason, field := f.request(r)
	if reason > NoRequest {
		return reject(reason, f.slots[field].from)
	}
	return Verdict{Reason: reason}
}

// fits tells whether the line has the keys of the format.
func (f *jsonFormat) fits() bool {
	if f.marks&f.need != f.need || f.seen&jsonTimes == 0 {
		return false
	}
	if f.need != 0 || f.seen&(1<<jsonRequest) != 0 {
		return true
	}
	if f.seen&(1<<jsonMethod) == 0 {
		return bytes.IndexByte(f.text(jsonURL), ' ') >= 0 // a request line
	}
	return f.seen&jsonTargets != 0
}

func (f *jsonFormat) has(field jsonField) bool { return f.filled&(1<<field) != 0 }

// text returns the value of a field, nil when it has none.
func (f *jsonFormat) text(field jsonField) []byte {
	if f.filled&(1<<field) == 0 {
		return nil
	}
	s := &f.slots[field]
	return f.line[s.from:s.to]
}

// people fills who asked whom.
func (f *jsonFormat) people(r *Record) {
	r.Forwarded = f.text(jsonForwarded)
	if f.has(jsonClient) {
		list := r.Forwarded
		parseClients(f.text(jsonClient), r)
		if list != nil {
			r.Forwarded = list
		}
	} else if r.Forwarded != nil {
		list := r.Forwarded
		parseClients(list, r)
		r.Forwarded = list
	}
	r.User = f.text(jsonUser)
	if f.has(jsonHost) {
		r.Host = stripPort(f.text(jsonHost))
	}
	r.Referer, r.Agent, r.RequestID = f.text(jsonReferer), f.text(jsonAgent), f.text(jsonID)
	if f.filled>>jsonHeaders != 0 {
		for i, name := range f.headers {
			if value := f.text(jsonHeaders + jsonField(i)); string(value) != redacted {
				r.addHeader(name, value)
			}
		}
	}
}

// redacted is what Caddy and others write for Cookie and Authorization.
const redacted = "REDACTED"

// numbers fills status, size and durations.
func (f *jsonFormat) numbers(r *Record) Verdict {
	if f.has(jsonStatus) {
		t := f.text(jsonStatus)
		status, ok := parseStatus(t)
		if !ok {
			var n int64
			if n, ok = parseWhole(t); n > 9999 {
				ok = false
			}
			status = int(max(n, 0))
		}
		if !ok {
			return reject(BadStatus, f.slots[jsonStatus].from)
		}
		r.Status = status
	}
	if f.has(jsonBytes) {
		s := &f.slots[jsonBytes]
		n, ok := parseWhole(f.text(jsonBytes))
		if !ok {
			return reject(BadSize, s.from)
		}
		if r.Bytes = n; s.column.total {
			r.Flags |= FlagWithHeaders
		}
	}
	if f.has(jsonDuration) {
		s := &f.slots[jsonDuration]
		t, unit := f.text(jsonDuration), s.column.unit
		if s.column.float && len(t) > 5 && bytes.IndexByte(t, '.') < 0 {
			unit = 1 // nobody waits for 100,000 whole seconds
		}
		ns, ok := parseSpan(t, unit)
		if !ok {
			return reject(BadDuration, s.from)
		}
		r.Duration = ns
	}
	if f.has(jsonUpstream) {
		r.Upstream, r.UpstreamUnit = f.text(jsonUpstream), f.slots[jsonUpstream].column.unit
	}
	return Verdict{}
}

// when fills the start. A logged start goes before a time, and a time before an end.
func (f *jsonFormat) when(r *Record) Verdict {
	field, stamp := jsonStart, StampStart
	switch {
	case f.has(jsonStart):
	case f.has(jsonTime):
		field, stamp = jsonTime, f.stamp
	case f.has(jsonEnd):
		field, stamp = jsonEnd, StampEnd
	default:
		return reject(BadTime, len(f.line))
	}
	s := &f.slots[field]
	m, ok := f.read(f.text(field), s.column.kind)
	if !ok {
		return reject(BadTime, s.from)
	}
	r.Offset, r.Precision = m.offset, m.precision
	if field == jsonStart && r.Duration == Unknown && f.has(jsonEnd) {
		end, ok := f.read(f.text(jsonEnd), f.slots[jsonEnd].column.kind)
		if !ok {
			return reject(BadTime, f.slots[jsonEnd].from)
		}
		// Whole seconds say too little about how long it took.
		if m.precision > PrecisionSecond && end.precision > PrecisionSecond && end.ns >= m.ns {
			r.Duration = end.ns - m.ns
		}
		r.setTime(m.ns, StampStart)
	} else {
		if f.fixed {
			stamp = f.stamp
		}
		r.setTime(m.ns, stamp)
	}
	f.last = r.Start
	return Verdict{}
}

// request fills the request from the best of its notations and returns the field that a fault is in. A request
// line goes before parts: those can be what the server made of it ($uri of nginx).
func (f *jsonFormat) request(r *Record) (Reason, jsonField) {
	line, at := f.text(jsonRequest), jsonRequest
	if line == nil && !f.has(jsonMethod) {
		if url := f.text(jsonURL); bytes.IndexByte(url, ' ') >= 0 {
			line, at = url, jsonURL
		}
	}
	if line != nil && (bytes.IndexByte(line, ' ') >= 0 || !f.has(jsonMethod)) {
		reason := parseRequest(line, r)
		if reason == Accepted {
			f.finishTarget(at, r)
		}
		return reason, at
	}
	r.Method, at = f.text(jsonMethod), jsonMethod
	switch {
	case line != nil: // a target of that name
		r.Target, at = line, jsonRequest
	case f.has(jsonTarget):
		r.Target, at = f.text(jsonTarget), jsonTarget
	case f.has(jsonURL):
		r.Target, at = f.text(jsonURL), jsonURL
		host, target := splitURL(r.Target)
		if r.Target = target; r.Host == nil {
			r.Host = host
		}
	case f.has(jsonPath):
		r.Target, at = f.text(jsonPath), jsonPath
	case string(r.Method) == "CONNECT":
		r.Target, at = f.text(jsonHost), jsonHost // all there is of its target (RFC 9110 section 9.3.6)
	}
	r.Protocol = protocolName(f.text(jsonProtocol))
	reason := splitRequest(r)
	if reason == BadRequestLine && !isToken(r.Method) {
		at = jsonMethod
	}
	if reason == Accepted {
		f.finishTarget(at, r)
	}
	return reason, at
}

// finishTarget completes a request whose target stood in field.
func (f *jsonFormat) finishTarget(field jsonField, r *Record) {
	if f.slots[field].decoded {
		r.Flags |= FlagDecoded
	}
	if r.Host == nil && r.Target[0] != '/' {
		r.Host = authority(r.Target)
	}
}

// bareProtocols are the protocols of servers that write no more than a version.
var bareProtocols = []struct {
	version string
	name    []byte
}{{"1.1", []byte("HTTP/1.1")}, {"2.0", []byte("HTTP/2.0")}, {"2", []byte("HTTP/2.0")}, {"1.0", http10}, {"3.0", []byte("HTTP/3.0")}, {"3", []byte("HTTP/3.0")}}

// protocolName completes a version without a name.
func protocolName(s []byte) []byte {
	if len(s) > 3 {
		return s
	}
	for i := range bareProtocols {
		if string(s) == bareProtocols[i].version {
			return bareProtocols[i].name
		}
	}
	return s
}

// joinQuery makes a target of path and query, which stand apart in the line: the text between them changes places
// with the one that comes later.
func (f *jsonFormat) joinQuery() {
	p, q := &f.slots[jsonPath], &f.slots[jsonQuery]
	if p.from < q.to && q.from < p.to || bytes.IndexByte(f.line[p.from:p.to], '?') >= 0 {
		return // one value for both, or a path that has its query
	}
	from := q.from
	if f.line[from] != '?' {
		from-- // the quote, colon or blank before a value is nobody's
		f.line[from] = '?'
	}
	size := p.to - p.from + q.to - from
	low, middle, high := p.to, from, q.to
	if q.from < p.from {
		low, middle, high = from, p.from, p.to
	}
	rotate(f.line[low:high], middle-low)
	for i := range f.slots[:int(jsonHeaders)+len(f.headers)] {
		s := &f.slots[i]
		switch {
		case f.filled&(1<<i) == 0 || s.from < low || s.to > high:
		case s.from >= middle:
			s.from, s.to = s.from-(middle-low), s.to-(middle-low)
		default:
			s.from, s.to = s.from+(high-middle), s.to+(high-middle)
		}
	}
	p.to = p.from + size
	p.decoded = p.decoded || q.decoded
}

// rotate exchanges s[:n] and s[n:] in place.
func rotate(s []byte, n int) {
	reverse(s[:n])
	reverse(s[n:])
	reverse(s)
}

func reverse(s []byte) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}
