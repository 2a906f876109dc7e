package trace

// Lines are encoded records, so that a worker hands over many at once. The zero value is ready. It is not safe for
// concurrent use.
type Lines struct {
	text  []byte
	ends  []int // of each line in text
	start []int64
}

// Add encodes r.
func (l *Lines) Add(r *Record) {
	n := len(l.text)
	line := r.AppendJSON(l.text[n:n]) // in place while there is room
	if n+len(line) <= cap(l.text) {
		l.text = l.text[:n+len(line)]
	} else {
		l.text = append(l.text, line...)
	}
	l.ends = append(l.ends, len(l.text))
	l.start = append(l.start, r.Start)
}

// Len is the number of records.
func (l *Lines) Len() int { return len(l.ends) }

// Line is record i as a line of a trace file without a newline, borrowed until Reset, and its Start.
func (l *Lines) Line(i int) (start int64, text []byte) {
	from := 0
	if i > 0 {
		from = l.ends[i-1]
	}
	return l.start[i], l.text[from:l.ends[i]]
}

// Reset empties l and keeps its memory.
func (l *Lines) Reset() { l.text, l.ends, l.start = l.text[:0], l.ends[:0], l.start[:0] }
