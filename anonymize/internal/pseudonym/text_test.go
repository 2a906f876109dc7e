package pseudonym_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"reprise/anonymize/internal/pseudonym"

	"pgregory.net/rapid"
)

func TestTextKeepsLayout(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	f := func(in, form string) {
		t.Helper()
		out := string(m.AppendText(nil, []byte(in)))
		if !regexp.MustCompile("^(?:"+form+")$").MatchString(out) || out == in {
			t.Errorf("%q became %q, want the form %s", in, out, form)
		}
	}
	f("alice", `[a-z]{5}`)
	f("ALICE", `[A-Z]{5}`)
	f("Alice", `[a-zA-Z]{5}`)
	f("x9z", `[a-z0-9]{3}`)
	f("4711", `[0-9]{4}`)
	f("deadbeef01", `[0-9a-f]{10}`)
	f("DEADBEEF01", `[0-9A-F]{10}`)
	f("0123456789abcdef0123456789abcdef01234567", `[0-9a-f]{40}`)
	f("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0NzExIn0.s3cr3t", `[0-9a-zA-Z]{20}\.[0-9a-zA-Z]{19}\.[0-9a-zA-Z]{6}`)
	f("how to fly", `[a-z]{3} [a-z]{2} [a-z]{3}`)
	f("Zürich", `[A-Z][À-ɏ][a-z]{4}`)
	f("北京路", `\p{Han}{3}`)
	f("a\x00b\nc", `[a-z] [a-z] [a-z]`)
	f("-71.3851602", `-[0-9]{2}\.[0-9]{7}`)
	f("<script>", `<[a-z]{6}>`)
	f(`{"id":4711,"n":[0.5,-12]}`, `\{"[a-z]{2}":[1-9]\d{3},"[a-z]":\[\d\.\d,-[1-9]\d\]\}`)
	f("\xfcber", `(?s).[a-z]{3}`)
}

// Words that can be counted never merge within their class; here the whole class of each length.
func TestWordsAreInjective(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	seen := make(map[string]bool)
	var walk func(word []byte, depth int)
	walk = func(word []byte, depth int) {
		if len(word) > 0 {
			out := string(m.AppendText(nil, word))
			if len(out) != len(word) || seen[out] {
				t.Fatalf("pseudonym of a word of %d letters has another length or is taken", len(word))
			}
			seen[out] = true
		}
		if depth == 0 {
			return
		}
		for c := byte('a'); c <= 'z'; c++ {
			walk(append(word, c), depth-1)
		}
	}
	walk(nil, 3)
	if want := 26 + 26*26 + 26*26*26; len(seen) != want {
		t.Errorf("%d pseudonyms, want %d", len(seen), want)
	}
}

func TestWordClassesDoNotMeet(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringMatching(`[a-f0-9A-Fxyz]{1,12}`).Draw(t, "a")
		b := rapid.StringMatching(`[a-f0-9A-Fxyz]{1,12}`).Draw(t, "b")
		x, y := string(m.AppendText(nil, []byte(a))), string(m.AppendText(nil, []byte(b)))
		if (a == b) != (x == y) {
			t.Fatalf("%q and %q became %q and %q", a, b, x, y)
		}
	})
}

// Whatever comes in: the length stays, valid stays valid, and no run of letters and digits survives.
func FuzzText(f *testing.F) {
	for _, s := range []string{"alice", "a b", "\xff\xfe", "ü", "日本", "1.2.3.4", "%41", "", "\x00\x01", strings.Repeat("a", 300)} {
		f.Add([]byte(s))
	}
	m := pseudonym.NewMapper(master(1), "id")
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, out := range [][]byte{m.AppendText(nil, in), m.AppendNoise(nil, in)} {
			if len(out) != len(in) {
				t.Fatalf("%d bytes became %d", len(in), len(out))
			}
			if utf8.Valid(in) != utf8.Valid(out) {
				t.Fatalf("UTF-8 validity changed: %v became %v", utf8.Valid(in), utf8.Valid(out))
			}
			for i := 0; i+16 <= len(in); i++ {
				if alnum(in[i:i+16]) && string(in[i:i+16]) == string(out[i:i+16]) {
					t.Fatalf("16 bytes at %d survived", i)
				}
			}
		}
	})
}

func alnum(s []byte) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return true
}

func TestNoiseLinksNothing(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	a, b := string(m.AppendNoise(nil, []byte("s3cret-one"))), string(m.AppendNoise(nil, []byte("q7xbzd-two")))
	if a != b {
		t.Errorf("two secrets of one layout became %q and %q: noise depends on the secret", a, b)
	}
	if len(a) != 10 || a[6] != '-' {
		t.Errorf("layout changed: %q", a)
	}
}

func TestMailAndUUIDForms(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	mail := string(m.AppendMail(nil, []byte("Alice.B+x@Corp.example.org")))
	if !regexp.MustCompile(`^[a-z2-7]{16}@example\.com$`).MatchString(mail) {
		t.Errorf("mail became %q", mail)
	}
	if again := string(m.AppendMail(nil, []byte("alice.b+x@corp.example.org"))); again != mail {
		t.Errorf("case changes the pseudonym of a mail: %q and %q", mail, again)
	}
	for _, in := range []string{"0a1b2c3d-1111-4222-8046-1234567ea002", "0A1B2C3D-1111-7222-B046-1234567EA002", "0a1b2c3d-1111-1222-c046-1234567ea002",
		"0a1b2c3d-1111-1222-7046-1234567ea002", "0a1b2c3d-1111-1222-e046-1234567ea002"} {
		out := string(m.AppendUUID(nil, []byte(in)))
		if out == in || len(out) != 36 || out[14] != in[14] || variant(out[19]) != variant(in[19]) {
			t.Errorf("%s became %s", in, out)
		}
		if strings.ToUpper(in) == in && strings.ToUpper(out) != out {
			t.Errorf("%s became %s: the case changed", in, out)
		}
		if lower := string(m.AppendUUID(nil, []byte(strings.ToLower(in)))); lower != strings.ToLower(out) {
			t.Errorf("case changes the pseudonym of a UUID: %s and %s", out, lower)
		}
	}
}

// variant is the number of leading ones of the digit, which tells the variant of RFC 9562.
func variant(c byte) int {
	switch d := strings.IndexByte("0123456789abcdef", strings.ToLower(string(c))[0]); {
	case d < 8:
		return 0
	case d < 12:
		return 1
	case d < 14:
		return 2
	}
	return 3
}

func TestHostsUnderOneDomainStayTogether(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	keep := func(label []byte) bool { return string(label) == "www" }
	f := func(in string) string { return string(m.AppendHost(nil, []byte(in), keep)) }
	site := f("shop.test")
	if !regexp.MustCompile(`^[a-z2-7]{10}\.example$`).MatchString(site) {
		t.Errorf("site became %q", site)
	}
	if got := f("www.shop.test"); got != "www."+site {
		t.Errorf("www became %q, site %q", got, site)
	}
	if got := f("Alice.Shop.test."); !strings.HasSuffix(got, "."+site) || strings.Contains(got, "alice") {
		t.Errorf("subdomain became %q, site %q", got, site)
	}
	if f("www.test") == "www."+f("test") || f("shop.com") == site {
		t.Error("the name itself was kept, or its top level was dropped")
	}
}

// Another entity, or another key, gives unrelated pseudonyms.
func TestKeysAndEntitiesSeparate(t *testing.T) {
	base, other, entity := pseudonym.NewMapper(master(1), "id"), pseudonym.NewMapper(master(2), "id"), pseudonym.NewMapper(master(1), "order")
	sameKey, sameEntity := 0, 0
	const n = 2000
	for i := range n {
		in := []byte{'1' + byte(i%9), '0' + byte(i/9%10), '0' + byte(i/90%10), '0' + byte(i/900%10), '7', '7', '7', '7'}
		a := string(base.AppendInt(nil, in))
		if a == string(other.AppendInt(nil, in)) {
			sameKey++
		}
		if a == string(entity.AppendInt(nil, in)) {
			sameEntity++
		}
	}
	if sameKey > 1 || sameEntity > 1 { // expected 2000/9e7
		t.Errorf("of %d ids %d are equal under another key and %d under another entity", n, sameKey, sameEntity)
	}
}

func TestForksAgreeAndAllocateNothing(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	f := m.Fork()
	values := []string{"4711", "1234567", "alice", "a-b-c", "0a1b2c3d-1111-4222-8046-1234567ea002", "Zürich", strings.Repeat("k9", 40)}
	var a, b []byte
	for _, v := range values {
		a, b = m.AppendText(a[:0], []byte(v)), f.AppendText(b[:0], []byte(v))
		if string(a) != string(b) {
			t.Errorf("forks differ on %q", v)
		}
	}
	in := make([][]byte, len(values))
	for i, v := range values {
		in[i] = []byte(v)
	}
	n := testing.AllocsPerRun(100, func() {
		for _, v := range in {
			a = m.AppendText(a[:0], v)
		}
		a = m.AppendMail(a[:0], []byte("bob@example.net"))
		a = m.AppendUUID(a[:0], in[4])
		a = m.AppendInt(a[:0], in[1])
		m.Sum(pseudonym.LabelUser, in[0], in[1])
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestSumSeparatesParts(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	a := *m.Sum(pseudonym.LabelUser, []byte("ab"), []byte("c"))
	b := *m.Sum(pseudonym.LabelUser, []byte("a"), []byte("bc"))
	c := *m.Sum(pseudonym.LabelClient, []byte("ab"), []byte("c"))
	if a == b || a == c {
		t.Error("two lists of parts, or two uses, have one sum")
	}
}

func BenchmarkText(b *testing.B) {
	m := pseudonym.NewMapper(master(1), "id")
	for name, in := range map[string]string{"word": "alice", "hex40": "0123456789abcdef0123456789abcdef01234567", "slug": "how-to-fly-with-a-kite"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(in)))
			var out []byte
			value := []byte(in)
			for b.Loop() {
				out = m.AppendText(out[:0], value)
			}
		})
	}
}

// Long texts are drawn run by run in their kinds, so that they cannot turn into a number or a plain word.
func TestLongTextsKeepTheirKinds(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	kinds := func(s string) (k string) {
		for _, run := range regexp.MustCompile(`[0-9A-Za-z]+|[^0-9A-Za-z]+`).FindAllString(s, -1) {
			for _, set := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
				k += fmt.Sprint(strings.ContainsAny(run, set), " ")
			}
		}
		return k
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringMatching(`[a1]{2,20}-[aB1]{1,4}-[fA1]{6,8}-[a1-]{0,60}`).Draw(t, "text")
		if out := string(m.AppendText(nil, []byte(in))); kinds(in) != kinds(out) {
			t.Fatalf("%s became %s", in, out)
		}
	})
}

// Values of a few runs never merge: small layouts as a whole, larger ones by some thousands.
func TestLayoutsAreInjective(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	f := func(name string, n int, value func(i int) string) {
		t.Helper()
		in, out := make(map[string]bool), make(map[string]bool)
		for i := range n {
			v := value(i)
			in[v], out[string(m.AppendText(nil, []byte(v)))] = true, true
		}
		if len(in) != len(out) {
			t.Errorf("%s: %d values have %d pseudonyms", name, len(in), len(out))
		}
	}
	letter := func(i int) string { return string(rune('a' + i%26)) }
	f("x-", 26, func(i int) string { return letter(i) + "-" })
	f("xy_", 676, func(i int) string { return letter(i) + letter(i/26) + "_" })
	f("1234.5", 90_000, func(i int) string { return fmt.Sprintf("%d.%d", 1000+i/10, i%10) })
	f("12-3456", 90_000, func(i int) string { return fmt.Sprintf("%d-%d", 10+i/9000, 1000+i%9000) })
	f("JSON", 9000, func(i int) string { return fmt.Sprintf(`{"id":%d}`, 1000+i) })
	f("a1-B2c", 20_000, func(i int) string {
		return fmt.Sprintf("%s%d-%s%dc", letter(i), i/26%10, strings.ToUpper(letter(i/260)), i/6760%10)
	})
	f("names of two Han characters", 20_000, func(i int) string { return string([]rune{0x4e00 + rune(i%200), 0x5000 + rune(i/200)}) })
	f("Latin-1", 104, func(i int) string { return string([]byte{0xe0 + byte(i%4), 'a' + byte(i/4)}) })
	f("a letter and an umlaut", 832, func(i int) string { return letter(i) + string(rune(0xe0+i/26)) })
}

func TestDates(t *testing.T) {
	m := pseudonym.NewMapper(master(1), "id")
	seen := make(map[string]bool)
	n := 0
	for day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 10_000; day = day.AddDate(0, 0, 1) {
		if y := day.Year(); (y < 1960 || y > 2080) && y%97 != 0 && y < 9990 {
			day = day.AddDate(0, 0, 27) // some of the far ones are enough
		}
		in := day.Format("2006.01.02")
		if len(in) != 10 {
			continue
		}
		out := string(m.AppendDate(nil, []byte(in)))
		at, err := time.Parse("2006.01.02", out)
		near := func(t time.Time) bool { return t.Year() >= 1970 && t.Year() < 2070 }
		if !pseudonym.IsDate([]byte(in)) || err != nil || near(at) != near(day) {
			t.Fatalf("%s became %s (%v)", in, out, err)
		}
		seen[out] = true
		n++
	}
	if len(seen) != n {
		t.Errorf("%d dates have %d pseudonyms", n, len(seen))
	}
	for _, bad := range []string{"2023-02-29", "2024-13-01", "2024-00-10", "2024-01-00", "2024-01.01", "2024101001", "20x4-01-01", "2024-1-1"} {
		if pseudonym.IsDate([]byte(bad)) {
			t.Errorf("%s is taken for a date", bad)
		}
	}
}
