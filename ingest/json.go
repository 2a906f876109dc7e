package ingest

import "bytes"

// jsonPrefix begins the mapping of JSON lines in a format string.
const jsonPrefix = "json:"

// jsonDepth bounds the nesting of a JSON line.
const jsonDepth = 64

// jsonFormat reads one JSON object a line (RFC 8259) and takes the record from the values at mapped paths.
// It is lenient where that cannot change a value: what lies at no path is only skipped over, not checked, and
// bytes of 0x80 and more pass through as they are.
type jsonFormat struct {
	name string
	jsonMapping
	stamp Stamp // what a plain `time` is
	fixed bool  // the user said so: it also overrules `start` and `end`
	stamps

	// The line at hand.
	line   []byte
	plain  bool // it holds no backslash
	fault  Verdict
	seen   uint64 // jsonFields that stand in the line, if only as null
	marks  uint64 // of the keys that stand in the line
	filled uint64 // jsonFields that have a slot
	slots  [jsonFields]jsonSlot
}

// jsonSlot is the value found for a field, line[from:to] with its escapes undone.
type jsonSlot struct {
	from, to int
	column   *jsonColumn
	decoded  bool // it had escapes
}

// Name implements Format.
func (f *jsonFormat) Name() string { return f.name }

// Parse implements Format.
func (f *jsonFormat) Parse(line []byte, r *Record) Verdict {
	r.reset()
	f.line, f.seen, f.marks, f.filled = line, 0, 0, 0
	at := jsonOpen(line)
	if at == len(line) && len(bytes.TrimSpace(line)) == 1 {
		return Verdict{Reason: Skip} // the bracket of an array around the lines
	}
	if at == len(line) || line[at] != '{' {
		return reject(BadColumns, min(at, len(line)))
	}
	f.plain = bytes.IndexByte(line, '\\') < 0
	end := f.object(&f.root, at)
	if end < 0 {
		return f.fault
	}
	if rest := jsonSpace(line, end); rest < len(line) && (line[rest] != ',' && line[rest] != ']' || jsonSpace(line, rest+1) < len(line)) {
		return reject(BadColumns, rest)
	}
	return f.record(r)
}

// jsonOpen returns where the object begins: after blanks, after the bracket or comma of an array whose elements
// are lines, and after the parameter that old nginx versions print in front ("escape=json{").
func jsonOpen(line []byte) int {
	at := jsonSpace(line, 0)
	if bytes.HasPrefix(line[at:], []byte("escape=json")) {
		at = jsonSpace(line, at+len("escape=json"))
	}
	if at < len(line) && (line[at] == '[' || line[at] == ',' || line[at] == ']') {
		at = jsonSpace(line, at+1)
	}
	return at
}

// jsonSpace returns the index of the first byte from at on that is no white space.
func jsonSpace(line []byte, at int) int {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r') {
		at++
	}
	return at
}

// failed notes the verdict and returns the index that stands for it.
func (f *jsonFormat) failed(reason Reason, at int) int {
	f.fault = reject(reason, min(at, len(f.line)))
	return -1
}

// object reads the object that opens at line[at] and returns the index after it, or -1. It calls itself only for
// keys that lie on a mapped path, which bounds the depth.
func (f *jsonFormat) object(node *jsonNode, at int) int {
	line := f.line
	at = jsonSpace(line, at+1)
	if at < len(line) && line[at] == '}' {
		return at + 1
	}
	for {
		if at >= len(line) || line[at] != '"' {
			return f.failed(BadColumns, at)
		}
		end := closingQuote(line, at+1, f.plain)
		if end < 0 {
			return f.failed(BadQuote, at)
		}
		key := line[at+1 : end]
		if !f.plain && bytes.IndexByte(key, '\\') >= 0 {
			key = unescapeJSON(key)
		}
		if at = end + 1; at < len(line) && line[at] != ':' {
			at = jsonSpace(line, at)
		}
		if at >= len(line) || line[at] != ':' {
			return f.failed(BadColumns, at)
		}
		if at++; at < len(line) && line[at] <= ' ' {
			at = jsonSpace(line, at)
		}
		if child := node.child(key); child != nil {
			f.marks |= child.mark
			at = f.value(child, at)
		} else {
			at = f.skip(at)
		}
		if at < 0 {
			return -1
		}
		if at < len(line) && line[at] <= ' ' {
			at = jsonSpace(line, at)
		}
		if at >= len(line) {
			return f.failed(BadColumns, at)
		}
		if line[at] == '}' {
			return at + 1
		}
		if line[at] != ',' {
			return f.failed(BadColumns, at)
		}
		if at++; at < len(line) && line[at] != '"' {
			at = jsonSpace(line, at)
		}
	}
}

// value reads the value at line[at], which lies on a mapped path, and returns the index after it, or -1.
func (f *jsonFormat) value(node *jsonNode, at int) int {
	line := f.line
	if at >= len(line) {
		return f.failed(BadColumns, at)
	}
	switch line[at] {
	case '"':
		end := closingQuote(line, at+1, f.plain)
		if end < 0 {
			return f.failed(BadQuote, at)
		}
		f.capture(node, at+1, end)
		return end + 1
	case '{':
		if len(node.keys) == 0 {
			return f.skip(at)
		}
		return f.object(node, at)
	case '[':
		first := jsonSpace(line, at+1)
		if first >= len(line) || line[first] == '[' || line[first] == ']' {
			return f.skip(at)
		}
		end := f.value(node, first) // the first element stands for the list
		if end < 0 {
			return -1
		}
		return f.close(end, 1)
	}
	end := f.skip(at)
	if end < 0 {
		return -1
	}
	switch line[at] {
	case 'n', 't', 'f': // null is no value, and no field is a boolean
		f.capture(node, at, at)
	default:
		f.capture(node, at, end)
	}
	return end
}

// capture stores line[from:to] for the fields of node, unless a column that goes before has filled them. Of equal
// keys the last one counts, as in most JSON readers.
func (f *jsonFormat) capture(node *jsonNode, from, to int) {
	decoded := false
	if !f.plain && bytes.IndexByte(f.line[from:to], '\\') >= 0 {
		to = from + len(unescapeJSON(f.line[from:to]))
		decoded = true
	}
	absent := isAbsent(f.line[from:to])
	for i := range node.columns {
		c := &node.columns[i]
		bit := uint64(1) << c.field
		f.seen |= bit
		s := &f.slots[c.field]
		if absent || f.filled&bit != 0 && s.column.rank < c.rank {
			continue
		}
		f.filled |= bit
		*s = jsonSlot{from: from, to: to, column: c, decoded: decoded}
	}
}

// skip returns the index after the value at line[at], or -1.
func (f *jsonFormat) skip(at int) int {
	line := f.line
	if at >= len(line) {
		return f.failed(BadColumns, at)
	}
	switch line[at] {
	case '"':
		end := closingQuote(line, at+1, f.plain)
		if end < 0 {
			return f.failed(BadQuote, at)
		}
		return end + 1
	case '{', '[':
		return f.close(at+1, 1)
	}
	end := at
	for end < len(line) && jsonBare[line[end]] {
		end++
	}
	if end == at {
		return f.failed(BadColumns, at)
	}
	return end
}

// close returns the index after the bracket that closes the innermost of depth open ones, or -1.
func (f *jsonFormat) close(at, depth int) int {
	line := f.line
	for i := at; i < len(line); i++ {
		switch line[i] {
		case '"':
			end := closingQuote(line, i+1, f.plain)
			if end < 0 {
				return f.failed(BadQuote, i)
			}
			i = end
		case '{', '[':
			if depth++; depth > jsonDepth {
				return f.failed(BadColumns, i)
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return f.failed(BadColumns, len(line))
}

// jsonBare marks the bytes of numbers and of null, true and false.
var jsonBare = func() (t [256]bool) {
	for _, c := range "0123456789+-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		t[c] = true
	}
	return t
}()
