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

// FormatOptions says what a format string leaves open. The zero value is usable.
type FormatOptions struct {
	// Stamp tells whether the time is the start or the end of a request; StampAuto takes what the server
	// that writes the format does. It matters only where a duration is logged.
	Stamp Stamp
	// Location is the zone of times that name none; nil = UTC.
	Location *time.Location
}

// Names lists the known formats, most specific first.
func Names() []string {
	return []string{"ingress", "main", "vhost_combined", "combined", "vhost_common", "common"}
}

// ingressFormat is the default log-format-upstream of ingress-nginx, up to the columns that are read.
const ingressFormat = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent ` +
	`"$http_referer" "$http_user_agent" $request_length $request_time [$proxy_upstream_name]`

// NewFormat returns the format of a known name (see Names), or compiles a server's own format string: an
// nginx log_format when it has $variables, an Apache LogFormat when it has %directives. A *FormatError
// tells the byte of the string that cannot be compiled.
func NewFormat(spec string, o FormatOptions) (Format, error) {
	switch spec {
	case "common":
		return &family{name: spec}, nil
	case "combined":
		return &family{name: spec, agent: true}, nil
	case "main":
		return &family{name: spec, agent: true, forwarded: true}, nil
	case "vhost_common":
		return &family{name: spec, vhost: true}, nil
	case "vhost_combined":
		return &family{name: spec, vhost: true, agent: true}, nil
	case "ingress":
		return compile(spec, ingressFormat, o)
	}
	if !strings.ContainsAny(spec, "$%") {
		return nil, &FormatError{Column: 1, Message: fmt.Sprintf("neither a known name (%s) nor a string with $variables or %%directives", strings.Join(slices.Sorted(slices.Values(Names())), ", "))}
	}
	return compile("custom", spec, o)
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
