package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

const (
	// maxFile is the size limit of a file of templates or of an OpenAPI description, in bytes.
	maxFile = 32 << 20
	// maxDepth is how deep values may nest in such a file. The parser recurses, so it is asked before.
	maxDepth = 200
)

// FileError is a mistake in a given file. It holds no text of the file, which may hold names.
type FileError struct {
	Line, Column int // from 1, or 0 when unknown
	Err          error
}

// Error is line:column: reason, with the parts that are known.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("%d:%d: %v", e.Line, e.Column, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }

// failAt is a mistake at a node.
func failAt(n ast.Node, format string, args ...any) error {
	e := &FileError{Err: fmt.Errorf(format, args...)}
	t := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		t = m.Values[0].Key.GetToken() // its own token is the first colon
	}
	if t != nil && t.Position != nil {
		e.Line, e.Column = t.Position.Line, t.Position.Column
	}
	return e
}

// readText reads a whole file, within the limits.
func readText(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, &FileError{Err: fmt.Errorf("the file is over the limit of %d bytes", maxFile)}
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if line := tooDeep(text); line > 0 {
		return nil, &FileError{Line: line, Column: 1, Err: fmt.Errorf("values nest deeper than %d", maxDepth)}
	}
	return text, nil
}

// tooDeep returns the line in which values may nest deeper than maxDepth, 0 where none do. It errs to the safe side: it
// does not know comments and texts, so that their brackets count too.
func tooDeep(text []byte) int {
	const perLevel = 8 // the widest indentation
	depth, line, column, signs, leading := 0, 1, 0, 0, true
	for _, c := range text {
		switch c {
		case '\n':
			line, column, signs, leading = line+1, 0, 0, true
			continue
		case '[', '{':
			depth++
			leading = false
		case ']', '}':
			depth = max(0, depth-1)
			leading = false
		case ' ', '\t':
		case '-', '?', ':': // - - - and ? ? ? nest without a line of their own
			signs++
		default:
			leading = false
		}
		column++
		if depth > maxDepth || leading && (signs > maxDepth || column > maxDepth*perLevel) {
			return line
		}
	}
	return 0
}

// parseText parses YAML or JSON into the only document that it may hold; nil when it is empty. The parser panics on some
// malformed tags (goccy/go-yaml v1.19.2: a lone "!" before a scalar where a list belongs).
func parseText(text []byte) (body ast.Node, err error) {
	defer func() {
		if recover() != nil {
			body, err = nil, &FileError{Err: errors.New("the file is no YAML that can be read")}
		}
	}()
	if json.Valid(text) {
		text = untab(text)
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, located(err)
	}
	for _, d := range file.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			return nil, failAt(d.Body, "a second document after ---")
		}
		body = d.Body
	}
	return body, nil
}

// untab makes spaces of the tabs and carriage returns between the values of a JSON text: YAML takes none there.
func untab(text []byte) []byte {
	out := bytes.Clone(text)
	quoted := false
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '\t' || c == '\r'):
			out[i] = ' '
		}
	}
	return out
}

// located keeps the position and the reason of a mistake that the YAML library found. Its whole message shows the lines
// around, and a reason in quotes may be text of the file.
func located(err error) error {
	f := &FileError{Err: errors.New("the file is no YAML that can be read")}
	if e, ok := errors.AsType[yaml.Error](err); ok {
		if reason := e.GetMessage(); !strings.ContainsAny(reason, "\"'`\n") {
			f.Err = errors.New(reason)
		}
		if t := e.GetToken(); t != nil && t.Position != nil {
			f.Line, f.Column = t.Position.Line, t.Position.Column
		}
	}
	return f
}

// plain refuses what would let one part of a file stand for another: it could not be reviewed line by line.
func plain(n ast.Node) error {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode, *ast.TagNode:
		return failAt(n, "anchors, aliases, merge keys and tags are not taken here: write the value out")
	}
	return nil
}

// membersOf are the pairs of a mapping; nothing at all is an empty mapping.
func membersOf(n ast.Node, what string) ([]*ast.MappingValueNode, error) {
	var pairs []*ast.MappingValueNode
	switch m := n.(type) {
	case *ast.MappingNode:
		pairs = m.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{m}
	case nil, *ast.NullNode:
	default:
		if err := plain(n); err != nil {
			return nil, err
		}
		return nil, failAt(n, "%s needs keys with values", what)
	}
	seen := make(map[string]bool, len(pairs))
	for _, pair := range pairs {
		name, err := textOf(pair.Key, "a key")
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, failAt(pair.Key, "a key stands twice in %s", what)
		}
		seen[name] = true
	}
	return pairs, nil
}

// itemsOf are the values of a list; nothing at all is an empty list.
func itemsOf(n ast.Node, what string) ([]ast.Node, error) {
	switch list := n.(type) {
	case *ast.SequenceNode:
		return list.Values, nil
	case nil, *ast.NullNode:
		return nil, nil
	}
	if err := plain(n); err != nil {
		return nil, err
	}
	return nil, failAt(n, "%s needs a list", what)
}

// textOf is the text of a scalar.
func textOf(n ast.Node, what string) (string, error) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, nil
	case *ast.LiteralNode:
		return v.Value.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, nil
	}
	if err := plain(n); err != nil {
		return "", err
	}
	return "", failAt(n, "%s needs a text", what)
}
