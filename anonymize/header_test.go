package anonymize_test

import (
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/ingest"
)

// full is a record whose every header says something.
func full() *ingest.Record {
	in := with(get("/p/4711"), "Accept", "text/html;q=0.9", "Accept-Language", "sv-SE", "Cookie", "uid=7654321; annika=sesam; theme=dark",
		"X-User-Id", "7654321", "Authorization", "Bearer sesamsesam", "X-Api-Key", "sesam", "X-Other", "annika")
	in.Referer, in.Host, in.Forwarded = []byte("https://www.shop.test/u/7654321?q=annika#top"), []byte("www.shop.test"), []byte("198.51.100.7, unknown")
	return in
}

// Without rules a trace has no header.
func TestHeadersAreDroppedByDefault(t *testing.T) {
	if out := clean(t, anonymizer(t, 1), full()); len(out.Header) != 0 {
		t.Errorf("the header is %q", out.Header)
	}
}

func TestKeptHeaders(t *testing.T) {
	a := ruled(t, 1, "headers: {keep: [Accept, Accept-Language, X-Other]}")
	f := func(name, value, want string) {
		t.Helper()
		if got := string(clean(t, a, with(get("/"), name, value)).Header); got != want {
			t.Errorf("%s: %q became %q, want %q", name, value, got, want)
		}
	}
	if got, want := string(clean(t, a, full()).Header), "Accept: text/html;q=0.9\r\nAccept-Language: sv-SE\r\nX-Other: annika\r\n"; got != want {
		t.Errorf("the header is %q, want %q", got, want)
	}
	f("Accept", "*/*", "Accept: */*\r\n")
	f("Accept", " a\tb ", "")
	f("Accept", "a\r\nX: y", "")
	f("Accept", "caf\xc3\xa9", "")
	f("Accept", "", "")
	f("Accept", "-", "")
	f("Accept", strings.Repeat("a", 199), "Accept: "+strings.Repeat("a", 199)+"\r\n")
	f("Accept", strings.Repeat("a", 200), "")
	s := a.Stats()
	if s.Headers["kept"] != 5 || s.Headers["dropped"] == 0 {
		t.Errorf("statistics are %v", s.Headers)
	}
}

// A header of addresses has them replaced by those of clients.
func TestForwardedHeaders(t *testing.T) {
	a := ruled(t, 1, "entities: {proxy: {at: [header:X-Forwarded-For, header:Forwarded]}}")
	client := func(s string) string {
		in := get("/")
		in.Client = []byte(s)
		return string(clean(t, a, in).Client)
	}
	four, six := client("198.51.100.7"), client("2001:db8::7")
	list := func(raw, want string) {
		t.Helper()
		in := get("/")
		in.Forwarded = []byte(raw)
		got := string(clean(t, a, in).Header)
		if !regexp.MustCompile(`^X-Forwarded-For: ` + want + `\r\n$`).MatchString(got) {
			t.Errorf("%s became %q, want %s", raw, got, want)
		}
	}
	q := regexp.QuoteMeta
	list("198.51.100.7", q(four))
	list("198.51.100.7:4711, unknown,2001:db8::7", q(four+", unknown, "+six))
	list("_annika, annika.example", `_[a-z2-7]{16}, _[a-z2-7]{16}`)
	list("127.0.0.1", q("127.0.0.1"))
	pairs := func(raw, want string) {
		t.Helper()
		got := string(clean(t, a, with(get("/"), "Forwarded", raw)).Header)
		if !regexp.MustCompile(`^Forwarded: ` + want + `\r\n$`).MatchString(got) {
			t.Errorf("%s became %q, want %s", raw, got, want)
		}
	}
	pairs("for=198.51.100.7", q(`for="`+four+`"`))
	pairs(`For="[2001:db8::7]:4711";proto=https;by=_x, for=198.51.100.7;secret=sesam`, q(`for="[`+six+`]";proto=https;by="_`)+`[a-z2-7]{16}`+q(`",for="`+four+`"`))
	pairs("for=198.51.100.7;host=www.shop.test", q(`for="`+four+`";host="www.`)+`[a-z2-7]{10}\.example"`)
}

func TestCookies(t *testing.T) {
	a := ruled(t, 1, "cookies: pseudonym")
	f := func(raw, want string) {
		t.Helper()
		got := string(clean(t, a, with(get("/"), "Cookie", raw)).Header)
		if want != "" {
			want = "Cookie: " + want + "\r\n"
		}
		if !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s became %q, want %s", raw, got, want)
		}
	}
	f("uid=7654321; PHPSESSID=9F8E7D6C5B", `uid=[1-9]\d{6}; PHPSESSID=[a-zA-Z0-9]{10}`)
	f("annika=7654321", `[a-z]{6}=[1-9]\d{6}`)
	f("a=1;;  b=2;", `a=\d; b=\d`)
	f("theme=;x", `theme=; [a-z]`)
	f(`uid="a b%3B"`, `uid="[a-z]%20[a-z]%3B"`)
	f("an nika=7", `[a-z2-7]{16}=\d`)
	f(" ; ", "")
	f("-", "")
	if x, y := string(clean(t, a, with(get("/"), "Cookie", "sid=abc123def456")).Header), target(t, a, "/files/abc123def456"); x[len("Cookie: sid="):len(x)-2] != y[len("/files/"):] {
		t.Errorf("a session is %q in the cookie and %q in the path", x, y)
	}
}

func TestReferer(t *testing.T) {
	same, origin := ruled(t, 1, "referer: same-rules"), ruled(t, 1, "referer: origin")
	f := func(a *anonymize.Anonymizer, host, referer, want string) {
		t.Helper()
		in := get("/")
		in.Host, in.Referer = []byte(host), []byte(referer)
		if want != "" {
			want = "Referer: " + want + "\r\n"
		}
		if got := string(clean(t, a, in).Header); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("%s of %s became %q, want %s", referer, host, got, want)
		}
	}
	name := `[a-z2-7]{10}\.example`
	f(same, "www.shop.test", "https://www.shop.test/p/4711?page=2#top", `https://www\.`+name+`/p/[1-9]\d{3}\?page=2#[a-z]{3}`)
	f(same, "WWW.shop.test:443", "http://u:p@www.SHOP.test:8080/search", `http://www\.`+name+`:8080/search`)
	f(same, "", "https://www.shop.test/p/4711", `https://www\.`+name+`/p/[1-9]\d{3}`)
	f(same, "", "https://www.search.test/find?q=annika", `https://www\.`+name+`/`)
	f(same, "www.shop.test", "https://www.search.test/p/1?q=annika", `https://www\.`+name+`/`)
	f(same, "www.shop.test", "https://www.shop.test", `https://www\.`+name)
	f(origin, "www.shop.test", "https://www.shop.test/p/4711?page=2#top", `https://www\.`+name+`/`)
	f(origin, "", "https://u@corp.example:pw@198.51.100.7/x", `https://198\.51\.100\.\d+/`)
	for _, none := range []string{"", "-", "annika", "android-app://com.annika", "about:blank", "https://a.test/" + strings.Repeat("a", 9000)} {
		f(same, "", none, "")
		f(origin, "", none, "")
	}
	if s := same.Stats(); s.Headers["referer"] != 6 {
		t.Errorf("statistics are %v", s.Headers)
	}
}

// The page that a request comes from names neither its user nor its endpoint.
func TestRefererIsNotTheRequest(t *testing.T) {
	a := ruled(t, 1, entities, "referer: same-rules", `allow: [{on: "GET /search", query: {n: int<=2}}]`)
	in := get("/p/1?n=12")
	in.Referer = []byte("https://www.shop.test/search?n=12&uid=7654321")
	out := clean(t, a, in)
	if out.User != clean(t, a, get("/")).User {
		t.Error("the user of another page is the user")
	}
	if got := string(out.Header); out.Endpoint != "/p/{int}" || !strings.Contains(got, "/search?n=12&uid=") || strings.Contains(got, "7654321") ||
		strings.HasSuffix(string(out.Target), "n=12") {
		t.Errorf("%s of %s with %q", out.Target, out.Endpoint, got)
	}
}

// Entities name headers that no rule keeps: their values are pseudonyms, those of a token with its scheme.
func TestHeaderOfEntity(t *testing.T) {
	a := ruled(t, 1, `entities: {user: {at: [header:X-User-Id, header:Authorization]}}`)
	got := string(clean(t, a, full()).Header)
	if !regexp.MustCompile(`^X-User-Id: [1-9]\d{6}\r\nAuthorization: Bearer [a-z]{10}\r\n$`).MatchString(got) || strings.Contains(got, "sesam") {
		t.Errorf("the header is %q", got)
	}
}

// The user can be the first address that a proxy tells.
func TestUserOfForwardedAddress(t *testing.T) {
	a := ruled(t, 1, `entities: {user: {at: [header:X-Forwarded-For]}}`)
	f := func(list string) string {
		in := get("/")
		in.Forwarded = []byte(list)
		return clean(t, a, in).User.String()
	}
	if f("198.51.100.7") != f("198.51.100.7:4711, 10.0.0.1") || f("198.51.100.7") == f("198.51.100.8") {
		t.Error("the user is not the first address")
	}
}
