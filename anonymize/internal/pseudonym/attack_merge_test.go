package pseudonym_test

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"testing"

	"reprise/anonymize/internal/pseudonym"
)

// merged is how many of the values are equal to another one before them.
func merged(values []uint64) int {
	slices.Sort(values)
	return len(values) - len(slices.Compact(values))
}

// An HMAC cut to the width of an id merges users, as many as the birthday paradox says; a permutation merges none.
func TestAttackMergesUsers(t *testing.T) {
	const users = samples
	mapper := pseudonym.NewMapper(slices.Repeat([]byte{7, 8}, 16), "id")
	mac := keyed("key")
	for _, digits := range []int{7, 8, 9, 11} {
		low := uint64(math.Pow10(digits - 1))
		size := 9 * low // without a leading zero
		step := size / users
		cut, permuted := make([]uint64, 0, users), make([]uint64, 0, users)
		var id, out []byte
		for i := range uint64(users) {
			id = strconv.AppendUint(id[:0], low+i*step, 10)
			cut = append(cut, binary.BigEndian.Uint64(mac(id))%size)
			out = mapper.AppendInt(out[:0], id)
			v, err := strconv.ParseUint(string(out), 10, 64)
			if err != nil || len(out) != digits {
				t.Fatalf("%s became %q, %v", id, out, err)
			}
			permuted = append(permuted, v)
		}
		lost, kept := merged(cut), merged(permuted)
		// Of n values drawn from m, m(1-(1-1/m)^n) are different.
		m := float64(size)
		want := users + m*math.Expm1(users*math.Log1p(-1/m))
		if math.Abs(float64(lost)-want) > 5*math.Sqrt(want) {
			t.Errorf("%d digits: HMAC merged %d of %d users, %.0f are expected", digits, lost, users, want)
		}
		if kept != 0 {
			t.Errorf("%d digits: the permutation merged %d users", digits, kept)
		}
		t.Logf("%2d digits: %6d of %d users merged by HMAC, %d by the permutation", digits, lost, users, kept)
	}
}

// cryptoPAn is the prefix-preserving scheme of Xu, Fan, Ammar and Moon (2002), for IPv4: the flip of a bit is the top
// bit of AES over the bits before it, filled up from a pad.
type cryptoPAn struct {
	block cipher.Block
	pad   uint32
	rest  [aes.BlockSize]byte
}

func newCryptoPAn(t *testing.T, key []byte) *cryptoPAn {
	t.Helper()
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		t.Fatal(err)
	}
	c := &cryptoPAn{block: block}
	block.Encrypt(c.rest[:], key[16:])
	c.pad = binary.BigEndian.Uint32(c.rest[:])
	return c
}

func (c *cryptoPAn) apply(a netip.Addr) netip.Addr {
	in4 := a.As4()
	in, flips := binary.BigEndian.Uint32(in4[:]), uint32(0)
	var block, out [aes.BlockSize]byte
	for i := range 32 {
		block = c.rest
		prefix := uint32(math.MaxUint32 << (32 - i))
		binary.BigEndian.PutUint32(block[:], in&prefix|c.pad&^prefix)
		c.block.Encrypt(out[:], block[:])
		flips |= uint32(out[0]>>7) << (31 - i)
	}
	binary.BigEndian.PutUint32(in4[:], in^flips)
	return netip.AddrFrom4(in4)
}

// The addresses of the authors' sample trace.
func TestCryptoPAnVectors(t *testing.T) {
	c := newCryptoPAn(t, []byte{21, 34, 23, 141, 51, 164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16,
		216, 152, 143, 131, 121, 121, 101, 39, 98, 87, 76, 45, 42, 132, 34, 2})
	for in, want := range map[string]string{"24.5.0.80": "100.9.15.210", "128.11.68.132": "135.242.180.132", "192.102.249.13": "252.138.62.131",
		"209.68.60.238": "226.184.220.233", "4.3.88.225": "124.60.155.63", "64.34.154.117": "0.221.154.117"} {
		if got := c.apply(netip.MustParseAddr(in)); got.String() != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

// Crypto-PAn leaves the last octet of every eighth address as it is, or inverts all of its bits: neighbouring bits are
// flipped alike, because the pad makes their blocks alike. The permutation in use does so by chance only, with 2 of 256.
func TestAttackReadsLastOctets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const keys, addresses = 16, 20_000
	var pan, pfx float64
	for range keys {
		var key [32]byte
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		c := newCryptoPAn(t, key[:])
		p, err := pseudonym.NewPrefix(key[:], true)
		if err != nil {
			t.Fatal(err)
		}
		for range addresses {
			a := netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, r.Uint32())))
			pan += readable(a, c.apply(a))
			pfx += readable(a, p.Map(a))
		}
	}
	pan, pfx = pan/keys/addresses, pfx/keys/addresses
	t.Logf("%.1f %% of addresses keep or invert their last octet under Crypto-PAn, %.2f %% under ipcrypt-pfx with guard", 100*pan, 100*pfx)
	if pan < 0.11 || pan > 0.15 {
		t.Errorf("Crypto-PAn: %.4f", pan)
	}
	if math.Abs(pfx-2./256) > 0.001 {
		t.Errorf("ipcrypt-pfx: %.4f", pfx)
	}
}

// readable is 1 if the last octet of an address tells that of the other.
func readable(a, b netip.Addr) float64 {
	if x := a.As4()[3] ^ b.As4()[3]; x == 0 || x == 0xff {
		return 1
	}
	return 0
}
