package ingest

import (
	"bytes"
	"io"
	"strings"
)

const (
	sampleLines = 1000        // non-empty lines that detection looks at
	sampleBytes = MaxLine + 1 // and at most as many bytes: one more than the longest line
	sampleLong  = 16          // lines over MaxLine that it passes over before them
)

// sample is the beginning of a file.
type sample struct {
	data  []byte
	zeros int64   // bytes before data
	long  []int64 // sizes of the lines before data, which are over MaxLine, with their ends
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

// readSample reads the first lines. Zero bytes before the first line are no part of it, nor are lines over MaxLine.
func readSample(r io.Reader) (s sample, err error) {
	s.data = make([]byte, 0, 64<<10)
	for {
		if err := s.fill(r); err != nil {
			return s, err
		}
		if len(s.data) < sampleBytes || len(s.long) == sampleLong || bytes.ContainsAny(s.data, "\n\r") || isJSONArray(s.data) || isMostlyBinary(s.data) {
			break
		}
		if err := s.passLine(r); err != nil {
			return s, err
		}
	}
	s.eol, s.array = '\n', isJSONArray(s.data)
	if bytes.IndexByte(s.data, '\n') < 0 && bytes.IndexByte(s.data, '\r') >= 0 && !isMostlyBinary(s.data) {
		s.eol = '\r' // as old Macintosh programs end lines
	}
	return s, nil
}

// fill reads until there are enough lines or bytes.
func (s *sample) fill(r io.Reader) error {
	buf := s.data
	newlines := bytes.Count(buf, []byte{'\n'})
	for len(buf) < sampleBytes && newlines <= sampleLines && !s.all {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(2*cap(buf), sampleBytes)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		part := buf[len(buf) : len(buf)+n]
		if len(buf) == 0 {
			zeros := leadingZeros(part)
			s.zeros += int64(zeros)
			part = buf[:copy(buf[:cap(buf)], part[zeros:])]
		}
		buf = buf[:len(buf)+len(part)]
		s.data = buf
		newlines += bytes.Count(part, []byte{'\n'})
		if s.all = err == io.EOF; err != nil && !s.all {
			return err
		}
	}
	return nil
}

// passLine drops the line that fills all of data.
func (s *sample) passLine(r io.Reader) error {
	size, buf := int64(len(s.data)), s.data[:cap(s.data)]
	s.data = s.data[:0]
	for end := -1; end < 0 && !s.all; {
		n, err := r.Read(buf)
		if end = bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			s.data = buf[:copy(buf, buf[end+1:n])]
			n = end + 1
		}
		size += int64(n)
		if s.all = err == io.EOF; err != nil && !s.all {
			return err
		}
	}
	s.long = append(s.long, size)
	return nil
}

// again reads a stream of which the sample was taken from its start. Lines that were passed over come as lines of the
// same length.
func (s *sample) again(rest io.Reader) io.Reader {
	var parts []io.Reader
	for _, size := range s.long {
		parts = append(parts, io.LimitReader(filler{}, size-1), strings.NewReader("\n"))
	}
	return io.MultiReader(append(parts, bytes.NewReader(s.data), rest)...)
}

// filler is an endless line.
type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '-'
	}
	return len(p), nil
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
	for number, tried := 1+int64(len(s.long)), 0; tried < sampleLines; number++ {
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
