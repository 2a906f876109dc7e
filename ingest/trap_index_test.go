package ingest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

// traps is how many ways of log lines to go wrong are known and numbered; docs/formats.md lists them.
const traps = 36

// TestEveryTrapHasATest looks for a test function TestTrapNN... for every number.
func TestEveryTrapHasATest(t *testing.T) {
	found := make(map[int][]string)
	for _, dir := range []string{".", "source", "inspect", "serverconf", "../cmd/reprise"} {
		names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || len(f.Name.Name) < 10 || f.Name.Name[:8] != "TestTrap" {
					continue
				}
				n, err := strconv.Atoi(f.Name.Name[8:10])
				if err != nil || n < 1 || n > traps {
					t.Errorf("%s: %s names no trap of 1 to %d", name, f.Name.Name, traps)
					continue
				}
				found[n] = append(found[n], name)
			}
		}
	}
	for n := 1; n <= traps; n++ {
		if len(found[n]) == 0 {
			t.Errorf("trap %d has no test TestTrap%02d...", n, n)
		}
	}
}
