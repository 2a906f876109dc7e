package endpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"
)

// Template is the path of one endpoint.
type Template struct {
	Pattern  string // such as /p/{int} or /files/
	Count    int64  // requests that taught it, with a status of 2xx or 3xx; 0 when given by hand
	Clients  int    // distinct clients of those requests, at least; never above 64
	Segments []Segment
}

// Segment is one part of a template between slashes.
type Segment struct {
	Literal bool   // the segment stays as it is
	Class   Class  // of a variable segment
	Prefix  string // text before the number of a PrefixInt that stays; empty when it is variable too
}

// Set finds the template of a path. It is read-only and safe for concurrent use.
type Set struct {
	templates []*Template
	root      *branch
	keys      map[string]bool // of queries
	keyList   []string        // sorted
	values    map[string]map[string]bool
	valueList map[string][]string // sorted
	digest    string
}

// branch is one position in the tree of templates.
type branch struct {
	ends     [2]*Template // without and with a slash at the end
	children map[string]*branch
	any      *branch
	rest     *Template
}

// unmatched is the template of all paths that no template of a Set fits: no segment of it is literal.
var unmatched = &Template{Pattern: "{unmatched}"}

// newSet sorts templates by pattern, keys and values, and compiles them. An error is a *patternError.
func newSet(templates []*Template, keys []string, values map[string][]string) (*Set, error) {
	slices.SortStableFunc(templates, func(a, b *Template) int { return strings.Compare(a.Pattern, b.Pattern) })
	slices.Sort(keys)
	keys = slices.Compact(keys)
	s := &Set{templates: templates, root: &branch{}, keyList: keys, keys: make(map[string]bool, len(keys)), valueList: values}
	sum := sha256.New()
	for i, t := range templates {
		if i > 0 && t.Pattern == templates[i-1].Pattern {
			return nil, &patternError{t, errors.New("pattern stands twice")}
		}
		if err := s.add(t); err != nil {
			return nil, &patternError{t, err}
		}
		sum.Write([]byte(t.Pattern + "\n"))
	}
	for _, key := range keys {
		s.keys[key] = true
		sum.Write([]byte("?" + key + "\n"))
	}
	s.values = make(map[string]map[string]bool, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		slices.Sort(values[key])
		values[key] = slices.Compact(values[key])
		s.values[key] = make(map[string]bool, len(values[key]))
		for _, value := range values[key] {
			s.values[key][value] = true
			sum.Write([]byte("?" + key + "=" + value + "\n"))
		}
	}
	s.digest = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// patternError says which template is wrong. Its message does not hold the pattern, which may hold names.
type patternError struct {
	template *Template
	err      error
}

func (e *patternError) Error() string { return e.err.Error() }

func (e *patternError) Unwrap() error { return e.err }

// add compiles one pattern into the tree.
func (s *Set) add(t *Template) error {
	if !strings.HasPrefix(t.Pattern, "/") {
		return errors.New("pattern does not start with /")
	}
	b := s.root
	path, slash := strings.CutSuffix(t.Pattern, "/")
	if path != "" {
		names := strings.Split(path[1:], "/")
		for i, name := range names {
			seg, key, err := parseSegment(name)
			if err != nil {
				return err
			}
			t.Segments = append(t.Segments, seg)
			if seg.Class == Rest && !seg.Literal {
				if i < len(names)-1 || slash || b.rest != nil {
					return errors.New("{rest} must be the last segment, and once after the same path")
				}
				b.rest = t
				return nil
			}
			b = b.next(seg, key)
		}
	}
	end := 0
	if slash {
		end = 1
	}
	if b.ends[end] != nil {
		return errors.New("two patterns fit the same paths")
	}
	b.ends[end] = t
	return nil
}

func (b *branch) next(seg Segment, key string) *branch {
	if seg.Class == Any && !seg.Literal {
		if b.any == nil {
			b.any = &branch{}
		}
		return b.any
	}
	child := b.children[key]
	if child == nil {
		child = &branch{}
		if b.children == nil {
			b.children = make(map[string]*branch)
		}
		b.children[key] = child
	}
	return child
}

// parseSegment reads one segment of a pattern: a literal, a class with an optional extension,
// prefix{int}, or a free name in braces. The key is what matching looks up.
func parseSegment(name string) (Segment, string, error) {
	open, end := strings.IndexByte(name, '{'), strings.IndexByte(name, '}')
	switch {
	case name == "":
		return Segment{}, "", errors.New("pattern has an empty segment")
	case open < 0 && end < 0:
		if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;?#%\"`, r) }) {
			return Segment{}, "", errors.New("pattern has a character that a literal segment cannot have")
		}
		return Segment{Literal: true}, name, nil
	case open < 0 || end < open+2 || strings.Count(name, "{") > 1 || strings.Count(name, "}") > 1:
		return Segment{}, "", errors.New("pattern has braces that do not pair up")
	}
	ext := name[end+1:]
	if ext != "" && !(ext[0] == '.' && extensions[ext[1:]]) {
		return Segment{}, "", errors.New("pattern has text after a variable that is no known file extension")
	}
	word := name[open+1 : end]
	class := slices.Index(classNames[:], word)
	if open > 0 {
		if Class(class) != Int {
			return Segment{}, "", errors.New("pattern has text before a variable other than {int}")
		}
		return Segment{Class: PrefixInt, Prefix: name[:open]}, name, nil
	}
	if class < 0 || Class(class) == Any {
		if ext != "" {
			return Segment{}, "", errors.New("pattern has an extension after a free name")
		}
		return Segment{Class: Any}, "", nil
	}
	return Segment{Class: Class(class)}, name, nil
}

// Templates are the templates of s, sorted by pattern. They must not be changed.
func (s *Set) Templates() []*Template { return s.templates }

// Digest is the SHA-256, in hex, of the sorted patterns, then the sorted query keys with a question mark before each,
// then the sorted values as ?key=value, all with a newline. Counts are not part of it: equal digests match equally.
func (s *Set) Digest() string { return s.digest }

// Match finds the template of a path (see Path). At each segment the most specific branch is taken and
// never left again: a literal, then the class, then {word} or {prefix-int}, then a free name. A path that
// differs from a template only in the slash at its end fits it. Without a fit the template has the pattern
// {unmatched}. Match never allocates.
func (s *Set) Match(path []byte) *Template {
	if len(path) == 0 || path[0] != '/' {
		return unmatched
	}
	var text [maxDecode]byte
	var key [maxDecode + 16]byte
	b := s.root
	for {
		seg, rest := NextSegment(path)
		if len(seg) == 0 && len(rest) == 0 {
			break
		}
		path = rest
		if len(seg) == 0 {
			continue
		}
		child := b.match(key[:0], decode(text[:], seg))
		if child == nil {
			if b.rest != nil {
				return b.rest
			}
			return unmatched
		}
		b = child
	}
	slash := 0
	if len(path) > 0 {
		slash = 1
	}
	if t := b.ends[slash]; t != nil {
		return t
	}
	if t := b.ends[1-slash]; t != nil {
		return t
	}
	return unmatched
}

func (b *branch) match(key, seg []byte) *branch {
	if child := b.children[string(seg)]; child != nil {
		return child
	}
	if len(b.children) > 0 {
		reduced, class := appendReduced(key, seg)
		if class != Word {
			if child := b.children[string(reduced)]; child != nil {
				return child
			}
		}
		if class == Word || class == PrefixInt {
			_, ext := SplitExtension(seg)
			reduced = append(appendVariable(key, class), ext...)
			if child := b.children[string(reduced)]; child != nil {
				return child
			}
		}
	}
	return b.any
}
