package endpoint_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"reprise/anonymize/endpoint"
)

func TestClientHash(t *testing.T) {
	f := func(same bool, a, b string) {
		t.Helper()
		if got := endpoint.ClientHash([]byte(a)) == endpoint.ClientHash([]byte(b)); got != same {
			t.Errorf("%s and %s: one client is %v", a, b, got)
		}
	}
	f(true, "2a02:810a:7700:42::1", "2a02:810a:7700:42:a1b2:c3d4:e5f6:1")
	f(true, "2a02:810a:7700:42::1", "2a02:810a:7700:43::1") // another network of the same /56
	f(true, "2a02:810a:7700:42::1", "[2A02:810A:7700:42::7]:443")
	f(true, "fe80::1%eth0", "fe80::2")
	f(false, "2a02:810a:7700:42::1", "2a02:810a:7700:142::1")
	f(true, "241.7.9.200", "::ffff:241.7.9.200")
	f(true, "241.7.9.200", "241.7.9.200:16852")
	f(false, "241.7.9.200", "241.7.9.201")
	f(false, "::ffff:241.7.9.200", "::ffff:241.7.9.201")
	f(true, "dialup.example", "dialup.example")
	f(false, "dialup.example", "dialup2.example")
	f(false, "", "-")
}

// What is an IPv4 address is net/netip's to say.
func TestClientHashOfQuads(t *testing.T) {
	texts := rapid.OneOf(rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3}){3}`), rapid.StringMatching(`(0|[1-9][0-9]?|1[0-9]{2})(\.(0|[1-9][0-9]?|2[0-5]{2})){3}`),
		rapid.StringMatching(`[0-9.]{0,16}`))
	rapid.Check(t, func(t *rapid.T) {
		s := texts.Draw(t, "client")
		want := xxhash.Sum64String(s)
		if addr, err := netip.ParseAddr(s); err == nil {
			want = xxhash.Sum64(addr.AsSlice())
		}
		if got := endpoint.ClientHash([]byte(s)); got != want {
			t.Errorf("%q: %x, want %x", s, got, want)
		}
	})
}

func TestClientHashNeverAllocates(t *testing.T) {
	clients := [][]byte{[]byte("241.7.9.200"), []byte("2a02:810a:7700:42::1"), []byte("[2a02:810a::1]:443"), []byte("dialup.example"), nil}
	if n := testing.AllocsPerRun(100, func() {
		for _, c := range clients {
			endpoint.ClientHash(c)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkClientHash(b *testing.B) {
	b.ReportAllocs()
	client := []byte("2a02:810a:7700:42:a1b2:c3d4:e5f6:1")
	b.SetBytes(int64(len(client)))
	for b.Loop() {
		endpoint.ClientHash(client)
	}
}

// One person with forty addresses of one network makes no vocabulary.
func TestPrivacyAddressesAreOneClient(t *testing.T) {
	l := endpoint.NewLearner()
	for i := range 100 {
		l.AddTarget([]byte("/api"), endpoint.ClientHash(fmt.Appendf(nil, "241.0.0.%d", i)), 200)
	}
	for i := range 40 {
		l.AddTarget([]byte("/kowalski?kowalski=1"), endpoint.ClientHash(fmt.Appendf(nil, "2a02:810a:7700:42::%x", i)), 200)
	}
	set := l.Set()
	if got := set.Match([]byte("/kowalski")).Pattern; got != "/{word}" {
		t.Errorf("the name's template is %s", got)
	}
	if set.KeepsKey([]byte("kowalski")) {
		t.Error("the name is a query key")
	}
}
