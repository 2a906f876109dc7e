package ingest

import "bytes"

// assign stores what a column of a compiled format says; s is no time, no request line and no query.
func (p *program) assign(s *step, logged []byte, plain bool, r *Record) Reason {
	t := text(logged, plain)
	switch s.field {
	case fieldClient:
		if p.lists {
			r.Client = stripPort(t)
		} else {
			parseClients(t, r)
		}
	case fieldForwarded:
		r.Forwarded = t
	case fieldUser:
		r.User = t
	case fieldHost:
		r.Host = stripPort(t)
	case fieldMethod:
		r.Method = t
	case fieldTarget, fieldHostTarget:
		if t != nil && len(t) < len(logged) {
			r.Flags |= FlagDecoded
		}
		r.Target = t
		if slash := bytes.IndexByte(t, '/'); slash >= 0 && s.field == fieldHostTarget {
			r.Host, r.Target = stripPort(t[:slash]), t[slash:]
		}
	case fieldProtocol:
		r.Protocol = t
	case fieldReferer:
		r.Referer = t
	case fieldAgent:
		r.Agent = t
	case fieldRequestID:
		r.RequestID = t
	case fieldUpstream:
		r.Upstream, r.UpstreamUnit = t, s.unit
	case fieldHeader:
		r.addHeader(s.header, t)
	default:
		return assignNumber(s, t, r)
	}
	return Accepted
}

// assignNumber stores a column that is a number, nil when it is absent.
func assignNumber(s *step, t []byte, r *Record) Reason {
	var ok bool
	switch s.field {
	case fieldStatus:
		if t == nil {
			return Accepted
		}
		if r.Status, ok = parseStatus(t); !ok {
			return BadStatus
		}
	case fieldSize, fieldSizeZero:
		switch {
		case t != nil:
			if r.Bytes, ok = parseCount(t); !ok {
				return BadSize
			}
		case s.field == fieldSizeZero:
			r.Bytes = 0
		default:
			return Accepted
		}
		if s.headers {
			r.Flags |= FlagWithHeaders
		}
	case fieldDuration:
		if r.Duration, ok = parseDuration(t, s.unit); !ok {
			return BadDuration
		}
	}
	return Accepted
}

// joinQuery makes the target of the column before, which ends at the end of r.Target, and the query in
// line[from:to] one slice: the query moves to the left over what stands between the two.
func joinQuery(line []byte, from, to int, plain bool, r *Record) {
	query := text(line[from:to], plain)
	if len(query) > 0 && query[0] == '?' { // as Apache's %q
		query = query[1:]
	}
	if len(query) == 0 || len(r.Target) == 0 {
		return
	}
	if len(query) < to-from {
		r.Flags |= FlagDecoded
	}
	// The target's capacity reaches to the end of the line's buffer, and at least one byte of literal text
	// stands before the query.
	n := len(r.Target)
	joined := r.Target[: n+1+len(query) : n+1+len(query)]
	copy(joined[n+1:], query)
	joined[n] = '?'
	r.Target = joined
}
