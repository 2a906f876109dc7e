package ingest

import (
	"bytes"
	"errors"
	"iter"
	"strings"
)

// wrapper is a frame that something between a server and the file puts around every line.
type wrapper struct {
	name string
	// strip finds the line in the frame; false = line has no such frame and is unchanged. Escapes of the frame
	// are undone in place.
	strip func(line []byte) (framedLine, bool)
}

// framedLine tells what a frame holds: line[from:to], with its own line end cut off.
type framedLine struct {
	from, to int
	stderr   bool // written to the standard error
	part     bool // the rest of the line comes with the next lines of its stream
}

// wrappers are the known frames. What tells more of itself is tried first.
var wrappers = []wrapper{
	{"docker", stripDocker},
	{"journal", stripJournal},
	{"cri", stripCRI},
	{"syslog", stripSyslog},
	{"compose", stripCompose},
	{"kubectl", stripKubectl},
	{"timestamps", stripTimestamp},
}

// wrapped parses the lines of another format in their frames. A line without a frame is parsed as it is. A line
// that comes in parts is joined; all parts but the last are skipped, as are parts whose last one never comes.
// What a server writes to its standard error among access lines on the standard output is its own messages.
type wrapped struct {
	name     string
	frame    *wrapper
	inner    Format
	parts    [2]partialLine // standard output, standard error
	requests [2]bool        // whether a stream has ever held an access line
	stream   int            // of the line at hand: 0 or 1
}

// partialLine collects the parts of a line.
type partialLine struct {
	text []byte
	long bool // over MaxLine: the text is dropped
}

// cutWrapper splits a spec such as "docker+combined".
func cutWrapper(spec string) (frame *wrapper, rest string) {
	name, rest, found := strings.Cut(spec, "+")
	for i := range wrappers {
		if found && wrappers[i].name == name {
			return &wrappers[i], rest
		}
	}
	return nil, spec
}

// openWrapped returns the format of lines in a frame.
func openWrapped(frame *wrapper, rest string, o FormatOptions) (Format, error) {
	inner, err := NewFormat(rest, o)
	if e, ok := errors.AsType[*FormatError](err); ok {
		return nil, &FormatError{Column: len(frame.name) + 1 + e.Column, Message: e.Message}
	}
	if err != nil {
		return nil, err
	}
	return &wrapped{name: frame.name + "+" + inner.Name(), frame: frame, inner: inner}, nil
}

// Name implements Format.
func (f *wrapped) Name() string { return f.name }

// innermost returns a format without its frames.
func innermost(format Format) Format {
	for f, ok := format.(*wrapped); ok; f, ok = format.(*wrapped) {
		format = f.inner
	}
	return format
}

// Parse implements Format.
func (f *wrapped) Parse(line []byte, r *Record) Verdict {
	l, ok := f.frame.strip(line)
	if !ok {
		return f.inner.Parse(line, r)
	}
	stream := 0
	if l.stderr {
		stream = 1
	}
	f.stream = stream
	text, before := line[l.from:l.to], 0
	if p := &f.parts[stream]; l.part || len(p.text) > 0 || p.long {
		p.add(text)
		if l.part {
			return Verdict{Reason: Skip}
		}
		whole := *p
		*p = partialLine{} // the record points into the text, so it is not used again
		if whole.long {
			return reject(TooLong, MaxLine)
		}
		text, before = whole.text, len(whole.text)-len(text)
	}
	if isDirective(text) {
		if about, ok := f.inner.(framed); ok {
			about.directive(text)
		}
		return Verdict{Reason: Skip}
	}
	v := f.inner.Parse(text, r)
	switch {
	case v.Reason == Accepted:
		f.requests[stream] = true
	case v.Rejected() && l.stderr && f.requests[0] && !f.requests[1]:
		return Verdict{Reason: Skip}
	}
	if v.Rejected() {
		v.Column = l.from + max(1, v.Column-before)
	}
	return v
}

// add appends a part.
func (p *partialLine) add(text []byte) {
	if p.long || len(p.text)+len(text) > MaxLine {
		p.text, p.long = nil, true
		return
	}
	p.text = append(p.text, text...)
}

const (
	wrapperShare  = 0.95 // of the lines must have a frame
	wrapperNested = 2    // frames around each other that detection looks for, such as syslog in compose
)

// detectWrapper returns the frame that the lines have, such as "docker" or "compose+syslog", or "". The lines are
// not changed.
func detectWrapper(lines iter.Seq[[]byte]) string {
	var buf []byte
	var names []string
	var inside []*wrapper
	for range wrapperNested {
		best := -1
		for i := range wrappers {
			tried, framed := 0, 0
			for line := range lines {
				buf = append(buf[:0], line...)
				text, ok := buf, true
				for _, w := range append(inside, &wrappers[i]) {
					var l framedLine
					if l, ok = w.strip(text); ok {
						text = text[l.from:l.to]
					}
				}
				tried++
				if ok {
					framed++
				}
			}
			if framed > 0 && float64(framed) >= wrapperShare*float64(tried) {
				best = i
				break
			}
		}
		if best < 0 {
			break
		}
		names, inside = append(names, wrappers[best].name), append(inside, &wrappers[best])
	}
	return strings.Join(names, "+")
}

// untilSpace returns the index of the first space in s[at:], or -1.
func untilSpace(s []byte, at int) int {
	if at >= len(s) {
		return -1
	}
	if n := bytes.IndexByte(s[at:], ' '); n >= 0 {
		return at + n
	}
	return -1
}
