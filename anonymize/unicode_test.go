package anonymize_test

import (
	"net/url"
	"testing"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"reprise/ingest"
)

// A letter with its accent is one text, whether one rune or two, and however it is encoded.
func TestUnicodeForms(t *testing.T) {
	a := anonymizer(t, 1)
	f := func(want string, forms ...string) {
		t.Helper()
		whole := target(t, a, "/search?q="+want)
		for _, in := range forms {
			if got := target(t, a, "/search?q="+in); got != whole {
				t.Errorf("%s became %s, %s became %s", want, whole, in, got)
			}
		}
	}
	f("Ren%C3%A9+Legrand", "Rene%CC%81+Legrand")
	f("%ED%95%9C", "%E1%84%92%E1%85%A1%E1%86%AB") // a syllable of Hangul, and its three letters
	f("stra%C3%9Fe", "stra%C3%9Fe")
	if one, two := target(t, a, "/search?q=Ren%25C3%25A9"), target(t, a, "/search?q=Rene%25CC%2581"); one != two {
		t.Errorf("encoded twice, one became %s, the other %s", one, two)
	}
	user := func(name string) *ingest.Record {
		r := get("/")
		r.User = []byte(name)
		return r
	}
	if one, two := clean(t, a, user("Ren\u00e9")).User, clean(t, a, user("Rene\u0301")).User; one != two {
		t.Errorf("one user has the pseudonyms %s and %s", one, two)
	}
	if one, two := clean(t, a, user("Ren\u00e9")).User, clean(t, a, user("Rene")).User; one == two {
		t.Errorf("two users have the pseudonym %s", one)
	}
}

// Whatever the text, all its normal forms that have one composed form become the same.
func TestNormalFormsAgree(t *testing.T) {
	a := anonymizer(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		text := norm.NFC.String(rapid.StringN(1, 12, 60).Draw(t, "text"))
		want := target(t, a, "/search?q="+url.QueryEscape(text))
		if got := target(t, a, "/search?q="+url.QueryEscape(norm.NFD.String(text))); got != want {
			t.Fatalf("composed %s, decomposed %s", want, got)
		}
	})
}
