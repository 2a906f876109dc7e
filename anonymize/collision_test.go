package anonymize_test

import (
	"testing"

	"github.com/cespare/xxhash/v2"
)

// Two session names whose XXH64 is one, as anybody can make them: what trusts the hash makes one user of two. The cache
// gives them one place, and the values decide.
func TestCollidingHashesStayApart(t *testing.T) {
	const one, other = "session-aaaaaaaa", "oeiaaaaarVo97FK9"
	if a, b := xxhash.Sum64String(one), xxhash.Sum64String(other); a != b || a != 0xfdb089b146613330 {
		t.Fatalf("the hashes are %x and %x", a, b)
	}
	want := map[string]string{} // of an anonymizer that has seen nothing else
	for _, v := range []string{one, other} {
		want[v] = target(t, anonymizer(t, 1), "/files/"+v)
	}
	if want[one] == want[other] {
		t.Fatalf("both became %s", want[one])
	}
	a := anonymizer(t, 1)
	for _, v := range []string{one, other, one, one, other, other, one} {
		if got := target(t, a, "/files/"+v); got != want[v] {
			t.Errorf("%s became %s, want %s", v, got, want[v])
		}
		if got := target(t, a, "/search?sid="+v); got == target(t, a, "/search?sid="+map[string]string{one: other, other: one}[v]) {
			t.Errorf("%s: %s is that of both", v, got)
		}
	}
	users := map[string]bool{}
	for _, v := range []string{one, other, one} {
		r := get("/")
		r.User = []byte(v)
		users[clean(t, a, r).User.String()] = true
	}
	if len(users) != 2 {
		t.Errorf("two users have %d identities", len(users))
	}
}
