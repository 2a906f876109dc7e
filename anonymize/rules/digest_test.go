package rules_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/anonymize/rules"
)

func parsed(t testing.TB, text string) *rules.Rules {
	t.Helper()
	r, err := rules.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return r
}

const example = `
run: {target: "http://127.0.0.1"}
anonymize:
  mode: deny
  ip: {mode: flat, keep: ["::1", 10.0.0.0/8]}
  time: {shift: -52}
  entities:
    user: {at: ["path:/users/{user}", query:UID, cookie:uid, header:x-user-id, jwt:sub], format: int}
    order: {at: ["path:/users/*/orders/{order}"]}
  allow:
    - {on: "GET /search", query: {cat: top(64), "page, size": int<=3}}
    - {on: "*", query: {page: int<=2}}
  text: {keys: [q, Keyword]}
  headers: {keep: [accept-language, Accept]}
  cookies: pseudonym
  referer: same-rules
  secrets: {words: [tan]}
environment: {x: *nothing}
`

func TestExample(t *testing.T) {
	r := parsed(t, example)
	user := rules.Entity{Name: "user", Format: rules.Int, At: []rules.Place{{Kind: rules.Path, Name: "/users/{user}", Segments: []string{"users", ""}, Index: 1},
		{Kind: rules.Query, Name: "uid"}, {Kind: rules.Cookie, Name: "uid"}, {Kind: rules.Header, Name: "X-User-Id"}, {Kind: rules.Claim, Name: "sub"}}}
	order := rules.Entity{Name: "order", At: []rules.Place{{Kind: rules.Path, Name: "/users/*/orders/{order}", Segments: []string{"users", "", "orders", ""}, Index: 3}}}
	if got, want := fmt.Sprint(r.Entities), fmt.Sprint([]rules.Entity{order, user}); got != want {
		t.Errorf("entities are %s, want %s", got, want)
	}
	if r.IP.Mode != rules.Flat || !slices.Equal(r.IP.Keep, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}) {
		t.Errorf("addresses: %v", r.IP)
	}
	if r.Shift != (rules.Shift{Weeks: -52}) || r.Cookies != rules.ReplaceCookies || r.Referer != rules.SameRules {
		t.Errorf("shift %v, cookies %v, referer %v", r.Shift, r.Cookies, r.Referer)
	}
	if fmt.Sprint(r.Text, r.Headers, r.Secrets) != "[keyword q] [Accept Accept-Language] [tan]" {
		t.Errorf("text, headers, secrets: %v %v %v", r.Text, r.Headers, r.Secrets)
	}
	if len(r.Allow) != 2 || r.Allow[0].Method != "GET" || r.Allow[0].Pattern != "/search" || r.Allow[0].Line != 11 || r.Allow[1].Pattern != "" ||
		r.Allow[0].Query["size"].String() != "int<=3" || r.Allow[0].Query["cat"].Kind() != rules.Top || r.Allow[1].Query["page"].String() != "int<=2" {
		t.Errorf("allow: %v", r.Allow)
	}
	if keys := r.TopKeys(); len(keys) != 1 || keys["cat"] != 64 {
		t.Errorf("keys to learn: %v", keys)
	}
	if parsed(t, "anonymize: {time: {shift: key}}").Shift != (rules.Shift{FromKey: true}) {
		t.Error("the shift of the key is not read")
	}
}

// What says nothing does not change the digest; all else does.
func TestDigest(t *testing.T) {
	base := parsed(t, example).Digest()
	f := func(old, with string, same bool) {
		t.Helper()
		text := strings.Replace(example, old, with, 1)
		if text == example {
			t.Fatalf("%q is not in the example", old)
		}
		if got := parsed(t, text).Digest() == base; got != same {
			t.Errorf("%q for %q: same digest is %v", with, old, got)
		}
	}
	f("  mode: deny\n", "", true)
	f("  mode: deny\n", "  # a comment\n  mode: deny # another\n\n", true)
	f("[\"::1\", 10.0.0.0/8]", "\n     [10.0.0.0/8, '::1/128']", true)
	f("[q, Keyword]", "[keyword, q]", true)
	f("[accept-language, Accept]", "[Accept, ACCEPT-language]", true)
	f("[tan]", "[TAN]", true)
	f("{on: \"GET /search\", query: {cat: top(64), \"page, size\": int<=3}}", "{query: {size: int<=3, page: int<=3, CAT: \" top(64)\"}, on: GET  /search}", true)
	f("    order: {at: [\"path:/users/*/orders/{order}\"]}\n", "", false)
	f("flat", "pfx", false)
	f("-52", "52", false)
	f("query:UID, cookie:uid", "cookie:uid, query:uid", false) // the first place that has a value is the user
	f("int<=2", "int<=1", false)
	f("GET /search", "/search", false)
	f("GET /search", "GET *", false)
	f("[tan]", "[tan, pin]", false)
	f("cookies: pseudonym", "cookies: drop", false)
	f("same-rules", "origin", false)
	f("format: int", "format: text", false)
	if parsed(t, "anonymize: {}").Digest() != rules.Default().Digest() || parsed(t, "anonymize:").Digest() != rules.Default().Digest() {
		t.Error("an empty section is not the default")
	}
	if parsed(t, "anonymize: {allow: []}").Digest() == rules.Default().Digest() {
		t.Error("an empty allow-list is the default")
	}
}

// The built-in list gives way to entities, text and secrets, as a given one would have to.
func TestBuiltInListGivesWay(t *testing.T) {
	r := parsed(t, "anonymize: {entities: {size: {at: [query:size]}}, text: {keys: [sort]}, secrets: {words: [page]}}")
	query := r.Allow[0].Query
	for _, key := range []string{"size", "sort", "page", "per_page"} {
		if query[key] != nil {
			t.Errorf("%s may stay", key)
		}
	}
	if query["limit"] == nil || rules.Default().Allow[0].Query["size"] == nil {
		t.Error("more than these keys gave way")
	}
	if parsed(t, string(r.YAML())).Digest() != r.Digest() {
		t.Error("the printed form says something else")
	}
}

func TestCommented(t *testing.T) {
	text := string(rules.Commented([]string{"", " 7 requests\n  mode: x", " \x1b[31m"}, []string{"user: {at: [query:uid]} # 7 requests"}))
	if got := parsed(t, text).Digest(); got != rules.Default().Digest() {
		t.Errorf("the digest is %s, not the default's\n%s", got, text)
	}
	if !strings.Contains(text, "\n# 7 requests?  mode: x\n# ?[31m\nanonymize:\n") {
		t.Errorf("the log is not described before the rules:\n%s", text)
	}
	on := strings.Replace(text, "    # user: ", "    user: ", 1)
	if r := parsed(t, on); len(r.Entities) != 1 || r.Entities[0].At[0].String() != "query:uid" {
		t.Errorf("without the # the entity is not there:\n%s", on)
	}
	if text = string(rules.Commented(nil, nil)); parsed(t, text).Digest() != rules.Default().Digest() || !strings.Contains(text, "    # user: {at: [\"path:") {
		t.Errorf("without a log:\n%s", text)
	}
}

// TestPrintedRules: the normal form is a rules file that says the same, whatever the order of its parts.
func TestPrintedRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
		some := func(name string, from ...string) []string {
			return rapid.Permutation(from).Draw(t, name)[:rapid.IntRange(0, len(from)).Draw(t, name+" count")]
		}
		sections := []string{
			"mode: deny",
			fmt.Sprintf("ip: {mode: %s, keep: [%s]}", pick("mode", "pfx", "flat", "docs"), strings.Join(some("keep", "10.0.0.0/8", "'::1'", "192.0.2.0/24", "8.8.8.0/24", "'2a00:1::/48'"), ", ")),
			fmt.Sprintf("time: {shift: %s}", pick("shift", "none", "key", "0", "7", "-5200")),
			fmt.Sprintf("cookies: %s", pick("cookies", "drop", "pseudonym")),
			fmt.Sprintf("referer: %s", pick("referer", "drop", "origin", "same-rules")),
			fmt.Sprintf("text: {keys: [%s]}", strings.Join(some("text", "q", "keyword", "Comment"), ", ")),
			fmt.Sprintf("headers: {keep: [%s]}", strings.Join(some("headers", "Accept", "accept-language", "X-Flag"), ", ")),
			fmt.Sprintf("secrets: {words: [%s]}", strings.Join(some("secrets", "tan", "customer_key", "Foo"), ", ")),
		}
		var entities []string
		for i, place := range some("places", "'path:/users/{u}'", "'path:/a/*/{b}'", "cookie:uid", "header:x-user", "'jwt:https://x.example/uid'", "query:uid") {
			entities = append(entities, fmt.Sprintf("e%d: {at: [%s], format: %s}", i, place, pick("format", "auto", "int", "text")))
		}
		sections = append(sections, "entities: {"+strings.Join(entities, ", ")+"}")
		if rapid.Bool().Draw(t, "allow") {
			var allow []string
			for _, on := range some("on", "'*'", "/search", "GET /search", "'/users/{int}'") {
				shape := pick("shape", "int<=3", "word", "bool", "locale", "version", "b|a|c", "words(y|x)", "top(9)")
				allow = append(allow, fmt.Sprintf("{on: %s, query: {'%s': %s}}", on, strings.Join(append(some("keys", "page", "Size"), "z"), ","), shape))
			}
			sections = append(sections, "allow: ["+strings.Join(allow, ", ")+"]")
		}
		parse := func(text string) *rules.Rules {
			r, err := rules.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
			return r
		}
		r := parse("anonymize:\n  " + strings.Join(sections, "\n  "))
		shuffled := parse("anonymize:\n  " + strings.Join(rapid.Permutation(sections).Draw(t, "order"), " # comment\n\n  "))
		if again := parse(string(r.YAML())); again.Digest() != r.Digest() || shuffled.Digest() != r.Digest() {
			t.Fatalf("digests %s, printed %s, shuffled %s", r.Digest(), again.Digest(), shuffled.Digest())
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("anonymize:\n  allow: [{on: \"*\", query: {a: a|b}}]\n"))
	f.Add([]byte("anonymize: !\n  - sesame\n! : \n"))
	f.Add([]byte("anonymize: {entities: {a: {at: [jwt: 'a:b', {path: '/{a}'}]}}}"))
	f.Add(rules.Default().YAML())
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := rules.Parse(text)
		if err != nil {
			if !strings.Contains(err.Error(), ":") || strings.ContainsFunc(err.Error(), func(c rune) bool { return c < ' ' || c > '~' }) {
				t.Fatalf("error text %q", err)
			}
			return
		}
		again, err := rules.Parse(r.YAML())
		if err != nil || again.Digest() != r.Digest() {
			t.Fatalf("the printed form gives %v:\n%s", err, r.YAML())
		}
	})
}
