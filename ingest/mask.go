package ingest

import (
	"bytes"
	"net/netip"
)

const (
	maskTokens = 24  // of a line that are shown
	maskBytes  = 200 // of a line that are looked at for the shape
)

// mask describes the shape of a line and repeats none of it: words become the names of their types, only
// brackets, quotes, commas, colons and lone dashes stay. mark is the 1-based byte of the shape at which the
// part that holds the line's 1-based column begins, 0 when the shape does not show it.
func mask(line []byte, column int) (shape string, mark int) {
	whole := len(line)
	cut := whole > maskBytes
	line = line[:min(len(line), maskBytes)]
	if n := len(line); n > 0 && isMostlyBinary(line) {
		return "<binary>", 1
	}
	var out []byte
	tokens, shown := 0, len(line)
	for len(line) > 0 && tokens < maskTokens {
		if shown-len(line) < column { // this part begins at or before the column
			mark = len(out) + 1
		}
		if c := line[0]; bytes.IndexByte([]byte(" \t[]{}()\",;|"), c) >= 0 {
			if c == '\t' {
				out = append(out, "<tab>"...)
			} else {
				out = append(out, c)
			}
			line = line[1:]
			continue
		}
		end := bytes.IndexAny(line, " \t[]{}()\",;|")
		if end < 0 {
			end = len(line)
		}
		out = append(out, tokenType(line[:end])...)
		line = line[end:]
		tokens++
	}
	if at := column - 1; at >= shown-len(line) {
		mark = 0
		if at >= whole { // the line ends where more was wanted
			mark = len(out) + 1
		}
	}
	if cut || len(line) > 0 {
		out = append(out, "..."...)
	}
	return string(out), mark
}

func isMostlyBinary(s []byte) bool {
	n := 0
	for _, c := range s {
		if c < ' ' && c != '\t' || c >= 0x7f {
			n++
		}
	}
	return n*4 > len(s)
}

// tokenType names the type of a word.
func tokenType(s []byte) string {
	digits, letters, other := 0, 0, 0
	for _, c := range s {
		switch {
		case isDigit(c):
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		default:
			other++
		}
	}
	if string(s) == "-" {
		return "-"
	}
	if _, err := netip.ParseAddr(string(s)); err == nil {
		return "<address>"
	}
	if _, err := netip.ParseAddrPort(string(s)); err == nil {
		return "<address:port>"
	}
	var c calendar
	switch {
	case digits == len(s):
		return "<number>"
	case isCLF(append(bytes.Clone(s), " +0000"...)):
		return "<time>"
	case parseISO(s, &c) > 0:
		return "<time>"
	case bytes.HasPrefix(s, []byte("HTTP/")):
		return "<protocol>"
	case digits > 0 && digits+other == len(s) && other <= 2:
		return "<number>"
	case s[0] == '/':
		return "<path>"
	case letters == len(s):
		return "<word>"
	}
	return "<text>"
}
