package environment

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// ConfigError is a mistake in a configuration. Its message quotes keys and host names, never other values.
type ConfigError struct {
	File         string // name given to Parse, or empty
	Line, Column int    // from 1, or 0 when unknown
	Message      string
}

// Error gives "file:line:column: message" with the parts that are known.
func (e *ConfigError) Error() string {
	switch {
	case e.Line > 0 && e.File != "":
		return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	case e.Line > 0:
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	case e.File != "":
		return e.File + ": " + e.Message
	}
	return e.Message
}

// Parse reads a Config from YAML; name stands for the file in errors. It refuses fields and kinds of
// steps that it does not know, and every value that New would refuse. All errors are *ConfigError.
// An empty document is an empty Config. Top-level keys named in others belong to somebody else's part of
// the same file and are left alone.
func Parse(data []byte, name string, others ...string) (*Config, error) {
	if len(data) > maxConfig {
		return nil, &ConfigError{File: name, Message: "the file is larger than 256 KiB"}
	}
	c := new(Config)
	if err := decode(data, c, others); err != nil && !errors.Is(err, io.EOF) {
		return nil, located(err, name)
	}
	if err := c.validate(); err != nil {
		return nil, located(err, name)
	}
	return c, nil
}

// maxConfig bounds a configuration in bytes, and with it how deep the YAML library recurses.
const maxConfig = 256 << 10

// decode is strict. The YAML library panics on some malformed tags (v1.19.2: a lone "!" before a scalar
// where a list belongs); for the user that is a mistake in the file like any other.
func decode(data []byte, c *Config, others []string) (err error) {
	defer func() {
		if recover() != nil {
			err = errUnreadable
		}
	}()
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return err
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil || file.Docs[0].Body.Type() == ast.CommentType {
		return nil
	}
	if len(file.Docs) > 1 && file.Docs[1].Body != nil {
		return mistake(file.Docs[1].Body, "a second document; steps after --- would be ignored")
	}
	body := file.Docs[0].Body
	if m, ok := body.(*ast.MappingNode); ok {
		m.Values = slices.DeleteFunc(m.Values, func(v *ast.MappingValueNode) bool {
			return slices.Contains(others, v.Key.String())
		})
	}
	return yaml.NodeToValue(body, c, yaml.Strict())
}

var errUnreadable = errors.New("unreadable YAML")

// located makes a ConfigError of err. The YAML library's own text shows the lines around the mistake,
// values included, so only its message and position are taken.
func located(err error, name string) error {
	var own *ConfigError
	if errors.As(err, &own) {
		own.File = name
		return own
	}
	var syntax yaml.Error
	if !errors.As(err, &syntax) {
		return &ConfigError{File: name, Message: "the file is not the YAML that is expected here"}
	}
	e := &ConfigError{File: name, Message: escape(syntax.GetMessage())}
	var kind *yaml.TypeError
	if errors.As(err, &kind) {
		e.Message = "the value is of the wrong type"
	}
	if t := syntax.GetToken(); t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

// mistake is a ConfigError at a node.
func mistake(n ast.Node, format string, args ...any) error {
	e := &ConfigError{Message: fmt.Sprintf(format, args...)}
	e.Line, e.Column = position(n)
	return e
}

func position(n ast.Node) (line, column int) {
	var t *token.Token
	if n != nil {
		t = n.GetToken()
	}
	if t == nil || t.Position == nil {
		return 0, 0
	}
	return t.Position.Line, t.Position.Column
}

// fields calls set for each key of the mapping n.
func fields(n ast.Node, what string, set func(key string, at, value ast.Node) error) error {
	var pairs []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	default:
		return mistake(n, "%s must be a mapping", what)
	}
	for _, pair := range pairs {
		if err := set(pair.Key.GetToken().Value, pair.Key, pair.Value); err != nil {
			return err
		}
	}
	return nil
}

// UnmarshalYAML reads a step. It is called by the YAML decoder.
func (s *Step) UnmarshalYAML(n ast.Node) error {
	*s = Step{}
	s.line, s.column = position(n)
	return fields(n, "a step", func(key string, at, value ast.Node) (err error) {
		s.line, s.column = position(at) // of the last key: a step's own token may be a colon
		switch key {
		case "exec":
			s.Exec, err = parseCommand(value)
		case "http":
			s.HTTP, err = parseRequest(value)
		case "timeout":
			s.Timeout, err = parseTimeout(value)
		default:
			err = mistake(at, "unknown step kind %s; allowed are exec and http, with timeout", escape(key))
		}
		return err
	})
}

// parseCommand reads true or a list of texts.
func parseCommand(n ast.Node) (Command, error) {
	if b, ok := n.(*ast.BoolNode); ok && b.Value {
		return Command{"true"}, nil
	}
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, mistake(n, "exec must be true or a list such as [./reset.sh, --fast]; for a shell write [sh, -c, ...]")
	}
	if len(list.Values) == 0 {
		return nil, mistake(n, "exec: the list is empty")
	}
	var c Command
	for _, v := range list.Values {
		word, err := parseText(v, "exec: every argument")
		if err != nil {
			return nil, err
		}
		c = append(c, word)
	}
	return c, nil
}

// parseRequest reads a URL or a mapping.
func parseRequest(n ast.Node) (*Request, error) {
	r := new(Request)
	if _, scalar := n.(ast.ScalarNode); scalar {
		var err error
		r.URL, err = parseText(n, "http")
		return r, err
	}
	err := fields(n, "http", func(key string, at, value ast.Node) (err error) {
		switch key {
		case "url":
			r.URL, err = parseText(value, "url")
		case "method":
			r.Method, err = parseText(value, "method")
		case "expect":
			number, ok := value.(*ast.IntegerNode)
			if ok {
				_, err = fmt.Sscan(number.GetToken().Value, &r.Expect)
			}
			if !ok || err != nil || r.Expect == 0 {
				err = mistake(value, "expect must be a status such as 200")
			}
		default:
			err = mistake(at, "unknown field %s of http; allowed are url, method and expect", escape(key))
		}
		return err
	})
	if err == nil && r.URL == "" {
		err = mistake(n, "http needs a url")
	}
	return r, err
}

// parseText reads a scalar as it is written, so that an argument 007 stays 007.
func parseText(n ast.Node, what string) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", mistake(n, "%s must be a text", what)
}

func parseTimeout(n ast.Node) (time.Duration, error) {
	text, err := parseText(n, "timeout")
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(strings.TrimSpace(text))
	if err != nil || d <= 0 || d > MaxTimeout {
		return 0, mistake(n, "timeout must be a time with a unit, such as 30s, above 0 and at most %v", MaxTimeout)
	}
	return d, nil
}
