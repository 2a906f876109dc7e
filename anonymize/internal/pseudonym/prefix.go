package pseudonym

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"net/netip"
)

// Prefix is the prefix-preserving permutation of addresses of draft-denis-ipcrypt (ipcrypt-pfx): two
// addresses that share n leading bits share n leading bits afterwards. It is not safe for concurrent use.
type Prefix struct {
	k1, k2 cipher.Block
	guard  bool
	block  [aes.BlockSize]byte
	e1, e2 [aes.BlockSize]byte
}

// NewPrefix returns the permutation for a key of 32 bytes with two different halves. With guard, a bit is left
// alone where a special block (RFC 6890) lies below it: special addresses stay as they are in kind,
// and no other address becomes special. 240/4 counts as public.
func NewPrefix(key []byte, guard bool) (*Prefix, error) {
	if len(key) != KeySize || string(key[:16]) == string(key[16:]) {
		return nil, errors.New("prefix key must be two different halves of 16 bytes")
	}
	k1, err := aes.NewCipher(key[:16])
	if err != nil {
		return nil, err
	}
	k2, err := aes.NewCipher(key[16:])
	if err != nil {
		return nil, err
	}
	return &Prefix{k1: k1, k2: k2, guard: guard}, nil
}

// Map maps an address. An IPv4-mapped IPv6 address is the IPv4 address. A zone is dropped.
func (p *Prefix) Map(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	in := a.As16()
	out := in
	first := 0
	p.block = [aes.BlockSize]byte{}
	p.block[15] = 1
	special := &special6
	if a.Is4() {
		first = 96
		special = &special4
		p.block = [aes.BlockSize]byte{3: 1, 14: 0xff, 15: 0xff} // the prefix ::ffff after its marker
	}
	node := 0
	for bit := first; bit < 128; bit++ {
		b := in[bit/8] >> (7 - bit%8) & 1
		frozen := p.guard && node >= 0 && (*special)[node].below
		if !frozen {
			out[bit/8] ^= p.flip() << (7 - bit%8)
		}
		p.shift(b)
		if p.guard && node >= 0 {
			if (*special)[node].leaf {
				node = -1 // inside a special block all bits are permuted freely
			} else {
				node = (*special)[node].next[b]
			}
		}
	}
	if a.Is4() {
		return netip.AddrFrom4([4]byte(out[12:]))
	}
	return netip.AddrFrom16(out)
}

// flip is the low bit of the two encryptions of the padded prefix.
func (p *Prefix) flip() byte {
	p.k1.Encrypt(p.e1[:], p.block[:])
	p.k2.Encrypt(p.e2[:], p.block[:])
	return (p.e1[15] ^ p.e2[15]) & 1
}

// shift moves the padded prefix left by one bit and adds b.
func (p *Prefix) shift(b byte) {
	for i := 0; i < 15; i++ {
		p.block[i] = p.block[i]<<1 | p.block[i+1]>>7
	}
	p.block[15] = p.block[15]<<1 | b
}
