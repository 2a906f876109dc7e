package ingest

import "bytes"

// parseClients fills Client, and Forwarded when the column is a list as X-Forwarded-For is: the first
// address is then the client's.
func parseClients(s []byte, r *Record) {
	s = bytes.Trim(s, " ")
	if isAbsent(s) {
		return
	}
	if comma := bytes.IndexByte(s, ','); comma >= 0 {
		r.Forwarded = s
		s = bytes.TrimRight(s[:comma], " ")
	}
	r.Client = stripPort(s)
}

// isAbsent tells whether a column is the servers' way of saying nothing.
func isAbsent(s []byte) bool {
	return len(s) == 0 || len(s) == 1 && s[0] == '-' || len(s) == 2 && s[0] == '"' && s[1] == '"'
}

// stripPort returns the host of "host:port", "[v6]:port" and "[v6]". An address with several colons and
// no brackets is IPv6 and has no port; "unix:" names no host and stays.
func stripPort(s []byte) []byte {
	if len(s) > 0 && s[0] == '[' {
		if end := bytes.IndexByte(s, ']'); end > 0 {
			return s[1:end]
		}
		return s
	}
	colon := bytes.IndexByte(s, ':')
	if colon <= 0 || colon == len(s)-1 {
		return s
	}
	for _, c := range s[colon+1:] {
		if c < '0' || c > '9' {
			return s
		}
	}
	return s[:colon]
}

// cutPort returns the address of "address:port" as proxies write it, with brackets around an IPv6 address or
// without.
func cutPort(s []byte) []byte {
	if len(s) > 0 && s[0] == '[' {
		return stripPort(s)
	}
	if colon := bytes.LastIndexByte(s, ':'); colon > 0 && isDigits(s[colon+1:]) {
		return s[:colon]
	}
	return s
}
