package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Limits of a rules file: the time of the YAML library grows with the square of how deep values lie in each other.
const (
	MaxFile     = 256 << 10 // bytes
	maxBrackets = 1000      // open at one place
	maxSigns    = 200       // - and ? before the first value of a line, each of which is a level
)

// Section is the key of the rules in a file.
const Section = "anonymize"

// ErrNoSection means that a file has no rules: it holds no key anonymize.
var ErrNoSection = errors.New("1:1: the file lacks the section " + Section)

// Parse reads the section anonymize: of a YAML file; other sections belong to others and are left alone. Inside, all
// is strict. A key that the section lacks has its default, and so has the allow-list, which a given one replaces. An
// error is ErrNoSection or an *Error.
func Parse(text []byte) (*Rules, error) {
	if len(text) > MaxFile {
		return nil, &Error{Line: 1, Column: 1, Reason: fmt.Sprintf("the file is larger than %d KiB", MaxFile>>10)}
	}
	if err := shallow(text); err != nil {
		return nil, err
	}
	r, allow, err := parse(text)
	if err != nil {
		return nil, err
	}
	if !allow {
		r.Allow = r.builtIn()
	}
	r.finish()
	return r, nil
}

// builtIn is the built-in allow-list without the keys that have a rule of their own.
func (r *Rules) builtIn() []Allow {
	list := slices.Clone(Default().Allow)
	for i := range list {
		query := maps.Clone(list[i].Query)
		maps.DeleteFunc(query, func(key string, _ *Shape) bool {
			taken := func(e Entity) bool {
				return slices.ContainsFunc(e.At, func(p Place) bool { return p.Kind == Query && p.Name == key })
			}
			return r.IsSecret([]byte(key)) || slices.Contains(r.Text, key) || slices.ContainsFunc(r.Entities, taken)
		})
		list[i].Query = query
	}
	return list
}

// shallow refuses brackets in brackets and lists in lists without end. It counts brackets in texts too, which does no harm.
func shallow(text []byte) error {
	open, line, column, signs, leading := 0, 1, 0, 0, true
	for _, c := range text {
		column++
		switch c {
		case '\n':
			line, column, signs, leading = line+1, 0, 0, true
		case ' ', '\t':
		case '-', '?', ':':
			if signs++; leading && signs > maxSigns {
				return &Error{Line: line, Column: column, Reason: fmt.Sprintf("more than %d lists or keys begin in one line", maxSigns)}
			}
		case '[', '{':
			leading = false
			if open++; open > maxBrackets {
				return &Error{Line: line, Column: column, Reason: fmt.Sprintf("more than %d brackets are open here", maxBrackets)}
			}
		case ']', '}':
			leading = false
			open = max(0, open-1)
		default:
			leading = false
		}
	}
	return nil
}

// parse tells whether the file has an allow-list. The YAML library panics on some malformed tags, which for the user is
// a mistake in the file like any other.
func parse(text []byte) (r *Rules, allow bool, err error) {
	defer func() {
		if recover() != nil {
			r, err = nil, &Error{Line: 1, Column: 1, Reason: "the file is no YAML that can be read"}
		}
	}()
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, false, syntax(err)
	}
	section, err := sectionOf(file)
	if err != nil {
		return nil, false, err
	}
	b := builder{rules: new(Rules), places: make(map[string]string)}
	err = b.section(section)
	return b.rules, b.allowed, err
}

// syntax keeps the position of the library's error only: its text can quote the file.
func syntax(err error) error {
	e := &Error{Line: 1, Column: 1, Reason: "from here on the file is no YAML: look at indentation and brackets, and put texts with { } [ ] , # or : into quotes"}
	var y yaml.Error
	if errors.As(err, &y) {
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Column = max(1, t.Position.Line), max(1, t.Position.Column)
		}
	}
	return e
}

// sectionOf finds the rules in a file.
func sectionOf(file *ast.File) (c cursor, err error) {
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return c, ErrNoSection
	case 1:
	default:
		return c, at(bodies[1], "").fail("a second document begins here, which would be ignored: remove the line ---")
	}
	var pairs []*ast.MappingValueNode
	switch m := bodies[0].(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	default:
		return c, at(bodies[0], "").wrong("a mapping with the section " + Section + ":")
	}
	found := 0
	for _, pair := range pairs {
		name, err := at(pair.Key, "").name()
		switch {
		case err != nil || name != Section:
			continue
		case found > 0:
			return c, at(pair.Key, Section).fail("stands here twice, first in line %d: remove one", found)
		}
		found = at(pair.Key, "").line
		c = at(pair.Value, Section)
	}
	if found == 0 {
		return c, ErrNoSection
	}
	return c, c.plain()
}

// builder makes rules of a section.
type builder struct {
	rules   *Rules
	owners  []owned
	places  map[string]string // query keys and headers that have a rule already: what says so
	allowed bool              // an allow-list is given
}

// owned is a place of an entity.
type owned struct {
	place  Place
	entity string
}

// section reads all keys, the words of secrets first, as they decide about the others.
func (b *builder) section(c cursor) error {
	fields, err := c.fields()
	if err != nil {
		return err
	}
	steps := []struct {
		name string
		read func(cursor) error
	}{
		{"secrets", b.secrets}, {"mode", b.mode}, {"ip", b.ip}, {"time", b.time}, {"entities", b.entities}, {"text", b.text},
		{"headers", b.headers}, {"cookies", b.cookies}, {"referer", b.referer}, {"allow", b.allow},
	}
	names := make([]string, 0, len(steps))
	for _, s := range steps {
		names = append(names, s.name)
	}
	slices.Sort(names)
	if err := known(fields, names...); err != nil {
		return err
	}
	for _, s := range steps {
		for _, f := range fields {
			if f.name == s.name {
				if err := s.read(f.value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (b *builder) mode(c cursor) error {
	if _, err := c.choice("deny"); err != nil {
		text, wrong := c.text()
		if wrong == nil && (text == "allow" || text == "keep") {
			return c.fail("must be deny: what no rule lets stay is replaced, and there is no other mode")
		}
		return err
	}
	return nil
}

func (b *builder) time(c cursor) error {
	fields, err := c.fields()
	if err == nil {
		err = known(fields, "shift")
	}
	if err != nil || len(fields) == 0 {
		return err
	}
	b.rules.Shift, err = parseShift(fields[0].value)
	return err
}

// maxWeeks bounds the shift of time, a hundred years.
const maxWeeks = 5200

func parseShift(c cursor) (s Shift, err error) {
	text, err := c.text()
	if err != nil {
		return s, err
	}
	switch text {
	case "none":
		return s, nil
	case "key":
		return Shift{FromKey: true}, nil
	}
	digits := strings.TrimPrefix(text, "-")
	if digits == "" || len(digits) > 9 || !onlyDigits([]byte(digits)) {
		return s, c.fail("is none, key, or a number of whole weeks, such as -52")
	}
	for _, d := range digits {
		s.Weeks = 10*s.Weeks + int(d-'0')
	}
	if s.Weeks > maxWeeks {
		return s, c.fail("is out of range: weeks go from -%d to %d", maxWeeks, maxWeeks)
	}
	if digits != text {
		s.Weeks = -s.Weeks
	}
	return s, nil
}

func (b *builder) cookies(c cursor) error {
	i, err := c.choice(cookieNames...)
	b.rules.Cookies = Cookies(max(i, 0))
	return err
}

func (b *builder) referer(c cursor) error {
	i, err := c.choice(refererNames...)
	b.rules.Referer = Referer(max(i, 0))
	return err
}
