package ingest

import (
	"bytes"
	"io"
)

// MaxLine is the longest line in bytes that is parsed. A longer one is rejected as TooLong, and reading
// goes on after its end. Real logs hold lines of more than 64 KiB.
const MaxLine = 1 << 20

// lineBuffer is the initial size of a lines buffer: a few hundred lines for each read.
const lineBuffer = 256 << 10

// lines cuts a stream at its line ends. Zero bytes at the start of a line are skipped: they are the hole
// that truncating a file leaves when its writer goes on at the old offset.
//
// Every byte of the stream is in a line that next returns, in a line that next calls too long, in a line
// end, or in a run of zeros at the start of a line; offset tells which.
type lines struct {
	r     io.Reader
	whole extender // r, when it hands over its own buffers
	eol   byte
	limit int // bytes of the longest line
	buf   []byte
	start int // of the line that comes next
	end   int // of the bytes read
	err   error
	zeros int64 // bytes skipped

	base int64 // offset of buf[0] in the stream
	at   int64 // offset of the line returned last

	elements *elements // nil unless the stream is a JSON array
}

// extender is a reader that hands over its buffers instead of filling those of others, as source.Input does.
type extender interface {
	Extend(kept []byte) ([]byte, error)
}

func newLines(r io.Reader, eol byte) *lines {
	l := &lines{r: r, eol: eol, limit: MaxLine}
	l.whole, _ = r.(extender)
	return l
}

// offset returns the position in the stream, from 0, of the first byte of the line that next returned last.
func (l *lines) offset() int64 { return l.at }

// next returns the next line without its line end ("\n", "\r\n", or a lone "\r" in a file that knows no
// other), valid until the call after. long means that the line was over MaxLine and was dropped.
// The error is io.EOF or the stream's own; the unended line before it comes first.
func (l *lines) next() (line []byte, long bool, err error) {
	if l.elements != nil {
		return l.nextElement()
	}
	for {
		l.skipZeros()
		if l.start < l.end {
			break
		}
		if err := l.fill(); err != nil {
			return nil, false, err
		}
	}
	l.at = l.base + int64(l.start)
	from := l.start
	for {
		if n := bytes.IndexByte(l.buf[from:l.end], l.eol); n >= 0 {
			line = l.buf[l.start : from+n]
			l.start = from + n + 1
			return trimReturn(line), long || len(line) > l.limit, nil
		}
		if l.end-l.start > l.limit {
			long = true
			l.start = l.end // drop what is known to be too long
		}
		size := l.end - l.start
		if err := l.fill(); err != nil {
			if size == 0 && !long {
				return nil, false, err
			}
			line = l.buf[l.start:l.end]
			l.start = l.end
			return trimReturn(line), long, nil
		}
		from = l.start + size
	}
}

func (l *lines) skipZeros() {
	if l.start < l.end && l.buf[l.start] == 0 {
		n := leadingZeros(l.buf[l.start:l.end])
		l.start += n
		l.zeros += int64(n)
	}
}

// hole is compared as a whole: the zeros of a hole may be gigabytes.
var hole [4 << 10]byte

func leadingZeros(b []byte) int {
	n := 0
	for len(b)-n >= len(hole) && bytes.Equal(b[n:n+len(hole)], hole[:]) {
		n += len(hole)
	}
	for n < len(b) && b[n] == 0 {
		n++
	}
	return n
}

// fill reads more bytes behind the unread ones, which move to the front of the buffer.
func (l *lines) fill() error {
	for empty := 0; l.err == nil; empty++ {
		n, err := l.read()
		l.err = err
		if n > 0 {
			return nil
		}
		if empty == 100 {
			l.err = io.ErrNoProgress
		}
	}
	return l.err
}

func (l *lines) read() (n int, err error) {
	kept := l.buf[l.start:l.end]
	l.base += int64(l.start)
	if l.whole != nil {
		l.buf, err = l.whole.Extend(kept)
		l.start, l.end = 0, len(l.buf)
		return l.end - len(kept), err
	}
	if l.start > 0 {
		copy(l.buf, kept)
		l.start, l.end = 0, len(kept)
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, max(len(l.buf), lineBuffer))...)
	}
	n, err = l.r.Read(l.buf[l.end:])
	l.end += n
	return n, err
}

func trimReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// isDirective tells lines that are part of a file's frame: empty ones, and "#" lines as W3C writes them.
func isDirective(line []byte) bool { return len(line) == 0 || line[0] == '#' }
