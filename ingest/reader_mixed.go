package ingest

import (
	"bytes"
	"fmt"
)

const (
	runLines    = 100     // rejected lines in a row that are looked at again
	runBytes    = 1 << 20 // and at most as many bytes
	runPause    = 1024    // lines without another look after one that found nothing, so that looking takes little time
	fileFormats = 4       // formats that one file may have
)

// heldLine is a rejected line that is not told yet.
type heldLine struct {
	pos     Pos
	verdict Verdict
	text    []byte
}

// run is a row of rejected lines. Where a file goes on in another format, all of its lines are rejected from
// there on, so a long row is held back, looked at, and read again if it fits another known format.
type run struct {
	lines  []heldLine
	store  []byte
	fields []byte // the latest "#Fields:" line, of which no format of the file knows
	from   int64  // line before which nothing is held
}

func (u *run) add(pos Pos, v Verdict, line []byte) {
	at := len(u.store)
	u.store = append(u.store, line...)
	u.lines = append(u.lines, heldLine{pos: pos, verdict: v, text: u.store[at:len(u.store):len(u.store)]})
}

func (u *run) clear() { u.lines, u.store = u.lines[:0], u.store[:0] }

// reject takes a line that fits no format of the file.
func (r *reading) reject(pos Pos, v Verdict, line []byte) error {
	switch f := r.file; {
	case pos.Line == 1 && f.head != nil:
		r.head = v.Reason // the reading of the file before tells what becomes of it
		return nil
	case v.Reason != TooLong && f.next != nil && f.next.head != nil && r.lines.unended():
		r.tail = &heldLine{pos: pos, verdict: v, text: bytes.Clone(line)}
		return nil
	case f.given || v.Reason == TooLong || r.Lines < r.run.from || len(r.formats.list) >= fileFormats || len(r.run.store)+len(line) > runBytes:
		if err := r.breakRun(); err != nil {
			return err
		}
		return r.refuse(pos, v, line)
	}
	r.run.add(pos, v, line)
	if len(r.run.lines) < runLines {
		return nil
	}
	return r.look()
}

// breakRun tells the lines that were held back.
func (r *reading) breakRun() error {
	if len(r.run.lines) == 0 {
		return nil
	}
	for _, h := range r.run.lines {
		if err := r.refuse(h.pos, h.verdict, h.text); err != nil {
			return err
		}
	}
	r.run.clear()
	return nil
}

// look tries the lines held back in the formats that the file does not have yet.
func (r *reading) look() error {
	held := r.run.lines
	lines := make([]sampleLine, 0, len(held)+1)
	if r.run.fields != nil {
		lines = append(lines, sampleLine{text: r.run.fields, directive: true})
	}
	for _, h := range held {
		lines = append(lines, sampleLine{text: h.text, number: h.pos.Line})
	}
	d := &detector{options: r.formats.options}
	found, ok := d.find(r.formats.others(), lines, false)
	if !ok {
		r.run.from = r.Lines + runPause
		return r.breakRun()
	}
	if err := r.adopt(found.spec, held[0].pos.Line); err != nil {
		return err
	}
	if r.run.fields != nil {
		r.formats.directive(r.run.fields)
		r.run.fields = nil
	}
	r.run.lines = nil // so that taking a line does not break the run
	for _, h := range held {
		v, err := r.take(h.pos, h.text)
		if err == nil && v.Rejected() {
			err = r.refuse(h.pos, v, h.text)
		}
		if err != nil {
			return err
		}
	}
	r.run.lines = held
	r.run.clear()
	return nil
}

// adopt adds a format that the file has from a line on.
func (r *reading) adopt(spec string, line int64) error {
	if err := r.formats.adopt(spec); err != nil {
		return err
	}
	r.Formats = append(r.Formats, FormatUse{Format: spec, Line: line})
	r.Warnings = append(r.Warnings, fmt.Sprintf("lines in another format, %s, begin at line %d", spec, line))
	return nil
}

// end takes what was held back to the end of the file, and joins its last line to the next file's first one
// where they are the halves of a line that a rotation tore.
func (r *reading) end() error {
	if err := r.endRun(); err != nil {
		return err
	}
	next := r.file.next
	torn := next != nil && next.head != nil
	joined := false
	if t := r.tail; t != nil {
		if torn && len(t.text)+len(next.head) <= MaxLine {
			v, err := r.take(t.pos, append(bytes.Clone(t.text), next.head...))
			if err != nil {
				return err
			}
			if joined = !v.Rejected(); joined {
				r.Warnings = append(r.Warnings, "the last line goes on in the next file, where its rest counts as skipped")
			}
		}
		if !joined {
			if err := r.refuse(t.pos, t.verdict, t.text); err != nil {
				return err
			}
		}
	}
	if !torn {
		return nil
	}
	next.mu.Lock()
	next.joined = joined
	next.mu.Unlock()
	if joined {
		return nil
	}
	return r.tell(Pos{File: next.name, Line: 1}, next.headVerdict, next.head)
}

func (r *reading) endRun() error {
	if len(r.run.lines) < mixedLines {
		return r.breakRun()
	}
	return r.look()
}
