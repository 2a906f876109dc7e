package anonymize_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/trace"

	"pgregory.net/rapid"
)

// Each target keeps its form, and nothing of it that the policy does not let pass.
func TestTargetForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(in, form string) {
		t.Helper()
		if got := target(t, a, in); !regexp.MustCompile("^(?:"+form+")$").MatchString(got) || got == in && form != regexp.QuoteMeta(in) {
			t.Errorf("%s became %s, want the form %s", in, got, form)
		}
	}
	same := func(in string) {
		t.Helper()
		f(in, regexp.QuoteMeta(in))
	}
	same("/")
	same("/search")
	same("*")
	same("/search?page=2&size=20&sort=price_desc&order=ASC&lang=de&format=json&v=1.7.1&debug=true&color=&x=false")
	same("/search?sort=-created,name&page=3")
	same("/search?wsdl")
	same("/search?") // an empty query
	same("/search?&&a=")
	f("/p/4711", `/p/[1-9]\d{3}`)
	f("/item-77", `/item-[1-9]\d`)
	f("/u/alice/profile.html", `/u/[a-z]{5}/profile\.html`)
	f("/order/0a1b2c3d-1111-4222-8046-1234567ea002", `/order/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	f("/mail/alice@corp.example", `/mail/[a-z2-7]{16}@example\.com`)
	f("/mail/alice%40corp.example", `/mail/[a-z2-7]{16}%40example\.com`)
	f("/mail/alice%2540corp.example", `/mail/[a-z2-7]{16}%2540example\.com`)
	f("/files/q3-report.pdf", `/files/[a-z0-9]{2}-[a-z0-9]{6}\.pdf`)
	f("/unknown/alice/../x.php", `/[a-z]{7}/[a-z]{5}/\.\./[a-z]\.php`)
	f("//p//4711", `//p//[1-9]\d{3}`)
	f("/p;color=red/4711;jsessionid=9F8E7D6C5B", `/p;color=[a-z]{3}/[1-9]\d{3};jsessionid=[a-z0-9]{10}`)
	f("/search?q=red+shoes", `/search\?q=[a-z]{3}\+[a-z]{5}`)
	f("/search?q=red%20shoes", `/search\?q=[a-z]{3}%20[a-z]{5}`)
	f("/search?q=Z%c3%bcrich", `/search\?q=[A-Z]%c[3-9]%[89ab][0-9a-f][a-z]{4}`)
	f("/search?q=100%", `/search\?q=\d{3}%25`)
	f("/search?q=a b", `/search\?q=[a-z]%20[a-z]`)
	f("/search?q=\xff\xfe", `/search\?q=%[89A-F][0-9A-F]%[89A-F][0-9A-F]`)
	f("/search?ids=1234567,7654321", `/search\?ids=[1-9]\d{6},[1-9]\d{6}`)
	f("/search?page=alice", `/search\?page=[a-z]{5}`)          // right key, wrong shape
	f("/search?page=13912345678", `/search\?page=[1-9]\d{10}`) // a phone number is no page
	f("/search?sort=alice", `/search\?sort=[a-z]{5}`)
	f("/search?lang=alice", `/search\?lang=[a-z]{5}`)
	f("/search?v=192.0.2.1", `/search\?v=192\.0\.2\.\d+`) // an address is no version; documentation block stays special
	f("/search?alice%40corp.example=1", `/search\?[a-z2-7]{16}%40example\.com=\d`)
	f("/search?alice", `/search\?[a-z]{5}`)
	f("/search?13912345678=x", `/search\?[1-9]\d{10}=[a-z]`)
	f("/search?annika.svensson=1", `/search\?[a-z]{6}\.[a-z]{8}=\d`) // a key that nobody gave as vocabulary
	f("/search?%75id=7654321", `/search\?%75id=[1-9]\d{6}`)
	f("/search?token=sk_live_abcdef", `/search\?token=[a-z0-9]{2}_[a-z0-9]{4}_[a-z0-9]{6}`)
	f("/search#alice", `/search#[a-z]{5}`)
	f("http://user:pass@shop.test:8080/p/4711", `http://[a-z2-7]{10}\.example:8080/p/[1-9]\d{3}`)
	f("http://a.test:48213/", `http://[a-z2-7]{10}\.example:0/`)
	f("word:48213", `[a-z2-7]{10}\.example:0`)
	f("https://www.shop.test", `https://www\.[a-z2-7]{10}\.example`)
	f("shop.test:443", `[a-z2-7]{10}\.example:443`)
	f("http://127.0.0.1/p/4711", `http://127\.0\.0\.1/p/[1-9]\d{3}`)
	f("http://[::1]:8080/", regexp.QuoteMeta("http://[::1]:8080/"))
	f("aa2", `[a-z0-9]{3}`)
	f("\x16\x03\x01", `%20%20%20`)
	f("/search?q=%22%3Cscript%3Ealert(1)", `/search\?q=%22%3C[a-z0-9]{6}%3E[a-z0-9]{5}\([a-z0-9]\)`)
}

func TestEndpointOfRecord(t *testing.T) {
	a := anonymizer(t, 1)
	for in, want := range map[string]string{"/p/4711?x=1": "/p/{int}", "/u/alice/profile.html": "/u/{word}/profile.html", "/nope": "{unmatched}",
		"http://shop.test/p/4711": "/p/{int}", "*": "{unmatched}"} {
		if got := clean(t, a, get(in)).Endpoint; got != want {
			t.Errorf("%s: endpoint is %s, want %s", in, got, want)
		}
	}
}

// Property 5: one id has one pseudonym wherever it stands, and in whatever encoding.
func TestCorrelation(t *testing.T) {
	a := anonymizer(t, 1)
	id := strings.TrimPrefix(target(t, a, "/u/7654321"), "/u/")
	f := becomes(t, a)
	f("/p/7654321", "/p/"+id)
	f("/item-7654321", "/item-"+id)
	f("/search?uid=7654321", "/search?uid="+id)
	f("/search?a=1&b=7654321#x", "/search?a="+strings.TrimPrefix(target(t, a, "/u/1"), "/u/")+"&b="+id+"#"+strings.TrimPrefix(target(t, a, "/search#x"), "/search#"))
	f("/u/%37654321", "/u/"+encodeFirst(id, "%"))
	f("/u/%2537654321", "/u/"+encodeFirst(id, "%25"))
	f("/p/7654321;v=7654321", "/p/"+id+";v="+id)
	f("http://127.0.0.1/u/7654321", "http://127.0.0.1/u/"+id)
	if got := target(t, a, "/search?ids=7654321,11"); !strings.HasPrefix(got, "/search?ids="+id+",") {
		t.Errorf("in a list the id became %s", got)
	}
	if got := target(t, a, "/search?k=user-7654321"); !strings.HasSuffix(got, "-"+id) {
		t.Errorf("after a prefix the id became %s", got)
	}
	mail := target(t, a, "/search?m=alice@corp.example")
	f("/search?m=Alice@CORP.example", mail)
	if got := target(t, a, "/search?m=alice%40corp.example"); strings.Replace(got, "%40", "@", 1) != mail {
		t.Errorf("an encoded mail became %s, a plain one %s", got, mail)
	}
	f("/search?m=a+b@corp.example", strings.Replace(target(t, a, "/search?m=a%2Bb%40corp.example"), "%40", "@", 1))
}

func encodeFirst(s, percent string) string {
	return percent + string("0123456789"[3]) + s[:1] + s[1:]
}

// Property 2: another key changes every value that is replaced, but by chance.
func TestAnotherKeyChangesEverything(t *testing.T) {
	a, b := anonymizer(t, 1), anonymizer(t, 2)
	for _, in := range []string{"/p/4711234", "/u/annika/profile.html", "/order/0a1b2c3d-1111-4222-8046-1234567ea002", "/mail/a@b.example", "/search?q=red+shoes"} {
		if x, y := target(t, a, in), target(t, b, in); x == y {
			t.Errorf("%s became %s with both keys", in, x)
		}
	}
	x, y := clean(t, a, get("/")), clean(t, b, get("/"))
	if x.User == y.User || string(x.Client) == string(y.Client) {
		t.Error("user or client has the same pseudonym with both keys")
	}
	in := get("/")
	in.Host = []byte("shop.test")
	if clean(t, a, in).Host == clean(t, b, in).Host {
		t.Error("the host has the same pseudonym with both keys")
	}
}

// Property 3 through the whole path: ids never merge.
func TestIdsNeverMerge(t *testing.T) {
	a := anonymizer(t, 1)
	seen := make(map[string]bool)
	for i := range 20_000 {
		in := "/p/" + string(rune('1'+i%9)) + strings.Repeat("7", i/9%5) + string(rune('0'+i/45%10)) + string(rune('0'+i/450%10)) + string(rune('0'+i/4500))
		seen[in] = false
	}
	got := make(map[string]bool)
	for in := range seen {
		got[target(t, a, in)] = true
	}
	if len(got) != len(seen) {
		t.Errorf("%d ids have %d pseudonyms", len(seen), len(got))
	}
}

// Property 9: any bytes come out as printable ASCII without spaces, or the record is refused.
func TestByteSoup(t *testing.T) {
	a := anonymizer(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		in := get("/")
		part := rapid.OneOf(rapid.SliceOfN(rapid.Byte(), 1, 40), rapid.Custom(func(t *rapid.T) []byte {
			return []byte(rapid.StringMatching(`[ -~]{0,40}`).Draw(t, "text"))
		}))
		in.Target = append([]byte(rapid.SampledFrom([]string{"", "/", "/p/", "/search?", "http://", "/search?q="}).Draw(t, "start")), part.Draw(t, "target")...)
		in.Client, in.User, in.Host = part.Draw(t, "client"), part.Draw(t, "user"), part.Draw(t, "host")
		in.Agent, in.Referer, in.Forwarded = part.Draw(t, "agent"), part.Draw(t, "referer"), part.Draw(t, "forwarded")
		if rapid.Bool().Draw(t, "any method") {
			in.Method = part.Draw(t, "method")
		}
		var out trace.Record
		if err := a.Record(in, &out); err != nil {
			var r anonymize.Refusal
			if !errors.As(err, &r) {
				t.Fatalf("error is %v", err)
			}
			return
		}
		for name, s := range map[string]string{"target": string(out.Target), "client": string(out.Client), "method": out.Method, "host": out.Host,
			"agent": out.Agent, "endpoint": out.Endpoint} {
			if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
				t.Fatalf("%s has other than printable ASCII: %q", name, s)
			}
		}
		if len(out.Target) == 0 {
			t.Fatal("target is empty")
		}
	})
}

// FuzzTarget also says that no run of eight letters and digits of a value stays where it stood.
func FuzzTarget(f *testing.F) {
	for _, s := range []string{"/p/1", "/search?q=a%2540b&token=x", "/%zz%%41", "?#?#", "http://a@b:1/c", "/;=&;", "/a?%=%&=&==", "//%2F/%00"} {
		f.Add([]byte(s))
	}
	a := anonymizer(f, 1)
	f.Fuzz(func(t *testing.T, in []byte) {
		r := get("")
		r.Target = in
		var out trace.Record
		if a.Record(r, &out) != nil {
			return
		}
		const canary = "Qx7vK2mW9pLz"
		for _, place := range []string{"/search?q=", "/files/", "/search?", "/search#", "/search?a;b="} {
			r.Target = append([]byte(place+canary+"/"), in...)
			if err := a.Record(r, &out); err == nil && strings.Contains(string(out.Target), canary) {
				t.Fatalf("the canary after %s survived", place)
			}
		}
	})
}

func TestRefusals(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(want anonymize.Refusal, method, target string, status int) {
		t.Helper()
		in := get(target)
		in.Method, in.Status = []byte(method), status
		var out trace.Record
		if err := a.Record(in, &out); !errors.Is(err, want) {
			t.Errorf("error is %v, want %v", err, want)
		}
	}
	f(anonymize.RefusedMethod, "", "/", 200)
	f(anonymize.RefusedMethod, "G T", "/", 200)
	f(anonymize.RefusedMethod, "\x16\x03", "/", 200)
	f(anonymize.RefusedMethod, "GET<", "/", 200)
	f(anonymize.RefusedMethod, strings.Repeat("A", 33), "/", 200)
	f(anonymize.RefusedTarget, "GET", "", 200)
	f(anonymize.RefusedTarget, "GET", "/"+strings.Repeat("a", anonymize.MaxTarget), 200)
	f(anonymize.RefusedStatus, "GET", "/", -1)
	f(anonymize.RefusedStatus, "GET", "/", 1000)
	s := a.Stats()
	if s.Records != 0 || s.Refused["method"] != 5 || s.Refused["target"] != 2 || s.Refused["status"] != 2 {
		t.Errorf("statistics are %+v", s)
	}
}

// What looks like a version, a locale, a page or a picture, and could be a number or a name of someone.
func TestLookalikesAreReplaced(t *testing.T) {
	a := anonymizer(t, 1)
	for _, keep := range []string{"/search?v=1.7.1", "/search?ver=5.8", "/search?v=123.456", "/search?hl=pt-BR", "/search?lang=zh_CN", "/search?lang=DE",
		"/search?page=9999&limit=100"} {
		if got := target(t, a, keep); got != keep {
			t.Errorf("%s became %s", keep, got)
		}
	}
	for _, in := range []string{"/search?v=0176.4827.193", "/search?v=4111.2222.3333", "/search?v=4111.2222", "/search?v=123.456.7", "/search?hl=jo-hn",
		"/search?lang=xx", "/search?lang=dE", "/search?page=73915", "/search?num=48291", "/search?num=4829"} {
		_, value, _ := strings.Cut(in, "=")
		got := target(t, a, in)
		if _, out, ok := strings.Cut(got, "="); !ok || len(out) != len(value) || out == value {
			t.Errorf("%s became %s", in, got)
		}
	}
	for _, word := range []string{"1703x4829", "170x482", "48213x1"} {
		if got := target(t, learned(t, "/"+word+"/a"), "/"+word+"/a"); strings.Contains(got, word) {
			t.Errorf("/%s/a became %s", word, got)
		}
	}
	if got := target(t, learned(t, "/200x150/images"), "/200x150/images"); got != "/200x150/images" {
		t.Errorf("a common size became %s", got)
	}
}

// learned has the templates of a log in which one client of many asks for path.
func learned(t *testing.T, path string) *anonymize.Anonymizer {
	t.Helper()
	l := endpoint.NewLearner()
	for client := range uint64(100) {
		l.AddTarget([]byte("/"), client, 200)
	}
	l.AddTarget([]byte(path), 1, 200)
	a, err := anonymize.New(testKey(t, 1), l.Set(), anonymize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A mail address whose domain ends like a file is one, and the same one in path and query.
func TestMailInPathIsNoFile(t *testing.T) {
	for _, mail := range []string{"jan@onet.pl", "jan@corp.py", "jan@corp.md", "jan@corp.zip", "jan@corp.mov", "jan@2x.pl"} {
		a := learned(t, "/users/"+mail)
		want := strings.TrimPrefix(target(t, a, "/?mail="+mail), "/?mail=")
		if len(want) != len("0123456789abcdef@example.com") || !strings.HasSuffix(want, "@example.com") {
			t.Errorf("?mail=%s became %s", mail, want)
		}
		for _, in := range []string{"/users/" + mail, "/users/" + strings.Replace(mail, "@", "%40", 1)} {
			if got := strings.Replace(target(t, a, in), "%40", "@", 1); got != "/users/"+want {
				t.Errorf("%s became %s, in the query %s", in, got, want)
			}
		}
	}
	if got := target(t, learned(t, "/img/logo@2x.png"), "/img/logo@2x.png"); !regexp.MustCompile(`^/img/[a-z]{4}@\dx\.png$|^/img/[a-z]{4}@[a-z0-9]{2}\.png$`).MatchString(got) {
		t.Errorf("a picture for fine screens became %s", got)
	}
}
