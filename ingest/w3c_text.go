package ingest

import "bytes"

// edgeBytes are the visible bytes that CloudFront percent-encodes in its log and that clients send raw in a
// target, "%" among them. "#" is left out: it ends a target.
const edgeBytes = "%\"<>{}|\\^~[]`'"

// unquote undoes one layer of percent-encoding, in place. An escape that is none stays as it is.
func unquote(s []byte) []byte { return unquoteOnly(s, "") }

// unquoteTarget undoes what CloudFront did to a target, in place.
func unquoteTarget(s []byte, r *Record) []byte {
	t := unquoteOnly(s, edgeBytes)
	if len(t) < len(s) {
		r.Flags |= FlagDecoded
	}
	return t
}

// unquoteOnly undoes percent-encoding of the bytes in only, "" = of all.
func unquoteOnly(s []byte, only string) []byte {
	first := bytes.IndexByte(s, '%')
	if first < 0 {
		return s
	}
	w := first
	for i := first; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
			if b := hi<<4 | lo; hi|lo < 16 && (only == "" || containsByte(only, b)) {
				c = b
				i += 2
			}
		}
		s[w] = c
		w++
	}
	return s[:w]
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
