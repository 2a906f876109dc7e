package source

import (
	"bufio"
	"encoding/binary"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// skipMark removes a UTF-8 byte order mark and transcodes text that a mark declares as UTF-16, which
// is what some Windows tools write. Without a mark the bytes pass through as they are.
func skipMark(in *bufio.Reader) (io.Reader, error) {
	head, err := in.Peek(3)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case len(head) >= 3 && head[0] == 0xef && head[1] == 0xbb && head[2] == 0xbf:
		_, err = in.Discard(3)
		return in, err
	case len(head) >= 2 && head[0] == 0xff && head[1] == 0xfe:
		_, err = in.Discard(2)
		return &utf16Text{in: in, order: binary.LittleEndian}, err
	case len(head) >= 2 && head[0] == 0xfe && head[1] == 0xff:
		_, err = in.Discard(2)
		return &utf16Text{in: in, order: binary.BigEndian}, err
	}
	return in, nil
}

// utf16Text transcodes UTF-16 to UTF-8 (RFC 2781). Lone surrogates and a lone last byte become U+FFFD.
type utf16Text struct {
	in    *bufio.Reader
	order binary.ByteOrder
	rest  []byte // transcoded bytes that did not fit the caller's buffer
	buf   [utf8.UTFMax]byte
}

func (u *utf16Text) Read(p []byte) (int, error) {
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	for n < len(p) {
		if n > 0 && u.in.Buffered() < 4 {
			return n, nil // deliver what there is before waiting for more
		}
		r, err := u.next()
		if err != nil {
			if n > 0 {
				return n, nil
			}
			return 0, err
		}
		size := utf8.EncodeRune(u.buf[:], r)
		m := copy(p[n:], u.buf[:size])
		u.rest = u.buf[m:size]
		n += m
	}
	return n, nil
}

// next decodes one code point.
func (u *utf16Text) next() (rune, error) {
	unit, err := u.unit()
	if err != nil {
		return 0, err
	}
	if !utf16.IsSurrogate(rune(unit)) {
		return rune(unit), nil
	}
	low, err := u.in.Peek(2)
	if err != nil {
		return utf8.RuneError, nil //nolint:nilerr // half a pair at the end of the data is no reason to lose the rest
	}
	r := utf16.DecodeRune(rune(unit), rune(u.order.Uint16(low)))
	if r != utf8.RuneError {
		_, _ = u.in.Discard(2) // just peeked: cannot fail
	}
	return r, nil
}

func (u *utf16Text) unit() (uint16, error) {
	var b [2]byte
	n, err := io.ReadFull(u.in, b[:])
	if n == 1 {
		return utf8.RuneError, nil
	}
	return u.order.Uint16(b[:]), err
}
