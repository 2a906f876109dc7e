package bind

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxRules bounds bind.yaml in bytes: the time of the YAML parser grows with the square of some inputs.
const maxRules = 64 << 10

// Parse reads bind.yaml strictly: unknown and repeated keys are errors. Errors begin with
// name:line:column.
func Parse(r io.Reader, name string) (*Rules, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxRules+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(text) > maxRules {
		return nil, fmt.Errorf("%s: is larger than %d bytes", name, maxRules)
	}
	var rules Rules
	d := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict())
	if err := d.Decode(&rules); err != nil {
		return nil, position(name, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: holds more than one YAML document", name)
	}
	if err := rules.validate(); err != nil {
		return nil, locate(name, text, err)
	}
	return &rules, nil
}

// position puts the position of a YAML error before its message.
func position(name string, err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s:1:1: the file is empty", name)
	}
	if y := yaml.Error(nil); errors.As(err, &y) {
		if tk := y.GetToken(); tk != nil && tk.Position != nil {
			return fmt.Errorf("%s:%d:%d: %s", name, tk.Position.Line, tk.Position.Column, y.GetMessage())
		}
	}
	return fmt.Errorf("%s: %w", name, err)
}

// fault is a rule that cannot be: where it stands in the document, and why not.
type fault struct {
	path   []any // keys and indices from the root
	reason string
}

func blame(reason string, path ...any) error { return &fault{path, reason} }

func (f *fault) Error() string {
	var b strings.Builder
	for i, step := range f.path {
		switch n, ok := step.(int); {
		case ok:
			fmt.Fprintf(&b, "[%d]", n)
		case i > 0:
			fmt.Fprintf(&b, ".%s", step)
		default:
			fmt.Fprint(&b, step)
		}
	}
	return b.String() + ": " + f.reason
}

// locate puts the position of a fault before it: that of the value, or of the nearest one around it when
// the value is not there.
func locate(name string, text []byte, err error) error {
	var f *fault
	file, parseErr := parser.ParseBytes(text, 0)
	if !errors.As(err, &f) || parseErr != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for n := len(f.path); n > 0; n-- {
		if tk := find(file, f.path[:n]); tk != nil && tk.Position != nil {
			return fmt.Errorf("%s:%d:%d: %w", name, tk.Position.Line, tk.Position.Column, err)
		}
	}
	return fmt.Errorf("%s:1:1: %w", name, err)
}

// find returns the first token of the value at path, nil when there is none.
func find(file *ast.File, path []any) *token.Token {
	b := (&yaml.PathBuilder{}).Root()
	for _, step := range path {
		if n, ok := step.(int); ok {
			b = b.Index(uint(n))
		} else {
			b = b.Child(fmt.Sprint(step))
		}
	}
	node, err := b.Build().FilterFile(file)
	if err != nil {
		return nil
	}
	// A mapping's own token is its first colon.
	switch m := node.(type) {
	case *ast.MappingNode:
		if len(m.Values) > 0 {
			return m.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return m.Key.GetToken()
	}
	return node.GetToken()
}
