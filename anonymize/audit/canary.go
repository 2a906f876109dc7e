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

// Canaries are values that were planted in a log and must not be in its trace.
type Canaries struct {
	needles []needle
	n       int
}

type needle struct {
	canary int // 0 is the first
	text   []byte
	form   string
}

// Limits of a file of canaries.
const (
	maxCanaries    = 10_000
	maxCanary      = 4096 // bytes
	shortestCanary = 4
	shortestWord   = 6 // letters of a word that is looked for by itself
	shortestNumber = 7 // digits that are looked for without what stands between them
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

// add makes the needles of a canary. All are in lower case but those in base64.
func (c *Canaries) add(raw []byte) {
	seen := make(map[string]bool)
	put := func(form string, text []byte) {
		if len(text) >= shortestCanary && !seen[string(text)] {
			seen[string(text)] = true
			c.needles = append(c.needles, needle{c.n, bytes.Clone(text), form})
		}
	}
	text := unpercent(raw)
	for _, plain := range [][]byte{bytes.ToLower(raw), bytes.ToLower(text)} {
		put("as it is", plain)
		put("with + for spaces", bytes.ReplaceAll(plain, []byte{' '}, []byte{'+'}))
	}
	escaped := url.QueryEscape(string(text))
	for range 3 {
		put("percent-encoded", []byte(strings.ToLower(escaped)))
		put("percent-encoded", []byte(strings.ToLower(strings.ReplaceAll(escaped, "+", "%20"))))
		escaped = url.QueryEscape(escaped)
	}
	put("in hex", []byte(hex.EncodeToString(text)))
	for _, form := range [][]byte{raw, text} {
		put64(form, put)
	}
	var digits []byte
	for _, b := range text {
		if b >= '0' && b <= '9' {
			digits = append(digits, b)
		}
	}
	if len(digits) >= shortestNumber {
		put("its digits", digits)
	}
	for rest := text; len(rest) > 0; {
		var run []byte
		run, rest = cutRun(rest)
		if utf8.RuneCount(run) >= shortestWord && !publicWords[strings.ToLower(string(run))] {
			put("a word of it", bytes.ToLower(run))
		}
	}
	c.n++
}

// publicWords are words of mail and host pseudonyms.
var publicWords = words(`example localhost`)

// put64 makes the base64 and base64url of a text at the three offsets at which it can stand within a longer one, without
// the characters that depend on its neighbours.
func put64(text []byte, put func(string, []byte)) {
	for offset := range 3 {
		padded := append(make([]byte, offset), text...)
		skip := (offset*8 + 5) / 6
		keep := len(padded) * 8 / 6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if s := enc.EncodeToString(padded); keep-skip >= 2*shortestCanary {
				put("in base64", []byte(s[skip:keep]))
			}
		}
	}
}

// find yields the needles that stand in a line of a trace, or in what it decodes to.
func (c *Canaries) find(line []byte, yield func(needle)) {
	lower := bytes.ToLower(line)
	decoded := bytes.ToLower(unjson(unpercent(line)))
	spaced := bytes.ReplaceAll(decoded, []byte{'+'}, []byte{' '})
	bare := bareDigits(decoded)
	for _, n := range c.needles {
		in := bytes.Contains
		switch {
		case n.form == "in base64":
			if in(line, n.text) {
				yield(n)
			}
		case n.form == "its digits":
			if in(bare, n.text) {
				yield(n)
			}
		case in(lower, n.text), in(decoded, n.text), in(spaced, n.text):
			yield(n)
		}
	}
}

// bareDigits drops what stands between groups of digits in numbers as people write them.
func bareDigits(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for i, c := range s {
		if strings.IndexByte(" -./()+", c) >= 0 && i > 0 && i+1 < len(s) {
			continue
		}
		out = append(out, c)
	}
	return out
}

// canaryCheck collects what was found.
type canaryCheck struct {
	canaries *Canaries
	gone     map[int]bool // canaries found
	details  []string
}

// look searches the texts of one record.
func (c *canaryCheck) look(record int64, line []byte) {
	c.canaries.find(line, func(n needle) {
		if c.gone == nil {
			c.gone = make(map[int]bool)
		}
		if !c.gone[n.canary] && len(c.details) < maxDetails {
			c.details = append(c.details, fmt.Sprintf("canary %d stands in record %d, %s", n.canary+1, record, n.form))
		}
		c.gone[n.canary] = true
	})
}

func (c *canaryCheck) check() Check {
	out := Check{Name: "canaries", Status: Skipped, Summary: "needs --canary FILE, one planted value per line"}
	if c.canaries == nil {
		return out
	}
	out.Status, out.Summary = OK, fmt.Sprintf("none of %d planted values is in the trace", c.canaries.n)
	out.number("canaries", int64(c.canaries.n))
	out.number("found", int64(len(c.gone)))
	if len(c.gone) > 0 {
		out.red("do not hand the trace on", "%d of %d planted values are in the trace", len(c.gone), c.canaries.n)
		out.Details = c.details
	}
	return out
}
