package ingest

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
)

const (
	suggestTries = 5 // lines from which a format string is made
	suggestLines = 3 // that must fit it, so that what stands in it is in every line and no value
)

// suggest makes an nginx log_format from the shape of the lines. It returns one that fits them, or "".
func (d *detector) suggest(lines []sampleLine) string {
	return d.guess(lines, suggestLines, func(line []byte) string { return (&suggestion{line: line}).build() })
}

// guess returns the first format string made from one of the lines that at least as many lines as least, and nine
// tenths of them, fit; "" when there is none. What form takes may be changed; it returns "" for a line that
// tells nothing.
func (d *detector) guess(lines []sampleLine, least int, form func(line []byte) string) string {
	tries := 0
	for i := range lines {
		if lines[i].directive || lines[i].half {
			continue
		}
		if tries++; tries > suggestTries {
			break
		}
		d.buf = append(d.buf[:0], lines[i].text...)
		spec := form(d.buf)
		if spec == "" {
			continue
		}
		if _, err := NewFormat(spec, d.options); err != nil {
			continue
		}
		if t := d.try(spec, lines, true); t.fits(true) && t.fitted >= least {
			return spec
		}
	}
	return ""
}

// suggestion is a format string in the making.
type suggestion struct {
	line []byte
	at   int
	out  strings.Builder
	used map[string]bool
	skip int
	key  string // the name before a "=" in front of the column
}

const suggestBounds = " \t\"[](){},;|"

func (s *suggestion) build() string {
	if s.used == nil {
		s.used = map[string]bool{}
	}
	for s.at < len(s.line) {
		rest := s.line[s.at:]
		switch c := rest[0]; {
		case c == '"' && s.enclosed(rest, closingText(rest)):
		case c == '[' && s.enclosed(rest, bytes.IndexByte(rest, ']')):
		case strings.IndexByte(suggestBounds, c) >= 0:
			s.out.WriteByte(c)
			s.at++
		default:
			s.word(rest)
		}
	}
	return s.out.String()
}

// closingText returns the index of the quote that ends the text which rest begins with, or -1.
func closingText(rest []byte) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// enclosed takes a column between quotes or brackets, which ends at end.
func (s *suggestion) enclosed(rest []byte, end int) bool {
	if end < 0 {
		return false
	}
	s.out.WriteByte(rest[0])
	if end > 1 {
		s.out.WriteString(s.variable(rest[1:end], rest[0] == '"'))
	}
	s.out.WriteByte(rest[end])
	s.at += end + 1
	return true
}

// word takes a column that ends at a blank or at punctuation. The name before a "=" stays.
func (s *suggestion) word(rest []byte) {
	end := bytes.IndexAny(rest, suggestBounds)
	switch {
	case isCLF(rest):
		end = clfSize
	case end < 0:
		end = len(rest)
	}
	if key := bytes.IndexByte(rest[:end], '='); key > 0 && isName(rest[:key]) {
		s.out.Write(rest[:key+1])
		s.key = string(rest[:key])
		s.at += key + 1
		if rest, end = rest[key+1:], end-key-1; end == 0 {
			return
		}
	}
	s.out.WriteString(s.variable(rest[:end], false))
	s.at += end
}

// isName tells whether a word can be the name of a column.
func isName(word []byte) bool {
	for _, c := range word {
		if (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && c != '-' {
			return false
		}
	}
	return len(word) <= 24
}

// variable names the variable whose value a column looks like, each but once, else one that is skipped.
func (s *suggestion) variable(value []byte, quoted bool) string {
	defer func() { s.key = "" }()
	for _, name := range s.likely(value, quoted) {
		if !s.used[name] {
			s.used[name] = true
			return name
		}
	}
	s.skip++
	return fmt.Sprintf("$skip%d", s.skip)
}

// likely lists the variables that a value may be of, the likeliest first.
func (s *suggestion) likely(value []byte, quoted bool) []string {
	var c calendar
	answered := s.used["$status"]
	asked := s.used["$request"] || s.used["$request_method"]
	switch _, err := netip.ParseAddr(string(value)); {
	case isCLF(value):
		return []string{"$time_local"}
	case parseISO(value, &c) == len(value):
		return []string{"$time_iso8601"}
	case err == nil && quoted:
		return []string{"$http_x_forwarded_for"}
	case err == nil:
		return []string{"$remote_addr", "$upstream_addr"}
	case isWholeRequest(value):
		return []string{"$request"}
	case len(value) == 3 && isDigits(value) && asked:
		return []string{"$status", "$body_bytes_sent"}
	case isDigits(value) && answered:
		return []string{"$body_bytes_sent"}
	case isDecimal(value, 10) && !answered:
		return []string{"$msec"}
	case isDecimal(value, 1) && answered:
		return durationsOf(s.key)
	case quoted && answered && (string(value) == "-" || bytes.HasPrefix(value, []byte("http"))):
		return []string{"$http_referer", "$http_user_agent"}
	case quoted && answered:
		return []string{"$http_user_agent"}
	case quoted || asked && value[0] != '/' && !bytes.HasPrefix(value, []byte("HTTP/")):
		return nil
	case isMethodWord(value):
		return []string{"$request_method"}
	case value[0] == '/' && s.used["$request_method"]:
		return []string{"$request_uri"}
	case bytes.HasPrefix(value, []byte("HTTP/")):
		return []string{"$server_protocol"}
	}
	return nil
}

// durationsOf lists the durations that a column with a name may hold. People name times to the server behind
// with a "u": uct, uht and urt are when it was connected to, when its header was there and when all was.
func durationsOf(key string) []string {
	switch {
	case key == "urt", strings.HasPrefix(key, "upstream_response"):
		return []string{"$upstream_response_time"}
	case strings.HasPrefix(key, "u"):
		return nil
	}
	return []string{"$request_time", "$upstream_response_time"}
}

// isWholeRequest tells whether a value is a request line with its protocol.
func isWholeRequest(value []byte) bool {
	method, rest, ok := bytes.Cut(value, []byte{' '})
	return ok && isMethodWord(method) && bytes.Contains(rest, []byte(" HTTP/"))
}

func isMethodWord(word []byte) bool {
	for _, c := range word {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(word) >= 3 && len(word) <= 10
}

// isDecimal tells whether a word is a number with a fraction, of so many digits before it at least.
func isDecimal(word []byte, whole int) bool {
	before, after, ok := bytes.Cut(word, []byte{'.'})
	return ok && len(before) >= whole && isDigits(before) && isDigits(after)
}
