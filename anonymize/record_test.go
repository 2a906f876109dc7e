package anonymize_test

import (
	"bytes"
	"net/netip"
	"runtime"
	"strconv"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/trace"
	"reprise/ingest"

	"pgregory.net/rapid"
)

func TestNumbersOfRecord(t *testing.T) {
	a := anonymizer(t, 1)
	in := get("/")
	in.Duration, in.Precision = 1_234_567, ingest.PrecisionMillisecond
	out := clean(t, a, in)
	if out.Start != 1331829283_123456 || out.Duration != 1234 || out.Bytes != 5120 || out.Status != 200 || out.Coarse != 3 || out.Method != "GET" {
		t.Errorf("record is %+v", out)
	}
	in.Start, in.Duration, in.Bytes, in.Precision, in.Status = -1, ingest.Unknown, ingest.Unknown, ingest.PrecisionNanosecond, 0
	out = clean(t, a, in)
	if out.Start != -1 || out.Duration != trace.Unknown || out.Bytes != trace.Unknown || out.Coarse != 0 || out.Status != 0 {
		t.Errorf("record is %+v", out)
	}
	in.Precision = ingest.PrecisionSecond
	if out = clean(t, a, in); out.Coarse != 6 {
		t.Errorf("whole seconds have Coarse %d", out.Coarse)
	}
}

func TestClientForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(client string) string {
		in := get("/")
		in.Client = []byte(client)
		return string(clean(t, a, in).Client)
	}
	plain := f("241.7.9.200")
	if addr, err := netip.ParseAddr(plain); err != nil || addr.As4()[0] < 240 || plain == "241.7.9.200" {
		t.Errorf("an address of 240/4 became %s", plain)
	}
	for _, same := range []string{"::ffff:241.7.9.200", "241.7.9.200:16852"} {
		if got := f(same); got != plain {
			t.Errorf("%s became %s, want %s", same, got, plain)
		}
	}
	six := f("2a02:810a::1")
	if f("[2a02:810a::1]:443") != six || f("2A02:810A:0::1") != six || six == "2a02:810a::1" {
		t.Errorf("forms of one IPv6 address differ: %s", six)
	}
	if got := f("2001:db8:0:0:0:0:0:1:49225"); got != f("2001:db8::1") {
		t.Errorf("a port after a bare IPv6 address: %s", got)
	}
	if f("127.0.0.1") != "127.0.0.1" || f("::1") != "::1" {
		t.Error("loopback was changed")
	}
	if got, err := netip.ParseAddr(f("192.168.1.7")); err != nil || !got.IsPrivate() {
		t.Errorf("a private address became %s", got)
	}
	name := f("Dialup7.annika.example")
	if name != f("dialup7.annika.example") || bytes.Contains([]byte(name), []byte("annika")) || len(name) != 16 {
		t.Errorf("a host name became %s", name)
	}
	if f("") != "" {
		t.Error("no client became one")
	}
}

func TestIdentity(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(user, client, agent string) trace.Pseudonym {
		in := get("/")
		in.User, in.Client, in.Agent = []byte(user), []byte(client), []byte(agent)
		return clean(t, a, in).User
	}
	base := f("", "241.7.9.200", "ua")
	if base == (trace.Pseudonym{}) || f("-", "241.7.9.200", "ua") != base || f("", "::ffff:241.7.9.200", "ua") != base {
		t.Error("one client is not one identity")
	}
	if f("", "241.7.9.201", "ua") == base || f("", "241.7.9.200", "ub") == base {
		t.Error("two clients are one identity")
	}
	annika := f("annika", "241.7.9.200", "ua")
	if annika == base || f("annika", "10.0.0.1", "other") != annika || f("bo", "241.7.9.200", "ua") == annika {
		t.Error("the identity of a user depends on more than the user")
	}
	if f("A@B.example", "", "") != f("a@b.EXAMPLE", "", "") || f("A", "", "") == f("a", "", "") {
		t.Error("case counts in mail addresses, or not in names")
	}
	if f("", "", "") != (trace.Pseudonym{}) {
		t.Error("nothing known is an identity")
	}
}

func TestHostForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(host string) string {
		in := get("/")
		in.Host = []byte(host)
		return clean(t, a, in).Host
	}
	site := f("shop.test")
	if f("SHOP.test") != site || f("shop.test:8443") != site || f("www.shop.test") != "www."+site || f("api.shop.test") != "api."+site {
		t.Errorf("names of one site differ: %s, %s", site, f("www.shop.test"))
	}
	for _, keep := range []string{"", "localhost", "127.0.0.1", "127.0.0.1:80"} {
		if got := f(keep); got != keep && got+":80" != keep {
			t.Errorf("%q became %q", keep, got)
		}
	}
	if got := f("241.7.9.200"); got != string(clean(t, a, get("/")).Client) {
		t.Errorf("an address as host became %s", got)
	}
	if got := f("a b\x00"); bytes.ContainsAny([]byte(got), " \x00") {
		t.Errorf("byte soup became %q", got)
	}
}

func TestAgentFamilies(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(agent, want string) {
		t.Helper()
		in := get("/")
		in.Agent = []byte(agent)
		if got := clean(t, a, in).Agent; got != want {
			t.Errorf("%s is %q, want %q", agent, got, want)
		}
	}
	f("", "")
	f("-", "")
	f("Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/86.0.4240.111 Safari/537.36", "chrome/86")
	f("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0 Safari/537.36 Edg/91.0.864.59", "edge/91")
	f("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/91.0 Safari/537.36 OPR/77.0", "opera/77")
	f("Opera/9.80 (Windows NT 6.1; U; ru) Presto/2.10.229 Version/11.61", "opera/11")
	f("Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0", "firefox/115")
	f("Mozilla/5.0 (Macintosh) AppleWebKit/534.53 (KHTML, like Gecko) Version/5.1.3 Safari/534.53", "safari/5")
	f("Mozilla/5.0 (iPhone) AppleWebKit/605.1 (KHTML, like Gecko) CriOS/99.0 Mobile Safari/604.1", "chrome/99")
	f("Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 5.1; Trident/4.0)", "ie/8")
	f("Mozilla/5.0 (Windows NT 6.1; Trident/7.0; rv:11.0) like Gecko", "ie/11")
	f("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "googlebot/2")
	f("some-private-crawler of annika", "bot")
	f("WordPress/3.3.1; http://annika.example/blog", "wordpress/3")
	f("curl/7.68.0", "curl/7")
	f("annika's own thing 1.0", "other")
	f("Chrome/99999999", "chrome") // no version has so many digits: it could be anything
}

func TestMethods(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(method string) string {
		in := get("/")
		in.Method = []byte(method)
		return clean(t, a, in).Method
	}
	for _, m := range []string{"GET", "POST", "PROPFIND", "PURGE"} {
		if got := f(m); got != m {
			t.Errorf("%s became %s", m, got)
		}
	}
	if got := f("ANNIKA"); got == "ANNIKA" || len(got) != 6 || got != f("ANNIKA") {
		t.Errorf("an unknown method became %s", got)
	}
}

// The printable pair that has one xxhash: a cache that trusted the hash would make two users one.
func TestHashCollisionMergesNobody(t *testing.T) {
	a := anonymizer(t, 1)
	const one, two = "session-aaaaaaaa", "oeiaaaaarVo97FK9" // both Sum64 fdb089b146613330
	first, second := target(t, a, "/search?k="+one), target(t, a, "/search?k="+two)
	if first == second {
		t.Fatal("two values have one pseudonym")
	}
	for range 3 {
		if target(t, a, "/search?k="+one) != first || target(t, a, "/search?k="+two) != second {
			t.Fatal("pseudonyms changed")
		}
	}
	f := func(client string) string {
		in := get("/")
		in.Client = []byte(client)
		return string(clean(t, a, in).Client)
	}
	if f(one) == f(two) || f(one) == first[len("/search?k="):] {
		t.Error("clients are mixed up with each other or with values")
	}
}

// Property 1: a record's clean form does not depend on what the Anonymizer saw before; a small cache makes it forget.
func TestResultIsAFunctionOfTheRecord(t *testing.T) {
	key := testKey(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		fresh, err := anonymize.New(key, shop(rt), anonymize.Options{CacheEntries: 1})
		if err != nil {
			rt.Fatal(err)
		}
		used, err := anonymize.New(key, shop(rt), anonymize.Options{CacheEntries: 64})
		if err != nil {
			rt.Fatal(err)
		}
		used = used.Fork()
		targets := rapid.SliceOfN(rapid.StringMatching(`/(p|u|search)/[0-9]{1,3}(\?[a-c]=[a-c0-9%]{0,3})?`), 1, 30).Draw(rt, "targets")
		for _, x := range append(targets, targets...) {
			if a, b := target(rt, fresh, x), target(rt, used, x); a != b {
				rt.Fatalf("%s became %s and %s", x, a, b)
			}
		}
	})
}

func TestStats(t *testing.T) {
	a := anonymizer(t, 1)
	for _, x := range []string{"/p/4711?page=2&q=x", "/search?token=abc&m=a@b.example", "/nope/1"} {
		target(t, a, x)
	}
	s := a.Stats()
	if s.Records != 3 || s.Unmatched != 1 || s.Replaced["int"] != 2 || s.Replaced["secret"] != 1 || s.Replaced["mail"] != 1 ||
		s.Kept["page: int<=4"] != 1 || s.Literals != 2 {
		t.Errorf("statistics are %+v", s)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := anonymize.New(nil, nil, anonymize.Options{}); err == nil {
		t.Error("no key was taken")
	}
	if _, err := anonymize.New(testKey(t, 1), nil, anonymize.Options{CacheEntries: -1}); err == nil {
		t.Error("a negative cache was taken")
	}
	a, err := anonymize.New(testKey(t, 1), nil, anonymize.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := clean(t, a, get("/users/1")); got.Endpoint != "{unmatched}" || string(got.Target[:7]) == "/users/" {
		t.Errorf("without templates: %s, %s", got.Endpoint, got.Target)
	}
}

// records are what a busy shop logs, for the hot path.
func records() []*ingest.Record {
	var all []*ingest.Record
	for _, x := range []string{"/p/4711", "/p/7654321?page=2&size=20", "/search?q=red+shoes&sort=price", "/u/annika/profile.html?uid=7654321",
		"/order/0a1b2c3d-1111-4222-8046-1234567ea002?token=s3cr3t", "/files/report-2020.pdf?m=a%40b.example", "/nope/x/y/z?ids=1,2,3"} {
		in := get(x)
		in.Host = []byte("www.shop.test")
		all = append(all, in)
	}
	all[2].User = []byte("annika@corp.example")
	all[3].Client = []byte("2a02:810a::1")
	all[4].Client = []byte("dialup.example")
	return all
}

func TestRecordAllocatesNothing(t *testing.T) {
	allocatesNothing(t, anonymizer(t, 1), records())
}

// allocatesNothing makes records clean that were seen before.
func allocatesNothing(t *testing.T, a *anonymize.Anonymizer, all []*ingest.Record) {
	t.Helper()
	var out trace.Record
	if n := testing.AllocsPerRun(200, func() {
		for _, in := range all {
			if err := a.Record(in, &out); err != nil {
				t.Fatal(err)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations for %d records", n, len(all))
	}
}

func BenchmarkRecord(b *testing.B) {
	a := anonymizer(b, 1)
	all := records()
	var out trace.Record
	b.ReportAllocs()
	b.SetBytes(260) // a line of the combined format
	for i := 0; b.Loop(); i++ {
		if err := a.Record(all[i%len(all)], &out); err != nil {
			b.Fatal(err)
		}
	}
}

// Every record a new client and a new id: what the cache cannot help.
func BenchmarkRecordCold(b *testing.B) {
	a := anonymizer(b, 1)
	in := get("/p/1000000")
	var out trace.Record
	b.ReportAllocs()
	b.SetBytes(260)
	for i := 0; b.Loop(); i++ {
		in.Client = netip.AddrFrom4([4]byte{243, byte(i >> 16), byte(i >> 8), byte(i)}).AppendTo(in.Client[:0])
		copy(in.Target[3:], []byte{'1' + byte(i%9), '0' + byte(i/9%10), '0' + byte(i/90%10), '0' + byte(i/900%10), '0' + byte(i/9000%10)})
		if err := a.Record(in, &out); err != nil {
			b.Fatal(err)
		}
	}
}

// Property 10: however many values come, an Anonymizer stays as large as its tables.
func TestMemoryIsBounded(t *testing.T) {
	a, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{CacheEntries: 1024})
	if err != nil {
		t.Fatal(err)
	}
	var out trace.Record
	in := get("/")
	run := func(from, to int) uint64 {
		for i := from; i < to; i++ {
			n := []byte(strconv.Itoa(i))
			in.Client = append([]byte("host"), n...)
			in.Host = append(append([]byte("h"), n...), ".shop.test"...)
			in.Agent = append(bytes.Repeat([]byte("agent "), 40), n...)
			in.Target = append(append(append([]byte("/files/x"), n...), "?k=t-o-k-e-n-"...), n...)
			in.Method = append([]byte("M"), n...)
			if err := a.Record(in, &out); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := run(0, 20_000) // the tables are full
	if after := run(20_000, 120_000); after > before+8<<20 {
		t.Errorf("100000 more values took %d MB", (after-before)>>20)
	}
	runtime.KeepAlive(a)
}
