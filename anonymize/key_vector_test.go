package anonymize_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The ID of a key is that of the published vectors.
func TestKeyIDIsTheVector(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("internal", "pseudonym", "testdata", "vectors.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "- key-id - " + testKey(t, 0).ID() + "\n"; !strings.Contains(string(text), want) {
		t.Errorf("no line %q", want)
	}
}
