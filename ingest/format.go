package ingest

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Format parses the lines of one log format. It keeps the last time stamp it saw, so each file and each
// goroutine needs a Format of its own.
type Format interface {
	// Name returns the name of a known format, or "custom".
	Name() string
	// Parse fills r from one line without its line end, and clears what the line does not tell; Pos is
	// left alone. The record's slices point into line, and escapes are undone in place: line is changed.
	// Parse allocates nothing. After a rejection the contents of r mean nothing.
	Parse(line []byte, r *Record) Verdict
}

// framed is a Format whose files describe themselves in "#" lines.
type framed interface {
	// directive takes one such line, which stands before the lines that it is about.
	directive(line []byte)
}

// FormatOptions says what a format string leaves open. The zero value is usable.
type FormatOptions struct {
	// Stamp tells whether the time is the start or the end of a request; StampAuto takes what the server
	// that writes the format does. It matters only where a duration is logged.
	Stamp Stamp
	// Location is the zone of times that name none; nil = UTC.
	Location *time.Location
}

// NewFormat returns the format that spec means:
//
//	combined                      a known name (see Names)
//	$remote_addr - [$time_local]  an nginx log_format, recognised by its $variables; escape=json or escape=none
//	                              may stand before it
//	%h %l %u %t \"%r\" %>s        an Apache LogFormat, recognised by its %directives
//	json:time=ts:unix,...         JSON lines: fields of a record and the paths of their values
//	docker+combined               any of these in a frame (docker, journal, cri, syslog, compose, kubectl)
//
// A *FormatError tells the byte of the string that cannot be compiled.
func NewFormat(spec string, o FormatOptions) (Format, error) {
	if mapping, ok := strings.CutPrefix(spec, jsonPrefix); ok {
		return openMapping(jsonPrefix, mapping, o)
	}
	if frame, rest := cutWrapper(spec); frame != nil {
		return openWrapped(frame, rest, o)
	}
	for i := range knownFormats {
		if k := &knownFormats[i]; k.name == spec {
			return k.open(o), nil
		}
	}
	if !strings.ContainsAny(spec, "$%") {
		return nil, &FormatError{Column: 1, Message: fmt.Sprintf("neither a known name (%s) nor a string with $variables or %%directives", strings.Join(slices.Sorted(slices.Values(Names())), ", "))}
	}
	return openCustom(spec, o)
}

// Stamp tells which moment of a request its time stamp is.
type Stamp uint8

const (
	// StampAuto takes what the format's server does.
	StampAuto Stamp = iota
	// StampStart is when the request line arrived (Apache's %t).
	StampStart
	// StampEnd is when the response was sent (nginx, always).
	StampEnd
)

// String returns "auto", "start" or "end".
func (s Stamp) String() string {
	switch s {
	case StampStart:
		return "start"
	case StampEnd:
		return "end"
	}
	return "auto"
}

// or returns s, or the habit of a server where s leaves that open.
func (s Stamp) or(habit Stamp) Stamp {
	if s == StampAuto {
		return habit
	}
	return s
}

// FormatError is a format string that cannot be compiled. It quotes the user's own string, which is
// configuration and no log text.
type FormatError struct {
	Column  int // 1-based byte in the string
	Message string
}

// Error implements error.
func (e *FormatError) Error() string {
	return fmt.Sprintf("log format, column %d: %s", e.Column, e.Message)
}
