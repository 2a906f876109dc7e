package endpoint

import "bytes"

// MaxSegments is the depth of templates; what lies deeper is one {rest}.
const MaxSegments = 12

// maxDecode is the longest segment, in bytes, that is percent-decoded; a longer one is a token anyway.
const maxDecode = 256

// Path is the path of a request target: without scheme, authority, query and fragment. A target that has
// no path (an authority or an asterisk) is returned as it is.
func Path(target []byte) []byte {
	if i := bytes.IndexByte(target, '?'); i >= 0 {
		target = target[:i]
	}
	if i := bytes.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	if len(target) > 0 && target[0] == '/' {
		return target
	}
	if i := bytes.Index(target, []byte("://")); i > 0 && i <= 8 {
		rest := target[i+3:]
		if j := bytes.IndexByte(rest, '/'); j >= 0 {
			return rest[j:]
		}
		return []byte("/")
	}
	return target
}

// NextSegment takes the first non-empty segment off a path. The segment comes without its ;parameters,
// rest starts at the slash that ends the segment; both are empty at the end of the path.
func NextSegment(path []byte) (seg, rest []byte) {
	start := 0
	for start < len(path) && path[start] == '/' {
		start++
	}
	end := start
	for end < len(path) && path[end] != '/' {
		end++
	}
	seg, rest = path[start:end], path[end:]
	if i := bytes.IndexByte(seg, ';'); i >= 0 {
		seg = seg[:i]
	}
	return seg, rest
}

// Unescape undoes up to three rounds of percent-encoding in s, as far as the escapes are well formed. The
// result shares s when there is nothing to undo, and else stands in buf when that is large enough.
func Unescape(buf, s []byte) []byte {
	for range 3 {
		i := bytes.IndexByte(s, '%')
		if i < 0 {
			return s
		}
		out := append(buf[:0], s[:i]...)
		changed := false
		for ; i < len(s); i++ {
			c := s[i]
			if c == '%' && i+2 < len(s) {
				if hi, lo := HexDigit(s[i+1]), HexDigit(s[i+2]); hi < 16 && lo < 16 {
					c = hi<<4 | lo
					i += 2
					changed = true
				}
			}
			out = append(out, c)
		}
		if !changed {
			return s
		}
		s = out
	}
	return s
}

// HexDigit is the value of a hex digit in either case, 255 for any other byte.
func HexDigit(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// appendReduced appends the reduced form of one decoded segment and returns what it is.
func appendReduced(b, seg []byte) ([]byte, Class) {
	if isNumber(seg) { // the most frequent class, and no word
		return appendVariable(b, Int), Int
	}
	if isRouteWord(seg) {
		return append(b, seg...), Word
	}
	stem, ext := SplitExtension(seg)
	class := Classify(stem)
	switch class {
	case Word:
		if len(seg) > maxWord {
			class = Token
			break
		}
		return append(b, seg...), Word
	case PrefixInt:
		end := len(stem)
		for end > 0 && kindOf[stem[end-1]] == kDigit {
			end--
		}
		b = append(append(b, stem[:end]...), "{int}"...)
		return append(b, ext...), PrefixInt
	}
	return append(appendVariable(b, class), ext...), class
}

func appendVariable(b []byte, c Class) []byte {
	return append(append(append(b, '{'), classNames[c]...), '}')
}

// appendPath appends the reduced form of a whole path.
func appendPath(b, path []byte) []byte {
	var buf [maxDecode]byte
	for depth := 0; ; depth++ {
		seg, rest := NextSegment(path)
		if len(seg) == 0 && len(rest) == 0 {
			break
		}
		path = rest
		if len(seg) == 0 { // nothing but ;parameters
			depth--
			continue
		}
		b = append(b, '/')
		if depth == MaxSegments {
			return append(b, "{rest}"...)
		}
		b, _ = appendReduced(b, decode(buf[:], seg))
	}
	if len(path) > 0 || len(b) == 0 {
		b = append(b, '/')
	}
	return b
}

// Outline is the reduced form of a path in which only the words of the fixed list stay. It says nothing about anyone, and
// needs no other requests to tell.
func Outline(path []byte) string { return string(appendOutline(nil, appendPath(nil, path))) }

// appendOutline appends the outline of a reduced path.
func appendOutline(b, reduced []byte) []byte {
	for len(reduced) > 0 {
		b = append(b, '/')
		seg := reduced[1:]
		if i := bytes.IndexByte(seg, '/'); i >= 0 {
			seg = seg[:i]
		}
		reduced = reduced[1+len(seg):]
		if len(seg) == 0 || isRouteWord(seg) {
			b = append(b, seg...)
		} else {
			b = append(b, generic(string(seg))...)
		}
	}
	return b
}

// decode is Unescape with a limit, so that the result never leaves buf's memory.
func decode(buf, seg []byte) []byte {
	if len(seg) > len(buf) {
		return seg
	}
	return Unescape(buf, seg)
}
