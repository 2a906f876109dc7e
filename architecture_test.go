// Package reprise_test holds the rules of the house that only a look at the whole tree can check.
package reprise_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "reprise/"

// arrows reads the import table of ARCHITECTURE.md: package to allowed imports of ours.
func arrows(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| package | owns | imports of ours |")
	if !ok {
		t.Fatal("ARCHITECTURE.md has no import table")
	}
	name := regexp.MustCompile("`([a-z/]+)`")
	rows := make(map[string][]string)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 5 {
			if len(rows) > 0 {
				break
			}
			continue
		}
		key := name.FindStringSubmatch(cells[1])
		if key == nil {
			continue
		}
		imports := []string{}
		for _, m := range name.FindAllStringSubmatch(cells[3], -1) {
			imports = append(imports, m[1])
		}
		if strings.TrimSpace(cells[3]) == "all" {
			imports = append(imports, "*")
		}
		rows[key[1]] = imports
	}
	return rows
}

type listed struct {
	ImportPath string
	Name       string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Imports", "./...", "./testdata", "./testdata/shoplog").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestArchitectureImports fails on an import that the table does not allow, on a package that it does not
// name, and on a row that no package stands for.
func TestArchitectureImports(t *testing.T) {
	rows := arrows(t)
	seen := make(map[string]bool)
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		row := owner(rows, name)
		if row == "" {
			if p.Name == "main" && strings.HasPrefix(name, "testdata/") || p.ImportPath == "reprise" {
				continue // a generator, and the package of this test
			}
			t.Errorf("package %s has no row in the import table of ARCHITECTURE.md", name)
			continue
		}
		seen[row] = true
		for _, i := range p.Imports {
			ours, ok := strings.CutPrefix(i, module)
			if !ok || slices.Contains(rows[row], "*") || slices.Contains(rows[row], ours) || owner(rows, ours) == row {
				continue
			}
			t.Errorf("%s imports %s; ARCHITECTURE.md allows %v", name, ours, rows[row])
		}
	}
	for row := range rows {
		if !seen[row] {
			t.Errorf("ARCHITECTURE.md has a row for %s, and there is no such package", row)
		}
	}
}

// owner is the row of a package: its own, or the one above an internal folder.
func owner(rows map[string][]string, name string) string {
	if _, ok := rows[name]; ok {
		return name
	}
	if above, _, ok := strings.Cut(name, "/internal/"); ok {
		if _, ok := rows[above]; ok {
			return above
		}
	}
	return ""
}

// TestArchitectureHasNoCycleOfRows keeps the table itself honest: its arrows point one way.
func TestArchitectureHasNoCycleOfRows(t *testing.T) {
	rows := arrows(t)
	state := make(map[string]int)
	var visit func(name string, path []string) error
	visit = func(name string, path []string) error {
		path = append(path, name)
		switch state[name] {
		case 1:
			return fmt.Errorf("cycle: %s", strings.Join(path, " -> "))
		case 2:
			return nil
		}
		state[name] = 1
		for _, next := range rows[name] {
			if _, ok := rows[next]; !ok && next != "*" {
				return fmt.Errorf("%s may import %s, which has no row", name, next)
			}
			if err := visit(next, path); err != nil {
				return err
			}
		}
		state[name] = 2
		return nil
	}
	for name := range rows {
		if err := visit(name, nil); err != nil {
			t.Error(err)
		}
	}
}
