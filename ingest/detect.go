package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	sampleLines = 1000    // non-empty lines that detection looks at
	sampleBytes = 1 << 20 // and at most as many bytes
	sampleShare = 0.9     // of them must fit the format
)

// saneYears bound a start that a detected format may yield: a log older than the web or of another
// century is a number that was mistaken for a time.
var saneFrom, saneTo = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano(), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// Guess is a known format and the share of the sampled lines that fit it, 0 to 1.
type Guess struct {
	Format string
	Share  float64
}

// UnknownFormatError is a file whose first lines fit no known format. It holds no text of the file.
type UnknownFormatError struct {
	File    string
	Sampled int     // lines looked at
	Guesses []Guess // best first, at most three
	Line    int64   // first line that does not fit the best guess; 1 is the file's first
	Column  int     // 1-based byte where it stops fitting
	Reason  Reason
	Excerpt string // the line's shape: types instead of values
	Mark    int    // 1-based byte of Excerpt where the line stops fitting; 0 = not shown
}

// Error implements error.
func (e *UnknownFormatError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: unknown log format: of %d sampled lines", e.File, e.Sampled)
	for i, g := range e.Guesses {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, " %.0f %% fit %s", 100*g.Share, g.Format)
	}
	fmt.Fprintf(&b, "; line %d does not fit at column %d (%s): %s", e.Line, e.Column, e.Reason, e.Excerpt)
	return b.String()
}

// sample is the beginning of a file.
type sample struct {
	data []byte
	eol  byte
	all  bool // the file holds no more
}

// lines calls f with a copy of each line that is not empty and no directive, and its number, until f
// returns false. A line that the end of the sample cuts is left out, unless it is all there is.
func (s *sample) lines(f func(line []byte, number int64) bool) {
	rest, buf := s.data, []byte(nil)
	for n, tried := int64(1), 0; len(rest) > 0 && tried < sampleLines; n++ {
		line, after, found := bytes.Cut(rest, []byte{s.eol})
		if !found && !s.all && tried > 0 {
			return
		}
		rest = after
		line = trimReturn(bytes.TrimLeft(line, "\x00"))
		if isDirective(line) {
			continue
		}
		tried++
		buf = append(buf[:0], line...)
		if !f(buf, n) {
			return
		}
	}
}

// fit is how well a format does on a sample.
type fit struct {
	format        string
	tried, fitted int
	line          int64 // the first misfit
	verdict       Verdict
	excerpt       string
	mark          int
}

func (f *fit) share() float64 {
	if f.tried == 0 {
		return 0
	}
	return float64(f.fitted) / float64(f.tried)
}

// tryFormat parses the sample's lines.
func tryFormat(s *sample, name string, o FormatOptions) fit {
	f, err := NewFormat(name, o)
	if err != nil {
		panic("ingest: a known format does not compile: " + err.Error())
	}
	result := fit{format: name}
	var r Record
	s.lines(func(line []byte, number int64) bool {
		result.tried++
		shape := ""
		if result.line == 0 {
			shape = string(line) // kept for the mask: Parse may change the line
		}
		v := f.Parse(line, &r)
		if !v.Rejected() && r.Start >= saneFrom && r.Start < saneTo {
			result.fitted++
		} else if result.line == 0 {
			if !v.Rejected() {
				v = Verdict{Reason: BadTime, Column: 1}
			}
			result.line, result.verdict = number, v
			result.excerpt, result.mark = mask([]byte(shape), v.Column)
		}
		return true
	})
	return result
}

// detect returns the most specific known format that at least nine tenths of the sampled lines fit. It
// returns "" when the sample has no lines to judge by.
func detect(file string, s *sample, o FormatOptions) (string, error) {
	var fits []fit
	for _, name := range Names() {
		f := tryFormat(s, name, o)
		if f.tried == 0 {
			return "", nil
		}
		if f.share() >= sampleShare {
			return name, nil
		}
		fits = append(fits, f)
	}
	slices.SortStableFunc(fits, func(a, b fit) int { return b.fitted - a.fitted })
	best := fits[0]
	e := &UnknownFormatError{File: file, Sampled: best.tried, Line: best.line, Column: best.verdict.Column, Reason: best.verdict.Reason, Excerpt: best.excerpt, Mark: best.mark}
	for _, f := range fits[:3] {
		e.Guesses = append(e.Guesses, Guess{Format: f.format, Share: f.share()})
	}
	return "", e
}

// stampOf tells from the marks that servers leave in the combined family which one wrote the sample, and so
// which moment the time is: nginx writes upper-case hex and the statuses 499 and 444, Apache `\"`,
// lower-case hex, and "-" for no bytes. StampAuto means that nothing tells them apart.
func stampOf(s *sample) Stamp {
	nginx, apache := 0, 0
	s.lines(func(line []byte, _ int64) bool {
		switch {
		case bytes.Contains(line, []byte(`" 499 `)), bytes.Contains(line, []byte(`" 444 `)), bytes.Contains(line, []byte(`\x5C`)):
			nginx++
		case bytes.Contains(line, []byte(`\"`)), bytes.Contains(line, []byte(` - "`)) && bytes.Contains(line, []byte(`HTTP/`)):
			apache++
		}
		return true
	})
	switch {
	case nginx > apache:
		return StampEnd
	case apache > nginx:
		return StampStart
	}
	return StampAuto
}
