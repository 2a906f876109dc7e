package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"reprise/replay/report"
	"reprise/replay/result"
)

const commandText = "reprise replay shop.plan.zst --target http://127.0.0.1:8080 --timeout 2s --warmup 10s -o runs\ngo1.26.0 linux/amd64 commit 5022282\n"

func page(t *testing.T, s *result.Summary) string {
	t.Helper()
	return render(t, func(w *bytes.Buffer) error { return report.HTML(w, report.Run{Summary: s, Command: commandText}) })
}

// The pages can be kept for a look: REPRISE_PAGES=/tmp go test -run Pages.
func TestPages(t *testing.T) {
	dir := os.Getenv("REPRISE_PAGES")
	if dir == "" {
		t.Skip("REPRISE_PAGES is not set: a folder to write the pages to")
	}
	for name, fixture := range fixtures {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(page(t, fixture(t))), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, fixture := range comparisons {
		text := render(t, func(w *bytes.Buffer) error { return report.CompareHTML(w, fixture(t)) })
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
