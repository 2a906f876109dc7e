package serverconf

import (
	"bytes"
	"path/filepath"
	"strings"
)

// apacheCommon is the format that Apache has built in, under the nickname CLF (mod_log_config).
const apacheCommon = `%h %l %u %t "%r" %>s %b`

// apache reads the directives of a configuration.
type apache struct {
	tree
	config  *Config
	uses    []string          // nicknames that logs name
	inline  []Format          // format strings that logs hold themselves
	last    Format            // of a LogFormat without a nickname: what TransferLog uses
	defines map[string]string // of Define
}

// Apache reads an httpd.conf or apache2.conf and what it includes. Relative includes start at the ServerRoot,
// and before one is named at the main file's folder. Conditions (<IfModule>, <IfDefine>) are taken as true.
func Apache(path string) (*Config, error) {
	a := &apache{tree: tree{base: filepath.Dir(path)}, config: &Config{file: path}, last: Format{Name: "CLF"}, defines: map[string]string{}}
	if err := a.visit(path, Position{File: path}, a.parse); err != nil {
		return nil, err
	}
	a.config.Missing = a.missing
	a.config.finish(Format{Name: "CLF", Text: apacheCommon}, a.uses, a.inline)
	return a.config, nil
}

// parse reads one file: a directive is a line, which a backslash at its end continues.
func (a *apache) parse(name string, text []byte) error {
	at := Position{File: name}
	for len(text) > 0 {
		first, line := at.Line+1, []byte(nil)
		for more := true; more; {
			var part []byte
			part, text, _ = bytes.Cut(text, []byte{'\n'})
			at.Line++
			part = bytes.TrimSuffix(part, []byte{'\r'})
			part, more = bytes.CutSuffix(part, []byte{'\\'})
			line = append(line, part...)
			more = more && len(text) > 0
		}
		if err := a.apply(string(line), Position{File: name, Line: first}); err != nil {
			return err
		}
	}
	return nil
}

// apply takes what a line says about logs.
func (a *apache) apply(line string, at Position) error {
	name, rest := cutArgument(line)
	if name == "" || name[0] == '#' || name[0] == '<' {
		return nil
	}
	first, rest := cutArgument(rest)
	second, _ := cutArgument(rest)
	switch strings.ToLower(name) {
	case "define":
		a.defines[first] = a.expand(second)
	case "serverroot":
		a.base = a.expand(first)
	case "include", "includeoptional":
		return a.include(a.expand(first), at, len(name) > len("include"))
	case "logformat":
		switch {
		case first == "":
			return &Error{At: at, Message: "LogFormat takes a string and a nickname"}
		case second != "":
			a.config.define(Format{Name: second, Text: first, At: at})
		case strings.Contains(first, "%"):
			a.last = Format{Text: first, At: at}
		default:
			a.last = Format{Name: first}
		}
	case "customlog", "globallog":
		return a.use(second, at)
	case "transferlog":
		if a.last.Name != "" {
			a.uses = append(a.uses, a.last.Name)
		} else {
			a.inline = append(a.inline, Format{Text: a.last.Text, At: a.last.At, Used: true})
		}
	}
	return nil
}

// use notes the second argument of CustomLog: a nickname or a format string.
func (a *apache) use(format string, at Position) error {
	switch {
	case format == "":
		return &Error{At: at, Message: "a log takes a file and a format"}
	case strings.Contains(format, "%"):
		a.inline = append(a.inline, Format{Text: format, At: at, Used: true})
	default:
		a.uses = append(a.uses, format)
	}
	return nil
}

func (a *apache) include(pattern string, at Position, optional bool) error {
	if pattern == "" {
		return &Error{At: at, Message: "Include takes a file"}
	}
	files, err := a.find(pattern, at, optional)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := a.visit(file, at, a.parse); err != nil {
			return err
		}
	}
	return nil
}

// expand replaces ${NAME} by what Define says; other names stand for the server's environment and stay.
func (a *apache) expand(s string) string {
	var b strings.Builder
	for {
		from := strings.Index(s, "${")
		size := strings.IndexByte(s[max(from, 0):], '}')
		if from < 0 || size < 0 {
			b.WriteString(s)
			return b.String()
		}
		name := s[from : from+size+1]
		value, ok := a.defines[name[2:size]]
		if !ok {
			value = name
		}
		b.WriteString(s[:from] + value)
		s = s[from+size+1:]
	}
}

// cutArgument takes one argument off the front of a directive, in quotes or not: inside quotes a backslash
// takes a quote or a backslash along (ap_getword_conf).
func cutArgument(s string) (arg, rest string) {
	s = strings.TrimLeft(s, " \t")
	if s == "" {
		return "", ""
	}
	quote := s[0]
	if quote != '"' && quote != '\'' {
		if end := strings.IndexAny(s, " \t"); end >= 0 {
			return s[:end], s[end:]
		}
		return s, ""
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == quote || s[i+1] == '\\'):
			i++
		case s[i] == quote:
			return b.String(), s[i+1:]
		}
		b.WriteByte(s[i])
	}
	return b.String(), "" // as Apache: the end of the line closes it
}
