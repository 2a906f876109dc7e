package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestInspectRealLog counts the lines of a real log, which wc and grep have counted too.
func TestInspectRealLog(t *testing.T) {
	t.Parallel()
	log := realLog(t, "nginx-blog-2012.log.gz")
	var s struct {
		Lines     int64
		Records   int64
		NoRequest int64 `json:"no_request"`
		Rejected  int64
		Skipped   int64
		Files     []struct{ Format string }
	}
	if err := json.Unmarshal([]byte(reprise(t, t.TempDir(), []string{"inspect", "--json", log})), &s); err != nil {
		t.Fatal(err)
	}
	if s.Lines != 341163 {
		t.Errorf("%d lines, want 341163", s.Lines)
	}
	if sum := s.Records + s.NoRequest + s.Rejected + s.Skipped; sum != s.Lines {
		t.Errorf("%d lines, but their kinds add up to %d", s.Lines, sum)
	}
	if s.Records == 0 || len(s.Files) != 1 || !strings.Contains(s.Files[0].Format, "combined") {
		t.Errorf("%+v", s)
	}
}
