package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	sampleShare = 0.9 // of the sampled lines must fit the format
	mixedLines  = 3   // of a second format, at least, make a mixed file
)

// A start outside of these years is a number that was mistaken for a time: a log older than the web or of
// another century.
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
	// Suggestion is a format string for NewFormat that fits the sample, made from the shape of its lines;
	// "" when none was found.
	Suggestion string
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

// trial is how well a format does on some lines.
type trial struct {
	spec    string
	format  Format
	tried   int // lines that are no messages of the server
	fitted  int
	skipped int
	halves  int // of the lines that do not fit, those that may be half a line
	misfits []sampleLine
	first   Verdict // on the first misfit
}

// share is the part of the lines that fit.
func (t *trial) share() float64 {
	if t.tried == 0 {
		return 0
	}
	return float64(t.fitted) / float64(t.tried)
}

// fits tells whether enough lines fit. A lenient answer does not count what may be half a line.
func (t *trial) fits(lenient bool) bool {
	tried := t.tried
	if lenient {
		tried -= t.halves
	}
	return t.fitted > 0 && float64(t.fitted) >= sampleShare*float64(tried)
}

// detector judges the lines of one file.
type detector struct {
	options FormatOptions
	buf     []byte // of the line that is parsed, which parsing changes
}

// try parses the lines in a format. With hurry it stops when the format can no longer fit.
func (d *detector) try(spec string, lines []sampleLine, hurry bool) trial {
	f, err := NewFormat(spec, d.options)
	if err != nil {
		panic("ingest: a known format does not compile: " + err.Error())
	}
	t := trial{spec: spec, format: f}
	about, _ := innermost(f).(framed)
	var r Record
	for i := range lines {
		line := &lines[i]
		d.buf = append(d.buf[:0], line.text...)
		if line.directive {
			if about != nil {
				about.directive(d.buf)
			}
			continue
		}
		v := f.Parse(d.buf, &r)
		if v.Reason == Skip {
			t.skipped++
			continue
		}
		t.tried++
		if !v.Rejected() && r.Start >= saneFrom && r.Start < saneTo {
			t.fitted++
			continue
		}
		if len(t.misfits) == 0 {
			if t.first = v; !v.Rejected() {
				t.first = Verdict{Reason: BadTime, Column: 1}
			}
		}
		if line.half {
			t.halves++
		}
		t.misfits = append(t.misfits, *line)
		if hurry && float64(len(t.misfits)-t.halves) > (1-sampleShare)*float64(len(lines)) {
			break
		}
	}
	return t
}

// find returns the first of the formats that fits the lines. One that takes most lines for messages of the
// server stands back behind one that does not.
func (d *detector) find(specs []string, lines []sampleLine, lenient bool) (trial, bool) {
	var weak *trial
	for _, spec := range specs {
		t := d.try(spec, lines, true)
		switch {
		case !t.fits(lenient):
		case t.fitted >= t.skipped:
			return t, true
		case weak == nil:
			weak = &t
		}
	}
	if weak != nil {
		return *weak, true
	}
	return trial{}, false
}

// second looks for a format that fits what best does not.
func (d *detector) second(specs []string, best *trial) (trial, bool) {
	if len(best.misfits) < mixedLines {
		return trial{}, false
	}
	other, ok := d.find(specs, best.misfits, false)
	return other, ok && other.fitted >= mixedLines
}

// choice is what detection found.
type choice struct {
	specs   []string // for NewFormat, the one that fits most lines first
	sampled int      // lines that were judged
	fitted  int      // of them
}

// detect returns the most specific known formats that at least nine tenths of the lines fit. It returns no
// format when there are no lines to judge by.
func detect(file string, lines []sampleLine, o FormatOptions) (choice, error) {
	n := 0
	for i := range lines {
		if !lines[i].directive {
			n++
		}
	}
	if n == 0 {
		return choice{}, nil
	}
	d := &detector{options: o}
	specs := candidates(lines)
	t, ok := d.find(specs, lines, false)
	if !ok {
		t, ok = d.find(specs, lines, true)
	}
	if ok {
		c := choice{specs: []string{t.spec}, sampled: t.tried, fitted: t.fitted}
		if other, ok := d.second(specs, &t); ok {
			c.specs, c.fitted = append(c.specs, other.spec), c.fitted+other.fitted
		}
		return c, nil
	}
	var trials []trial
	for _, spec := range specs {
		trials = append(trials, d.try(spec, lines, false))
	}
	for i := range trials {
		if t := &trials[i]; t.tried == 0 {
			return choice{specs: []string{t.spec}}, nil // nothing but messages of the server up to here
		}
	}
	slices.SortStableFunc(trials, func(a, b trial) int {
		if a.fitted != b.fitted {
			return b.fitted - a.fitted
		}
		return cmp.Compare(b.first.Column, a.first.Column) // of those that fit no line the one that gets furthest
	})
	if best := &trials[0]; best.fitted >= mixedLines {
		if other, ok := d.second(specs, best); ok {
			return choice{specs: []string{best.spec, other.spec}, sampled: best.tried, fitted: best.fitted + other.fitted}, nil
		}
	}
	return choice{}, d.unknown(file, lines, trials)
}

// unknown describes the file by the formats that come nearest.
func (d *detector) unknown(file string, lines []sampleLine, trials []trial) error {
	best := &trials[0]
	e := &UnknownFormatError{File: file, Sampled: best.tried, Line: best.misfits[0].number, Column: best.first.Column, Reason: best.first.Reason}
	e.Excerpt, e.Mark = mask(best.misfits[0].text, best.first.Column)
	e.Suggestion = d.suggest(lines)
	for _, t := range trials[:3] {
		e.Guesses = append(e.Guesses, Guess{Format: t.spec, Share: t.share()})
	}
	return e
}

// candidates lists the formats that the lines may have, most specific first, those in the frame that the lines
// have before those without. Where "#Fields:" names columns, the formats that it describes go before all.
func candidates(lines []sampleLine) []string {
	wrapper := detectWrapper(func(yield func([]byte) bool) {
		for i := range lines {
			if !lines[i].directive && !yield(lines[i].text) {
				return
			}
		}
	})
	var specs []string
	if wrapper != "" {
		for _, name := range Names() {
			specs = append(specs, wrapper+"+"+name)
		}
	}
	specs = append(specs, Names()...)
	if !slices.ContainsFunc(lines, func(l sampleLine) bool { return l.directive && isFields(l.text) }) {
		return specs
	}
	described := framedNames()
	return append(described, slices.DeleteFunc(specs, func(s string) bool { return slices.Contains(described, s) })...)
}

// isFields tells whether a directive names the columns of the lines below it, as W3C's extended format does.
func isFields(line []byte) bool {
	const fields = "#fields:"
	return len(line) >= len(fields) && bytes.EqualFold(line[:len(fields)], []byte(fields))
}
