package reprise_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strings"
	"testing"
)

// The budgets of CONTRIBUTING.md: over them, a second noun is hiding.
const (
	maxFileLines = 400
	maxFuncLines = 70
)

func goFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "*.go").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	return strings.Fields(string(out))
}

func TestBudgetOfFilesAndFunctions(t *testing.T) {
	for _, name := range goFiles(t) {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := fset.Position(file.FileEnd).Line; n > maxFileLines+1 && !strings.HasSuffix(name, "_test.go") {
			t.Errorf("%s has %d lines, the budget is %d", name, n, maxFileLines)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, the budget is %d", fset.Position(f.Pos()), f.Name.Name, n, maxFuncLines)
			}
		}
	}
}

// TestBudgetOfNames refuses packages named for their shape instead of their noun.
func TestBudgetOfNames(t *testing.T) {
	for _, name := range goFiles(t) {
		for _, part := range strings.Split(name, "/") {
			switch part {
			case "util", "utils", "common", "helpers", "types", "base", "core", "lib", "misc":
				t.Errorf("%s: %q names no noun of the field", name, part)
			}
		}
	}
}
