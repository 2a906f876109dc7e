package source

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoFile is the error for a pattern or a directory that stands for no file.
var ErrNoFile = errors.New("no file matches")

// Expand turns arguments into names to open: "-" and files stand for themselves, a directory for the regular
// files directly in it (hidden ones left out, directories in it not entered), and what is neither but has one of
// *?[ for the files that it matches as a pattern of path/filepath.Match.
//
// A file that is missing or cannot be looked at (permission, a dangling link, a loop of links) is listed all the
// same, so that opening it tells the reason and the others are read. A file named twice, in whatever spelling, is
// listed once, at its first place; within one argument the order is by name. The order of time is not Expand's to
// know: ingest takes it from the content. Errors: ErrNoFile, and a malformed pattern.
func Expand(args []string) ([]string, error) {
	var names []string
	seen := map[string]bool{}
	for _, arg := range args {
		list, err := expandOne(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range list {
			id := name
			if name != Stdin {
				if abs, err := filepath.Abs(name); err == nil {
					id = abs
				}
				if real, err := filepath.EvalSymlinks(id); err == nil {
					id = real
				}
			}
			if !seen[id] {
				seen[id] = true
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func expandOne(arg string) ([]string, error) {
	if arg == Stdin {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return filesIn(arg)
	case err == nil, !errors.Is(err, os.ErrNotExist), !strings.ContainsAny(arg, `*?[`):
		return []string{arg}, nil
	}
	matches, err := filepath.Glob(arg)
	if err != nil {
		return nil, fmt.Errorf("pattern %s: %w", arg, err)
	}
	files := slices.DeleteFunc(matches, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	})
	if len(files) == 0 {
		return nil, fmt.Errorf("pattern %s: %w", arg, ErrNoFile)
	}
	return files, nil
}

func filesIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []string{dir}, nil //nolint:nilerr // opening it tells the reason
	}
	var files []string
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
			files = append(files, name)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("directory %s: %w", dir, ErrNoFile)
	}
	return files, nil
}
