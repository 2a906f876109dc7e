package httptarget

import (
	"bytes"
	"errors"
	"io"
)

// ErrProtocol says that an answer is not HTTP/1, or over a limit.
var ErrProtocol = errors.New("the answer is not HTTP/1")

// Response is what a replay keeps of an answer.
type Response struct {
	Status uint16
	Bytes  int64 // of the whole answer, head included, interim (1xx) answers too
	Body   int64 // of the content
	Close  bool  // the connection cannot be used again
}

// ResponseReader reads HTTP/1.0 and HTTP/1.1 responses (RFC 9112) one after the other and drops their
// content. It does not allocate once its buffer has grown to the longest line. Content codings are left
// alone.
type ResponseReader struct {
	src        io.Reader
	buf        []byte
	r, w       int
	headLimit  int
	bodyLimit  int64
	head       int   // bytes of the head or trailer being read
	read, body int64 // bytes of the response being read
}

const (
	firstBuffer = 4 << 10
	bodyBuffer  = 16 << 10
)

// NewResponseReader reads from src. The limits are those of Options.
func NewResponseReader(src io.Reader, headLimit int, bodyLimit int64) *ResponseReader {
	return &ResponseReader{src: src, buf: make([]byte, firstBuffer), headLimit: headLimit, bodyLimit: bodyLimit}
}

// Wait returns when at least one byte of a response is there.
func (r *ResponseReader) Wait() error {
	for r.r == r.w {
		if err := r.fill(); err != nil {
			return err
		}
	}
	return nil
}

// Buffered is the number of bytes read and not yet consumed.
func (r *ResponseReader) Buffered() int { return r.w - r.r }

// Next reads the response to a request with the given method. The error is ErrProtocol, io.EOF or
// io.ErrUnexpectedEOF where the connection ended too early, or the source's own.
func (r *ResponseReader) Next(method string) (Response, error) {
	r.read, r.body = 0, 0
	for {
		r.head = 0
		f, err := r.readHead()
		if err != nil {
			return Response{}, r.early(err)
		}
		if f.status/100 == 1 && f.status != 101 {
			continue // an interim answer; the final one follows
		}
		if f.status == 101 {
			return Response{}, ErrProtocol // nothing was asked to be switched
		}
		closes, err := r.readContent(f, method)
		if err != nil {
			return Response{}, r.early(err)
		}
		return Response{Status: f.status, Bytes: r.read, Body: r.body, Close: closes}, nil
	}
}

// early turns the end of the source inside a response into io.ErrUnexpectedEOF.
func (r *ResponseReader) early(err error) error {
	if errors.Is(err, io.EOF) && r.read > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readContent reads up to the end of the message (RFC 9112, 6.3).
func (r *ResponseReader) readContent(f framing, method string) (closes bool, err error) {
	closes = f.closes()
	if f.old && f.coded {
		// HTTP/1.0 has no transfer codings: the field says nothing, and the connection is not to be trusted.
		f.coded, f.chunked, closes = false, false, true
	}
	switch {
	case method == "HEAD" || f.status == 204 || f.status == 304:
		return closes || f.coded && f.length >= 0, nil
	case f.chunked:
		return closes || f.length >= 0, r.readChunks()
	case f.coded || f.length < 0:
		return true, r.skipToEnd()
	}
	return closes, r.skip(f.length)
}

// readChunks reads a chunked body and its trailer (RFC 9112, 7.1).
func (r *ResponseReader) readChunks() error {
	for {
		r.head = 0
		line, err := r.line(true)
		if err != nil {
			return err
		}
		size, ok := chunkSize(line)
		if !ok {
			return ErrProtocol
		}
		if size == 0 {
			break
		}
		if err := r.skip(size); err != nil {
			return err
		}
		if line, err = r.line(true); err != nil {
			return err
		}
		if len(line) != 0 {
			return ErrProtocol
		}
	}
	r.head = 0
	for {
		line, err := r.line(false)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			return nil
		}
	}
}

// chunkSize parses the hexadecimal size before an optional extension.
func chunkSize(line []byte) (int64, bool) {
	var n int64
	i := 0
	for ; i < len(line); i++ {
		d := unhex(line[i])
		if d < 0 {
			break
		}
		if n >= 1<<56 {
			return 0, false
		}
		n = n<<4 | int64(d)
	}
	rest := bytes.TrimLeft(line[i:], " \t")
	return n, i > 0 && (len(rest) == 0 || rest[0] == ';')
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// skip drops n bytes of content.
func (r *ResponseReader) skip(n int64) error {
	if n > r.bodyLimit-r.body {
		return ErrProtocol
	}
	r.body += n
	for n > 0 {
		if r.r == r.w {
			r.widen(n)
			if err := r.fill(); err != nil {
				return err
			}
		}
		k := min(int64(r.w-r.r), n)
		r.r += int(k)
		r.read += k
		n -= k
	}
	return nil
}

// widen makes room for content that does not fit the first buffer, to save system calls.
func (r *ResponseReader) widen(n int64) {
	if n > int64(len(r.buf)) && len(r.buf) < bodyBuffer {
		r.buf, r.r, r.w = make([]byte, bodyBuffer), 0, 0
	}
}

// skipToEnd drops everything up to the end of the connection.
func (r *ResponseReader) skipToEnd() error {
	for {
		k := int64(r.w - r.r)
		if k > r.bodyLimit-r.body {
			return ErrProtocol
		}
		r.body += k
		r.read += k
		r.r = r.w
		if err := r.fill(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// line returns the next line without its end, borrowed until the next read. A bare LF ends a line unless
// strict.
func (r *ResponseReader) line(strict bool) ([]byte, error) {
	searched := 0
	for {
		if i := bytes.IndexByte(r.buf[r.r+searched:r.w], '\n'); i >= 0 {
			n := searched + i + 1
			line := r.buf[r.r : r.r+n-1]
			r.r += n
			r.read += int64(n)
			r.head += n
			if r.head > r.headLimit {
				return nil, ErrProtocol
			}
			if len(line) > 0 && line[len(line)-1] == '\r' {
				return line[:len(line)-1], nil
			}
			if strict {
				return nil, ErrProtocol
			}
			return line, nil
		}
		searched = r.w - r.r
		if r.head+searched > r.headLimit {
			return nil, ErrProtocol
		}
		if err := r.fill(); err != nil {
			if searched > 0 && errors.Is(err, io.EOF) {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}

// fill reads more bytes behind those that are there.
func (r *ResponseReader) fill() error {
	if r.r == r.w {
		r.r, r.w = 0, 0
	} else if r.w == len(r.buf) {
		if r.r == 0 {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		r.w = copy(r.buf, r.buf[r.r:r.w])
		r.r = 0
	}
	for range 100 {
		n, err := r.src.Read(r.buf[r.w:])
		r.w += n
		if n > 0 {
			return nil // an error comes back with the next read
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
