package ingest

import "bytes"

// s3 is the server access log of Amazon S3:
//
//	owner bucket [time] client requester request_id operation key "request" status error sent size
//	total_ms turnaround_ms "referer" "agent" version host_id signature cipher authentication host ...
//
// The time is when the request arrived. Columns get appended: what comes after the host is free, and after
// the agent all may be missing. Quotes are not escaped, so the request ends where a status follows, the
// agent at the last quote. What was not a client's request (expiry, batches, copies) has "-" for one. The
// key, encoded once more, is not read: the request holds what the client sent. "-" for the bytes sent is
// zero. Source: "Amazon S3 server access log format" in Amazon's documentation.
type s3 struct {
	clock clfClock
	stamp Stamp
}

// Name implements Format.
func (f *s3) Name() string { return "s3" }

// Parse implements Format.
func (f *s3) Parse(line []byte, r *Record) Verdict {
	r.reset()
	w := words{line: line, plain: true}
	w.next() // owner
	w.next() // bucket
	if w.failed != Accepted {
		return reject(w.failed, w.from)
	}
	if w.at >= len(line) || line[w.at] != '[' {
		return reject(BadTime, min(w.at, len(line)))
	}
	sec, offset, ok := f.clock.parse(line[w.at+1:])
	if !ok {
		return reject(BadTime, w.at+1)
	}
	w.at += 1 + clfSize
	if !bytes.HasPrefix(line[w.at:], []byte("] ")) {
		return reject(BadColumns, w.at)
	}
	w.at += 2
	client, user, id := w.next(), w.next(), w.next()
	w.next() // operation
	w.next() // key
	request, v := s3Request(&w)
	if v.Reason != Accepted {
		return v
	}
	at := w.from
	r.Offset = offset
	if v := s3Result(&w, r); v.Reason != Accepted {
		return v
	}
	r.setTime(sec*1e9, f.stamp)
	if !isAbsent(client) {
		r.Client = stripPort(client)
	}
	r.User, r.RequestID = text(user, true), text(id, true)
	if v := s3Headers(&w, r); v.Reason != Accepted {
		return v
	}
	reason := parseLoggedRequest(request, true, r)
	if reason > NoRequest {
		return reject(reason, at)
	}
	if reason == Accepted && r.Host == nil && r.Target[0] != '/' {
		r.Host = authority(r.Target)
	}
	return Verdict{Reason: reason}
}

// s3Request returns the text of the request column, which ends at the first quote that a status follows.
func s3Request(w *words) (request []byte, v Verdict) {
	if w.at >= len(w.line) || w.line[w.at] != '"' {
		request = w.next()
		if w.failed != Accepted || !isAbsent(request) {
			return nil, reject(w.or(BadColumns), w.from)
		}
		return request, Verdict{}
	}
	if w.failed != Accepted {
		return nil, reject(w.failed, w.from)
	}
	w.from = w.at + 1
	for i := w.from; ; i++ {
		n := bytes.IndexByte(w.line[i:], '"')
		if n < 0 {
			return nil, reject(BadQuote, w.from)
		}
		i += n
		if rest := w.line[i+1:]; startsWithStatus(rest) {
			w.at = i + 2
			return w.line[w.from:i], Verdict{}
		}
	}
}

// startsWithStatus tells whether ` 200 ` or ` - ` stands at the start of s.
func startsWithStatus(s []byte) bool {
	if len(s) < 3 || s[0] != ' ' {
		return false
	}
	if s[1] == '-' {
		return s[2] == ' '
	}
	return len(s) > 4 && isDigit(s[1]) && isDigit(s[2]) && isDigit(s[3]) && s[4] == ' '
}

// s3Result reads status, error, sizes and times.
func s3Result(w *words, r *Record) Verdict {
	var ok bool
	if r.Status, ok = parseStatus(w.next()); !ok {
		return reject(w.or(BadStatus), w.from)
	}
	w.next() // error
	r.Bytes = 0
	if s := w.next(); !isAbsent(s) {
		if r.Bytes, ok = parseCount(s); !ok {
			return reject(BadSize, w.from)
		}
	}
	if s := w.next(); !isAbsent(s) {
		if _, ok = parseCount(s); !ok {
			return reject(BadSize, w.from)
		}
	}
	if r.Duration, ok = parseDuration(w.next(), 1e6); !ok {
		return reject(BadDuration, w.from)
	}
	if _, ok = parseDuration(w.next(), 1e6); !ok {
		return reject(BadDuration, w.from)
	}
	if w.failed != Accepted {
		return reject(w.failed, w.from)
	}
	return Verdict{}
}

// s3Headers reads referer, agent and, six columns on, the host.
func s3Headers(w *words, r *Record) Verdict {
	line, from := w.line, w.at
	if from >= len(line) || line[from] != '"' {
		referer, agent := w.next(), w.next()
		if w.failed != Accepted || !isAbsent(referer) || !isAbsent(agent) {
			return reject(w.or(BadColumns), w.from)
		}
	} else {
		from++
		last := bytes.LastIndexByte(line, '"')
		middle := bytes.Index(line[from:], []byte(`" "`))
		if middle < 0 || last < from+middle+3 {
			return reject(BadQuote, from)
		}
		if last+1 < len(line) && line[last+1] != ' ' {
			return reject(BadColumns, last+1)
		}
		r.Referer = text(line[from:from+middle], true)
		r.Agent = text(line[from+middle+3:last], true)
		w.at = last + 2
	}
	for range 5 { // version, host id, signature, cipher, authentication
		w.next()
	}
	if host := w.next(); !isAbsent(host) {
		r.Host = stripPort(host)
	}
	return Verdict{}
}
