package pseudonym_test

import (
	"net/netip"
	"slices"
	"testing"

	"reprise/anonymize/internal/pseudonym"

	"pgregory.net/rapid"
)

func flat(t testing.TB) *pseudonym.Flat {
	t.Helper()
	p, err := pseudonym.NewFlat(pseudonym.Subkey(master(1), "address", "flat"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func docs(t testing.TB) *pseudonym.Docs {
	t.Helper()
	p, err := pseudonym.NewDocs(pseudonym.Subkey(master(1), "address", "docs"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAddressKeysAreChecked(t *testing.T) {
	if _, err := pseudonym.NewFlat(make([]byte, 16)); err == nil {
		t.Error("a short key was taken")
	}
	if _, err := pseudonym.NewDocs(nil); err == nil {
		t.Error("no key was taken")
	}
}

func TestFlatKeepsSpecialBlocks(t *testing.T) {
	p := flat(t)
	f := func(a netip.Addr) {
		if got, want := class(p.Map(a)), class(a); got != want {
			t.Errorf("%s is %s, its pseudonym is %s", a, want, got)
		}
	}
	for _, b := range special {
		f(b.Addr())
		for _, a := range []netip.Addr{b.Addr().Prev(), b.Addr().Next()} {
			if a.IsValid() {
				f(a)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address")
		for _, a := range []netip.Addr{netip.AddrFrom4([4]byte(bytes[:4])), netip.AddrFrom16([16]byte(bytes))} {
			if got, want := class(p.Map(a)), class(a.Unmap()); got != want {
				t.Fatalf("%s is %s, its pseudonym is %s", a, want, got)
			}
		}
	})
}

// Every address of the smaller blocks, and many public ones of each family.
func TestFlatIsOneToOne(t *testing.T) {
	t.Parallel()
	p := flat(t)
	f := func(name string, n int, at func(i int) netip.Addr) {
		t.Helper()
		out, same := make([]netip.Addr, n), 0
		for i := range n {
			if out[i] = p.Map(at(i)); out[i] == at(i) {
				same++
			}
		}
		slices.SortFunc(out, netip.Addr.Compare)
		if got := len(slices.Compact(out)); got != n {
			t.Errorf("%s: %d addresses have %d pseudonyms", name, n, got)
		}
		if same > 8 { // one is expected, Poisson
			t.Errorf("%s: %d of %d addresses kept themselves", name, same, n)
		}
	}
	f("192.0.2.0/24", 1<<8, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, byte(i)}) })
	f("192.168.0.0/16", 1<<16, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 168, byte(i >> 8), byte(i)}) })
	f("198.18.0.0/15", 1<<17, func(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 18 | byte(i>>16), byte(i >> 8), byte(i)}) })
	f("public", samples, func(i int) netip.Addr {
		return netip.AddrFrom4([4]byte{241 + byte(i&1)*2, byte(i >> 17), byte(i >> 9), byte(i >> 1)})
	})
	f("public, IPv6", samples, func(i int) netip.Addr {
		return netip.AddrFrom16([16]byte{0x2a, byte(i >> 16), 3: byte(i >> 8), 15: byte(i)})
	})
}

// Neighbours share no prefix but by chance.
func TestFlatKeepsNoSubnets(t *testing.T) {
	p := flat(t)
	const n = 4096
	shared := 0
	for i := range n {
		a := netip.AddrFrom4([4]byte{241, 7, byte(i >> 7), byte(i << 1)})
		if common(p.Map(a), p.Map(a.Next()))-96 >= 8 {
			shared++
		}
	}
	if shared > 60 { // 16 are expected, some more as public space is not all of it
		t.Errorf("%d of %d neighbours share eight bits", shared, n)
	}
}

func TestDocsLiesInDocumentation(t *testing.T) {
	p := docs(t)
	four, six := netip.MustParsePrefix("240.0.0.0/4"), netip.MustParsePrefix("2001:db8::/32")
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address")
		if a := p.Map(netip.AddrFrom4([4]byte(bytes[:4]))); !four.Contains(a) {
			t.Fatalf("an IPv4 address became %s", a)
		}
		if a := netip.AddrFrom16([16]byte(bytes)); !a.Is4In6() && !six.Contains(p.Map(a)) {
			t.Fatalf("%s became %s", a, p.Map(a))
		}
	})
	if p.Map(netip.MustParseAddr("::ffff:198.50.3.4")) != p.Map(netip.MustParseAddr("198.50.3.4")) {
		t.Error("a mapped address has another pseudonym")
	}
	seen := make(map[netip.Addr]bool)
	const n = 1 << 16
	for i := range n {
		seen[p.Map(netip.AddrFrom4([4]byte{241, 7, byte(i >> 8), byte(i)}))] = true
	}
	if merged := n - len(seen); merged > 40 { // n*n/2^29 = 8 expected
		t.Errorf("%d of %d addresses merged", merged, n)
	}
}

func TestAddressMapsAllocateNothing(t *testing.T) {
	p, d := flat(t), docs(t)
	a, b := netip.MustParseAddr("241.7.9.200"), netip.MustParseAddr("2a02:810a::5")
	if n := testing.AllocsPerRun(100, func() {
		p.Map(a)
		p.Map(b)
		d.Map(a)
		d.Map(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFlat(b *testing.B) { benchmarkMap(b, flat(b)) }

// benchmarkMap maps an address of each family over and over.
func benchmarkMap(b *testing.B, p interface{ Map(netip.Addr) netip.Addr }) {
	for _, text := range []string{"241.7.9.200", "2a02:810a:1:2:3:4:5:6"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			a := netip.MustParseAddr(text)
			for b.Loop() {
				p.Map(a)
			}
		})
	}
}
