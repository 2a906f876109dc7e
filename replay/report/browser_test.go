package report_test

import (
	"bytes"
	"context"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"reprise/replay/report"
)

// The page in a real browser: its own policy refuses nothing of it, the charts are drawn, also where a
// stricter host forbids the style sheet, and on a narrow screen.
func TestPageInChromium(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	var page bytes.Buffer
	if err := report.HTML(&page, report.Run{Summary: overloaded(t), Command: "reprise replay"}); err != nil {
		t.Fatal(err)
	}
	bare := regexp.MustCompile(`(?s)<style.*?</style>`).ReplaceAll(page.Bytes(), nil)
	for name, c := range map[string]struct {
		page  []byte
		width string
	}{"wide": {page.Bytes(), "1200"}, "narrow": {page.Bytes(), "420"}, "no style sheet": {bare, "1200"}} {
		t.Run(name, func(t *testing.T) {
			picture, complaints := shoot(t, chromium, c.page, c.width)
			if name != "no style sheet" && strings.Contains(complaints, "Content Security Policy") {
				t.Errorf("the page breaks its own policy: %s", complaints)
			}
			// The lines and areas of the charts are in these colours, and text is not.
			blue, orange := count(picture, 0x00, 0x72, 0xb2), count(picture, 0xd5, 0x5e, 0x00)
			if blue < 500 || orange < 200 {
				t.Errorf("%d blue and %d orange points: the charts are not there", blue, orange)
			}
		})
	}
}

// shoot renders a page offline and returns its picture and what the browser had to say.
func shoot(t *testing.T, chromium string, page []byte, width string) (image.Image, string) {
	t.Helper()
	// Not t.TempDir: a helper process of the browser may still write to the profile when it has answered.
	dir, err := os.MkdirTemp("", "reprise-page-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	html, png := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.png")
	if err := os.WriteFile(html, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr", "--v=0",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size="+width+",3600", "--screenshot="+png, "file://"+html)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	f, err := os.Open(png)
	if err != nil {
		t.Fatalf("no picture: %v\n%s", err, out)
	}
	defer f.Close()
	picture, _, err := image.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return picture, string(out)
}

// count counts the points of one colour, give or take what antialiasing does.
func count(p image.Image, r, g, b int) (n int) {
	near := func(x uint32, y int) bool { d := int(x>>8) - y; return d > -12 && d < 12 }
	for y := p.Bounds().Min.Y; y < p.Bounds().Max.Y; y++ {
		for x := p.Bounds().Min.X; x < p.Bounds().Max.X; x++ {
			if cr, cg, cb, _ := p.At(x, y).RGBA(); near(cr, r) && near(cg, g) && near(cb, b) {
				n++
			}
		}
	}
	return n
}
