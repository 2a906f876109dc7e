package ingest

import "bytes"

// edgeBytes are the visible bytes that CloudFront percent-encodes in its log and that clients send raw in a
// target, "%" among them. "#" is left out: it ends a target.
const edgeBytes = "%\"<>{}|\\^~[]`'"

// unquote undoes one layer of percent-encoding, in place. An escape that is none stays as it is.
func unquote(s []byte) []byte { return undoHex(s, '%', "") }

// unquoteTarget undoes what CloudFront did to a target, in place.
func unquoteTarget(s []byte, r *Record) []byte {
	t := undoHex(s, '%', edgeBytes)
	if len(t) < len(s) {
		r.Flags |= FlagDecoded
	}
	return t
}

// undouble makes one quote of each two, in place.
func undouble(s []byte) []byte {
	first := bytes.IndexByte(s, '"')
	if first < 0 {
		return s
	}
	w := first
	for i := first; i < len(s); i++ {
		s[w] = s[i]
		w++
		if s[i] == '"' && i+1 < len(s) && s[i+1] == '"' {
			i++
		}
	}
	return s[:w]
}

// spaces makes spaces of the plus signs that IIS writes for them, in place. Which of them the client sent is lost.
func spaces(s []byte) {
	for i, c := range s {
		if c == '+' {
			s[i] = ' '
		}
	}
}

// cookieSpaces makes spaces of the plus signs that IIS writes for them in a Cookie header, in place: those behind a
// semicolon. No other space stands there (RFC 6265 section 4.2.1), and base64 has plus signs.
func cookieSpaces(s []byte) {
	for i := 1; i < len(s); i++ {
		if s[i] == '+' && s[i-1] == ';' {
			s[i] = ' '
		}
	}
}
