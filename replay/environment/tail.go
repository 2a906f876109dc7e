package environment

import (
	"strconv"
	"strings"
)

// tailSize bounds what is kept of a command's standard error, in bytes.
const tailSize = 2048

// tail is a writer that keeps the last tailSize bytes.
type tail struct {
	kept []byte
	cut  bool
}

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	n := len(b)
	if len(b) > tailSize {
		b, t.cut = b[len(b)-tailSize:], true
	}
	if over := len(t.kept) + len(b) - tailSize; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
	t.kept = append(t.kept, b...)
	return n, nil
}

// String returns the kept text on one line, escaped, behind "..." when something before it was dropped.
func (t *tail) String() string {
	text := escape(strings.TrimSpace(string(t.kept)))
	if t.cut {
		return "..." + text
	}
	return text
}

// escape makes s safe to print: control bytes, invalid UTF-8 and invisible characters appear as in a Go
// string, so that the output of a command cannot drive a terminal or fake a line.
func escape(s string) string {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}
