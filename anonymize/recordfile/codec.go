package recordfile

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// ErrSyntax says that a record line is not a flat JSON object of strings, numbers and booleans.
var ErrSyntax = errors.New("not a flat JSON object")

const hexDigits = "0123456789abcdef"

// AppendKey appends `,"key":`, or `{"key":` when the record is empty so far. The key is plain ASCII.
func AppendKey(b []byte, key string) []byte {
	sign := byte(',')
	if len(b) == 0 {
		sign = '{'
	}
	b = append(append(b, sign, '"'), key...)
	return append(b, '"', ':')
}

// plain are the bytes that stand in a string as they are.
var plain = func() (t [256]bool) {
	for c := byte(' '); c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

// AppendInt appends a member with an integer value.
func AppendInt(b []byte, key string, v int64) []byte {
	return strconv.AppendInt(AppendKey(b, key), v, 10)
}

// AppendFloat appends a member with the shortest decimal that reads back as v, which must be finite.
func AppendFloat(b []byte, key string, v float64) []byte {
	return strconv.AppendFloat(AppendKey(b, key), v, 'g', -1, 64)
}

// AppendString appends a member with a string value. Bytes that are not UTF-8 become U+FFFD: a caller
// with byte strings of its own must encode them before.
func AppendString[S ~string | ~[]byte](b []byte, key string, v S) []byte {
	b = append(AppendKey(b, key), '"')
	start := 0
	for i := 0; ; {
		for i < len(v) && plain[v[i]] {
			i++
		}
		if i == len(v) {
			return append(append(b, v[start:]...), '"')
		}
		c := v[i]
		if c >= utf8.RuneSelf {
			r, n := decodeRune(v[i:])
			if r != utf8.RuneError || n > 1 {
				i += n
				continue
			}
			b = append(append(b, v[start:i]...), `\ufffd`...)
			i++
			start = i
			continue
		}
		b = appendEscape(append(b, v[start:i]...), c)
		i++
		start = i
	}
}

// AppendOptional is AppendString for a member that is left out when it is empty.
func AppendOptional[S ~string | ~[]byte](b []byte, key string, v S) []byte {
	if len(v) == 0 {
		return b
	}
	return AppendString(b, key, v)
}

// decodeRune looks at no more than one rune, so that converting from string costs nothing.
func decodeRune[S ~string | ~[]byte](v S) (rune, int) {
	var tmp [utf8.UTFMax]byte
	return utf8.DecodeRune(tmp[:copy(tmp[:], v)])
}

func appendEscape(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// Value is one member's value. Str is borrowed from the line, or from the Object when it had escapes.
type Value struct {
	Str    []byte // contents of a string; text of a number, true, false or null; a nested value as it stands
	Quoted bool   // a JSON string
}

// Int is the value as an integer.
func (v Value) Int() (int64, error) {
	s := v.Str
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if v.Quoted || len(s) == 0 || len(s) > 19 {
		return 0, ErrSyntax
	}
	var n uint64
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, ErrSyntax
		}
		n = n*10 + uint64(c-'0')
	}
	switch {
	case neg && n <= 1<<63:
		return -int64(n), nil
	case neg || n > 1<<63-1:
		return 0, ErrSyntax
	}
	return int64(n), nil
}

// Text is the value as a string, borrowed like Str. One that is not UTF-8 is no JSON string: it could not be
// written again.
func (v Value) Text() ([]byte, error) {
	if !v.Quoted || !utf8.Valid(v.Str) {
		return nil, ErrSyntax
	}
	return v.Str, nil
}

// Float is the value as a number.
func (v Value) Float() (float64, error) {
	if v.Quoted {
		return 0, ErrSyntax
	}
	f, err := strconv.ParseFloat(string(v.Str), 64)
	if err != nil {
		return 0, ErrSyntax
	}
	return f, nil
}
