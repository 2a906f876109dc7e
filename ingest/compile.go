package ingest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// variable is one variable or directive of a format string, as the lexers of the two servers return it.
type variable struct {
	step
	before, after string // literal text that the server writes around it
}

var (
	errAdjacent   = errors.New("two variables with nothing between them cannot be told apart")
	errNoTime     = errors.New("no time stamp column")
	errQueryApart = errors.New("the query does not follow its path: log $request or $request_uri, or path and query side by side")
	errNoRequest  = errors.New("no request: neither the request line nor method and target are logged")
)

// compile turns a server's format string into a program. As in nginx's directive, escape=default, escape=json
// or escape=none may stand before it.
func compile(name, spec string, o FormatOptions) (*program, error) {
	b := &builder{program: &program{name: name, loc: o.Location}, seen: map[field]bool{}}
	nginx := isNginx(spec)
	mode, i, err := cutEscape(spec)
	if err != nil {
		return nil, &FormatError{Column: 1, Message: err.Error()}
	}
	b.raw = mode == escapeNone
	for i < len(spec) {
		size, err := b.next(spec[i:], nginx)
		if err != nil {
			return nil, &FormatError{Column: i + 1, Message: err.Error()}
		}
		i += size
	}
	if err := b.finish(nginx, o.Stamp); err != nil {
		return nil, &FormatError{Column: len(spec), Message: err.Error()}
	}
	return b.program, nil
}

// builder collects the steps of a program.
type builder struct {
	*program
	literal []byte // text since the last column
	seen    map[field]bool
}

// next takes one variable or one byte of literal text off the front of s.
func (b *builder) next(s string, nginx bool) (size int, err error) {
	var v variable
	switch {
	case len(s) > 1 && s[0] == '\\' && strings.IndexByte(`"'\tn`, s[1]) >= 0: // quoting of the configuration file
		c := s[1]
		switch c {
		case 't':
			c = '\t'
		case 'n':
			return 2, nil // the line end that Apache's strings may spell out
		}
		b.literal = append(b.literal, c)
		return 2, nil
	case nginx && s[0] == '$':
		v, size, err = nginxVariable(s)
	case !nginx && strings.HasPrefix(s, "%%"):
		b.literal = append(b.literal, '%')
		return 2, nil
	case !nginx && s[0] == '%':
		v, size, err = apacheDirective(s)
	default:
		b.literal = append(b.literal, s[0])
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	return size, b.add(v)
}

// add appends the column of v. The first column of a kind counts, later ones are skipped.
func (b *builder) add(v variable) error {
	b.literal = append(b.literal, v.before...)
	n := len(b.steps)
	switch {
	case n == 0:
		b.prefix = b.literal
	case len(b.literal) == 0 && b.steps[n-1].field < fieldTimeCLF:
		return errAdjacent
	default:
		b.steps[n-1].literal = b.literal
	}
	b.literal = []byte(v.after)
	switch {
	case v.field >= fieldHeader:
	case v.weak && b.seen[v.field], b.seen[v.field] && !b.replaceWeak(v.field):
		v.field = fieldSkip
	}
	b.steps = append(b.steps, v.step)
	b.seen[v.field] = true
	return nil
}

// replaceWeak demotes the weak column of kind f, when there is one.
func (b *builder) replaceWeak(f field) bool {
	for i := range b.steps {
		if s := &b.steps[i]; s.field == f && s.weak {
			s.field = fieldSkip
			return true
		}
	}
	return false
}

// finish settles what depends on the whole string.
func (b *builder) finish(nginx bool, stamp Stamp) error {
	if n := len(b.steps); n > 0 {
		b.steps[n-1].literal = b.literal
	}
	before := b.prefix
	begin, end := false, false
	for i := range b.steps {
		s := &b.steps[i]
		s.quoted = bytes.HasSuffix(before, []byte{'"'}) && bytes.HasPrefix(s.literal, []byte{'"'})
		before = s.literal
		if s.field >= fieldTimeCLF {
			begin, end = begin || !s.end, end || s.end
		}
		if b.seen[fieldRequest] && (s.field == fieldMethod || s.field == fieldTarget || s.field == fieldQuery || s.field == fieldHostTarget || s.field == fieldProtocol) {
			s.field = fieldSkip
		}
	}
	if !begin && !end {
		return errNoTime
	}
	for i := range b.steps {
		b.steps[i].ignored = b.steps[i].end && begin // both moments are logged: the start is what counts
	}
	b.split = !b.seen[fieldRequest]
	if b.split && !(b.seen[fieldMethod] && (b.seen[fieldTarget] || b.seen[fieldHostTarget])) {
		return errNoRequest
	}
	b.lists = b.seen[fieldForwarded]
	habit := StampStart
	if nginx || !begin {
		habit = StampEnd
	}
	b.stamp = stamp.or(habit)
	return b.placeQuery()
}

// placeQuery keeps the query column where it completes the target, and drops it where the target is whole.
func (b *builder) placeQuery() error {
	target := slices.IndexFunc(b.steps, func(s step) bool { return s.field == fieldTarget })
	for i := range b.steps {
		s := &b.steps[i]
		switch {
		case s.field != fieldQuery:
		case target < 0 || b.steps[target].whole:
			s.field = fieldSkip
		case target != i-1:
			return errQueryApart
		}
	}
	return nil
}

// isNginx tells the strings of the two servers apart.
func isNginx(spec string) bool { return strings.Contains(spec, "$") }

// escapeMode is the escape parameter of nginx's log_format.
type escapeMode uint8

const (
	escapeDefault escapeMode = iota // \xHH
	escapeJSON                      // as in JSON strings; an unset variable is empty
	escapeNone                      // as the client sent it
)

// cutEscape reads the escape parameter in front of a format string and returns where the string begins.
func cutEscape(spec string) (mode escapeMode, from int, err error) {
	word, _, _ := strings.Cut(spec, " ")
	value, found := strings.CutPrefix(word, "escape=")
	if !found || !isNginx(spec) {
		return escapeDefault, 0, nil
	}
	switch value {
	case "default":
	case "json":
		mode = escapeJSON
	case "none":
		mode = escapeNone
	default:
		return 0, 0, errors.New("escape must be default, json or none")
	}
	from = len(word)
	for from < len(spec) && spec[from] == ' ' {
		from++
	}
	return mode, from, nil
}
