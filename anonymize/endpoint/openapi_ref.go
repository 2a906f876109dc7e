package endpoint

import (
	"net/url"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// member is the value of a key of a mapping, or of what that refers to; nil when there is none.
func (d *openAPI) member(n ast.Node, name string) (ast.Node, error) {
	n, err := d.follow(n)
	if err != nil {
		return nil, err
	}
	return d.own(n, name)
}

// own is the value of a key of a mapping.
func (d *openAPI) own(n ast.Node, name string) (ast.Node, error) {
	if n == nil {
		return nil, nil
	}
	fields, known := d.fields[n]
	if !known {
		members, err := membersOf(n, "what may hold "+name)
		if err != nil {
			return nil, err
		}
		fields = make(map[string]ast.Node, len(members))
		for _, m := range members {
			if key, err := textOf(m.Key, "a key"); err == nil {
				fields[key] = m.Value
			}
		}
		d.fields[n] = fields
	}
	return fields[name], nil
}

// follow returns the mapping that a reference in n leads to, n itself when it has none.
func (d *openAPI) follow(n ast.Node) (ast.Node, error) {
	for range maxHops {
		ref, err := d.own(n, "$ref")
		if err != nil || ref == nil {
			return n, err
		}
		if n, err = d.resolve(ref); err != nil {
			return nil, err
		}
	}
	return nil, failAt(n, "more than %d references from one to the next", maxHops)
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// resolve finds what a reference within the file names: a JSON pointer behind # (RFC 6901).
func (d *openAPI) resolve(ref ast.Node) (ast.Node, error) {
	text, err := textOf(ref, "$ref")
	if err != nil {
		return nil, err
	}
	pointer, local := strings.CutPrefix(text, "#/")
	if !local {
		return nil, failAt(ref, "the reference leaves the file: put all parts of the description into one file")
	}
	n := d.root
	for step := range strings.SplitSeq(pointer, "/") {
		if decoded, err := url.PathUnescape(step); err == nil {
			step = decoded
		}
		if n, err = d.own(n, pointerEscapes.Replace(step)); err != nil {
			return nil, err
		}
		if n == nil {
			return nil, failAt(ref, "the reference leads nowhere")
		}
	}
	return n, nil
}
