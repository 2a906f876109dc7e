package audit

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Canaries are values that were planted in a log and must not be in its trace, in whatever form.
type Canaries struct {
	forms [formCount]needles
	of    [formCount][]int // the canary of each needle; 0 is the first
	n     int
}

// form is a way in which a canary can stand in a trace. Each is looked for in a text of its own.
type form int

const (
	asText   form = iota // in lower case, as it is or percent-encoded
	inBase64             // as it is
	asDigits             // digits without what separates them
	asWord               // a word by itself
	formCount
)

var formWords = [formCount]string{"as text", "in base64", "its digits", "a word of it"}

// Limits of a file of canaries.
const (
	maxCanaries    = 1000
	maxCanary      = 4096 // bytes
	shortestCanary = prefixBytes
	shortestWord   = 6 // letters of a word that is looked for by itself
	longWord       = 9 // letters of a word that is looked for within others
	shortestNumber = 9 // digits that are looked for without what stands between them
)

// ReadCanaries reads one canary per line; empty lines do not count. Errors name the line and hold no canary.
func ReadCanaries(r io.Reader) (*Canaries, error) {
	c := &Canaries{}
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxCanary+2)
	for line := 1; s.Scan(); line++ {
		text := bytes.TrimSpace(s.Bytes())
		switch {
		case len(text) == 0:
			continue
		case len(text) < shortestCanary:
			return nil, fmt.Errorf("line %d: a canary has at least %d bytes: a shorter one is met by chance", line, shortestCanary)
		case c.n == maxCanaries:
			return nil, fmt.Errorf("line %d: more than %d canaries", line, maxCanaries)
		}
		c.add(text)
	}
	if errors.Is(s.Err(), bufio.ErrTooLong) {
		return nil, fmt.Errorf("a canary has more than %d bytes", maxCanary)
	}
	if s.Err() != nil {
		return nil, s.Err()
	}
	if c.n == 0 {
		return nil, errors.New("the file holds no canary")
	}
	return c, nil
}

// add makes the needles of a canary.
func (c *Canaries) add(raw []byte) {
	seen := make(map[string]bool)
	put := func(f form, text []byte) {
		if key := string(rune(f)) + string(text); len(text) >= shortestCanary && !seen[key] {
			seen[key] = true
			c.forms[f].add(bytes.Clone(text))
			c.of[f] = append(c.of[f], c.n)
		}
	}
	text := unpercent(raw)
	for _, plain := range [][]byte{bytes.ToLower(raw), bytes.ToLower(text)} {
		put(asText, plain)
		put(asText, bytes.ReplaceAll(plain, []byte{' '}, []byte{'+'}))
	}
	escaped := url.QueryEscape(string(text))
	for range 3 {
		put(asText, []byte(strings.ToLower(escaped)))
		put(asText, []byte(strings.ToLower(strings.ReplaceAll(escaped, "+", "%20"))))
		escaped = url.QueryEscape(escaped)
	}
	put(asText, []byte(hex.EncodeToString(text)))
	put64(raw, put)
	put64(text, put)
	if digits := keepDigits(text); len(digits) >= shortestNumber {
		put(asDigits, digits)
	}
	for rest := text; len(rest) > 0; {
		var run []byte
		run, rest = cutRun(rest)
		switch n := utf8.RuneCount(run); {
		case isPublicHeader(run):
		case n >= longWord:
			put(asText, bytes.ToLower(run))
		case n >= shortestWord && !publicWords[strings.ToLower(string(run))]:
			put(asWord, bytes.ToLower(run))
		}
	}
	c.n++
}

// publicWords are words of mail and host pseudonyms.
var publicWords = words(`example localhost`)

// put64 makes the base64 and base64url of a text at the three offsets at which it can stand within a longer one, without
// the characters that depend on its neighbours.
func put64(text []byte, put func(form, []byte)) {
	for offset := range 3 {
		padded := append(make([]byte, offset), text...)
		skip, keep := (offset*8+5)/6, len(padded)*8/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if s := enc.EncodeToString(padded); keep-skip >= 2*shortestCanary {
				put(inBase64, []byte(s[skip:keep]))
			}
		}
	}
}

// find yields the canaries that stand in a text of a trace, or in what it decodes to.
func (c *Canaries) find(text []byte, yield func(canary int, f form)) {
	in := func(f form, text []byte) {
		c.forms[f].find(text, func(k, at int) {
			if f != asWord || alone(text, at, len(c.forms[f].texts[k])) {
				yield(c.of[f][k], f)
			}
		})
	}
	in(inBase64, text)
	lower := bytes.ToLower(text)
	in(asText, lower)
	decoded := lower
	if bytes.ContainsAny(text, `%\`) {
		decoded = bytes.ToLower(unjson(unpercent(text)))
		in(asText, decoded)
		in(inBase64, unpercent(text))
	}
	if bytes.IndexByte(decoded, '+') >= 0 {
		in(asText, bytes.ReplaceAll(decoded, []byte{'+'}, []byte{' '}))
	}
	in(asWord, decoded)
	in(asDigits, bareDigits(decoded))
}

// alone tells whether no letter or digit stands beside a part of a text.
func alone(text []byte, at, n int) bool {
	if at+n < len(text) && inRun(text[at+n:]) > 0 {
		return false
	}
	r, _ := utf8.DecodeLastRune(text[:at])
	return at == 0 || inRun(utf8.AppendRune(nil, r)) == 0
}

// bareDigits drops what stands between groups of digits in numbers as people write them.
func bareDigits(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for _, c := range s {
		if strings.IndexByte(" -./()+", c) < 0 {
			out = append(out, c)
		}
	}
	return out
}

// canaryCheck collects what was found.
type canaryCheck struct {
	canaries *Canaries
	found    map[int]bool
	details  []string
}

// look searches the text of one record.
func (c *canaryCheck) look(record int64, text []byte) {
	c.canaries.find(text, func(canary int, f form) {
		if c.found == nil {
			c.found = make(map[int]bool)
		}
		if !c.found[canary] && len(c.details) < maxDetails {
			c.details = append(c.details, fmt.Sprintf("canary %d stands in record %d, %s", canary+1, record, formWords[f]))
		}
		c.found[canary] = true
	})
}

func (c *canaryCheck) check() Check {
	out := Check{Name: "canaries", Status: Skipped, Summary: "needs --canary FILE, one planted value per line"}
	if c.canaries == nil {
		return out
	}
	out.Status, out.Summary = OK, fmt.Sprintf("none of %d planted values is in the trace", c.canaries.n)
	out.number("canaries", int64(c.canaries.n))
	out.number("found", int64(len(c.found)))
	if len(c.found) > 0 {
		out.red("do not hand the trace on; the record shows which field lets the value stay", "%d of %d planted values are in the trace", len(c.found), c.canaries.n)
		out.Details = c.details
	}
	return out
}
