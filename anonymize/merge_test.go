package anonymize_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Property 3 for every shape: two values never become one. Each shape here is exhausted or tried by thousands.
func TestValuesNeverMerge(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(name string, n int, value func(i int) string) {
		t.Helper()
		in, out := make(map[string]bool), make(map[string]bool)
		for i := range n {
			v := url.QueryEscape(value(i))
			in[v], out[target(t, a, "/search?k="+v)] = true, true
		}
		if len(in) != len(out) {
			t.Errorf("%s: %d values have %d pseudonyms", name, len(in), len(out))
		}
	}
	letter := func(i int) string { return string(rune('a' + i%26)) }
	f("a-1000", 520, func(i int) string { return fmt.Sprintf("%s-%d", letter(i), 1000+i/26) })
	f("ab_4711", 676, func(i int) string { return letter(i) + letter(i/26) + "_4711" })
	f("dates", 3000, func(i int) string { return time.Date(2015, 1, 1+i, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) })
	f("1234.5", 3000, func(i int) string { return fmt.Sprintf("%d.%d", 1000+i/10, i%10) })
	f("12-3456", 3000, func(i int) string { return fmt.Sprintf("%d-%d", 12+i%3, 3000+i/3) })
	f("1a and a1", 520, func(i int) string {
		if i < 260 {
			return letter(i) + fmt.Sprint(i/26)
		}
		return fmt.Sprint(i/26-10) + letter(i)
	})
	f("hex and numbered words", 5200, func(i int) string { return letter(i) + fmt.Sprint(10_000+i/26) })
	f("dotted quads and others", 4096, func(i int) string { return fmt.Sprintf("%d.1.%d.%d", 240+i%32, i/32%8, i/256) })
	f("days that exist and others", 4000, func(i int) string { return fmt.Sprintf("2024-%02d-%02d", i/100, i%100) })
	f("lists", 2600, func(i int) string { return fmt.Sprintf("%s1 1%s", letter(i), letter(i/26)) + fmt.Sprint(i/676) })
	f("decimals", 4000, func(i int) string { return fmt.Sprintf("-%d.%03d", 50+i/1000, i%1000) })
}

func TestAnyTwoValuesStayTwo(t *testing.T) {
	a := anonymizer(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		// No capitals (they do not count in mail addresses) and no colons (ports are dropped).
		value := rapid.OneOf(rapid.StringMatching(`[a-f0-9x.\-_, ]{1,8}`), rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){3}`),
			rapid.StringMatching(`[0-9]{4}-[01][0-9]-[0-3][0-9]`), rapid.StringMatching(`[a-v]-?[0-9]{1,5}`), rapid.StringMatching(`[a-zä-üа-я一-三]{1,3}`))
		x, y := url.QueryEscape(value.Draw(t, "x")), url.QueryEscape(value.Draw(t, "y"))
		if p, q := target(t, a, "/search?k="+x), target(t, a, "/search?k="+y); (p == q) != (x == y) {
			t.Fatalf("%s and %s became %s and %s", x, y, p, q)
		}
	})
}

// Numbers in a structured value stay numbers, so that the target can read it.
func TestJSONStaysJSON(t *testing.T) {
	a := anonymizer(t, 1)
	for _, in := range []string{`{"id":4711}`, `{"user":{"id":4711,"price":-19.95},"tags":["red","blue"],"list":[10,200,0]}`} {
		got := strings.TrimPrefix(target(t, a, "/search?k="+url.QueryEscape(in)), "/search?k=")
		text, err := url.QueryUnescape(got)
		if err != nil || !json.Valid([]byte(text)) || text == in || strings.Contains(text, "4711") {
			t.Errorf("%s became %s (%v)", in, text, err)
		}
	}
}
