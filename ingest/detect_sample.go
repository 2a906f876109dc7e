package ingest

import (
	"bytes"
	"io"
)

const (
	sampleLines = 1000    // non-empty lines that detection looks at
	sampleBytes = 1 << 20 // and at most as many bytes
)

// sample is the beginning of a file.
type sample struct {
	data  []byte
	zeros int64 // bytes before data
	eol   byte
	array bool // JSON arrays, whose elements are the lines
	all   bool // the file holds no more
}

// sampleLine is one line of a sample.
type sampleLine struct {
	text      []byte
	number    int64 // 1 is the first
	directive bool
	half      bool // may be half a line: the file's first, or a last one without a line end
}

// readSample reads the first lines. Zero bytes before the first line are no part of it.
func readSample(r io.Reader) (s sample, err error) {
	buf := make([]byte, 0, 64<<10)
	newlines := 0
	for len(buf) < sampleBytes && newlines <= sampleLines {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(2*cap(buf), sampleBytes)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		part := buf[len(buf) : len(buf)+n]
		if len(buf) == 0 {
			kept := bytes.TrimLeft(part, "\x00")
			s.zeros += int64(len(part) - len(kept))
			part = buf[:copy(buf[:cap(buf)], kept)]
		}
		buf = buf[:len(buf)+len(part)]
		newlines += bytes.Count(part, []byte{'\n'})
		if err == io.EOF {
			s.all = true
			break
		}
		if err != nil {
			return s, err
		}
	}
	s.data, s.eol, s.array = buf, '\n', isJSONArray(buf)
	if newlines == 0 && bytes.IndexByte(buf, '\r') >= 0 && !isMostlyBinary(buf) {
		s.eol = '\r' // as old Macintosh programs end lines
	}
	return s, nil
}

// cutter returns the lines of a text of which s is the beginning.
func (s *sample) cutter(r io.Reader) *lines {
	if s.array {
		return newElements(r)
	}
	return newLines(r, s.eol)
}

// cut returns the sample's lines, of those that are no directives at most sampleLines. A line that the end of
// the sample cuts is left out, unless it is all there is.
func (s *sample) cut() []sampleLine {
	var list []sampleLine
	l := s.cutter(bytes.NewReader(s.data))
	store := make([]byte, 0, len(s.data))
	for number, tried := int64(1), 0; tried < sampleLines; number++ {
		line, long, err := l.next()
		if err != nil {
			break
		}
		cut := l.unended()
		if cut && !s.all && tried > 0 {
			break
		}
		from := len(store)
		store = append(store, line...)
		one := sampleLine{text: store[from:len(store):len(store)], number: number, directive: isDirective(line), half: number == 1 || cut}
		if !one.directive {
			tried++
		}
		if !long {
			list = append(list, one)
		}
	}
	return list
}

// unended tells whether the stream ended without a line end behind the line returned last.
func (l *lines) unended() bool {
	return l.err != nil && l.start == l.end && l.end > 0 && l.elements == nil && l.buf[l.end-1] != l.eol
}
