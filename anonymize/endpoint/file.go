package endpoint

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// FileVersion is the version of the templates file that this package writes and the only one it reads.
const FileVersion = 1

// maxFile is the size limit of a templates file in bytes.
const maxFile = 64 << 20

const fileHead = `# Path templates of the service. Review them: a word that stands here stays in the pseudonymised
# files as it is, and {word}, {int}, {token} ... are replaced; so do the names of query parameters below query_keys,
# beside those that are common everywhere. Lines can be added, changed or removed.
`

type file struct {
	Version   int         `yaml:"version"`
	Endpoints []fileEntry `yaml:"endpoints"`
	Keys      []string    `yaml:"query_keys,omitempty"`
}

type fileEntry struct {
	Pattern string `yaml:"pattern"`
	Count   int64  `yaml:"count,omitempty"`
}

// WriteYAML writes the templates file of s. Equal sets give equal bytes.
func (s *Set) WriteYAML(w io.Writer) error {
	f := file{Version: FileVersion, Endpoints: []fileEntry{}, Keys: s.keyList}
	for _, t := range s.templates {
		f.Endpoints = append(f.Endpoints, fileEntry{Pattern: t.Pattern, Count: t.Count})
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

// ReadYAML reads a templates file. Unknown keys, another version and patterns that do not parse are errors.
func ReadYAML(r io.Reader) (*Set, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("endpoints file is over the limit of %d bytes", maxFile)
	}
	var f file
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		// Position and reason only: the default message quotes the lines around.
		return nil, fmt.Errorf("endpoints file: %s", yaml.FormatError(err, false, false))
	}
	if f.Version != FileVersion {
		return nil, fmt.Errorf("endpoints file has version %d; this tool reads version %d", f.Version, FileVersion)
	}
	templates := make([]*Template, len(f.Endpoints))
	for i, e := range f.Endpoints {
		templates[i] = &Template{Pattern: e.Pattern, Count: e.Count}
	}
	slices.Sort(f.Keys)
	for _, key := range f.Keys {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("=&#%", r) }) {
			return nil, errors.New("endpoints file: a query key is empty or has a character that no key in a target can have")
		}
	}
	return newSet(templates, slices.Compact(f.Keys))
}
