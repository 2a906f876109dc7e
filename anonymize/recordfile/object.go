package recordfile

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Object scans the members of one flat JSON object in the order in which they stand. It is reused from
// line to line and allocates only when a string with escapes is longer than any before.
//
//	o.Reset(line)
//	for o.Next() {
//		switch string(o.Key) { ... }
//	}
//	err := o.Err()
type Object struct {
	Key   []byte // borrowed until the next Reset
	Value Value  // borrowed until the next Reset
	rest  []byte
	text  []byte // unescaped strings of this object
	first bool
	ended bool
	err   error
}

// Reset starts a new object.
func (o *Object) Reset(line []byte) {
	*o = Object{rest: line, text: o.text[:0], first: true}
	if !o.take('{') {
		o.err = ErrSyntax
	}
}

// Next moves to the next member and reports whether there is one.
func (o *Object) Next() bool {
	if o.err != nil || o.ended {
		return false
	}
	if o.take('}') {
		o.ended = true
		if o.space(); len(o.rest) > 0 {
			o.err = ErrSyntax
		}
		return false
	}
	if !o.first && !o.take(',') {
		return o.fail()
	}
	o.first = false
	o.space()
	key, ok := o.str()
	if !ok || !o.take(':') {
		return o.fail()
	}
	o.Key = key
	o.space()
	return o.value()
}

// Err is ErrSyntax when the line was no flat object.
func (o *Object) Err() error {
	if o.err == nil && !o.ended {
		return ErrSyntax
	}
	return o.err
}

func (o *Object) fail() bool {
	o.err = ErrSyntax
	return false
}

func (o *Object) value() bool {
	if len(o.rest) == 0 {
		return o.fail()
	}
	switch c := o.rest[0]; {
	case c == '"':
		s, ok := o.str()
		if !ok {
			return o.fail()
		}
		o.Value = Value{Str: s, Quoted: true}
		return true
	case c == '{' || c == '[':
		return o.nested()
	}
	n := 0
	for n < len(o.rest) && o.rest[n] != ',' && o.rest[n] != '}' && o.rest[n] > ' ' {
		n++
	}
	if n == 0 {
		return o.fail()
	}
	o.Value = Value{Str: o.rest[:n]}
	o.rest = o.rest[n:]
	return true
}

// nested takes an array or an object as it stands; its brackets must balance outside of strings.
func (o *Object) nested() bool {
	depth, inString := 0, false
	for i := 0; i < len(o.rest); i++ {
		c := o.rest[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
			if depth == 0 {
				o.Value = Value{Str: o.rest[:i+1]}
				o.rest = o.rest[i+1:]
				return true
			}
		}
	}
	return o.fail()
}

// str takes a JSON string: borrowed from the line, or from o.text when it has escapes.
func (o *Object) str() ([]byte, bool) {
	if len(o.rest) == 0 || o.rest[0] != '"' {
		return nil, false
	}
	o.rest = o.rest[1:]
	end := bytes.IndexByte(o.rest, '"')
	if end < 0 {
		return nil, false
	}
	if s := o.rest[:end]; bytes.IndexByte(s, '\\') < 0 {
		o.rest = o.rest[end+1:]
		return s, true
	}
	from := len(o.text)
	for i := 0; i < len(o.rest); i++ {
		switch c := o.rest[i]; c {
		case '"':
			o.rest = o.rest[i+1:]
			return o.text[from:len(o.text):len(o.text)], true
		case '\\':
			n := o.unescape(o.rest[i:])
			if n == 0 {
				return nil, false
			}
			i += n - 1
		default:
			o.text = append(o.text, c)
		}
	}
	return nil, false
}

// unescape appends what the escape at the start of s means and returns its length, 0 for a wrong one.
func (o *Object) unescape(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch c := s[1]; c {
	case '"', '\\', '/':
		o.text = append(o.text, c)
	case 'n':
		o.text = append(o.text, '\n')
	case 'r':
		o.text = append(o.text, '\r')
	case 't':
		o.text = append(o.text, '\t')
	case 'b':
		o.text = append(o.text, '\b')
	case 'f':
		o.text = append(o.text, '\f')
	case 'u':
		return o.unescapeRune(s)
	default:
		return 0
	}
	return 2
}

func (o *Object) unescapeRune(s []byte) int {
	r, ok := hex4(s)
	if !ok {
		return 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(s[6:]); ok {
			if both := utf16.DecodeRune(r, low); both != utf8.RuneError {
				o.text = utf8.AppendRune(o.text, both)
				return 12
			}
		}
		r = utf8.RuneError
	}
	o.text = utf8.AppendRune(o.text, r)
	return 6
}

// hex4 reads \uXXXX.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 32)
	return rune(n), err == nil
}

// take skips white space and then c, if it is there.
func (o *Object) take(c byte) bool {
	o.space()
	if len(o.rest) == 0 || o.rest[0] != c {
		return false
	}
	o.rest = o.rest[1:]
	return true
}

func (o *Object) space() {
	for len(o.rest) > 0 && (o.rest[0] == ' ' || o.rest[0] == '\t' || o.rest[0] == '\n' || o.rest[0] == '\r') {
		o.rest = o.rest[1:]
	}
}
