package anonymize_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// ruled is an Anonymizer of the shop under rules: the lines of the section anonymize.
func ruled(t testing.TB, key byte, lines ...string) *anonymize.Anonymizer {
	t.Helper()
	r, err := rules.Parse([]byte("anonymize:\n  " + strings.Join(lines, "\n  ") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := anonymize.New(testKey(t, key), shop(t), anonymize.Options{CacheEntries: 256, Rules: r})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// entities are those of the shop.
const entities = `entities: {user: {at: ["path:/u/{user}", query:uid, cookie:uid, header:X-User-Id, jwt:sub]}, ` +
	`order: {at: ["path:/u/*/orders/{order}", query:oid], format: int}, note: {at: [query:note], format: text}}`

// with adds headers, as name and value in turn.
func with(in *ingest.Record, headers ...string) *ingest.Record {
	for i := 0; i < len(headers); i += 2 {
		in.Headers = append(in.Headers, ingest.Header{Name: headers[i], Value: []byte(headers[i+1])})
	}
	return in
}

// Property 5: one id of an entity has one pseudonym in path, query, matrix parameter, cookie and header.
func TestEntityHasOnePseudonymEverywhere(t *testing.T) {
	a := ruled(t, 1, entities, "cookies: pseudonym")
	id := strings.TrimPrefix(target(t, a, "/u/7654321"), "/u/")
	if id == "7654321" || len(id) != 7 {
		t.Fatalf("the id became %s", id)
	}
	f := becomes(t, a)
	f("/search?uid=7654321", "/search?uid="+id)
	f("/search?UID=7654321", "/search?UID="+id)
	f("/search?%75id=7654321", "/search?%75id="+id)
	f("/search;uid=7654321", "/search;uid="+id)
	f("/u/%37654321", "/u/%3"+id[:1]+id[1:])
	f("/u/7654321;uid=7654321", "/u/"+id+";uid="+id)
	f("http://127.0.0.1//u/7654321", "http://127.0.0.1//u/"+id)
	out := clean(t, a, with(get("/"), "Cookie", "uid=7654321; x=1", "X-User-Id", "7654321"))
	if got := string(out.Header); !strings.HasPrefix(got, "X-User-Id: "+id+"\r\nCookie: uid="+id+"; x=") {
		t.Errorf("the header is %q, want the id %s", got, id)
	}
	in := get("/")
	in.Headers = []ingest.Header{{Name: "Cookie", Cookie: "uid", Value: []byte("7654321")}}
	if got := string(clean(t, a, in).Header); got != "Cookie: uid="+id+"\r\n" {
		t.Errorf("a single cookie became %q", got)
	}
}

// Property 6: another entity has unrelated pseudonyms, and so has what belongs to none.
func TestEntitiesAreApart(t *testing.T) {
	a := ruled(t, 1, entities)
	same := 0
	for _, id := range []string{"7654321", "8654321", "9654321", "1234567"} {
		user, order, other := target(t, a, "/?uid="+id)[6:], target(t, a, "/?oid="+id)[6:], target(t, a, "/p/"+id)[3:]
		if user == order || user == other || order == other {
			same++
		}
		if got := target(t, a, "/u/"+id+"/orders/"+id); got[strings.LastIndexByte(got, '/')+1:] != order {
			t.Errorf("the order in the path became %s, in the query %s", got, order)
		}
		if got := target(t, a, "/u/"+id+"/orders"); strings.Split(got, "/")[2] != user {
			t.Errorf("the pattern /u/{user} does not fit what begins with it: %s", got)
		}
	}
	if same > 0 {
		t.Errorf("%d of 4 ids have one pseudonym in two entities", same)
	}
	if got := target(t, a, "/?oid=13912345678"); len(got) != len("/?oid=13912345678") {
		t.Errorf("an id that looks like a phone number became %s", got)
	}
}

// identities are those of records, each with its own client.
func TestUserIsReadFromPlaces(t *testing.T) {
	for _, a := range []*anonymize.Anonymizer{ruled(t, 1, entities), ruled(t, 1, entities, "cookies: pseudonym")} {
		n := 0
		f := func(in *ingest.Record) trace.Pseudonym {
			n++
			in.Client = []byte{'1', '9', '8', '.', '5', '1', '.', '1', '0', '0', '.', byte('0' + n%10)}
			return clean(t, a, in).User
		}
		field := get("/")
		field.User = []byte("7654321")
		want := f(field)
		for name, in := range map[string]*ingest.Record{"path": get("/u/7654321"), "longer path": get("/u/7654321/profile.html"), "query": get("/?uid=7654321"),
			"encoded": get("/?uid=%37654321"), "matrix": get("/p;uid=7654321/1"), "cookie": with(get("/"), "Cookie", "a=b; uid=7654321"),
			"header": with(get("/"), "X-User-Id", "7654321"), "first place": with(get("/u/7654321?uid=1"), "X-User-Id", "2")} {
			for range 2 {
				if got := f(in); got != want {
					t.Errorf("the user in %s is %v, want %v", name, got, want)
				}
			}
		}
		other := get("/u/7654321")
		other.User = []byte("bo")
		if f(other) == want || f(get("/u/7654322")) == want || f(get("/")) == want {
			t.Error("two users are one")
		}
		if f(with(get("/?uid=A%40B.example"), "X-User-Id", "x")) != f(with(get("/"), "Cookie", "uid=a@b.EXAMPLE")) {
			t.Error("one mail address in two places is two users")
		}
		phone := f(get("/?uid=+86+139+1234+5678"))
		if f(get("/?uid=%2B8613912345678")) != phone || f(get("/?uid=008613912345678")) != phone || f(get("/?uid=+4913912345678")) == phone {
			t.Error("one phone number in two forms is two users, or two are one")
		}
		if f(get("/?oid=7654321")) == want || f(get("/?uid=")) == want {
			t.Error("another entity's id, or none, is a user")
		}
	}
}

// A literal of a template is vocabulary at the place of an entity, and a template decides which patterns can fit.
func TestEntityHeedsTemplates(t *testing.T) {
	a := ruled(t, 1, `entities: {sku: {at: ["path:/p/{sku}"]}, any: {at: ["path:/*/x/{any}"]}, tool: {at: ["path:/{tool}"]}}`)
	plain := anonymizer(t, 1)
	if got := target(t, a, "/search"); got != "/search" {
		t.Errorf("a literal segment became %s", got)
	}
	if a, b := target(t, a, "/p/4711234"), target(t, plain, "/p/4711234"); a == b {
		t.Errorf("the sku has the pseudonym of an id: %s", a)
	}
	if a, b := target(t, a, "/q/4711234"), target(t, plain, "/q/4711234"); a[2:] != b[2:] {
		t.Errorf("an id elsewhere changed from %s to %s", b, a)
	}
	if a, b := target(t, a, "/q/x/4711234"), target(t, plain, "/q/x/4711234"); a[4:] == b[4:] {
		t.Errorf("a path without a template has no entity: %s", a)
	}
	if a, b := target(t, a, "/item-7654321"), target(t, plain, "/item-7654321"); a == b || !strings.HasPrefix(a, "/item-") {
		t.Errorf("the number of /item-{int} became %s, without the entity %s", a, b)
	}
}

func TestRulesDoNotAllocate(t *testing.T) {
	a := ruled(t, 1, entities, "cookies: pseudonym", "referer: same-rules", "headers: {keep: [Accept-Language]}", "text: {keys: [q]}", "time: {shift: key}")
	all := records()
	for _, in := range all {
		with(in, "Cookie", "uid=7654321; theme=dark", "X-User-Id", "7654321", "Accept-Language", "de-DE,de;q=0.9", "Dnt", "1")
		in.Referer = []byte("https://www.shop.test/u/7654321?page=2")
		in.Forwarded = []byte("198.51.100.7, 10.0.0.1")
	}
	allocatesNothing(t, a, all)
}

// token is a JSON Web Token whose claims are text.
func token(claims string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256"}`)) + "." + enc([]byte(claims)) + ".c2lnbmF0dXJl"
}

// A claim has the pseudonym of its entity, wherever the token stands, and names the user also when it stays out of the trace.
func TestClaimsOfTokens(t *testing.T) {
	a := ruled(t, 1, entities, "cookies: pseudonym")
	id := strings.TrimPrefix(target(t, a, "/u/7654321"), "/u/")
	want := clean(t, a, get("/u/7654321")).User
	raw := token(`{"sub":"7654321"}`)
	for _, in := range []*ingest.Record{get("/?token=" + raw), get("/?x=" + raw), get("/files/" + raw), with(get("/"), "Cookie", "sid="+raw),
		with(get("/"), "Authorization", "Bearer "+raw), with(get("/"), "X-Token", raw), get("/?x=" + base64.StdEncoding.EncodeToString([]byte(raw)))} {
		for range 2 { // also when all of it was seen before
			out := clean(t, a, in)
			if out.User != want {
				t.Errorf("%s with %v: the user is %v, want %v", in.Target, in.Headers, out.User, want)
			}
			if strings.Contains(string(out.Target)+string(out.Header), "c2lnbmF0dXJl") {
				t.Errorf("%s: the signature stays", out.Target)
			}
		}
	}
	_, out, _ := strings.Cut(target(t, a, "/?token="+raw), "=")
	parts := strings.Split(out, ".")
	if claims, err := base64.RawURLEncoding.DecodeString(parts[1]); err != nil || string(claims) != `{"sub":"`+id+`"}` {
		t.Errorf("the claims became %s, want the id %s", claims, id)
	}
}

// BenchmarkRecordWithRules is BenchmarkRecord with headers, and all rules on.
func BenchmarkRecordWithRules(b *testing.B) {
	a := ruled(b, 1, everything...)
	all := records()
	for _, in := range all {
		with(in, "Cookie", "uid=7654321; theme=dark", "X-User-Id", "7654321", "Accept-Language", "de-DE,de;q=0.9")
		in.Referer = []byte("https://www.shop.test/u/7654321?page=2")
	}
	var out trace.Record
	b.ReportAllocs()
	b.SetBytes(400)
	for i := 0; b.Loop(); i++ {
		if err := a.Record(all[i%len(all)], &out); err != nil {
			b.Fatal(err)
		}
	}
}
