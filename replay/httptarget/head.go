package httptarget

import "bytes"

// framing is what a response's head says about where the message ends.
type framing struct {
	status    uint16
	old       bool  // HTTP/1.0
	length    int64 // Content-Length, -1 without
	coded     bool  // a Transfer-Encoding was given
	chunked   bool  // and its last coding is chunked
	close     bool  // Connection: close
	keepAlive bool  // Connection: keep-alive
}

// closes says whether the server will not answer on this connection again (RFC 9112, 9.3).
func (f *framing) closes() bool { return f.close || f.old && !f.keepAlive }

// readHead reads a status line and its fields. Empty lines before it are not allowed: they would be the
// remains of another answer.
func (r *ResponseReader) readHead() (framing, error) {
	f := framing{length: -1}
	line, err := r.line(false)
	if err != nil {
		return f, err
	}
	if !f.statusLine(line) {
		return f, ErrProtocol
	}
	framed := false // the previous field concerns the framing
	for n := 0; ; n++ {
		if line, err = r.line(false); err != nil {
			return f, err
		}
		if len(line) == 0 {
			return f, nil
		}
		if line[0] == ' ' || line[0] == '\t' {
			// A folded line (obsolete) continues a field; in the framing it could hide something.
			if framed || n == 0 {
				return f, ErrProtocol
			}
			continue
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok || len(name) == 0 || bytes.ContainsAny(name, " \t") {
			return f, ErrProtocol
		}
		if framed, ok = f.field(name, bytes.Trim(value, " \t")); !ok {
			return f, ErrProtocol
		}
	}
}

// statusLine parses "HTTP/1.1 200 OK"; the reason may be missing, with or without its space.
func (f *framing) statusLine(line []byte) bool {
	if len(line) < len("HTTP/1.1 200") || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' {
		return false
	}
	if v := line[7]; v != '0' && v != '1' {
		return false
	}
	f.old = line[7] == '0'
	for _, c := range line[9:12] {
		if c < '0' || c > '9' {
			return false
		}
		f.status = f.status*10 + uint16(c-'0')
	}
	return f.status >= 100 && (len(line) == 12 || line[12] == ' ')
}

// field takes up one field. framed says that it concerns the framing.
func (f *framing) field(name, value []byte) (framed, ok bool) {
	switch len(name) {
	case len("Connection"):
		if equalFold(name, "connection") {
			f.connection(value)
			return true, true
		}
	case len("Content-Length"):
		if equalFold(name, "content-length") {
			n, valid := decimal(value)
			if !valid || f.length >= 0 && f.length != n {
				return true, false
			}
			f.length = n
			return true, true
		}
	case len("Transfer-Encoding"):
		if equalFold(name, "transfer-encoding") {
			f.coded = true
			last := value[bytes.LastIndexByte(value, ',')+1:]
			f.chunked = equalFold(bytes.Trim(last, " \t"), "chunked")
			return true, true
		}
	}
	return false, true
}

func (f *framing) connection(value []byte) {
	for len(value) > 0 {
		option, rest, _ := bytes.Cut(value, []byte(","))
		option = bytes.Trim(option, " \t")
		f.close = f.close || equalFold(option, "close")
		f.keepAlive = f.keepAlive || equalFold(option, "keep-alive")
		value = rest
	}
}

// decimal parses a Content-Length.
func decimal(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// equalFold compares with a lower-case ASCII word.
func equalFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
