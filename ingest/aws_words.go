package ingest

import "bytes"

// words cuts a line at its spaces, column by column. The first failure stays, and columns after it are nil.
type words struct {
	line   []byte
	plain  bool // the line holds no backslash
	at     int  // where the next column begins
	from   int  // where the last one began
	failed Reason
}

// next returns the next column, which is a word.
func (w *words) next() []byte {
	if !w.begin() {
		return nil
	}
	s := w.line[w.at:columnEnd(w.line, w.at, ' ')]
	w.at += len(s) + 1
	if len(s) == 0 {
		w.failed = BadColumns
		return nil
	}
	return s
}

// columnEnd returns the index of the separator that ends the column at line[from:], the line's length when
// none does. Most columns are so short that looking at their bytes costs less than a call.
func columnEnd(line []byte, from int, sep byte) int {
	near := min(len(line), from+shortColumn)
	for i := from; i < near; i++ {
		if line[i] == sep {
			return i
		}
	}
	if n := bytes.IndexByte(line[near:], sep); n >= 0 {
		return near + n
	}
	return len(line)
}

// quoted returns the text of the next column, which stands in quotes, or alone where it has none. from is
// then where the text begins.
func (w *words) quoted() []byte {
	if w.at >= len(w.line) || w.line[w.at] != '"' {
		return w.next()
	}
	if !w.begin() {
		return nil
	}
	w.from++
	end := closingQuote(w.line, w.from, w.plain)
	if end < 0 {
		w.failed = BadQuote
		return nil
	}
	if end+1 < len(w.line) && w.line[end+1] != ' ' {
		w.failed = BadColumns
		w.from = end + 1
		return nil
	}
	w.at = end + 2
	return w.line[w.from:end]
}

// begin moves on to the next column, and fails at the end of the line.
func (w *words) begin() bool {
	if w.failed != Accepted {
		return false
	}
	w.from = min(w.at, len(w.line))
	if w.at >= len(w.line) {
		w.failed = BadColumns
		return false
	}
	return true
}

// or returns the failure, or r where there is none.
func (w *words) or(r Reason) Reason {
	if w.failed != Accepted {
		return w.failed
	}
	return r
}
