package endpoint_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/endpoint"

	"pgregory.net/rapid"
)

// visit is one request that teaches.
type visit struct {
	path   string
	client uint64
	status int
}

func learn(visits ...visit) *endpoint.Learner {
	l := endpoint.NewLearner()
	for _, v := range visits {
		l.Add([]byte(v.path), v.client, v.status)
	}
	return l
}

// crowd is n clients that ask for the paths, beside others that make the log large.
func crowd(n int, paths ...string) (v []visit) {
	for i := range n {
		for _, p := range paths {
			v = append(v, visit{p, uint64(i), 200})
		}
	}
	return v
}

func patterns(s *endpoint.Set) (p []string) {
	for _, t := range s.Templates() {
		p = append(p, t.Pattern)
	}
	return p
}

func match(t *testing.T, s *endpoint.Set, path, want string) *endpoint.Template {
	t.Helper()
	got := s.Match([]byte(path))
	if got.Pattern != want {
		t.Errorf("%s fits %s, want %s", path, got.Pattern, want)
	}
	return got
}

func TestIdentifiersBecomeVariables(t *testing.T) {
	s := learn(crowd(100, "/p/4711", "/p/4712", "/orders/0a1b2c3d-1111-4222-8046-1234567ea002/items/7", "/", "/blog/", "/mail/a@b.example",
		"/img/user-12.png", "/day/2020-11-02", "/v1/me", "/static/app.020c97dc.js")...).Set()
	match(t, s, "/p/999", "/p/{int}")
	match(t, s, "/orders/ffffffff-1111-4222-8046-1234567ea002/items/123", "/orders/{uuid}/items/{int}")
	match(t, s, "/", "/")
	match(t, s, "/blog/", "/blog/")
	match(t, s, "/blog", "/blog/") // only the slash differs
	match(t, s, "//p///5", "/p/{int}")
	match(t, s, "/p;v=1/5;x", "/p/{int}")
	match(t, s, "/%70/%35", "/p/{int}")
	match(t, s, "/mail/x@y.example", "/mail/{mail}")
	match(t, s, "/img/user-99.png", "/img/user-{int}.png")
	match(t, s, "/day/1999-01-31", "/day/{date}")
	match(t, s, "/v1/me", "/v1/me")
	match(t, s, "/static/app.9f3c01aa.js", "/static/{token}.js")
	match(t, s, "/nowhere", "{unmatched}")
	match(t, s, "/p/5/6", "{unmatched}")
	match(t, s, "*", "{unmatched}")
}

// Names that one client asks for are not vocabulary, however often; names that many ask for are.
func TestWordsOfFewClientsAreReplaced(t *testing.T) {
	v := crowd(100, "/u/home", "/talk")
	for i := range 100 {
		for range 50 {
			v = append(v, visit{"/u/" + name(i) + "/talk", uint64(i), 200})
		}
	}
	v = append(v, crowd(15, "/secret-of-fifteen")...)
	v = append(v, crowd(40, "/known-to-many")...)
	s := learn(v...).Set()
	got := match(t, s, "/u/"+name(3)+"/talk", "/u/{word}/talk")
	if !got.Segments[2].Literal || got.Segments[1].Literal || got.Segments[1].Class != endpoint.Word {
		t.Errorf("segments are %+v", got.Segments)
	}
	match(t, s, "/secret-of-fifteen", "/{word}")
	match(t, s, "/known-to-many", "/known-to-many")
	text := strings.Join(patterns(s), "\n")
	for i := range 100 {
		if strings.Contains(text, name(i)) {
			t.Fatalf("a name of one client stands in a pattern")
		}
	}
}

// name is a word like those that people choose.
func name(i int) string {
	parts := []string{"al", "bo", "chi", "du", "el", "fy", "go", "hu", "iv", "jo"}
	return parts[i%10] + parts[i/10%10] + "nka"
}

func TestSmallLogKeepsItsOwnWords(t *testing.T) {
	v := crowd(10, "/shelf/overview")
	v = append(v, visit{"/shelf/annika", 1, 200}, visit{"/login", 2, 200}, visit{"/api/users/77/annika", 3, 200})
	s := learn(v...).Set()
	match(t, s, "/shelf/overview", "/shelf/overview")
	match(t, s, "/shelf/annika", "/shelf/{word}")
	match(t, s, "/login", "/login") // on the fixed list
	match(t, s, "/api/users/5/x", "/api/users/{int}/{word}")
}

func TestOneClientKeepsOnlyFixedWords(t *testing.T) {
	s := learn(visit{"/users/annika", 1, 200}, visit{"/annika/orders", 1, 200}).Set()
	match(t, s, "/users/x", "/users/{word}")
	match(t, s, "/x/orders", "/{word}/orders")
}

// A prefix is a word as well: it stays only if many clients ask for it.
func TestPrefixOfNumberNeedsClients(t *testing.T) {
	v := crowd(100, "/x/item-7")
	v = append(v, visit{"/x/annika-7", 1, 200})
	s := learn(v...).Set()
	if got := match(t, s, "/x/item-123", "/x/item-{int}"); got.Segments[1].Prefix != "item-" {
		t.Errorf("segment is %+v", got.Segments[1])
	}
	if got := match(t, s, "/x/annika-123", "/x/{prefix-int}"); got.Segments[1].Prefix != "" {
		t.Errorf("segment is %+v", got.Segments[1])
	}
}

func TestErrorsTeachNothing(t *testing.T) {
	var v []visit
	for i := range 100 {
		for _, status := range []int{404, 403, 400, 500, 0, 101} {
			v = append(v, visit{fmt.Sprintf("/scan-%d.php", i), uint64(i), status}, visit{"/wp-admin/setup.php", uint64(i), status})
		}
	}
	if got := learn(v...).Set(); len(got.Templates()) != 0 {
		t.Errorf("%d templates from errors", len(got.Templates()))
	}
}

// Many literal children: frequent words stay, the others merge, though many clients ask for each. Hosting
// sites for code are like this.
func TestCrowdedNodeCollapses(t *testing.T) {
	var v []visit
	for i := range 300 {
		v = append(v, crowd(20, "/code/"+name(i%100)+string(rune('a'+i/100))+"/readme")...)
	}
	for range 40 {
		v = append(v, crowd(20, "/code/popular/readme")...)
	}
	s := learn(v...).Set()
	match(t, s, "/code/popular/readme", "/code/popular/readme")
	match(t, s, "/code/"+name(5)+"a/readme", "/code/{word}/readme")
	if n := len(s.Templates()); n != 2 {
		t.Errorf("templates: %v", patterns(s))
	}
}

// Names of parameters are vocabulary by the same bar as words of paths.
func TestQueryKeys(t *testing.T) {
	l := endpoint.NewLearner()
	for client := range uint64(100) {
		l.AddTarget([]byte("/x?cf_action=1&filter%5Bprice%5D=2&4711=x&"+name(int(client))+"=1#tail"), client, 200)
		l.AddTarget([]byte("/x?scanned_key=1"), client, 404)
	}
	s := l.Set()
	f := func(key string, want bool) {
		t.Helper()
		if s.KeepsKey([]byte(key)) != want {
			t.Errorf("key %q is kept: %v", key, !want)
		}
	}
	f("cf_action", true)
	f("filter[price]", true)
	f("page", true) // on the fixed list, with any case
	f("Page", true)
	f("4711", false)
	f(name(7), false)
	f("scanned_key", false)
	f("tail", false)
	f("", false)
	f(strings.Repeat("page", 30), false)
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	got, _, err := endpoint.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !got.KeepsKey([]byte("cf_action")) || got.Digest() != s.Digest() {
		t.Error("keys were not read back")
	}
	if bare := learn(crowd(100, "/x")...).Set(); bare.Digest() == s.Digest() {
		t.Error("keys are not part of the digest")
	}
}

func TestDepthIsCapped(t *testing.T) {
	s := learn(crowd(100, "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o")...).Set()
	want := "/a/b/c/d/e/f/g/h/i/j/k/l/{rest}"
	got := match(t, s, "/a/b/c/d/e/f/g/h/i/j/k/l/x/y", want)
	if last := got.Segments[len(got.Segments)-1]; last.Class != endpoint.Rest || last.Literal {
		t.Errorf("last segment is %+v", last)
	}
}

// A learner is a function of the set of requests.
func TestOrderAndSplitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		var v []visit
		for range rapid.IntRange(0, 3000).Draw(rt, "visits") {
			path := fmt.Sprintf("/%s/%s/%d", name(rng.IntN(4)), name(rng.IntN(80)), rng.IntN(1000))
			v = append(v, visit{path[:1+rng.IntN(len(path))], rng.Uint64N(60), 200 + 100*rng.IntN(4)})
		}
		want := learn(v...).Set()
		rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
		cut := rng.IntN(len(v) + 1)
		merged := learn(v[:cut]...)
		merged.Merge(learn(v[cut:]...))
		var a, b bytes.Buffer
		want.WriteYAML(&a)
		merged.Set().WriteYAML(&b)
		if want.Digest() != merged.Set().Digest() || !bytes.Equal(a.Bytes(), b.Bytes()) {
			rt.Fatalf("%d templates and %d", len(want.Templates()), len(merged.Set().Templates()))
		}
	})
}

// Beyond the limit the paths with the smallest hashes stay, whatever the order.
func TestBottomKIsOrderFree(t *testing.T) {
	n := endpoint.Limit*13/10 + 1
	path := func(i int) []byte {
		return fmt.Appendf(nil, "/%s/%c%c%c%c", name(i), 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26)
	}
	forward, left, right := endpoint.NewLearner(), endpoint.NewLearner(), endpoint.NewLearner()
	for i := range n {
		forward.Add(path(i), uint64(i%999), 200)
		back := n - 1 - i
		if back%3 == 0 {
			left.Add(path(back), uint64(back%999), 200)
		} else {
			right.Add(path(back), uint64(back%999), 200)
		}
	}
	left.Merge(right)
	var a, b bytes.Buffer
	if err := forward.Set().WriteYAML(&a); err != nil {
		t.Fatal(err)
	}
	if err := left.Set().WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the order of the paths changed the templates")
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	v := crowd(100, "/p/4711/reviews", "/img/user-12.png")
	l := learn(v...)
	s := l.Set()
	paths := [][]byte{[]byte("/p/123/reviews"), []byte("/img/user-9.png"), []byte("/%70/12/x"), []byte("/unknown/word/0a1b2c3d-1111-4222-8046-1234567ea002")}
	if n := testing.AllocsPerRun(100, func() {
		for _, p := range paths {
			s.Match(p)
		}
		l.Add(paths[0], 7, 200)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestFileRoundTrip(t *testing.T) {
	s := learn(crowd(100, "/p/4711", "/img/user-12.png", "/blog/", "/", "/a/b/c/d/e/f/g/h/i/j/k/l/m")...).Set()
	var b bytes.Buffer
	if err := s.WriteYAML(&b); err != nil {
		t.Fatal(err)
	}
	got, _, err := endpoint.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest() != s.Digest() || !slices.Equal(patterns(got), patterns(s)) || got.Templates()[0].Count != s.Templates()[0].Count {
		t.Errorf("read back %v, wrote %v", patterns(got), patterns(s))
	}
}

func TestGivenFile(t *testing.T) {
	s, _, err := endpoint.Read(strings.NewReader(`version: 1
endpoints:
- pattern: /users/{id}/orders/{order}
- pattern: /users/annika
- pattern: /files/{rest}
  count: 3
- pattern: /sku-{int}.html
`))
	if err != nil {
		t.Fatal(err)
	}
	match(t, s, "/users/x%40y.example/orders/7", "/users/{id}/orders/{order}")
	if got := match(t, s, "/users/annika", "/users/annika"); !got.Segments[1].Literal {
		t.Error("a word of a given file is not literal")
	}
	match(t, s, "/files/a/b/c", "/files/{rest}")
	match(t, s, "/sku-77.html", "/sku-{int}.html")
	match(t, s, "/users/annika/orders/7", "{unmatched}") // a branch once taken is not left
}

func TestGivenFileIsStrict(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		_, _, err := endpoint.Read(strings.NewReader(body))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %q", body, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "annika") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("error quotes the file or has several lines: %q", err)
		}
	}
	f("version: 2\nendpoints: []\n", "1:10: the file has version 2")
	f("endpoints: []\n", "1:1: version is missing")
	f("", "1:1: version is missing")
	f("version: one\n", "1:10: version needs a whole number")
	f("version: 1\nannika: []\n", "2:1: unknown key")
	f("version: 1\nversion: 1\n", "2:1: ")
	f("version: 1\nendpoints:\n- pattern: annika\n", "3:12: pattern does not start")
	f("version: 1\nendpoints:\n- count: 3\n", "3:3: pattern does not start")
	f("version: 1\nendpoints:\n- pattern: /a\n  annika: 1\n", "4:3: unknown key")
	f("version: 1\nendpoints:\n- pattern: /a\n  count: -1\n", "4:10: count needs a whole number")
	f("version: 1\nendpoints:\n- pattern: /b\n- pattern: /a\n- pattern: /b\n", "5:12: pattern stands twice")
	f("version: 1\nendpoints:\n- pattern: /{b}\n- pattern: /{a}\n", "3:12: two patterns fit the same paths")
	f("version: 1\nendpoints:\n- pattern: /annika//b\n", "3:12: pattern has an empty segment")
	f("version: 1\nendpoints:\n- pattern: /{a\n", "braces")
	f("version: 1\nendpoints:\n- pattern: /a b\n", "character")
	f("version: 1\nendpoints:\n- pattern: /{rest}/a\n", "{rest}")
	f("version: 1\nendpoints:\n- pattern: /user{id}\n", "text before a variable")
	f("version: 1\nendpoints:\n- pattern: /{int}.annika\n", "no known file extension")
	f("version: 1\nendpoints:\n- pattern: [annika]\n", "3:12: pattern needs a text")
	f("version: 1\nendpoints: &a []\n", "2:12: anchors")
	f("version: 1\nendpoints: annika\n", "2:12: endpoints needs a list")
	f("version: [\n", "1:10: ")
	f("version: 1\nendpoints: []\nquery_keys: [\"a=annika\"]\n", "3:14: one of query_keys")
	f("version: 1\nquery_values: {annika: [b, \"\"]}\n", "2:28: one of a list of values")
	f("version: 1\nquery_values:\n  Annika: [b]\n  annika: [c]\n", "4:3: a query key stands twice")
	f("version: 1\n---\nversion: 1\n", "3:1: a second document")
	f(strings.Repeat("[", 1<<20), "1:1: values nest deeper")
	f(strings.Repeat("- ", 1<<20), "1:1: values nest deeper")
	f("version: 1\nendpoints:\n"+strings.Repeat(" ", 5000)+"- pattern: /a\n", "3:1: values nest deeper")
}

func BenchmarkMatch(b *testing.B) {
	v := crowd(100, "/p/4711/reviews", "/img/user-12.png", "/api/v1/users/1/orders/2")
	s := learn(v...).Set()
	path := []byte("/api/v1/users/7654321/orders/99")
	b.ReportAllocs()
	b.SetBytes(int64(len(path)))
	for b.Loop() {
		s.Match(path)
	}
}

func BenchmarkAdd(b *testing.B) {
	l := endpoint.NewLearner()
	path := []byte("/api/v1/users/7654321/orders/99")
	b.ReportAllocs()
	b.SetBytes(int64(len(path)))
	for b.Loop() {
		l.Add(path, 7, 200)
	}
}

func BenchmarkClassify(b *testing.B) {
	v := []byte("how-to-install-nginx-on-ubuntu-16-04-lts")
	b.ReportAllocs()
	b.SetBytes(int64(len(v)))
	for b.Loop() {
		endpoint.Classify(v)
	}
}
