package ingest

import "bytes"

// stripSyslog cuts off the header that syslog daemons write:
//
//	<134>Mar 12 09:14:03 host tag[pid]: line           RFC 3164; priority and host may be absent
//	2025-03-12T09:14:03.5+01:00 host tag[pid]: line    rsyslog's file format, journalctl -o short-iso
//	<134>1 2025-03-12T09:14:03.5Z host app pid id - line   RFC 5424, structured data in brackets for the dash
func stripSyslog(line []byte) (l framedLine, ok bool) {
	at := afterPriority(line)
	if at > 0 && len(line) > at+2 && line[at] == '1' && line[at+1] == ' ' {
		at = afterStructured(line, at+2)
	} else {
		at = afterTag(line, afterSyslogTime(line, at))
	}
	if at < 0 {
		return l, false
	}
	return framedLine{from: at, to: len(line)}, true
}

// afterPriority returns the index after "<134>", 0 when there is none.
func afterPriority(line []byte) int {
	if len(line) < 4 || line[0] != '<' {
		return 0
	}
	end := bytes.IndexByte(line[:min(len(line), 5)], '>')
	if end < 2 || !isDigits(line[1:end]) {
		return 0
	}
	return end + 1
}

// afterSyslogTime returns the index after "Mar 12 09:14:03 " or an ISO time at line[at], or -1.
func afterSyslogTime(line []byte, at int) int {
	s := line[at:]
	const stamp = len("Mar 12 09:14:03 ")
	if len(s) > stamp && s[3] == ' ' && s[6] == ' ' && s[9] == ':' && s[12] == ':' && s[15] == ' ' && isDigit(s[5]) && isDigit(s[14]) && monthNumber(s[:3]) > 0 {
		return at + stamp
	}
	if !isISOStart(s) {
		return -1
	}
	if end := untilSpace(line, at+19); end >= 0 {
		return end + 1
	}
	return -1
}

// tagWords is how many words the tag may be behind: the host, and facility.level as busybox writes it.
const tagWords = 3

// afterTag returns the index of the message after the word that ends with a colon, or -1.
func afterTag(line []byte, at int) int {
	if at < 0 {
		return -1
	}
	for range tagWords {
		end := untilSpace(line, at)
		if end <= at {
			return -1
		}
		if at = end + 1; line[end-1] == ':' {
			return at
		}
	}
	return -1
}

// afterStructured returns the index of the message of RFC 5424 (section 6), whose time is at line[at], or -1.
func afterStructured(line []byte, at int) int {
	for range 5 { // time, host, application, process, message id
		end := untilSpace(line, at)
		if end <= at {
			return -1
		}
		at = end + 1
	}
	switch {
	case at < len(line) && line[at] == '-':
		at++
	case at < len(line) && line[at] == '[':
		for at < len(line) && line[at] == '[' {
			if at = afterElement(line, at); at < 0 {
				return -1
			}
		}
	default:
		return -1
	}
	if at == len(line) {
		return at
	}
	if line[at] != ' ' {
		return -1
	}
	if at++; bytes.HasPrefix(line[at:], []byte("\xef\xbb\xbf")) { // says that the message is UTF-8
		at += 3
	}
	return at
}

// afterElement returns the index after `[id name="value"]` at line[at], or -1. Values escape quotes and brackets.
func afterElement(line []byte, at int) int {
	quoted := false
	for i := at; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i + 1
		}
	}
	return -1
}
