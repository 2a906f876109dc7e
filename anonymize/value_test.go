package anonymize_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/trace"

	"pgregory.net/rapid"
)

// What JSON holds is replaced: keys that are vocabulary, words of JSON, white space and structure stay.
func TestJSONForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(in, form string) {
		t.Helper()
		got := queried(t, a, url.QueryEscape(in))
		if !regexp.MustCompile("^(?:"+form+")$").MatchString(got) || got == in && !strings.Contains(in, "true") {
			t.Errorf("%s became %s, want the form %s", in, got, form)
		}
	}
	f(`{"page":2}`, `\{"page":\d\}`)
	f(`{ "q" : "red shoes" , "x": [ ] }`, `\{ "q" : "[a-z]{3} [a-z]{5}" , "[a-z]": \[ \] \}`)
	f(`[true,false,null,{}]`, `\[true,false,null,\{\}\]`)
	f(`[0.25,-17,1e5,-2.5E-10]`, `\[\d\.[1-9]\d,-[1-9]\d,\de\d,-\d\.\dE-[1-9]\d\]`)
	f(`{"token":"s3cret","pin":4711,"code":-0.5}`, `\{"token":"[a-z0-9]{6}","[a-z]{3}":1000,"code":-1\.0\}`)
	f(`{"lat":52.5200066,"lng":"13.40"}`, `\{"lat":-?\d{1,2}\.\d{7},"lng":"-?\d{1,3}\.\d\d"\}`)
	f(`{"mail":"a@corp.example"}`, `\{"[a-z]{4}":"[a-z2-7]{16}@example\.com"\}|\{"mail":"[a-z2-7]{16}@example\.com"\}`)
	f(`"say \"hi\" \u00e9\ud83d\ude00"`, `"[a-z]{3} \\"[a-z]{2}\\" .{2}"`)
	f(`"{\"uid\":7654321}"`, `"\{\\"uid\\":[1-9]\d{6}\}"`)
	f(`{"uid":1,}`, `\{"[a-z]{3}":\d,\}`) // no JSON
	f(`{"uid":01}`, `\{"[a-z]{3}":0\d\}`)
}

// Whatever JSON comes in, JSON of the same structure comes out.
func TestJSONKeepsItsStructure(t *testing.T) {
	a := anonymizer(t, 1)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z]{1,8}( [a-z0-9]{1,4}){0,2}`), rapid.StringMatching(`[a-z]{3}@[a-z]{3}\.example`))
		leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return strings.ReplaceAll(s, "%", "") }), rapid.Map(rapid.Int64(), func(n int64) any { return json.Number(strconv.FormatInt(n, 10)) }),
			rapid.Just[any](true), rapid.Just[any](nil))
		if depth == 0 {
			return leaf
		}
		below := value(depth - 1)
		return rapid.OneOf(leaf, rapid.Map(rapid.SliceOfN(below, 0, 4), func(s []any) any { return s }),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`k[a-z]{6}`), below, 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(rt *rapid.T) {
		in := []any{value(4).Draw(rt, "value")}
		text, err := json.Marshal(in)
		if err != nil {
			rt.Fatal(err)
		}
		got := queried(t, a, url.QueryEscape(string(text)))
		var out []any
		if err := json.Unmarshal([]byte(got), &out); err != nil {
			rt.Fatalf("%s became %s: %v", text, got, err)
		}
		if shapeOfJSON(in) != shapeOfJSON(out) {
			rt.Fatalf("%s became %s", text, got)
		}
	})
}

// shapeOfJSON is the structure of a value without its keys and values.
func shapeOfJSON(v any) string {
	switch v := v.(type) {
	case []any:
		s := "["
		for _, x := range v {
			s += shapeOfJSON(x) + ","
		}
		return s + "]"
	case map[string]any:
		return fmt.Sprint("object of ", len(v))
	case json.Number, float64:
		return "number"
	}
	return fmt.Sprint(reflect.TypeOf(v))
}

// Values of a shape never merge, and do not meet those of another one: here all numbers of 12 digits that could be phone
// numbers, or cards, are among those that cannot.
func TestShapesDoNotMeet(t *testing.T) {
	a := anonymizer(t, 1)
	seen := make(map[string]string)
	for i := range 30_000 {
		for _, in := range []string{fmt.Sprintf("0049%08d", i*3331), fmt.Sprintf("0000%08d", i*3331), fmt.Sprintf("User:%d", i), fmt.Sprintf("no %d", i),
			fmt.Sprintf("%d,%d", i%173, i), fmt.Sprintf("4000001%09d", i*7)} {
			got := queried(t, a, url.QueryEscape(in))
			if other, ok := seen[got]; ok && other != in && !(strings.HasPrefix(in, "4000001") && strings.HasPrefix(other, "4000001")) {
				t.Fatalf("%s and %s both became %s", in, other, got)
			}
			seen[got] = in
		}
	}
}

// escaped is a value as it stands in a query, without a + for spaces, which could be part of a mail address.
func escaped(value string) string { return strings.ReplaceAll(url.QueryEscape(value), "+", "%20") }

// A pseudonym has the shape of its value, so that mapping again until it does comes to an end.
func TestPseudonymsKeepTheirShape(t *testing.T) {
	a := anonymizer(t, 1)
	shape := func(value string) string {
		before := a.Stats().Replaced
		queried(t, a, escaped(value))
		for kind, n := range a.Stats().Replaced {
			if n > before[kind] && kind != "query_key" {
				return kind
			}
		}
		return ""
	}
	part := rapid.SampledFrom(strings.Split("a|b7|A|0|12|x9k|2024|v1|@|.|.|,|;|:|/|-|_|+|(|)|\"|{|}|[|]|\\| |\u00e9|\u5317|\xff|=|00|+49|4000|::|true|eyJ|abc.de|999", "|"))
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(part, 1, 9).Draw(rt, "value"), "")
		out := queried(t, a, escaped(in))
		if want, got := shape(in), shape(out); got != want {
			rt.Fatalf("%q is taken for %s, and its pseudonym %q for %s", in, want, out, got)
		}
	})
}

// What a value becomes does not depend on what came before, however deep it is packed: a deep one is opened less far than
// the same one alone, and the cache must not mix them up.
func TestCacheKnowsNoDepth(t *testing.T) {
	used, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{CacheEntries: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		forms := []string{rapid.StringMatching(`[a-z]{1,6}( [0-9]{1,4})?`).Draw(rt, "text")}
		for range rapid.IntRange(1, 7).Draw(rt, "layers") {
			inner := forms[len(forms)-1]
			switch rapid.IntRange(0, 2).Draw(rt, "layer") {
			case 0:
				inner = base64.RawURLEncoding.EncodeToString([]byte("text:" + inner))
			case 1:
				inner = fmt.Sprintf("[%q]", inner)
			default:
				inner = "see " + inner
			}
			forms = append(forms, inner)
		}
		fresh, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{CacheEntries: 1})
		if err != nil {
			rt.Fatal(err)
		}
		for _, i := range rapid.Permutation([]int{0, 1, 2, 3, 4, 5, 6, 7}).Draw(rt, "order") {
			if i < len(forms) {
				raw := "/search?k=" + url.QueryEscape(forms[i])
				if got, want := target(t, used, raw), target(t, fresh, raw); got != want {
					rt.Fatalf("%s became %s and %s", raw, got, want)
				}
			}
		}
	})
}

func TestOpenedValuesAllocateNothing(t *testing.T) {
	a := anonymizer(t, 1)
	var out trace.Record
	for _, raw := range opened {
		in := get("/search?k=" + url.QueryEscape(raw))
		if n := testing.AllocsPerRun(100, func() {
			if err := a.Record(in, &out); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", raw, n)
		}
	}
}

// opened are values of the shapes that are taken apart, too long for the cache or not.
var opened = []string{"User:7654321", "VXNlcjo3NjU0MzIx", `{"uid":7654321,"filter":{"color":["red","blue"],"mail":"a@corp.example","text":"a long text of some words"}}`,
	"a long text of some words, which is longer than what the cache has room for: 7654321 and so on", "4111 1111 1111 1111", "+86 138-0013-8000",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3NjU0MzIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "DE89370400440532013000", "1,2,3,4"}

func BenchmarkOpened(b *testing.B) {
	a := anonymizer(b, 1)
	var out trace.Record
	for _, raw := range opened {
		b.Run(raw[:min(12, len(raw))], func(b *testing.B) {
			in := get("/search?k=" + url.QueryEscape(raw))
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				if err := a.Record(in, &out); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLongTarget is a target of 60 kB whose signs move, as a mail address in it gets another length.
func BenchmarkLongTarget(b *testing.B) {
	a := anonymizer(b, 1)
	in := get("/search?k=" + strings.Repeat("a", 30_000) + "%20bob@corp.example%20" + strings.Repeat(".", 30_000))
	var out trace.Record
	b.ReportAllocs()
	b.SetBytes(int64(len(in.Target)))
	for b.Loop() {
		if err := a.Record(in, &out); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever bytes come in, in whatever they are packed, the target is printable ASCII, JSON stays JSON, and no six bytes of a
// canary survive in any layer.
func FuzzRecord(f *testing.F) {
	for _, s := range []string{"a", `","x":"`, " a@b.example ", "/7654321", "\xff\x00", "%2522", `\u00e9`, "==", "+1 202 555 0123"} {
		f.Add([]byte(s))
	}
	const canary = "Qx7vK2mW9pLz"
	a := anonymizer(f, 1)
	f.Fuzz(func(t *testing.T, in []byte) {
		var out trace.Record
		text := canary + string(in)
		quoted, err := json.Marshal(map[string]string{text: text})
		if err != nil {
			t.Fatal(err)
		}
		packed := base64.RawURLEncoding.EncodeToString([]byte(text))
		token := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString(quoted) + "."
		for _, value := range []string{text, string(in) + canary, string(in), string(quoted), packed, token} {
			for _, raw := range []string{"/search?k=" + value, "/search?k=" + url.QueryEscape(value), "/search?token=" + url.QueryEscape(value), "/files/" + url.PathEscape(value)} {
				r := get(raw)
				r.Client, r.User, r.Agent, r.Host, r.Referer = []byte(value), []byte(value), []byte(value), []byte(value), []byte(value)
				if a.Record(r, &out) != nil {
					continue
				}
				checkGone(t, string(out.Target)+" "+string(out.Client)+" "+out.Host+" "+out.Agent, canary)
			}
		}
		if got := queried(t, a, url.QueryEscape(string(quoted))); !json.Valid([]byte(got)) && !strings.Contains(text, "%") {
			t.Fatalf("%s became %s", quoted, got)
		}
	})
}

var packedForm = regexp.MustCompile(`[A-Za-z0-9_-]{8,}`)

// checkGone looks for six bytes of a canary in a text and in what its parts are base64 of.
func checkGone(t *testing.T, text, canary string) {
	t.Helper()
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Fatalf("%q has other than printable ASCII", text)
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		plain = text // a percent sign that is no escape stands for itself
	}
	layers := []string{text, plain}
	for _, part := range packedForm.FindAllString(plain, -1) {
		if b, err := base64.RawURLEncoding.DecodeString(part); err == nil {
			layers = append(layers, string(b))
		}
	}
	for _, layer := range layers {
		for i := 0; i+6 <= len(canary); i++ {
			if strings.Contains(layer, canary[i:i+6]) {
				t.Fatalf("six bytes of the canary survived in %q", layer)
			}
		}
	}
}
