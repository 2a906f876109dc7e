package report_test

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
)

// attacks try to leave every context: tags, attributes, styles, comments, entities, terminals, Markdown.
var attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</title></svg></style><script>alert(2)</script>`, `' onmouseover='alert(3)`,
	"javascript:alert(4)", "--><b>bold</b><!--", "\x1b[31mred\x1b]0;title\x07", "line\nbreak | pipe ` tick", "[link](http://evil.example) @everyone ![i](http://evil.example/i.png)",
	"\u202eright to left", "bad \xff\xfe utf-8", strings.Repeat("long", 2000), "{{.Secret}}", "url(#p-dropped);}</style>",
}

// poison puts the attack into every string that a value holds, map keys included, and keeps what v says apart from that.
func poison(v reflect.Value, attack string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), attack)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i), attack)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), attack)
		}
	case reflect.Map:
		if v.IsNil() {
			return
		}
		value := reflect.New(v.Type().Elem()).Elem()
		poison(value, attack)
		if value.Kind() == reflect.Int64 {
			value.SetInt(3)
		}
		v.SetMapIndex(reflect.ValueOf(attack), value)
	case reflect.String:
		v.SetString(attack)
	}
}

func poisoned(t *testing.T, attack string) *result.Summary {
	s := tiny(t)
	s.InvalidReasons, s.Warnings = []string{"x"}, []string{"x"}
	s.WithheldBy = map[string]int64{}
	poison(reflect.ValueOf(s), attack)
	return s
}

func TestHostileStrings(t *testing.T) {
	clean := tagCounts(t, page(t, poisoned(t, "harmless")))
	for _, attack := range attacks {
		s := poisoned(t, attack)
		c := compared(t, []*result.Summary{s}, []*result.Summary{poisoned(t, attack+"2")}, compare.Options{Force: true})
		html := render(t, func(w *bytes.Buffer) error { return report.HTML(w, report.Run{Summary: s, Command: attack}) })
		if got := tagCounts(t, html); !reflect.DeepEqual(got, clean) {
			t.Errorf("%.40q changes the tags of the page: %v, want %v", attack, got, clean)
		}
		both := render(t, func(w *bytes.Buffer) error { return report.CompareHTML(w, c) })
		for kind, text := range map[string]string{
			"page": html, "comparison page": both, "line": report.Line(s) + "\n",
			"text":                render(t, func(w *bytes.Buffer) error { return report.Text(w, s) }),
			"markdown":            render(t, func(w *bytes.Buffer) error { return report.Markdown(w, s) }),
			"comparison text":     render(t, func(w *bytes.Buffer) error { return report.CompareText(w, c) }),
			"comparison markdown": render(t, func(w *bytes.Buffer) error { return report.CompareMarkdown(w, c) }),
		} {
			inspect(t, kind, attack, text)
		}
	}
}

// tagCounts counts the tags by name.
func tagCounts(t *testing.T, html string) map[string]int {
	t.Helper()
	n := make(map[string]int)
	for _, m := range regexp.MustCompile(`<[/!]?[a-zA-Z-]+`).FindAllString(html, -1) {
		n[m]++
	}
	return n
}

func inspect(t *testing.T, kind, attack, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("%s: %.40q leaves %U in the output", kind, attack, r)
		}
	}
	unquoted := regexp.MustCompile(`="[^"<>]*"`).ReplaceAllString(text, "")
	if strings.Contains(kind, "page") && regexp.MustCompile(`<script|<img|<b>|<[^>]* on[a-z]+=`).MatchString(unquoted) {
		t.Errorf("%s: %.40q breaks out", kind, attack)
	}
	if strings.Contains(kind, "markdown") {
		outside := regexp.MustCompile("`[^`\n]*`").ReplaceAllString(text, "")
		if regexp.MustCompile("[`<>]|\\]\\(|@").MatchString(outside) {
			t.Errorf("%s: %.40q leaves markup outside of code:\n%s", kind, attack, outside)
		}
	}
}

func FuzzCode(f *testing.F) {
	for _, a := range attacks {
		f.Add(a)
	}
	f.Fuzz(func(t *testing.T, scenario string) {
		s := &result.Summary{Version: result.SummaryVersion, Mode: "open", Valid: true, Scenario: scenario, InvalidReasons: []string{scenario}}
		inspect(t, "markdown", scenario, render(t, func(w *bytes.Buffer) error { return report.Markdown(w, s) }))
		inspect(t, "text", scenario, render(t, func(w *bytes.Buffer) error { return report.Text(w, s) }))
	})
}
