package ingest_test

import (
	"os"
	"strings"
	"testing"

	"reprise/ingest"
)

// The page for users lists every known format.
func TestEveryFormatIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range ingest.Names() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/formats.md does not list %s", name)
		}
	}
}
