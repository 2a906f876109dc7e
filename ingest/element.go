package ingest

import (
	"bytes"
	"io"
)

// maxNesting is how deep brackets may nest in an element: a bit each in elements.braces. Log records nest five
// deep at most.
const maxNesting = 64

// elements is the state in which a lines cuts JSON arrays (RFC 8259) into their elements: one array over a
// whole file, as cloud consoles export logs, pretty-printed or not, or one array after the other, as servers
// that send records in batches write them.
//
// It matches brackets and knows strings, no more: what is in an element is its format's to judge. An element
// that cannot be right (a line end in a string, a bracket of the wrong kind or none, deeper than maxNesting, too
// long) is broken. It ends where the next line opens an object that is not indented deeper than its elders.
type elements struct {
	column int  // white space that begins the line; -1 behind anything else than it, commas and brackets
	comma  bool // a comma or a bracket ended that white space
	indent int  // column of the element that began a line last
	// distrust is the offset in the stream up to which a line that opens an object ends the element before it
	// at once. All up to there was read as one element that then proved broken, and nothing shall be read
	// more than twice.
	distrust int64

	depth   int    // open brackets
	braces  uint64 // a bit for each of them, the innermost lowest: 1 is a brace, 0 a bracket
	text    bool   // in a string
	escaped bool   // behind a backslash in a string
	newline bool   // the element has a line end
	broken  bool   // the element ends with the next one's start
	failed  int    // where in the element this was seen
	resume  int    // the first place in the element where a line opens an object like its elders, or 0
}

// newElements returns a lines that takes each element of the JSON arrays in r for a line. Line ends within
// become spaces. White space, commas and brackets between elements are skipped. Anything else there is a line of
// its own, up to a line end or an element. A line over MaxLine is dropped, as by newLines.
func newElements(r io.Reader) *lines {
	l := newLines(r, '\n')
	l.elements = &elements{}
	return l
}

// isJSONArray tells whether a file that begins with sample holds JSON arrays of objects.
func isJSONArray(sample []byte) bool {
	rest := bytes.TrimLeft(sample, "\x00 \t\r\n")
	for opened := false; len(rest) > 0; opened = true {
		if rest[0] == '{' {
			return opened
		}
		if rest[0] != '[' {
			return false
		}
		rest = bytes.TrimLeft(rest[1:], " \t\r\n")
		if len(rest) > 0 && rest[0] == ']' {
			rest = bytes.TrimLeft(rest[1:], ", \t\r\n") // an empty batch
		}
	}
	return false
}

// nextElement is next for elements.
func (l *lines) nextElement() (line []byte, long bool, err error) {
	e := l.elements
	*e = elements{column: e.column, comma: e.comma, indent: e.indent, distrust: e.distrust}
	if err := l.skipSeparators(); err != nil {
		return nil, false, err
	}
	l.at = l.base + int64(l.start)
	scan := e.element
	if l.buf[l.start] != '{' {
		scan = e.stray
	} else if e.column >= 0 {
		e.indent = e.column
	}
	strict := l.at < e.distrust
	for from := 0; ; {
		b := l.buf[l.start:l.end]
		if !e.broken {
			b = b[:min(len(b), l.limit+1)] // where a line is too long does not depend on how it is read
		}
		n, done := scan(b, from, strict)
		if !done && n > l.limit {
			if n, done = e.fail(n); !done {
				long = true
				l.start, n = l.start+n, 0 // drop what is known to be too long
				if from = 0; l.start < l.end {
					continue
				}
			}
		}
		if !done {
			if err := l.fill(); err == nil {
				from = n
				continue
			} else if n == 0 && !long {
				return nil, false, err
			}
			n, _ = e.fail(n)
		}
		if e.failed > 0 {
			e.distrust = max(e.distrust, l.at+int64(e.failed))
		}
		line, long = l.cut(n), long || n > l.limit
		return line, long, nil
	}
}

// skipSeparators goes on to the next element or stray line.
func (l *lines) skipSeparators() error {
	e := l.elements
	for {
		for ; l.start < l.end; l.start++ {
			switch c := l.buf[l.start]; c {
			case 0:
				l.zeros++
			case ' ', '\t', '\r', '\n', ',', '[', ']':
				e.advance(c)
			default:
				e.newline = false
				return nil
			}
		}
		if err := l.fill(); err != nil {
			return err
		}
	}
}

// cut takes the first n unread bytes for the line.
func (l *lines) cut(n int) []byte {
	line := bytes.TrimRight(l.buf[l.start:l.start+n], ", \t\r\n[")
	l.start += n
	if l.elements.newline {
		for i, c := range line {
			if c == '\n' || c == '\r' {
				line[i] = ' '
			}
		}
	}
	return line
}

// element looks at b, which begins with an element, from i on. done means that the element ends before n.
func (e *elements) element(b []byte, i int, strict bool) (n int, done bool) {
	for i < len(b) {
		c := b[i]
		if e.text {
			if i = e.scanText(b, i); i < len(b) && e.text {
				if n, done = e.fail(i); done { // a line end
					return n, true
				}
			}
			continue
		}
		if c == '{' && 0 <= e.column && e.column <= e.indent && (e.depth > 0 || e.broken) {
			if strict || e.broken {
				return i, true
			}
			if e.resume == 0 {
				e.resume = i
			}
		}
		e.advance(c)
		if e.broken {
			i++
			continue
		}
		ok := true
		switch c {
		case '"':
			e.text = true
		case '{', '[':
			e.depth++
			e.braces = e.braces<<1 | uint64(c>>5&1)
			ok = e.depth <= maxNesting
		case '}', ']':
			ok = e.braces&1 == uint64(c>>5&1)
			e.depth--
			e.braces >>= 1
			if ok && e.depth == 0 {
				return i + 1, true
			}
		}
		if !ok {
			if n, done = e.fail(i); done {
				return n, true
			}
		}
		i++
	}
	return i, false
}

// stray looks at b, which begins with anything but an element, from i on.
func (e *elements) stray(b []byte, i int, _ bool) (n int, done bool) {
	e.column = -1
	for ; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '{' {
			return i, true
		}
	}
	return i, false
}

// advance keeps the column.
func (e *elements) advance(c byte) {
	switch c {
	case '\n':
		e.column, e.comma, e.newline = 0, false, true
	case ' ', '\t', '\r':
		if e.column >= 0 && !e.comma {
			e.column++
		}
	case ',', '[':
		e.comma = true
	case '}', ']':
		e.comma = true
		if !e.broken {
			e.column = -1
		}
	default:
		e.column = -1
	}
}

// endsText marks the bytes that matter in a string.
var endsText = [256]bool{'"': true, '\\': true, '\n': true}

// scanText goes on in a string, to behind its end or to a line end, which no string may have.
func (e *elements) scanText(b []byte, i int) int {
	for i < len(b) {
		if e.escaped {
			if b[i] == '\n' {
				return i
			}
			e.escaped = false
			i++
		}
		for i < len(b) && !endsText[b[i]] {
			i++
		}
		if i == len(b) || b[i] == '\n' {
			return i
		}
		if b[i] == '"' {
			e.text = false
			return i + 1
		}
		e.escaped = true
		i++
	}
	return i
}

// fail notes at n that the element is broken. done means that it ends before resume, else it goes on.
func (e *elements) fail(n int) (end int, done bool) {
	if e.broken {
		return n, false
	}
	e.broken, e.text, e.failed = true, false, n
	if e.resume == 0 {
		return n, false
	}
	e.column = e.indent
	return e.resume, true
}
