package ingest

import (
	"bytes"
	"strings"
)

// The columns of the combined family in the servers' own words.
const (
	nginxCombined  = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	apacheCombined = `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`
	apacheCommon   = `%h %l %u %t "%r" %>s %b`
)

// unread returns a format string that reads the duration which seems to stand behind the columns of the combined
// family; "" when nothing does. Whether it is the duration, only who configured the server knows.
func (d *detector) unread(spec string, format Format, lines []sampleLine) string {
	f, ok := innermost(format).(*family)
	if !ok {
		return ""
	}
	frame := strings.TrimSuffix(spec, f.name)
	return d.guess(lines, 1, func(line []byte) string {
		if whole := f.withRest(unframed(format, line)); whole != "" {
			return frame + whole
		}
		return ""
	})
}

// withRest names the columns of a line in a format string that reads the duration; "" when the line ends where the
// format does, or goes on with nothing like a duration. nginx writes seconds with a fraction, Apache a whole number.
func (f *family) withRest(line []byte) string {
	rest, agent := f.rest(line)
	if len(rest) < 2 || rest[0] != ' ' {
		return ""
	}
	first, _, _ := bytes.Cut(rest[1:], []byte{' '})
	seconds, micro, both := bytes.Cut(first, []byte{'/'}) // as %T/%D, from the days when there was no %D
	if isDigits(seconds) && both == isDigits(micro) && !f.forwarded {
		apache := apacheCommon
		if agent {
			apache = apacheCombined
		}
		if f.vhost {
			apache = "%v:%p " + apache
		}
		if both {
			return apache + " %T/%D"
		}
		return apache + " %D"
	}
	if f.vhost || !agent {
		return ""
	}
	s := suggestion{line: rest, used: map[string]bool{"$request": true, "$status": true, "$body_bytes_sent": true, "$http_referer": true, "$http_user_agent": true, "$remote_addr": true}}
	named := s.build()
	if !s.used["$request_time"] {
		return ""
	}
	if f.forwarded {
		return nginxCombined + ` "$http_x_forwarded_for"` + named
	}
	return nginxCombined + named
}

// rest returns what follows the columns that the format reads, and whether referer and agent are among them.
func (f *family) rest(line []byte) (rest []byte, agent bool) {
	at, whole := clfAnchor(line)
	if !whole {
		return nil, false
	}
	plain := bytes.IndexByte(line, '\\') < 0
	quote := closingQuote(line, at+clfSize+4, plain)
	if quote < 0 {
		return nil, false
	}
	rest = line[quote+1:]
	columns := 2 // status and size
	for i := 0; i < columns; i++ {
		_, next, reason := column(rest, 0, plain)
		if reason != Accepted {
			return nil, false
		}
		rest = rest[next:]
		if agent = i >= 2; i == 1 && (f.agent || len(rest) > 1 && rest[1] == '"') {
			columns = 4
			if f.forwarded {
				columns = 5
			}
		}
	}
	return rest, agent
}
