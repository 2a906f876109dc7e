package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
)

const commandText = "reprise replay shop.plan.zst --target http://127.0.0.1:8080 --timeout 2s --warmup 10s -o runs\ngo1.26.0 linux/amd64 commit 5022282\n"

func page(t *testing.T, s *result.Summary) string {
	t.Helper()
	return render(t, func(w *bytes.Buffer) error { return report.HTML(w, report.Run{Summary: s, Command: commandText}) })
}

// outline keeps of a page what its structure is: headings, badges, table cells and chart texts, one per line.
func outline(html string) string {
	html = regexp.MustCompile(`(?s)<style>.*?</style>|<svg [^>]*class="hover".*?</svg>|<meta[^>]*>`).ReplaceAllString(html, "")
	html = regexp.MustCompile(` d="[^"]*"`).ReplaceAllString(html, "")
	var b strings.Builder
	for _, line := range strings.Split(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, "\n"), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func allPages(t *testing.T) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for name, fixture := range fixtures {
		out[name] = page(t, fixture(t))
	}
	for name, fixture := range comparisons {
		out[name] = render(t, func(w *bytes.Buffer) error { return report.CompareHTML(w, fixture(t)) })
	}
	return out
}

func TestPagesGolden(t *testing.T) {
	for name, html := range allPages(t) {
		golden(t, name+".outline", outline(html))
	}
}

// Every page is well-formed enough to be read as XML once the void elements of HTML are closed, its charts have
// shapes, and nothing in it runs or loads anything.
func TestPagesAreWellFormedAndInert(t *testing.T) {
	for name, html := range allPages(t) {
		xhtml := strings.TrimPrefix(html, "<!DOCTYPE html>")
		xhtml = regexp.MustCompile(`<meta([^>]*)>`).ReplaceAllString(xhtml, "<meta$1/>")
		dec := xml.NewDecoder(strings.NewReader(xhtml))
		dec.Entity = xml.HTMLEntity
		paths, bins := 0, 0
		for {
			token, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range start.Attr {
				n := strings.ToLower(a.Name.Local)
				if strings.HasPrefix(n, "on") || n == "href" || n == "src" || n == "style" {
					t.Errorf("%s: <%s> has %s", name, start.Name.Local, n)
				}
				if n == "d" {
					paths++
					bins = max(bins, strings.Count(a.Value, "L")/2)
					if a.Value == "" || strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
						t.Errorf("%s: path %q", name, a.Value)
					}
				}
			}
			switch strings.ToLower(start.Name.Local) {
			case "script", "iframe", "object", "embed", "link", "img", "foreignobject", "form", "a":
				t.Errorf("%s: has <%s>", name, start.Name.Local)
			}
		}
		if paths == 0 && name != "empty" && name != "not-comparable" {
			t.Errorf("%s: no chart has a line", name)
		}
		if bins > 601 {
			t.Errorf("%s: a path has %d bins", name, bins)
		}
	}
}

// The page's own policy allows exactly its style sheet, byte for byte.
func TestPolicyMatchesTheStyleSheet(t *testing.T) {
	html := page(t, tiny(t))
	sheet := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(html)
	sum := sha256.Sum256([]byte(sheet[1]))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(html)[1]
	policy = strings.NewReplacer("&#39;", "'", "&#43;", "+", "&#61;", "=").Replace(policy)
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) || !strings.Contains(policy, "default-src 'none'") {
		t.Errorf("policy %q, want %q in it", policy, want)
	}
}

// A day by the second with more endpoints than fit stays far below the cap of 1 MB.
func TestSize(t *testing.T) {
	s := day(t)
	for i := range s.Timeline.Planned { // no two neighbouring bins alike: the longest paths
		s.Timeline.Planned[i] += int64(i * 7919 % 1000)
		s.Timeline.InFlightMax[i] += int64(i * 104729 % 1000)
		s.Timeline.P99[i] += float64(i * 1299709 % 1000)
		s.Timeline.TimedOut[i] += int64(i * 15485863 % 10)
	}
	for i := range 400 {
		s.Endpoints = append(s.Endpoints, result.Endpoint{Method: "GET", Template: fmt.Sprintf("/%d/", i) + strings.Repeat("x", 4000), Offered: int64(1e9 + i), LatencyMS: s.LatencyMS})
		s.Warnings = append(s.Warnings, strings.Repeat("<w>", 4000))
	}
	html := page(t, s)
	if n := len(html); n > 600<<10 {
		t.Errorf("run page: %d bytes", n)
	}
	if n := strings.Count(html, `class="mono"`); n != 50 {
		t.Errorf("%d endpoints shown, want 50", n)
	}
	if n := len(page(t, replayed(t))); n > 250<<10 {
		t.Errorf("typical page: %d bytes", n)
	}
	again := *s
	again.StartedAt = "2026-11-28T20:00:01Z"
	c := compared(t, []*result.Summary{s}, []*result.Summary{&again}, compare.Options{})
	both := render(t, func(w *bytes.Buffer) error { return report.CompareHTML(w, c) })
	if n := len(both); n > 600<<10 {
		t.Errorf("comparison page: %d bytes", n)
	}
}

// Lists of unequal length and wild numbers, as a foreign or damaged summary may have, give a page all the same.
func TestDamagedSummary(t *testing.T) {
	s := replayed(t)
	s.Timeline.P50, s.Timeline.Started = s.Timeline.P50[:3], nil
	s.Timeline.LagP99[5], s.Timeline.P99[7], s.LatencyMS.P999 = math.NaN(), math.Inf(1), math.Inf(1)
	s.Timeline.BinSeconds, s.Latency.HDR, s.Generator.CPU = -1, "AAAA", math.NaN()
	s.Offered, s.Timeline.InFlightMax[3] = -5, -9
	inert(t, page(t, s))
	s.Timeline.BinSeconds, s.LatencyMS.Mean, s.LatencyMS.P50, s.OfferedRPS = 1e300, 1e300, 1e-300, 1e300
	inert(t, page(t, s))
}

// inert checks that no path holds what is not a number.
func inert(t *testing.T, html string) {
	t.Helper()
	for _, d := range regexp.MustCompile(` d="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if strings.ContainsAny(d[1], "Nn") {
			t.Fatalf("path %.80q", d[1])
		}
	}
}

func TestRunIsValidated(t *testing.T) {
	for name, r := range map[string]report.Run{"no summary": {}} {
		var b bytes.Buffer
		if err := report.HTML(&b, r); err == nil || b.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, b.Len())
		}
	}
	if err := report.CompareHTML(io.Discard, nil); err == nil {
		t.Error("no comparison passes")
	}
}
