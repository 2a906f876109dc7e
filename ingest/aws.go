package ingest

import "bytes"

// balancer is the access log of Amazon's load balancers, whose columns are words and quoted texts. The
// application load balancer (alb) writes
//
//	type time elb client:port target:port times(3) status target_status received sent "request" "agent"
//	cipher protocol group "trace" "domain" "certificate" rule creation_time ...
//
// in which time is the end and creation_time the start of the request, and the classic one (elb), without
// the type and what follows the protocol,
//
//	time elb client:port backend:port times(3) status backend_status received sent "request" "agent" ...
//
// with the start as its time. Columns have been added to both several times: what comes after those that
// are read is free, and from the agent on they may be missing. The request holds an absolute URI with a
// port that the balancer made of what the client sent: Host and Target are its parts. Times are seconds,
// -1 where the balancer gave up. Sources: "Access logs for your Application Load Balancer" and "Access logs
// for your Classic Load Balancer" in Amazon's documentation.
type balancer struct {
	name        string
	application bool
	stamp       Stamp // which moment time is
}

// awsFormats are the logs of Amazon's load balancers and of S3.
var awsFormats = []known{
	{"alb", "AWS application load balancer", StampStart, func(o FormatOptions) Format {
		return &balancer{name: "alb", application: true, stamp: o.Stamp.or(StampEnd)}
	}},
	{"elb", "AWS classic load balancer", StampStart, func(o FormatOptions) Format {
		return &balancer{name: "elb", stamp: o.Stamp.or(StampStart)}
	}},
	{"s3", "Amazon S3 server access log", StampStart, func(o FormatOptions) Format { return &s3{stamp: o.Stamp.or(StampStart)} }},
}

// Name implements Format.
func (f *balancer) Name() string { return f.name }

// testMessage is what a balancer writes to a new bucket, to see whether it may.
var testMessage = []byte("Enable AccessLog for ELB: ")

// Parse implements Format.
func (f *balancer) Parse(line []byte, r *Record) Verdict {
	r.reset()
	if bytes.HasPrefix(line, testMessage) {
		return Verdict{Reason: Skip}
	}
	w := words{line: line, plain: bytes.IndexByte(line, '\\') < 0}
	if f.application && !isToken(w.next()) {
		return reject(BadColumns, 0)
	}
	time, at := w.next(), w.from
	ns, ok := instantISO(time, r)
	if !ok {
		return reject(BadTime, at)
	}
	w.next() // the balancer's name
	r.Client = cutPort(text(w.next(), true))
	w.next() // the target's address
	if v := f.times(&w, r); v.Reason != Accepted {
		return v
	}
	if v := balancerResult(&w, r); v.Reason != Accepted {
		return v
	}
	request, at := w.quoted(), w.from
	if w.failed != Accepted {
		return reject(w.failed, at)
	}
	r.Agent = text(w.quoted(), w.plain)
	if w.failed == BadQuote {
		return reject(BadQuote, w.from)
	}
	r.setTime(ns, f.stamp)
	if f.application {
		f.rest(&w, ns, r)
	}
	reason := balancerRequest(request, w.plain, r)
	if reason > NoRequest {
		return reject(reason, at)
	}
	return Verdict{Reason: reason}
}

// times reads the three times that make up the duration: until the target had the request, until it
// answered, until the response was sent.
func (f *balancer) times(w *words, r *Record) Verdict {
	sum, failed := int64(0), false
	for i := range 3 {
		s := w.next()
		if i == 1 && len(s) > 0 && s[0] != '-' {
			r.Upstream, r.UpstreamUnit = s, 1e9
		}
		if len(s) > 1 && s[0] == '-' {
			s, failed = s[1:], true
		}
		ns, ok := parseSeconds(s)
		if w.failed != Accepted {
			return reject(w.failed, w.from)
		}
		if !ok {
			return reject(BadDuration, w.from)
		}
		if ns == Unknown {
			failed = true
		}
		sum += ns
	}
	if !failed {
		r.Duration = sum
	}
	return Verdict{}
}

// parseSeconds is parseDuration for seconds, with a short way for "0.017".
func parseSeconds(s []byte) (ns int64, ok bool) {
	if len(s) > 2 && s[1] == '.' && isDigit(s[0]) {
		if nanos, size := fraction(s[2:]); size == len(s)-2 {
			return int64(s[0]-'0')*1e9 + nanos, true
		}
	}
	return parseDuration(s, 1e9)
}

// balancerResult reads both statuses and both sizes. The status is the one that the client got.
func balancerResult(w *words, r *Record) Verdict {
	var ok bool
	if r.Status, ok = parseStatus(w.next()); !ok {
		return reject(w.or(BadStatus), w.from)
	}
	if _, ok = parseStatus(w.next()); !ok {
		return reject(w.or(BadStatus), w.from)
	}
	if s := w.next(); !isAbsent(s) {
		if _, ok = parseCount(s); !ok {
			return reject(BadSize, w.from)
		}
	}
	if s := w.next(); !isAbsent(s) {
		if r.Bytes, ok = parseCount(s); !ok {
			return reject(BadSize, w.from)
		}
	}
	return Verdict{}
}

// rest reads what an application load balancer writes after the agent, as far as it goes. Where a request
// was given up, its duration is the time from creation_time to time, the end.
func (f *balancer) rest(w *words, end int64, r *Record) {
	r.Flags |= FlagWithHeaders
	w.next() // cipher
	w.next() // TLS version
	w.next() // target group
	trace, domain := w.quoted(), w.quoted()
	w.quoted() // certificate
	w.next()   // rule
	created := w.next()
	r.RequestID, r.Host = text(trace, w.plain), text(domain, w.plain)
	if w.failed != Accepted {
		return
	}
	start, ok := instantISO(created, r)
	if !ok {
		return
	}
	r.Start, r.Origin = start, OriginLogged
	if r.Duration == Unknown && f.stamp == StampEnd && end >= start {
		r.Duration = end - start
	}
}

// balancerRequest reads `GET https://host:port/path HTTP/1.1`. What the balancer could not read it writes
// as "- http://host:port- -", and a connection without HTTP as "- - -".
func balancerRequest(s []byte, plain bool, r *Record) Reason {
	if len(s) > 1 && s[0] == '-' && s[1] == ' ' {
		return NoRequest
	}
	domain := r.Host
	reason := parseLoggedRequest(bytes.TrimRight(s, " "), plain, r)
	if reason != Accepted {
		return reason
	}
	if r.Host, r.Target = splitURL(r.Target); len(r.Host) == 0 {
		r.Host = domain
	}
	return Accepted
}

// instantISO reads a whole column as an ISO 8601 time and notes its precision and zone.
func instantISO(s []byte, r *Record) (ns int64, ok bool) {
	var c calendar
	if n := parseISO(s, &c); n == 0 || n != len(s) {
		return 0, false
	}
	r.Precision, r.Offset = precisionOf(c.digits), c.offset
	return c.instant(nil, 0)
}
