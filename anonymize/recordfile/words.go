package recordfile

import "unicode/utf8"

// Words interns strings of small sets (methods, templates, hosts), so that a decoded record costs no
// allocation once its words were seen. The zero value is ready to use.
type Words struct {
	seen map[string]string
}

// wordsLimit bounds the words kept: hosts and methods are the sender's choice.
const wordsLimit = 1 << 16

// Intern returns the string value v; ErrSyntax when v is no string, or not UTF-8.
func (w *Words) Intern(v Value) (string, error) {
	if !v.Quoted {
		return "", ErrSyntax
	}
	if s, ok := w.seen[string(v.Str)]; ok {
		return s, nil
	}
	if !utf8.Valid(v.Str) {
		return "", ErrSyntax
	}
	if w.seen == nil || len(w.seen) >= wordsLimit {
		w.seen = make(map[string]string)
	}
	s := string(v.Str)
	w.seen[s] = s
	return s, nil
}
