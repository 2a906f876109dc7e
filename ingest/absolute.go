package ingest

import "bytes"

// schemeEnd returns the index after "scheme://" where s begins so, else 0.
func schemeEnd(s []byte) int {
	i := bytes.Index(s, []byte("://"))
	if i <= 0 || !isToken(s[:i]) {
		return 0
	}
	return i + 3
}

// authority returns the host of an absolute-form target (RFC 9112 section 3.2.2), without user, port or brackets.
func authority(target []byte) []byte {
	from := schemeEnd(target)
	if from == 0 {
		return nil
	}
	host := target[from:]
	if end := bytes.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	return bareHost(host)
}

// bareHost returns an authority without user, port or brackets.
func bareHost(s []byte) []byte { return stripPort(s[bytes.LastIndexByte(s, '@')+1:]) }

// splitURL cuts an absolute URL into its host and the target that the client sent to it, both byte-exact; host is nil,
// and target all of s, when it is none. Where the path is empty the client sent "/" (RFC 9112 section 3.2.1): the
// authority then moves back over one of the slashes before it, in place.
func splitURL(s []byte) (host, target []byte) {
	from := schemeEnd(s)
	if from == 0 {
		return nil, s
	}
	end := len(s)
	if n := bytes.IndexAny(s[from:], "/?#"); n >= 0 {
		end = from + n
	}
	if end == len(s) || s[end] != '/' {
		copy(s[from-1:], s[from:end])
		s[end-1] = '/'
		from, end = from-1, end-1
	}
	return bareHost(s[from:end]), s[end:]
}

// splitTarget fills Host from an absolute target. In HTTP/2 and later the client sent authority and path apart (RFC
// 9113 section 8.3.1), and proxies that log both as one have put them together: the target is then the path.
func (r *Record) splitTarget() {
	switch {
	case r.Target[0] == '/':
	case len(r.Protocol) > 5 && r.Protocol[5] >= '2':
		r.Host, r.Target = splitURL(r.Target)
	default:
		r.Host = authority(r.Target)
	}
}
