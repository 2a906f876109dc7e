package endpoint

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// FileVersion is the version of the templates file that this package writes and the only one it reads.
const FileVersion = 1

const fileHead = `# Path templates of the service. Review them: a word that stands here stays in the pseudonymised
# files as it is, and {word}, {int}, {token} ... are replaced; so do the names of query parameters below query_keys,
# beside those that are common everywhere, and the values below query_values where the rules let top(N) stay.
# count: answered requests. clients: at least so many asked, counted up to 64. why: fixed = its words are common
# everywhere; vocabulary = the others are words that many clients asked for. Lines can be added, changed or removed.
`

type file struct {
	Version   int           `yaml:"version"`
	Endpoints []fileEntry   `yaml:"endpoints"`
	Keys      []string      `yaml:"query_keys,omitempty"`
	Values    yaml.MapSlice `yaml:"query_values,omitempty"`
}

type fileEntry struct {
	Pattern string `yaml:"pattern"`
	Count   int64  `yaml:"count,omitempty"`
	Clients int    `yaml:"clients,omitempty"`
	Why     string `yaml:"why,omitempty"`
}

// Reasons why the words of a pattern stay.
const (
	whyFixed      = "fixed"
	whyVocabulary = "vocabulary"
)

// why tells why the words of a template stay; "" when it has none.
func (t *Template) why() string {
	reason := ""
	for i, name := range strings.Split(strings.Trim(t.Pattern, "/"), "/") {
		if i >= len(t.Segments) {
			break
		}
		switch {
		case t.Segments[i].Prefix != "", t.Segments[i].Literal && !isRouteWord([]byte(name)):
			return whyVocabulary
		case t.Segments[i].Literal:
			reason = whyFixed
		}
	}
	return reason
}

// WriteYAML writes the templates file of s. Equal sets give equal bytes.
func (s *Set) WriteYAML(w io.Writer) error {
	f := file{Version: FileVersion, Endpoints: []fileEntry{}, Keys: s.keyList}
	for _, t := range s.templates {
		f.Endpoints = append(f.Endpoints, fileEntry{Pattern: t.Pattern, Count: t.Count, Clients: t.Clients, Why: t.why()})
	}
	for _, key := range slices.Sorted(maps.Keys(s.valueList)) {
		f.Values = append(f.Values, yaml.MapItem{Key: key, Value: s.valueList[key]})
	}
	text, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode endpoints: %w", err)
	}
	if _, err := io.WriteString(w, fileHead); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// fileReader gathers the parts of a templates file.
type fileReader struct {
	versioned bool
	templates []*Template
	nodes     map[*Template]ast.Node
	keys      []string
	values    map[string][]string
}

// readTemplates reads a templates file. Unknown keys, another version, and patterns, keys or values that no target can have are
// errors of type *FileError.
func readTemplates(body ast.Node) (*Set, error) {
	members, err := membersOf(body, "the file")
	if err != nil {
		return nil, err
	}
	f := fileReader{nodes: make(map[*Template]ast.Node)}
	for _, m := range members {
		if err := f.member(m); err != nil {
			return nil, err
		}
	}
	if !f.versioned {
		return nil, &FileError{Line: 1, Column: 1, Err: fmt.Errorf("version is missing: this tool reads version %d", FileVersion)}
	}
	set, err := newSet(f.templates, f.keys, f.values)
	if e, ok := errors.AsType[*patternError](err); ok {
		return nil, failAt(f.nodes[e.template], "%w", e.err)
	}
	return set, err
}

func (f *fileReader) member(m *ast.MappingValueNode) error {
	name, err := textOf(m.Key, "a key")
	if err != nil {
		return err
	}
	switch name {
	case "version":
		n, err := countOf(m.Value, name)
		if err == nil && n != FileVersion {
			err = failAt(m.Value, "the file has version %d: this tool reads version %d", n, FileVersion)
		}
		f.versioned = true
		return err
	case "endpoints":
		entries, err := itemsOf(m.Value, name)
		for i := 0; err == nil && i < len(entries); i++ {
			err = f.entry(entries[i])
		}
		return err
	case "query_keys":
		f.keys, err = textsOf(m.Value, name, isGivenKey)
		return err
	case "query_values":
		return f.queryValues(m.Value)
	}
	return failAt(m.Key, "unknown key: the file has version, endpoints, query_keys and query_values")
}

// entry reads one of the endpoints.
func (f *fileReader) entry(n ast.Node) error {
	members, err := membersOf(n, "an endpoint")
	if err != nil {
		return err
	}
	t := &Template{}
	f.nodes[t] = n
	for _, m := range members {
		var count int64
		name, err := textOf(m.Key, "a key")
		if err != nil {
			return err
		}
		switch name {
		case "pattern":
			t.Pattern, err = textOf(m.Value, name)
			f.nodes[t] = m.Value
		case "count":
			t.Count, err = countOf(m.Value, name)
		case "clients":
			count, err = countOf(m.Value, name)
			t.Clients = int(min(count, 64))
		case "why":
			_, err = textOf(m.Value, name)
		default:
			err = failAt(m.Key, "unknown key: an endpoint has pattern, count, clients and why")
		}
		if err != nil {
			return err
		}
	}
	f.templates = append(f.templates, t)
	return nil
}

// queryValues reads the lists of values, by key.
func (f *fileReader) queryValues(n ast.Node) error {
	members, err := membersOf(n, "query_values")
	if err != nil {
		return err
	}
	f.values = make(map[string][]string, len(members))
	for _, m := range members {
		key, err := textOf(m.Key, "a key")
		if err != nil {
			return err
		}
		key = string(appendLower(nil, []byte(key)))
		if !isGivenKey(key) || f.values[key] != nil {
			return failAt(m.Key, "a query key stands twice, is empty or has a character that no key in a target can have")
		}
		if f.values[key], err = textsOf(m.Value, "a list of values", isGivenValue); err != nil {
			return err
		}
	}
	return nil
}

// textsOf reads a list of texts, all of which are well formed.
func textsOf(n ast.Node, what string, wellFormed func(string) bool) ([]string, error) {
	items, err := itemsOf(n, what)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = textOf(item, what); err != nil {
			return nil, err
		}
		if !wellFormed(texts[i]) {
			return nil, failAt(item, "one of %s is empty, too long or has a character that it cannot have in a target", what)
		}
	}
	return texts, nil
}

func countOf(n ast.Node, what string) (int64, error) {
	text, err := textOf(n, what)
	if err != nil {
		return 0, err
	}
	count, err := strconv.ParseInt(text, 10, 64)
	if err != nil || count < 0 {
		return 0, failAt(n, "%s needs a whole number", what)
	}
	return count, nil
}

// isGivenKey tells whether a query key can stand in a file.
func isGivenKey(key string) bool {
	return key != "" && len(key) <= maxDecode && !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("=&#%", r) })
}

// isGivenValue tells whether a query value, which is decoded, can stand in a file.
func isGivenValue(value string) bool {
	return value != "" && len(value) <= maxValue && !strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f })
}
