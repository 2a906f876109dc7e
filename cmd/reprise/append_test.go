package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
)

// A trace that another append has replaced meanwhile is not replaced again, which would lose what that one added.
func TestAppendToAChangedTrace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "T")
	h := recordfile.Header{Tool: tool(), KeyID: "01234567", Options: map[string]any{"pseudonyms": 2}, Lineage: []recordfile.Stage{{Stage: "anonymize"}}}
	var b bytes.Buffer
	w, err := trace.NewWriter(&b, h)
	if err == nil {
		err = w.Close(recordfile.Trailer{})
	}
	if err == nil {
		err = os.WriteFile(name, b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{}
	old, err := s.openAppendTarget(t.Context(), name, h)
	if err != nil {
		t.Fatal(err)
	}
	defer old.close()
	if err := old.unchanged(); err != nil {
		t.Errorf("an untouched trace: %v", err)
	}
	if err := errors.Join(os.WriteFile(name+"2", b.Bytes(), 0o600), os.Rename(name+"2", name)); err != nil {
		t.Fatal(err)
	}
	var f *failure
	if err := old.unchanged(); !errors.As(err, &f) || f.code != codeAppend || f.exit != exitUsage {
		t.Errorf("a replaced trace: %v", err)
	}
}
