package rules_test

import (
	"strings"
	"testing"

	"reprise/anonymize/rules"
)

// shape takes a shape out of a rules file.
func shape(t testing.TB, text string) *rules.Shape {
	t.Helper()
	r, err := rules.Parse([]byte("anonymize:\n  allow:\n    - on: /x\n      query:\n        k: \"" + text + "\"\n"))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r.Allow[0].Query["k"]
}

func TestShapes(t *testing.T) {
	f := func(text, fit, misfit string) {
		t.Helper()
		s := shape(t, text)
		for v := range strings.SplitSeq(fit, "&") {
			if !s.Match([]byte(v)) {
				t.Errorf("%s does not match %q", text, v)
			}
		}
		for v := range strings.SplitSeq(misfit, "&") {
			if s.Match([]byte(v)) {
				t.Errorf("%s matches %q", text, v)
			}
		}
		if !s.Match(nil) || !s.Match([]byte{}) {
			t.Errorf("%s does not match the empty value", text)
		}
		if again := shape(t, s.String()); again.String() != s.String() || again.Kind() != s.Kind() {
			t.Errorf("%s prints as %s, which is %s", text, s, again)
		}
	}
	f("int<=1", "0&7", "10&-1&a&+1& 1&1 &٣")
	f("int<=6", "123456&000000", "1234567&1.5&0x1f&12345a")
	f("bool", "true&false", "True&1&0&yes&tru&truefalse")
	f("word", "a&price_desc&A-z&abcdefghijklmnopqrstuvwx", "a1&abcdefghijklmnopqrstuvwxy&a b&a.b&é&a@b")
	f("locale", "de&pt-BR&zh_CN&DE&en-gb", "xx&deu&De&de-XX&de-bR&d1&de BR&alice&de-BR-x")
	f("version", "1&1.7&1.7.1&12.34.56&999&1.0.0&123.456", "1.&.1&1..2&999999&192.0.2.1&1234567&v1&1.2.3.4&1234&12.34.567&1-2")
	f("asc|desc", "asc&desc", "ASC&asc,desc&as&asc|desc&a")
	f(" b | a 1|c/d:e ", "a 1&b&c/d:e", "a&1& b&b ")
	f("words(asc|desc|price|date)", "asc&DESC&price_desc&-price&+date,price&price.date:asc desc", "prices&-&_asc&asc_&asc--desc&--asc&price|desc&alice&price_alice&abcdefghijklmnopq")
	f("top(64)", "", "a&b")
	if n := shape(t, "top(64)").Top(); n != 64 {
		t.Errorf("top(64) has %d values", n)
	}
	if n := shape(t, "int<=5").Top(); n != 0 {
		t.Errorf("int<=5 has %d learned values", n)
	}
}

func TestVersionHasNoAddress(t *testing.T) {
	s := shape(t, "version")
	for _, v := range []string{"192.0.2.1", "13912345678", "2026.12.01", "1991.231"} {
		if s.Match([]byte(v)) {
			t.Errorf("%s is a version", v)
		}
	}
}

// The built-in list is what the anonymizer let stay before there were files.
func TestDefaultAllows(t *testing.T) {
	r := rules.Default()
	if len(r.Allow) != 1 || r.Allow[0].Method != "" || r.Allow[0].Pattern != "" {
		t.Fatalf("the default has %d rules, want one for all endpoints", len(r.Allow))
	}
	f := func(key, value string, want bool) {
		t.Helper()
		s := r.Allow[0].Query[key]
		if got := s != nil && s.Match([]byte(value)); got != want {
			t.Errorf("%s=%s: stays is %v, want %v", key, value, got, want)
		}
	}
	f("*", "true", true)
	f("*", "1", false)
	f("page", "9999", true)
	f("page", "10000", false)
	f("columns", "2", true)
	f("sort", "price_desc", true)
	f("sort_dir", "-created,name", true)
	f("sort", "alice", false)
	f("ui_locales", "pt-BR", true)
	f("flav", "rss20", true)
	f("format", "JSON", false)
	f("_v", "1.7.1", true)
	f("v", "192.0.2.1", false)
	for _, key := range []string{"q", "id", "uid", "token", "name"} {
		f(key, "1", false)
	}
	if len(r.Entities)+len(r.Text)+len(r.Headers)+len(r.IP.Keep)+len(r.Secrets) != 0 || r.Cookies != rules.DropCookies || r.Referer != rules.DropReferer ||
		r.IP.Mode != rules.Pfx || r.Shift != (rules.Shift{}) {
		t.Errorf("the default does more than the allow-list: %+v", r)
	}
}

func TestSecrets(t *testing.T) {
	r, err := rules.Parse([]byte("anonymize: {secrets: {words: [tan, customer_key]}}"))
	if err != nil {
		t.Fatal(err)
	}
	f := func(key string, builtin, given bool) {
		t.Helper()
		if got := rules.Default().IsSecret([]byte(key)); got != builtin {
			t.Errorf("%s: secret is %v by the built-in words, want %v", key, got, builtin)
		}
		if got := r.IsSecret([]byte(key)); got != given {
			t.Errorf("%s: secret is %v with more words, want %v", key, got, given)
		}
	}
	for _, key := range []string{"token", "authToken", "AUTH", "x_password_2", "api_key", "api-key", "apiKey", "user[pwd]", "sig", "X-Amz-Signature", strings.Repeat("x", 60) + "_token"} {
		f(key, true, true)
	}
	for _, key := range []string{"monkey", "author", "tokens", "key", "stan", "tango", "customer", "", "_", strings.Repeat("token", 20)} {
		f(key, false, false)
	}
	f("tan", false, true)
	f("mobileTan", false, true)
	f("customerKey", false, true)
	f("customer.key", false, true)
	f("new_customer_key", false, true)
	if new(rules.Rules).IsSecret([]byte("token")) != true {
		t.Error("the zero rules know no secrets")
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	shapes := []*rules.Shape{shape(t, "int<=4"), shape(t, "words(asc|desc)"), shape(t, "a|b"), shape(t, "locale"), shape(t, "version"), shape(t, "word"), shape(t, "bool")}
	values := [][]byte{[]byte("1234"), []byte("price_desc"), []byte("pt-BR"), []byte("1.7.1"), []byte("true"), []byte("a-long-value-of-forty-bytes-or-a-bit-more")}
	r := rules.Default()
	if n := testing.AllocsPerRun(100, func() {
		for _, v := range values {
			for _, s := range shapes {
				s.Match(v)
			}
			r.IsSecret(v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkMatch(b *testing.B) {
	s, value := shape(b, "words(asc|desc|price|date)"), []byte("price_desc")
	b.SetBytes(int64(len(value)))
	b.ReportAllocs()
	for b.Loop() {
		s.Match(value)
	}
}

func BenchmarkIsSecret(b *testing.B) {
	r, key := rules.Default(), []byte("product_category")
	b.SetBytes(int64(len(key)))
	b.ReportAllocs()
	for b.Loop() {
		r.IsSecret(key)
	}
}
