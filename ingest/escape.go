package ingest

import "bytes"

// unescape undoes the escapes that nginx and Apache write into quoted columns, left to right and in place,
// and returns the shortened slice. nginx writes \xHH (upper-case hex), and with escape=json \", \\, \n and
// \u00HH; Apache writes \xhh, \", \\ and the C escapes of ap_escape_logitem. An escape that neither writes
// stays as it is: a backslash in a path is legal.
func unescape(s []byte) []byte {
	first := bytes.IndexByte(s, '\\')
	if first < 0 {
		return s
	}
	w := first
	for i := first; i < len(s); w++ {
		if s[i] == '\\' && i+1 < len(s) {
			if b, size := escaped(s[i:]); size > 0 {
				s[w] = b
				i += size
				continue
			}
		}
		s[w] = s[i]
		i++
	}
	return s[:w]
}

// escaped decodes the escape at the start of s, which begins with a backslash and one more byte. A size
// of 0 means that it is none.
func escaped(s []byte) (b byte, size int) {
	switch s[1] {
	case '\\', '"':
		return s[1], 2
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'v':
		return '\v', 2
	case 'x':
		if len(s) < 4 {
			return 0, 0
		}
		hi, lo := hexDigit(s[2]), hexDigit(s[3])
		if hi|lo > 15 {
			return 0, 0
		}
		return hi<<4 | lo, 4
	case 'u':
		if len(s) < 6 || s[2] != '0' || s[3] != '0' || hexDigit(s[4]) > 1 || hexDigit(s[5]) > 15 {
			return 0, 0
		}
		return hexDigit(s[4])<<4 | hexDigit(s[5]), 6
	}
	return 0, 0
}

// undoHex undoes escapes that are a sign and two hex digits, of the bytes in only ("" = of all), in place. One that is
// none stays as it is.
func undoHex(s []byte, sign byte, only string) []byte {
	first := bytes.IndexByte(s, sign)
	if first < 0 {
		return s
	}
	w := first
	for i := first; i < len(s); i++ {
		c := s[i]
		if c == sign && i+2 < len(s) {
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

// hexDigit returns the value of c, or 255.
func hexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// closingQuote returns the index of the quote that ends the column at s[from:], or -1. plain says that
// the line holds no backslash, which spares the look behind. A backslash takes the byte after it along:
// Apache escapes quotes so, and in nginx's output a backslash never stands before a bare quote.
func closingQuote(s []byte, from int, plain bool) int {
	n := bytes.IndexByte(s[from:], '"')
	if plain && n >= 0 {
		return from + n
	}
	for i := from; n >= 0; n = bytes.IndexByte(s[i:], '"') {
		i += n
		back := i
		for back > from && s[back-1] == '\\' {
			back--
		}
		if (i-back)%2 == 0 {
			return i
		}
		i++
	}
	return -1
}
