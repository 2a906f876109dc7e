package anonymize_test

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"reprise/anonymize"
)

// queried is what the value of a query key that says nothing becomes, decoded until nothing changes.
func queried(t testing.TB, a *anonymize.Anonymizer, raw string) string {
	t.Helper()
	_, value, _ := strings.Cut(target(t, a, "/search?k="+raw), "=")
	return unescaped(t, value)
}

func unescaped(t testing.TB, value string) string {
	t.Helper()
	value, err := url.QueryUnescape(value)
	if err != nil {
		t.Fatalf("%q has a broken escape", value)
	}
	for range 3 {
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
	}
	return value
}

// The smallest inputs on which other tools are known to have failed, with what each must become.
func TestKnownFailures(t *testing.T) {
	a := anonymizer(t, 1)
	id := func(digits string) string {
		return regexp.QuoteMeta(strings.TrimPrefix(target(t, a, "/p/"+digits), "/p/"))
	}
	f := func(in, form string) {
		t.Helper()
		if got := target(t, a, in); !regexp.MustCompile("^(?:"+form+")$").MatchString(got) || got == in {
			t.Errorf("%s became %s, want the form %s", in, got, form)
		}
	}
	f("/search?order=10023456", `/search\?order=`+id("10023456"))
	f("/search?order=10023456", `/search\?order=[1-9]\d{7}`)
	f("/search?k=0a1b2c3d-1111-4222-8046-1234567ea002", `/search\?k=[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`)
	f("/search?t=1700000000004", `/search\?t=`+id("1700000000004"))
	f("/search?t=1700000000004", `/search\?t=[1-9]\d{12}`)
	f("/search?score=0.4111111111111111", `/search\?score=\d\.[1-9]\d{15}`)
	f("/files/20260101000004_x.sql", `/files/[1-9]\d{13}_[a-z]\.[a-z]{3}`)
	f("/search?q=1700000000000+ok", `/search\?q=`+id("1700000000000")+`\+[a-z]{2}`)
	f("/search?k=4111+1111+1111+1111", `/search\?k=4000\+00\d\d\+\d{4}\+\d{4}`)
	f("/search?k=4111-1111-1111-1111", `/search\?k=4000-00\d\d-\d{4}-\d{4}`)
	f("/search?k=4111%201111%201111%201111", `/search\?k=4000%2000\d\d%20\d{4}%20\d{4}`)
	f("/files/4111+1111+1111+1111", `/files/4000\+00\d\d\+\d{4}\+\d{4}`)
	f("/search?k=150000000000001", `/search\?k=`+id("150000000000001"))
	f("/search?k=110105194912310021", `/search\?k=`+id("110105194912310021")) // a case number: no check digit fits
	f("/search?k=11010519491231002X", `/search\?k=99\d{4}(19[3-9]\d|20[0-2]\d)\d{7}X`)
	f("/search?k=34052419800101001x", `/search\?k=99\d{4}(19[3-9]\d|20[0-2]\d)\d{7}x`)
	f("/search?k=10213912345678901", `/search\?k=`+id("10213912345678901")) // a serial number with a mobile number inside
	f("/search?%74oken=abc", `/search\?%74oken=[a-z0-9]{3}`)
	f("/search?apikey=zZyYxXwWvV", `/search\?[a-z]{6}=[a-z0-9]{10}`)
	f("/search?token=550e8400-e29b-41d4-a716-446655440000", `/search\?token=[a-z0-9]{8}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{12}`)
	if one, two := target(t, a, "/search?%74oken=abc"), target(t, a, "/search?%74oken=xyz"); one != two {
		t.Errorf("secrets under an encoded key become %s and %s: they are no noise", one, two)
	}
	for _, in := range []string{"//u@corp.example:pw@host.test/x", "http://u@corp.example:pw@host.test/x"} {
		if got := target(t, a, in); strings.Contains(got, "corp") || strings.Contains(got, "pw") || strings.Contains(got, "host") {
			t.Errorf("%s became %s", in, got)
		}
	}
}

// One mail address has one pseudonym in all forms in which it can be encoded.
func TestMailForms(t *testing.T) {
	a := anonymizer(t, 1)
	want := queried(t, a, "a.b@corp.example")
	if !regexp.MustCompile(`^[a-z2-7]{16}@example\.com$`).MatchString(want) {
		t.Fatalf("a mail address became %s", want)
	}
	for _, in := range []string{"a.b%40corp.example", "a.b%2540corp.example", "a.b%252540corp.example", "a.b\uff20corp.example", "a.b%EF%BC%A0corp.example",
		"A.B@Corp.EXAMPLE", "%61.b%40corp%2eexample", "%61%2e%62%40%63%6f%72%70%2e%65%78%61%6d%70%6c%65"} {
		if got := queried(t, a, in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	if got := queried(t, a, "write+to+a.b@corp.example,+please"); !strings.Contains(got, " "+want+", ") {
		t.Errorf("in a text the address became %s", got)
	}
}

// One phone number has one pseudonym in all its forms.
func TestPhoneForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(want string, forms ...string) {
		t.Helper()
		for _, in := range forms {
			got := strings.NewReplacer(" ", "", "-", "", "+", "").Replace(queried(t, a, in))
			if got = strings.TrimPrefix(got, "00"); got != want {
				t.Errorf("%s became %s, want %s", in, got, want)
			}
		}
	}
	number := strings.TrimPrefix(target(t, a, "/p/13800138000"), "/p/")
	f("86"+number, "+8613800138000", "%2B8613800138000", "008613800138000", "+86%20138-0013-8000", "%2B86+138+0013+8000")
	f(number, "13800138000", "138%30%30138000")
	f(strings.TrimPrefix(queried(t, a, "%2B36301234567"), "+"), "0036301234567", "+36-30-123-4567")
	if got := queried(t, a, "call+%2B8613800138000+now"); !strings.HasSuffix(got[:len(got)-4], " +86"+number) {
		t.Errorf("in a text the number became %s", got)
	}
	if got := target(t, a, "/search?k=+8613800138000"); got != "/search?k=+86"+number {
		t.Errorf("a plus sign became %s", got)
	}
}

// An address has one pseudonym with and without a port, which is told from the last group, and the port does not stay.
func TestAddressForms(t *testing.T) {
	a := anonymizer(t, 1)
	six, four := queried(t, a, "2001:db8::1"), queried(t, a, "192.0.2.1")
	for in, want := range map[string]string{"2001:db8::1:46824": six + ":0", "2001:db8:0:0:0:0:0:1:49225": six + ":0", "2001:db8:0:0:0:0:0:1:4922": six + ":0",
		"[2001:db8::1]:443": "[" + six + "]:0", "2001:DB8:0:0:0:0:0:1": six, "192.0.2.1:16852": four + ":0", "::ffff:192.0.2.1": four} {
		if got := queried(t, a, in); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
	for _, s := range []string{six, four} {
		if _, err := netip.ParseAddr(s); err != nil {
			t.Error(err)
		}
	}
}

// A text is opened and closed again in either alphabet of base64, with and without padding.
func TestBase64Forms(t *testing.T) {
	a := anonymizer(t, 1)
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		for _, plain := range []string{"sk_live_Qx7vK2mW9pLz", "id=7654321?>~~", "a.b@corp.example", "Zürich, Straße 7"} {
			in := enc.EncodeToString([]byte(plain))
			got := queried(t, a, url.QueryEscape(in))
			text, err := enc.DecodeString(got)
			if err != nil || string(text) == plain || strings.Contains(got, in[:6]) {
				t.Errorf("%s, which is %s, became %s, which is %s", in, plain, got, text)
				continue
			}
			if want := queried(t, a, url.QueryEscape(plain)); string(text) != want {
				t.Errorf("%s in base64 became %s, alone %s", plain, text, want)
			}
		}
	}
	for _, in := range []string{"QWxh", "abcdefghijkl", "AAAAAAAAAAAAAAAA", "VXNlcjo3NjU0MzIy=", "VXNlcjo3NjU0MzIxM", "VXNlcjo3NjU0MzI+_w"} {
		if got := queried(t, a, url.QueryEscape(in)); len(got) != len(in) || got == in {
			t.Errorf("%s, which is no base64 of a text, became %s", in, got)
		}
	}
}

// Property 5: one id has one pseudonym wherever it stands and whatever it is packed in.
func TestPackedIdsCorrelate(t *testing.T) {
	a := anonymizer(t, 1)
	id := strings.TrimPrefix(target(t, a, "/u/7654321"), "/u/")
	f := func(raw, suffix string) {
		t.Helper()
		if got := queried(t, a, raw); !strings.HasSuffix(got, suffix) {
			t.Errorf("%s became %s, want the end %s", raw, got, suffix)
		}
	}
	f("7654321", id)
	f("User:7654321", ":"+id)
	f("gid://shop/Product/7654321", "/"+id)
	f("/u/7654321", "/"+id)
	f("%7B%22uid%22:7654321%7D", ":"+id+"}")
	f(`{"uid":"7654321"}`, `:"`+id+`"}`)
	f(`[1,[7654321]]`, ","+"["+id+"]]")
	f("order+no.+7654321", " "+id)
	f("1,7654321", ","+id)
	text, err := base64.RawURLEncoding.DecodeString(queried(t, a, "VXNlcjo3NjU0MzIx"))
	if err != nil || !strings.HasSuffix(string(text), ":"+id) {
		t.Errorf("User:7654321 in base64 became %s (%v), want the end %s", text, err, id)
	}
}

// The claims of a token are replaced, and it is no longer valid.
func TestTokenClaims(t *testing.T) {
	a := anonymizer(t, 1)
	id := strings.TrimPrefix(target(t, a, "/u/7654321"), "/u/")
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	signature := "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	token := part(`{"alg":"HS256","typ":"JWT","kid":"annika-1"}`) + "." + part(`{"sub":"7654321","uid":7654321,"email":"A.B@corp.example","admin":true}`) + "." + signature
	for _, key := range []string{"k", "token", "access_token"} {
		_, got, _ := strings.Cut(target(t, a, "/search?"+key+"="+token), "=")
		parts := strings.Split(got, ".")
		if len(parts) != 3 || len(parts[2]) != len(signature) || parts[2] == signature {
			t.Errorf("a token at %s became %s", key, got)
			continue
		}
		var header, claims map[string]any
		for i, into := range []*map[string]any{&header, &claims} {
			plain, err := base64.RawURLEncoding.DecodeString(parts[i])
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(plain, into); err != nil {
				t.Fatal(err)
			}
		}
		if header["alg"] != "HS256" || header["typ"] != "JWT" || header["kid"] == "annika-1" || header["kid"] == nil {
			t.Errorf("the header became %v", header)
		}
		if claims["sub"] != id || len(claims) != 4 || strings.Contains(got, part("7654321")) {
			t.Errorf("the claims became %v, want the subject %s", claims, id)
		}
		if mail := queried(t, a, "a.b@corp.example"); !strings.Contains(strings.Join(values(claims), " "), mail) {
			t.Errorf("the claims became %v, want the mail %s", claims, mail)
		}
	}
	other := strings.Replace(token, signature, "xBjftJeZ4CVP1mB92K27uhbUJU1p1rqwW1gFWFOEjXk", 1)
	if target(t, a, "/search?k="+token) != target(t, a, "/search?k="+other) {
		t.Error("the signature links or tells something")
	}
}

// The header of a token keeps registered words only: another algorithm or type can be anything.
func TestTokenHeader(t *testing.T) {
	a := anonymizer(t, 1)
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	f := func(header, stays string, gone ...string) {
		t.Helper()
		parts := strings.Split(queried(t, a, part(header)+"."+part(`{"sub":"7654321"}`)+".c2lnbmF0dXJl"), ".")
		plain, err := base64.RawURLEncoding.DecodeString(parts[0])
		if err != nil || len(parts) != 3 || !json.Valid(plain) || !strings.Contains(string(plain), stays) {
			t.Errorf("%s became %s (%v), want %s in it", header, plain, err, stays)
		}
		for _, g := range gone {
			if strings.Contains(string(plain), g) {
				t.Errorf("%s became %s, which has %s", header, plain, g)
			}
		}
	}
	f(`{"alg":"ES256K","typ":"at+jwt"}`, `{"alg":"ES256K","typ":"at+jwt"}`)
	f(`{"alg":"annika@corp.test"}`, `"alg":"`, "annika", "corp")
	f(`{"alg":"none","typ":"13800138000"}`, `"alg":"none","typ":"`, "13800138000")
	f(`{"alg":"none","jwk":{"alg":["svensson"]}}`, `"alg":"none"`, "svensson")
}

func values(m map[string]any) (all []string) {
	for _, v := range m {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}
