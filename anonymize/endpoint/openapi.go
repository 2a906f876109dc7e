package endpoint

import (
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const (
	maxPaths   = 100_000
	maxPattern = 4096   // bytes
	maxListed  = 10_000 // values of one query key
	maxHops    = 8      // references from one to the next
)

// Read reads templates that are given: a file that WriteYAML wrote, or an OpenAPI 3 or Swagger 2 description in YAML
// or JSON (OpenAPI Specification 3.0.4 and 3.1.1, Swagger 2.0). merged is the number of paths of a description that fit
// the same requests as another and are one with it. Errors in the file are of type *FileError.
//
// Of a description count the paths, below the path of its first server or its basePath; the names of query parameters,
// which are vocabulary; and the values that those list, which are too. A path parameter is any one segment. References
// within the file are followed; into other files they are refused.
func Read(r io.Reader) (set *Set, merged int, err error) {
	text, err := readText(r)
	if err != nil {
		return nil, 0, err
	}
	body, err := parseText(text)
	if err != nil {
		return nil, 0, err
	}
	members, err := membersOf(body, "the file")
	if err != nil {
		return nil, 0, err
	}
	for _, m := range members {
		switch name, _ := textOf(m.Key, "a key"); name {
		case "openapi", "swagger":
			return readOpenAPI(body, name, m.Value)
		}
	}
	set, err = readTemplates(body)
	return set, 0, err
}

// openAPI gathers what a description says.
type openAPI struct {
	root   ast.Node
	prefix string // of all paths
	seen   map[string]string
	merged int
	keys   map[string]bool
	values map[string]map[string]bool
	fields map[ast.Node]map[string]ast.Node // of the mappings that were looked at
}

func readOpenAPI(root ast.Node, kind string, version ast.Node) (*Set, int, error) {
	text, err := textOf(version, kind)
	if err != nil {
		return nil, 0, err
	}
	if kind == "swagger" && text != "2.0" || kind == "openapi" && !strings.HasPrefix(text, "3.") {
		return nil, 0, failAt(version, "only OpenAPI 3 and Swagger 2.0 are read")
	}
	d := &openAPI{root: root, seen: make(map[string]string), keys: make(map[string]bool), values: make(map[string]map[string]bool), fields: make(map[ast.Node]map[string]ast.Node)}
	if d.prefix, err = d.base(); err != nil {
		return nil, 0, err
	}
	paths, err := d.member(root, "paths")
	if err != nil {
		return nil, 0, err
	}
	items, err := membersOf(paths, "paths")
	if err != nil {
		return nil, 0, err
	}
	if len(items) > maxPaths {
		return nil, 0, failAt(paths, "more than %d paths", maxPaths)
	}
	for _, item := range items {
		if err := d.path(item); err != nil {
			return nil, 0, err
		}
	}
	set, err := d.set()
	return set, d.merged, err
}

// set compiles what was gathered.
func (d *openAPI) set() (*Set, error) {
	templates := make([]*Template, 0, len(d.seen))
	for _, pattern := range d.seen {
		templates = append(templates, &Template{Pattern: pattern})
	}
	keys := make([]string, 0, len(d.keys))
	for key := range d.keys {
		keys = append(keys, key)
	}
	values := make(map[string][]string, len(d.values))
	for key, listed := range d.values {
		for value := range listed {
			values[key] = append(values[key], value)
		}
	}
	set, err := newSet(templates, keys, values)
	if err != nil {
		return nil, &FileError{Err: err}
	}
	return set, nil
}

// base is the path before all paths, without a slash at its end.
func (d *openAPI) base() (string, error) {
	base, err := d.member(d.root, "basePath")
	if err != nil {
		return "", err
	}
	if base != nil {
		text, err := textOf(base, "basePath")
		return strings.TrimRight(text, "/"), err
	}
	servers, err := d.member(d.root, "servers")
	if err != nil {
		return "", err
	}
	list, err := itemsOf(servers, "servers")
	if err != nil || len(list) == 0 {
		return "", err
	}
	address, err := d.member(list[0], "url")
	if err != nil || address == nil {
		return "", err
	}
	text, err := textOf(address, "url")
	if err != nil {
		return "", err
	}
	if text, err = d.fillVariables(list[0], text); err != nil {
		return "", err
	}
	if _, rest, found := strings.Cut(text, "://"); found {
		text = strings.TrimLeft(rest, "/")
		_, text, _ = strings.Cut(text, "/")
	}
	text, _, _ = strings.Cut(text, "?")
	if text = strings.Trim(text, "/"); text == "" || text == "." {
		return "", nil
	}
	return "/" + text, nil
}

// fillVariables puts the default values of a server's variables into its address.
func (d *openAPI) fillVariables(server ast.Node, text string) (string, error) {
	variables, err := d.member(server, "variables")
	if err != nil {
		return "", err
	}
	all, err := membersOf(variables, "variables")
	if err != nil {
		return "", err
	}
	for _, v := range all {
		name, err := textOf(v.Key, "a key")
		if err != nil {
			return "", err
		}
		value, err := d.member(v.Value, "default")
		if err != nil || value == nil {
			return "", err
		}
		fill, err := textOf(value, "default")
		if err != nil {
			return "", err
		}
		if text = strings.ReplaceAll(text, "{"+name+"}", fill); len(text) > maxPattern {
			return "", failAt(value, "the server's address is longer than %d bytes", maxPattern)
		}
	}
	return text, nil
}

// operations are the keys of a path item that hold operations.
var operations = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// path reads one path and the parameters of its operations.
func (d *openAPI) path(item *ast.MappingValueNode) error {
	name, err := textOf(item.Key, "a path")
	if err != nil {
		return err
	}
	if strings.HasPrefix(name, "x-") {
		return nil
	}
	if !strings.HasPrefix(name, "/") || len(d.prefix)+len(name) > maxPattern {
		return failAt(item.Key, "a path begins with / and has at most %d bytes", maxPattern)
	}
	pattern := templateOf(d.prefix + name)
	key := shapeOf(pattern)
	if known, ok := d.seen[key]; ok {
		d.merged++
		pattern = min(pattern, known)
	}
	d.seen[key] = pattern
	target, err := d.follow(item.Value)
	if err != nil {
		return err
	}
	members, err := membersOf(target, "a path")
	if err != nil {
		return err
	}
	for _, m := range members {
		switch name, _ := textOf(m.Key, "a key"); {
		case name == "parameters":
			err = d.parameters(m.Value)
		case slices.Contains(operations, name):
			var list ast.Node
			if list, err = d.member(m.Value, "parameters"); err == nil {
				err = d.parameters(list)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// templateOf makes a pattern of a path: a segment with a parameter in it is any segment, and so is one that no literal
// segment can be. Names that a pattern means otherwise are left out.
func templateOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	var b strings.Builder
	for seg := range strings.SplitSeq(path, "/") {
		if seg == "" {
			continue
		}
		b.WriteByte('/')
		if decoded, err := url.PathUnescape(seg); err == nil {
			seg = decoded
		}
		parsed, _, err := parseSegment(seg)
		if err != nil || !parsed.Literal && (parsed.Class != Any || strings.ContainsFunc(seg, func(r rune) bool { return r <= ' ' || r > '~' })) || strings.Contains(seg, "/") {
			seg = "{any}"
		}
		b.WriteString(seg)
	}
	if strings.HasSuffix(path, "/") || b.Len() == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

// shapeOf is a pattern without the names of its variables: equal for patterns that fit the same paths.
func shapeOf(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, seg := range segments {
		if strings.HasPrefix(seg, "{") {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}
