package rules

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"
)

//go:embed default.yaml
var defaultText []byte

var defaults = sync.OnceValue(func() *Rules {
	r, allow, err := parse(defaultText)
	if err != nil || !allow {
		panic("rules: default.yaml is wrong") // a test reads it
	}
	r.finish()
	return r
})

// Default are the rules that hold where no file is given.
func Default() *Rules { return defaults() }

// Commented is the default as a rules file that explains itself, with lines about a log before the rules and suggested
// entities, one a line, all of them comments: the file says the same as Default.
func Commented(about, entities []string) []byte {
	const section, here = Section + ":\n", "  entities: # nothing here yet\n"
	before, rest, _ := bytes.Cut(defaultText, []byte(section))
	middle, end, _ := bytes.Cut(rest, []byte(here))
	if len(entities) > 0 { // they stand for the example
		_, end, _ = bytes.Cut(end, []byte{'\n'})
	}
	var b bytes.Buffer
	b.Write(before)
	comments(&b, "#", about)
	b.WriteString(section)
	b.Write(middle)
	b.WriteString(here)
	comments(&b, "    # ", entities)
	b.Write(end)
	return b.Bytes()
}

// comments writes lines that stay comments whatever they hold.
func comments(b *bytes.Buffer, before string, lines []string) {
	for _, line := range lines {
		b.WriteString(before)
		b.WriteString(strings.Map(func(c rune) rune {
			if c < ' ' || c > '~' {
				return '?'
			}
			return c
		}, line))
		b.WriteByte('\n')
	}
}
