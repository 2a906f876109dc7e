package anonymize_test

import (
	"net/netip"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
)

// The allow-list knows endpoint, method, key and shape; what has another shape is replaced and counted.
func TestAllowList(t *testing.T) {
	a := ruled(t, 1, `allow: [{on: "GET /search", query: {n: int<=2, mode: grid|list}}, {on: "/search", query: {n: int<=4}}, {on: "*", query: {tab: word}}]`)
	f := func(method, in string, stays bool) {
		t.Helper()
		r := get(in)
		r.Method = []byte(method)
		got := string(clean(t, a, r).Target)
		if stays != (got == in) {
			t.Errorf("%s %s became %s, stays should be %v", method, in, got, stays)
		}
	}
	f("GET", "/search?n=12", true)
	f("GET", "/search?N=12", true)
	f("GET", "/search?%6e=12", true)
	f("GET", "/search?n=4711", false) // the first rule that fits decides
	f("POST", "/search?n=4711", true)
	f("GET", "/p?n=1234", false) // another endpoint
	f("GET", "/search?mode=grid&tab=reviews", true)
	f("GET", "/nope/?tab=reviews", false) // the path is replaced
	f("GET", "/search?mode=annika", false)
	f("GET", "/search?page=2000", false) // a given list replaces the one that is built in
	f("GET", "/search?n=&x=", true)
	s := a.Stats()
	if want := map[string]map[string]int64{"n: int<=2": {"digits": 1}, "mode: grid|list": {"letters": 1}}; !reflect.DeepEqual(s.Misfit, want) {
		t.Errorf("misfits are %v, want %v", s.Misfit, want)
	}
	if s.Kept["n: int<=2"] != 3 || s.Kept["n: int<=4"] != 1 || s.Kept["tab: word"] != 2 || s.Kept["empty"] != 2 {
		t.Errorf("kept are %v", s.Kept)
	}
}

// top(N) lets stay what the templates know as values of the key, where a rule says so, and nothing else.
func TestTopValues(t *testing.T) {
	set, _, err := endpoint.Read(strings.NewReader("version: 1\nendpoints:\n- pattern: /search\nquery_values:\n  cat: [shoes]\n  sub: [shoes]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := rules.Parse([]byte(`anonymize: {allow: [{on: "GET /search", query: {cat: top(64)}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := anonymize.New(testKey(t, 1), set, anonymize.Options{Rules: r})
	if err != nil {
		t.Fatal(err)
	}
	for in, stays := range map[string]bool{"/search?cat=shoes": true, "/search?cat=annika": false, "/search?sub=shoes": false, "http://127.0.0.1/?cat=shoes": false} {
		if got := target(t, a, in); stays != (got == in) {
			t.Errorf("%s became %s", in, got)
		}
	}
	if s := a.Stats(); s.Kept["cat: top(64)"] != 1 || s.Misfit["cat: top(64)"]["letters"] != 1 {
		t.Errorf("statistics are %+v", s)
	}
}

// What looks like a secret by its key is noise, however the key is written; what signs a URL is noise too.
func TestSecretsAreNoise(t *testing.T) {
	a := ruled(t, 1, `secrets: {words: [geheim]}`, `text: {keys: [q]}`)
	f := func(key string, noise bool) {
		t.Helper()
		x, y := target(t, a, "/?"+key+"=sesamsesam"), target(t, a, "/?"+key+"=abcdefghij")
		if noise != (x == y) || strings.Contains(x, "sesam") {
			t.Errorf("%s: %s and %s, noise should be %v", key, x, y, noise)
		}
	}
	for _, key := range []string{"token", "%74oken", "%2574oken", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token", "Signature", "Policy",
		"Key-Pair-Id", "sig", "auth_token", "geheim", "meinGeheim"} {
		f(key, true)
	}
	for _, key := range []string{"monkey", "author", "Expires", "se", "q", "zzz"} {
		f(key, false)
	}
}

func TestFreeText(t *testing.T) {
	a := ruled(t, 1, `text: {keys: [q]}`)
	x, y := target(t, a, "/search?q=red+running+shoes"), target(t, a, "/search?q=running+RED")
	words := strings.Split(strings.TrimPrefix(x, "/search?q="), "+")
	if len(words) != 3 || !strings.HasPrefix(y, "/search?q="+words[1]+"+") || strings.Contains(x, "red") {
		t.Errorf("texts with one word became %s and %s", x, y)
	}
	if n := a.Stats().Replaced["text"]; n != 2 {
		t.Errorf("%d texts are counted", n)
	}
}

func TestTimeShift(t *testing.T) {
	const week = 7 * 24 * 3600 * 1_000_000
	start := clean(t, anonymizer(t, 1), get("/")).Start
	if got := clean(t, ruled(t, 1, "time: {shift: -3}"), get("/")).Start; got != start-3*week {
		t.Errorf("three weeks back are %d us", got-start)
	}
	a, same, other := ruled(t, 1, "time: {shift: key}"), ruled(t, 1, "time: {shift: key}"), ruled(t, 2, "time: {shift: key}")
	shift := start - clean(t, a, get("/")).Start
	if shift%week != 0 || shift < week || shift > 520*week {
		t.Errorf("the key shifts by %d us", shift)
	}
	if start-clean(t, same, get("/")).Start != shift || start-clean(t, other, get("/")).Start == shift {
		t.Error("the shift is not the key's")
	}
	if a.Described()["time_shift"] != true || anonymizer(t, 1).Described()["time_shift"] != nil {
		t.Errorf("descriptions are %v and %v", a.Described(), anonymizer(t, 1).Described())
	}
}

func TestDescription(t *testing.T) {
	d := ruled(t, 1, "cookies: pseudonym").Described()
	plain := anonymizer(t, 1).Described()
	if d["rules"] == plain["rules"] || d["endpoints"] != shop(t).Digest() || plain["pseudonyms"] != anonymize.Version {
		t.Errorf("descriptions are %v and %v", d, plain)
	}
}

// An observer is told each value once for each time it is replaced, with its entity and what stands in the trace.
func TestObserver(t *testing.T) {
	r, err := rules.Parse([]byte("anonymize: {entities: {user: {at: [query:uid]}}, text: {keys: [q]}}"))
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	a, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{Rules: r, Observe: func(entity string, value, pseudonym []byte) {
		told = append(told, entity+" "+string(value)+" "+string(pseudonym))
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		told = told[:0]
		got := regexp.MustCompile(`^/p/(\d+)\?uid=%3(\d)(\d+)&q=(\w+)\+(\w+)$`).FindStringSubmatch(target(t, a, "/p/4711?uid=%34711&q=red+shoes"))
		if got == nil {
			t.Fatal("the target has another form")
		}
		if want := []string{"id 4711 " + got[1], "user 4711 " + got[2] + got[3], "id red shoes " + got[4] + " " + got[5]}; !reflect.DeepEqual(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	}
}

// One address has one pseudonym as client, in the query, as host and as forwarded, in each mode.
func TestAddressModes(t *testing.T) {
	seen := make(map[string]string)
	for _, mode := range []string{"pfx", "flat", "docs"} {
		a := ruled(t, 1, "ip: {mode: "+mode+", keep: [9.9.9.0/24, \"2620:fe::/48\"]}", "entities: {proxy: {at: [header:X-Forwarded-For]}}")
		for _, addr := range []string{"8.8.4.4", "2a02:810a::1", "9.9.9.9", "2620:fe::9", "127.0.0.1"} {
			in := get("/search?ip=" + addr)
			in.Client, in.Forwarded, in.Host = []byte(addr), []byte(addr), []byte(addr)
			out := clean(t, a, in)
			got := string(out.Client)
			if string(out.Target) != "/search?ip="+got || string(out.Header) != "X-Forwarded-For: "+got+"\r\n" || out.Host != got {
				t.Errorf("%s, %s: client %s, target %s, host %s, header %q", mode, addr, got, out.Target, out.Host, out.Header)
			}
			kept := strings.HasSuffix(addr, "9") || addr == "127.0.0.1"
			if kept != (got == addr) {
				t.Errorf("%s: %s became %s", mode, addr, got)
			}
			if was := seen[got]; was != "" && !kept {
				t.Errorf("%s became %s in two modes", was, got)
			}
			seen[got] = addr
		}
	}
}

// No address becomes one that is kept, and none become the same.
func TestKeptAddressesStayAlone(t *testing.T) {
	a := ruled(t, 1, `ip: {keep: [64.0.0.0/8]}`)
	keep, all := netip.MustParsePrefix("64.0.0.0/8"), make(map[string]bool)
	for i := range 223 { // one of all blocks /8 would become the one that is kept
		addr := netip.AddrFrom4([4]byte{byte(i + 1), 7, 7, 7})
		if keep.Contains(addr) || addr.IsLoopback() {
			continue
		}
		in := get("/")
		in.Client = addr.AppendTo(nil)
		got := string(clean(t, a, in).Client)
		if keep.Contains(netip.MustParseAddr(got)) || all[got] {
			t.Fatalf("%s became %s", in.Client, got)
		}
		all[got] = true
	}
}

// The last @ ends the user information, and none of it is left.
func TestUserInformationIsLeftOut(t *testing.T) {
	a := anonymizer(t, 1)
	if got := target(t, a, "http://u@corp.example:pw@shop.test/p/1"); !regexp.MustCompile(`^http://[a-z2-7]{10}\.example/p/\d$`).MatchString(got) {
		t.Errorf("became %s", got)
	}
	if got := target(t, a, "//u@corp.example:pw@host/p"); strings.Contains(got, "corp") || strings.Contains(got, "pw@") {
		t.Errorf("became %s", got)
	}
}
