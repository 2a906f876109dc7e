package serverconf

import "fmt"

// directive is a statement of an nginx configuration: a name and its arguments, quoting undone.
type directive struct {
	at    Position // of its first word
	words []string // empty before a "}"
}

func (d directive) name() string {
	if len(d.words) == 0 {
		return ""
	}
	return d.words[0]
}

// words cuts the text of an nginx configuration, by the rules of ngx_conf_read_token.
type words struct {
	text []byte
	at   Position // where text begins
}

// directive returns the next statement and the byte that ended it: ';', '{', '}', or 0 at the end of the text.
func (w *words) directive() (d directive, end byte, err error) {
	for {
		w.space()
		if len(w.text) == 0 {
			if len(d.words) > 0 {
				return d, 0, &Error{At: d.at, Message: fmt.Sprintf("%s is not ended by ;", d.name())}
			}
			return d, 0, nil
		}
		if len(d.words) == 0 {
			d.at = w.at
		}
		switch c := w.text[0]; c {
		case ';', '{':
			w.next(1)
			if len(d.words) == 0 {
				return d, 0, &Error{At: d.at, Message: fmt.Sprintf("unexpected %q", c)}
			}
			return d, c, nil
		case '}':
			w.next(1)
			if len(d.words) > 0 {
				return d, 0, &Error{At: d.at, Message: fmt.Sprintf("%s is not ended by ;", d.name())}
			}
			return d, c, nil
		}
		word, err := w.word()
		if err != nil {
			return d, 0, err
		}
		d.words = append(d.words, word)
	}
}

// space skips white space and comments, which begin where a word could.
func (w *words) space() {
	for len(w.text) > 0 {
		switch w.text[0] {
		case ' ', '\t', '\r', '\n':
			w.next(1)
		case '#':
			for len(w.text) > 0 && w.text[0] != '\n' {
				w.next(1)
			}
		default:
			return
		}
	}
}

// next takes n bytes off the text.
func (w *words) next(n int) {
	for _, c := range w.text[:n] {
		if c == '\n' {
			w.at.Line++
		}
	}
	w.text = w.text[n:]
}

// word takes one word, in quotes or not. The escapes that nginx undoes are \", \', \\, \t, \r and \n; a
// brace that follows a $ is part of a variable.
func (w *words) word() (string, error) {
	start, quote := w.at, byte(0)
	if c := w.text[0]; c == '"' || c == '\'' {
		quote = c
		w.next(1)
	}
	var word []byte
	for len(w.text) > 0 {
		c := w.text[0]
		switch {
		case quote != 0 && c == quote:
			w.next(1)
			return string(word), nil
		case quote == 0 && isEnd(c) && !(c == '{' && len(word) > 0 && word[len(word)-1] == '$'):
			return string(word), nil
		case c == '\\' && len(w.text) > 1:
			word = append(word, unquoted(w.text[1])...)
			w.next(2)
			continue
		}
		word = append(word, c)
		w.next(1)
	}
	if quote != 0 {
		return "", &Error{At: start, Message: "a quote that is not closed"}
	}
	return string(word), nil
}

func isEnd(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ';', '{':
		return true
	}
	return false
}

// unquoted is what a backslash and c mean.
func unquoted(c byte) string {
	switch c {
	case '"', '\'', '\\':
		return string(c)
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'n':
		return "\n"
	}
	return `\` + string([]byte{c})
}

// skipCode skips a block of Lua after its opening brace: braces in strings and comments do not count.
func (w *words) skipCode() error {
	start, depth := w.at, 1
	for len(w.text) > 0 {
		c := w.text[0]
		w.next(1)
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return nil
			}
		case '"', '\'':
			w.skipString(c)
		case '-':
			if len(w.text) > 0 && w.text[0] == '-' {
				for len(w.text) > 0 && w.text[0] != '\n' {
					w.next(1)
				}
			}
		}
	}
	return &Error{At: start, Message: "the code block is not closed"}
}

// skipString skips the rest of a Lua string, which ends in its line.
func (w *words) skipString(quote byte) {
	for len(w.text) > 0 {
		c := w.text[0]
		if c == '\\' && len(w.text) > 1 {
			w.next(2)
			continue
		}
		w.next(1)
		if c == quote || c == '\n' {
			return
		}
	}
}
