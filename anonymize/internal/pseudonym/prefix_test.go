package pseudonym_test

import (
	"encoding/hex"
	"math/bits"
	"net/netip"
	"testing"

	"reprise/anonymize/internal/pseudonym"

	"pgregory.net/rapid"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The vectors of draft-denis-ipcrypt for ipcrypt-pfx, which knows no guard.
func TestPrefixVectors(t *testing.T) {
	f := func(key, in, want string) {
		t.Helper()
		p, err := pseudonym.NewPrefix(unhex(t, key), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Map(netip.MustParseAddr(in)); got != netip.MustParseAddr(want) {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	const k1 = "0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301"
	f(k1, "0.0.0.0", "151.82.155.134")
	f(k1, "255.255.255.255", "94.185.169.89")
	f(k1, "192.0.2.1", "100.115.72.131")
	f(k1, "2001:db8::1", "c180:5dd4:2587:3524:30ab:fa65:6ab6:f88")
	const k2 = "2b7e151628aed2a6abf7158809cf4f3ca9f5ba40db214c3798f2e1c23456789a"
	f(k2, "10.0.0.47", "19.214.210.244")
	f(k2, "10.0.0.129", "19.214.210.80")
	f(k2, "172.16.97.42", "210.78.179.241")
	f(k2, "2001:db8::a5c9:4e2f:bb91:5a7d", "7cec:702c:1243:f70:1956:125:b9bd:1aba")
}

func TestPrefixRefusesEqualHalves(t *testing.T) {
	if _, err := pseudonym.NewPrefix(make([]byte, 32), true); err == nil {
		t.Error("two equal halves make the identity and were taken")
	}
	if _, err := pseudonym.NewPrefix(make([]byte, 16), true); err == nil {
		t.Error("a short key was taken")
	}
}

func guarded(t testing.TB) *pseudonym.Prefix {
	t.Helper()
	p, err := pseudonym.NewPrefix(pseudonym.Subkey(master(1), "address", "pfx"), true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func common(a, b netip.Addr) int {
	x, y := a.As16(), b.As16()
	for i := range x {
		if d := x[i] ^ y[i]; d != 0 {
			return i*8 + bits.LeadingZeros8(d)
		}
	}
	return 128
}

func TestPrefixKeepsCommonPrefixes(t *testing.T) {
	p := guarded(t)
	rapid.Check(t, func(t *rapid.T) {
		a := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "address"))
		b := a
		bit := rapid.IntRange(0, 127).Draw(t, "bit")
		b[bit/8] ^= 0x80 >> (bit % 8)
		x, y := netip.AddrFrom16(a), netip.AddrFrom16(b)
		if rapid.Bool().Draw(t, "v4") {
			x, y = netip.AddrFrom4([4]byte(a[:4])), netip.AddrFrom4([4]byte(b[:4]))
		}
		if x.Is4In6() != y.Is4In6() {
			return // one of the two is an IPv4 address
		}
		if got, want := common(p.Map(x), p.Map(y)), common(x.Unmap(), y.Unmap()); got != want {
			t.Fatalf("%s and %s: common prefix %d, want %d", x, y, got, want)
		}
	})
}

// special blocks, independently of the package's own list: the first matching one names the class.
var special = func() (blocks []netip.Prefix) {
	for _, s := range []string{"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4",
		"::1/128", "::/128", "fc00::/7", "fe80::/10", "ff00::/8", "2001:db8::/32", "2002::/16"} {
		blocks = append(blocks, netip.MustParsePrefix(s))
	}
	return blocks
}()

func class(a netip.Addr) string {
	for _, p := range special {
		if p.Contains(a) {
			return p.String()
		}
	}
	return "public"
}

func TestPrefixKeepsSpecialBlocks(t *testing.T) {
	p := guarded(t)
	f := func(a netip.Addr) {
		if got, want := class(p.Map(a)), class(a); got != want {
			t.Errorf("%s is %s, its pseudonym is %s", a, want, got)
		}
	}
	for _, b := range special { // the edges of every block, and their neighbours
		f(b.Addr())
		if prev := b.Addr().Prev(); prev.IsValid() {
			f(prev)
		}
		last := b.Addr().As16()
		for i := range 128 {
			if i >= b.Bits()+128-b.Addr().BitLen() {
				last[i/8] |= 0x80 >> (i % 8)
			}
		}
		end := netip.AddrFrom16(last).Unmap()
		f(end)
		if next := end.Next(); next.IsValid() {
			f(next)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := netip.AddrFrom4([4]byte(rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")))
		if got, want := class(p.Map(a)), class(a); got != want {
			t.Fatalf("%s is %s, its pseudonym is %s", a, want, got)
		}
	})
}

// 240/4 is public space: logs that were made anonymous before use it, so it must be permuted, and within itself.
func TestPrefixPermutesClassE(t *testing.T) {
	p := guarded(t)
	same := 0
	const n = 1 << 14
	for i := range n {
		a := netip.AddrFrom4([4]byte{240 | byte(i), byte(i >> 4), byte(i * 7), byte(i >> 6)})
		b := p.Map(a)
		if b.As4()[0] < 240 {
			t.Fatalf("%s leaves 240/4: %s", a, b)
		}
		if a == b {
			same++
		}
	}
	if same > 3 {
		t.Errorf("%d of %d addresses kept themselves", same, n)
	}
}

func TestPrefixIsOneToOneWithinABlock(t *testing.T) {
	p := guarded(t)
	seen := make(map[netip.Addr]bool)
	for i := range 1 << 16 {
		seen[p.Map(netip.AddrFrom4([4]byte{10, 7, byte(i >> 8), byte(i)}))] = true
	}
	if len(seen) != 1<<16 {
		t.Errorf("65536 addresses have %d pseudonyms", len(seen))
	}
}

func TestPrefixMappedAddressIsTheIPv4One(t *testing.T) {
	p := guarded(t)
	a, b := p.Map(netip.MustParseAddr("::ffff:198.50.3.4")), p.Map(netip.MustParseAddr("198.50.3.4"))
	if a != b {
		t.Errorf("mapped %s, plain %s", a, b)
	}
}

func BenchmarkPrefix(b *testing.B) { benchmarkMap(b, guarded(b)) }
