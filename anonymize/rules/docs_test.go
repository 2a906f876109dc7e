package rules_test

import (
	"os"
	"strings"
	"testing"
)

// The example of the manual is a rules file.
func TestManual(t *testing.T) {
	text, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(text), "```yaml\n")
	example, _, end := strings.Cut(example, "```\n")
	if !ok || !end {
		t.Fatal("the manual has no example")
	}
	if r := parsed(t, example); len(r.Entities) != 2 || len(r.Allow) != 2 || len(r.Allow[0].Query) != 4 {
		t.Errorf("the example has %d entities and allows %v", len(r.Entities), r.Allow)
	}
}
