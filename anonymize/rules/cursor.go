package rules

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// Error is a mistake in a rules file. It quotes names of keys, escaped, and never a value.
type Error struct {
	Line, Column int    // from 1; the column counts characters
	Key          string // path of the value, such as anonymize.ip.mode; empty for the whole file
	Reason       string // what is wrong, and what to do about it
}

// Error is line:column: key: reason.
func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("%d:%d: %s: %s", e.Line, e.Column, e.Key, e.Reason)
}

// cursor is a value of the file and its path.
type cursor struct {
	node         ast.Node
	key          string
	line, column int
}

// at makes a cursor. A mapping's own token is its first colon, so the place of its first key is taken.
func at(n ast.Node, key string) cursor {
	c := cursor{node: n, key: key, line: 1, column: 1}
	t := n.GetToken()
	switch m := n.(type) {
	case *ast.MappingNode:
		if len(m.Values) > 0 && !m.IsFlowStyle {
			t = m.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		t = m.Key.GetToken()
	}
	if t != nil && t.Position != nil {
		c.line, c.column = t.Position.Line, t.Position.Column
	}
	return c
}

func (c cursor) fail(format string, args ...any) error {
	return &Error{Line: c.line, Column: c.column, Key: c.key, Reason: fmt.Sprintf(format, args...)}
}

// plain refuses what would let one part of the file stand for another: it could not be reviewed line by line.
func (c cursor) plain() error {
	switch c.node.(type) {
	case *ast.AnchorNode:
		return c.fail("anchors (&) are not taken here: write the value out")
	case *ast.AliasNode:
		return c.fail("aliases (*) are not taken here: write the value out, or quote the asterisk")
	case *ast.TagNode:
		return c.fail("tags (!) are not taken here: remove the tag")
	}
	return nil
}

// field is one key of a mapping.
type field struct {
	name  string
	key   cursor // the place of the key
	value cursor
}

// fields are the keys of a mapping in their order; nothing at all is an empty mapping.
func (c cursor) fields() ([]field, error) {
	var pairs []*ast.MappingValueNode
	switch m := c.node.(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	case *ast.NullNode:
	default:
		return nil, c.wrong("a mapping, such as {key: value}")
	}
	var all []field
	seen := make(map[string]int, len(pairs))
	for _, pair := range pairs {
		key := at(pair.Key, c.key)
		name, err := key.name()
		if err != nil {
			return nil, err
		}
		key.key += "." + quoted(name)
		if line, ok := seen[name]; ok {
			return nil, key.fail("stands here twice, first in line %d: remove one", line)
		}
		seen[name] = key.line
		value := at(pair.Value, key.key)
		if value.isNothing() { // what is not there has no place of its own
			value.line, value.column = key.line, key.column
		}
		if err := value.plain(); err != nil {
			return nil, err
		}
		all = append(all, field{name, key, value})
	}
	return all, nil
}

// name is the text of a mapping's key.
func (c cursor) name() (string, error) {
	switch k := c.node.(type) {
	case *ast.StringNode:
		return k.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return c.node.GetToken().Value, nil
	case *ast.MergeKeyNode:
		return "", c.fail("merge keys (<<) are not taken here: write the values out")
	}
	if err := c.plain(); err != nil {
		return "", err
	}
	return "", c.fail("a key must be a plain name")
}

// quoted makes a key fit to be shown: names as they are, anything else escaped, and nothing that is long.
func quoted(name string) string {
	if len(name) > MaxKey {
		return fmt.Sprintf("(a key of %d bytes)", len(name))
	}
	for i := range len(name) {
		if c := name[i]; !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' {
			return strconv.QuoteToASCII(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// known refuses fields that are none of names.
func known(fields []field, names ...string) error {
	for _, f := range fields {
		if !slices.Contains(names, f.name) {
			return f.key.fail("is no key of this section%s; keys are %s", near(f.name, names), list(names))
		}
	}
	return nil
}

func list(names []string) string {
	var text string
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += n
	}
	return text
}

// items are the elements of a list; nothing at all is an empty list.
func (c cursor) items() ([]cursor, error) {
	var all []cursor
	switch s := c.node.(type) {
	case *ast.SequenceNode:
		for i, n := range s.Values {
			item := at(n, fmt.Sprintf("%s[%d]", c.key, i))
			if err := item.plain(); err != nil {
				return nil, err
			}
			all = append(all, item)
		}
	case *ast.NullNode:
	default:
		return nil, c.wrong("a list, such as [a, b]")
	}
	return all, nil
}

// text is a single value as it is written.
func (c cursor) text() (string, error) {
	switch v := c.node.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return c.node.GetToken().Value, nil
	}
	return "", c.wrong("a text")
}

// wrong says what is there instead of what is wanted.
func (c cursor) wrong(want string) error {
	got := "a text"
	switch c.node.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		got = "a mapping"
	case *ast.SequenceNode:
		got = "a list"
	case *ast.NullNode:
		got = "nothing"
	case *ast.IntegerNode, *ast.FloatNode:
		got = "a number"
	case *ast.BoolNode:
		got = "true or false"
	}
	return c.fail("must be %s, and is %s", want, got)
}

// choice is a text that is one of names; it returns its index.
func (c cursor) choice(names ...string) (int, error) {
	text, err := c.text()
	if err != nil {
		return 0, err
	}
	i := slices.Index(names, text)
	if i < 0 {
		return 0, c.fail("is none of the values %s%s", list(names), near(text, names))
	}
	return i, nil
}

// isNothing tells whether the value is missing.
func (c cursor) isNothing() bool {
	_, ok := c.node.(*ast.NullNode)
	return ok
}
