package serverconf

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a configuration. Real ones are far below.
const (
	maxFile  = 4 << 20 // bytes of one file
	maxFiles = 2000    // files in all, counting each time that one is included
	maxDepth = 32      // includes within includes
)

// tree reads a main file and what it includes.
type tree struct {
	base    string   // folder that relative includes start from
	open    []string // files being read, the main file first
	read    int
	missing []Position
}

// visit reads a file and hands its text to parse, which may include further files.
func (t *tree) visit(name string, at Position, parse func(name string, text []byte) error) error {
	switch {
	case slices.Contains(t.open, name):
		return &Error{At: at, Message: "the include of " + name + " goes in a circle"}
	case len(t.open) == maxDepth:
		return &Error{At: at, Message: fmt.Sprintf("includes are nested more than %d deep", maxDepth)}
	case t.read == maxFiles:
		return &Error{At: at, Message: fmt.Sprintf("more than %d files are included", maxFiles)}
	}
	t.read++
	text, err := readFile(name)
	if err != nil {
		if len(t.open) == 0 {
			at = Position{File: name}
		}
		return &Error{At: at, Message: err.Error(), Err: err}
	}
	t.open = append(t.open, name)
	err = parse(name, text)
	t.open = t.open[:len(t.open)-1]
	return err
}

// readFile reads a regular file: a pipe or a device that an include names would never end.
func readFile(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	case info.Size() > maxFile:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("larger than a configuration file is (%d MiB)", maxFile>>20)}
	}
	return os.ReadFile(name)
}

// find returns the files that an include means, in the order in which the servers read them. A folder means
// all files in and below it, as in Apache. What is not found is noted.
func (t *tree) find(pattern string, at Position, optional bool) ([]string, error) {
	path := pattern
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.base, path)
	}
	names, err := filepath.Glob(path)
	if err != nil {
		return nil, &Error{At: at, Message: "the pattern of the include is malformed", Err: err}
	}
	if len(names) == 0 && !optional && !strings.ContainsAny(pattern, "*?[") {
		t.missing = append(t.missing, at)
	}
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			name += string(filepath.Separator) // a link to a folder is followed
		}
		err := filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case len(files) > maxFiles:
				return fs.SkipAll
			case !d.IsDir():
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, &Error{At: at, Message: err.Error(), Err: err}
		}
	}
	return files, nil
}
