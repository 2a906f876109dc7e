package rules

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of shapes, all of them so that no identifier of a person fits.
const (
	maxDigits    = 6   // of int<=N and of a listed value: with more it could be an id
	maxWord      = 24  // bytes of a word
	maxPart      = 16  // bytes of one of words(...)
	maxListed    = 64  // bytes of a listed value
	maxListSize  = 512 // listed values
	maxTop       = 10000
	longestShape = 16 << 10 // bytes of its text
)

// Kind is the kind of a shape, in the word that reports use.
type Kind uint8

// The kinds.
const (
	Empty    Kind = iota // no value: it always stays
	Bool                 // true, false
	SmallInt             // up to N digits
	Word                 // up to 24 letters, _ and -
	Locale               // a language of ISO 639-1, perhaps with a region of ISO 3166-1
	Version              // one to three numbers with dots, six digits in all
	Listed               // a closed list, compared byte by byte
	Words                // a closed list of words that can be joined, in any case
	Top                  // values that many clients asked for, which package endpoint learns
)

var kindNames = [...]string{"empty", "bool", "int", "word", "locale", "version", "listed", "words", "top"}

func (k Kind) String() string { return kindNames[k] }

// Shape is what a query value may look like to stay. It is read-only.
type Shape struct {
	kind  Kind
	n     int             // of int<=N and top(N)
	words map[string]bool // of Listed and Words
}

// Kind is the kind of the shape.
func (s *Shape) Kind() Kind { return s.kind }

// Top is the number of values that may stay for being asked for by many clients; 0 unless the kind is Top.
func (s *Shape) Top() int {
	if s.kind == Top {
		return s.n
	}
	return 0
}

// Match tells whether a decoded value has the shape; an empty value has every shape. Of the kind Top no other value
// has: what was learned decides. It does not allocate.
func (s *Shape) Match(value []byte) bool {
	if len(value) == 0 {
		return true
	}
	switch s.kind {
	case Bool:
		return string(value) == "true" || string(value) == "false"
	case SmallInt:
		return len(value) <= s.n && onlyDigits(value)
	case Word:
		return isWord(value)
	case Locale:
		return isLocale(value)
	case Version:
		return isVersion(value)
	case Listed:
		return s.words[string(value)]
	case Words:
		return ofWords(value, s.words)
	}
	return false
}

// String is the shape as the rules file has it, listed values in order.
func (s *Shape) String() string {
	switch s.kind {
	case SmallInt:
		return "int<=" + strconv.Itoa(s.n)
	case Top:
		return fmt.Sprintf("top(%d)", s.n)
	case Listed:
		return strings.Join(slices.Sorted(maps.Keys(s.words)), "|")
	case Words:
		return "words(" + strings.Join(slices.Sorted(maps.Keys(s.words)), "|") + ")"
	}
	return s.kind.String()
}

// simple are the shapes without a number or a list.
var simple = map[string]Kind{"bool": Bool, "word": Word, "locale": Locale, "version": Version}

const allShapes = "shapes are int<=N, word, bool, locale, version, a|b|c, words(a|b|c) and top(N)"

// parseShape reads a shape. The error is the reason and does not quote the text.
func parseShape(text string) (*Shape, error) {
	text = strings.TrimSpace(text)
	if len(text) > longestShape {
		return nil, fmt.Errorf("is longer than %d bytes", longestShape)
	}
	if k, ok := simple[text]; ok {
		return &Shape{kind: k}, nil
	}
	if number, ok := strings.CutPrefix(text, "int<="); ok {
		n, err := strconv.Atoi(number)
		switch {
		case err != nil || n < 1 || number[0] == '+':
			return nil, fmt.Errorf("int<=N needs the number of digits, from 1 to %d", maxDigits)
		case n > maxDigits:
			return nil, fmt.Errorf("int<=N takes %d digits at most: a longer number could be an id; make it a place of an entity", maxDigits)
		}
		return &Shape{kind: SmallInt, n: n}, nil
	}
	if inner, ok := call(text, "top"); ok {
		n, err := strconv.Atoi(inner)
		if err != nil || n < 1 || n > maxTop || inner[0] == '+' {
			return nil, fmt.Errorf("top(N) needs the number of values, from 1 to %d", maxTop)
		}
		return &Shape{kind: Top, n: n}, nil
	}
	if inner, ok := call(text, "words"); ok {
		words, err := parseWords(inner, checkPart)
		return &Shape{kind: Words, words: words}, err
	}
	if strings.Contains(text, "|") {
		words, err := parseWords(text, checkListed)
		return &Shape{kind: Listed, words: words}, err
	}
	if text == "int" {
		return nil, fmt.Errorf("int needs the number of digits: int<=4")
	}
	return nil, fmt.Errorf("is no shape%s; %s", near(text, slices.Sorted(maps.Keys(simple))), allShapes)
}

// call tells whether text is name(inner).
func call(text, name string) (inner string, ok bool) {
	inner, ok = strings.CutPrefix(text, name+"(")
	if !ok || !strings.HasSuffix(inner, ")") {
		return "", false
	}
	return strings.TrimSpace(inner[:len(inner)-1]), true
}

// parseWords splits a list at its bars. Spaces around them do not count, so that a list can go over several lines.
func parseWords(text string, check func(string) error) (map[string]bool, error) {
	words := make(map[string]bool)
	for i, w := range strings.Split(text, "|") {
		w = strings.TrimSpace(w)
		err := check(w)
		switch {
		case err != nil:
			return nil, fmt.Errorf("value %d of the list %w", i+1, err)
		case words[w]:
			return nil, fmt.Errorf("value %d of the list stands there twice", i+1)
		case len(words) == maxListSize:
			return nil, fmt.Errorf("the list has more than %d values", maxListSize)
		}
		words[w] = true
	}
	return words, nil
}

// checkPart checks one of words(...): it begins with a letter, so that joined ones are no number.
func checkPart(w string) error {
	for i := range len(w) {
		if c := w[i]; !(c >= 'a' && c <= 'z' || i > 0 && c >= '0' && c <= '9') {
			return fmt.Errorf("is no lower-case word of letters and digits")
		}
	}
	if w == "" || len(w) > maxPart {
		return fmt.Errorf("has not from 1 to %d bytes", maxPart)
	}
	return few(w)
}

func checkListed(w string) error {
	for i := range len(w) {
		if c := w[i]; !(isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte("_-.,:+/~* ", c) >= 0) {
			return fmt.Errorf("has a character other than letters, digits, space and _ - . , : + / ~ *")
		}
	}
	if w == "" || len(w) > maxListed {
		return fmt.Errorf("has not from 1 to %d bytes", maxListed)
	}
	return few(w)
}

// few refuses listed values with so many digits that they could be ids.
func few(w string) error {
	digits := 0
	for i := range len(w) {
		if w[i] >= '0' && w[i] <= '9' {
			digits++
		}
	}
	if digits > maxDigits {
		return fmt.Errorf("has more than %d digits and could be an id; make the key a place of an entity", maxDigits)
	}
	return nil
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func onlyDigits(s []byte) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(s) > 0
}

func isWord(s []byte) bool {
	if len(s) > maxWord {
		return false
	}
	for _, c := range s {
		if !isLetter(c) && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// isVersion tells whether s is one to three numbers of up to three digits with dots, six digits in all. More could be
// a phone number or an address.
func isVersion(s []byte) bool {
	digits, parts, all := 0, 1, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9' && digits < 3 && all < maxDigits:
			digits++
			all++
		case c == '.' && digits > 0 && parts < 3:
			digits = 0
			parts++
		default:
			return false
		}
	}
	return digits > 0
}

// ofWords tells whether s is words of the set, joined by _ - . : , or a space, perhaps after a sign.
func ofWords(s []byte, words map[string]bool) bool {
	if s[0] == '-' || s[0] == '+' {
		s = s[1:]
	}
	for {
		i := bytes.IndexAny(s, "_-.:, ")
		if i < 0 {
			i = len(s)
		}
		var buf [maxPart]byte
		if i == 0 || i > len(buf) || !words[string(AppendLower(buf[:0], s[:i]))] {
			return false
		}
		if i == len(s) {
			return true
		}
		s = s[i+1:]
	}
}

// AppendLower appends s in lower case, as rules hold keys, cut to the room that b has.
func AppendLower(b, s []byte) []byte {
	for _, c := range s[:min(len(s), cap(b))] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		b = append(b, c)
	}
	return b
}
