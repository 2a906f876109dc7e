package ingest

import "bytes"

// dockerPart is the size at which Docker cuts a line into parts (daemon/logger/copier.go).
const dockerPart = 16 << 10

// stripDocker undoes Docker's json-file: {"log":"line\n","stream":"stdout","time":"..."}. A line cut at 16 KiB has
// no \n in all parts but the last; shorter ones without it are the last words of a process.
func stripDocker(line []byte) (l framedLine, ok bool) {
	if len(line) < 10 || line[0] != '{' {
		return l, false
	}
	plain := bytes.IndexByte(line, '\\') < 0
	from, to, ok := jsonMember(line, plain, "log")
	if !ok || from == to {
		return l, false
	}
	streamFrom, streamTo, ok := jsonMember(line, plain, "stream")
	if !ok {
		return l, false
	}
	stream := line[streamFrom:streamTo]
	l = framedLine{from: from + 1, to: to - 1, stderr: string(stream) == `"stderr"`}
	if line[from] != '"' || !l.stderr && string(stream) != `"stdout"` {
		return l, false
	}
	if !plain {
		l.to = l.from + len(unescapeJSON(line[l.from:l.to]))
	}
	if l.to > l.from && line[l.to-1] == '\n' {
		l.to--
	} else {
		l.part = l.to-l.from >= dockerPart
	}
	l.to = l.from + len(trimReturn(line[l.from:l.to]))
	return l, true
}

// stripJournal takes MESSAGE out of what journalctl -o json prints (systemd, "Journal JSON format"). A message that is
// no text is an array of its bytes.
func stripJournal(line []byte) (l framedLine, ok bool) {
	if len(line) < 10 || line[0] != '{' {
		return l, false
	}
	plain := bytes.IndexByte(line, '\\') < 0
	if _, _, ok := jsonMember(line, plain, "__REALTIME_TIMESTAMP"); !ok {
		return l, false
	}
	from, to, ok := jsonMember(line, plain, "MESSAGE")
	if !ok {
		return l, false
	}
	switch line[from] {
	case '"':
		l = framedLine{from: from + 1, to: to - 1}
		if !plain {
			l.to = l.from + len(unescapeJSON(line[l.from:l.to]))
		}
		return l, true
	case '[':
		size, ok := bytesOfArray(line[from:to])
		return framedLine{from: from, to: from + size}, ok
	}
	return l, false
}

// bytesOfArray writes the bytes that a JSON array lists over the array itself, and returns how many there are. When
// it is no array of bytes, nothing is changed.
func bytesOfArray(s []byte) (size int, ok bool) {
	for _, write := range []bool{false, true} {
		size = 0
		for rest := s[1 : len(s)-1]; len(rest) > 0; {
			word, after, _ := bytes.Cut(rest, []byte{','})
			n, ok := parseCount(bytes.Trim(word, " "))
			if !ok || n > 255 {
				return 0, false
			}
			if write {
				s[size] = byte(n)
			}
			size++
			rest = after
		}
	}
	return size, true
}

// jsonMember finds the value of a key of the object line and returns its extent, strings with their quotes.
func jsonMember(line []byte, plain bool, key string) (from, to int, ok bool) {
	for at := jsonSpace(line, 1); at < len(line) && line[at] == '"'; at = jsonSpace(line, at+1) {
		end := closingQuote(line, at+1, plain)
		if end < 0 {
			return 0, 0, false
		}
		name := line[at+1 : end]
		if at = jsonSpace(line, end+1); at >= len(line) || line[at] != ':' {
			return 0, 0, false
		}
		from = jsonSpace(line, at+1)
		if to = jsonValueEnd(line, plain, from); to < 0 {
			return 0, 0, false
		}
		if string(name) == key {
			return from, to, true
		}
		if at = jsonSpace(line, to); at >= len(line) || line[at] != ',' {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// jsonValueEnd returns the index after the value at line[at], or -1.
func jsonValueEnd(line []byte, plain bool, at int) int {
	if at < len(line) && line[at] == '"' {
		if end := closingQuote(line, at+1, plain); end >= 0 {
			return end + 1
		}
		return -1
	}
	f := jsonFormat{line: line, plain: plain}
	return f.skip(at)
}

// stripCRI undoes the log format of Kubernetes' container runtimes (Kubernetes, kubelet/kuberuntime/logs):
// time stdout|stderr F|P line. P marks all parts of a line but the last.
func stripCRI(line []byte) (l framedLine, ok bool) {
	if !isISOStart(line) {
		return l, false
	}
	at := untilSpace(line, 19)
	if at < 0 || len(line) < at+9 {
		return l, false
	}
	stream := line[at+1 : at+8]
	l.stderr = string(stream) == "stderr "
	if !l.stderr && string(stream) != "stdout " {
		return l, false
	}
	at += 8
	l.part = line[at] == 'P'
	if !l.part && line[at] != 'F' {
		return l, false
	}
	end := untilSpace(line, at)
	if end < 0 {
		end = len(line) - 1
	}
	if end > at+1 && line[at+1] != ':' { // further tags are joined by colons
		return l, false
	}
	l.from, l.to = end+1, len(line)
	return l, true
}

// isISOStart tells cheaply whether a time such as 2006-01-02T15:04:05 starts s.
func isISOStart(s []byte) bool {
	return len(s) > 19 && s[4] == '-' && s[7] == '-' && s[10] == 'T' && s[13] == ':' && s[16] == ':' && isDigit(s[0]) && isDigit(s[18])
}

// stripCompose cuts off what docker compose puts before every line: `name-1  | `, coloured on a terminal.
func stripCompose(line []byte) (l framedLine, ok bool) {
	at := afterColour(line, 0)
	from := at
	for at < len(line) && (tokenBytes[line[at]] && line[at] != '|') {
		at++
	}
	space := at
	for at < len(line) && line[at] == ' ' {
		at++
	}
	if space == from || at == space || at >= len(line) || line[at] != '|' {
		return l, false
	}
	at = afterColour(line, at+1)
	if at < len(line) && line[at] == ' ' {
		at++
	}
	return framedLine{from: at, to: len(line)}, true
}

// afterColour returns the index after a terminal's colour code (ECMA-48, SGR) at line[at], if one stands there.
func afterColour(line []byte, at int) int {
	if at+2 >= len(line) || line[at] != 0x1b || line[at+1] != '[' {
		return at
	}
	for i := at + 2; i < len(line); i++ {
		if line[i] == 'm' {
			return i + 1
		}
		if !isDigit(line[i]) && line[i] != ';' {
			break
		}
	}
	return at
}

// stripKubectl cuts off what kubectl logs --prefix puts before every line: `[pod/name/container] `.
func stripKubectl(line []byte) (l framedLine, ok bool) {
	if !bytes.HasPrefix(line, []byte("[pod/")) {
		return l, false
	}
	end := bytes.Index(line, []byte("] "))
	if end < 0 || bytes.IndexByte(line[:end], ' ') >= 0 {
		return l, false
	}
	return framedLine{from: end + 2, to: len(line)}, true
}

// stripTimestamp cuts off what docker logs and kubectl logs put before every line with --timestamps: a time such as
// `2006-01-02T15:04:05.999999999Z ` (RFC 3339).
func stripTimestamp(line []byte) (l framedLine, ok bool) {
	if !isISOStart(line) {
		return l, false
	}
	var c calendar
	end := untilSpace(line, 19)
	if end < 0 || parseISO(line[:end], &c) != end || c.set&hasZone == 0 {
		return l, false
	}
	return framedLine{from: end + 1, to: len(line)}, true
}
