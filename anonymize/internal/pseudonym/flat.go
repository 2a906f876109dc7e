package pseudonym

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"net/netip"
)

// Flat is a permutation of addresses that keeps no subnets: each special block (RFC 6890) is permuted within itself, and
// all public addresses among themselves, 240/4 with them. It is not safe for concurrent use.
type Flat struct {
	bits bitPerm
}

// NewFlat returns the permutation for a key of 32 bytes.
func NewFlat(key []byte) (*Flat, error) {
	p, err := newBitPerm(key)
	return &Flat{bits: p}, err
}

// Map maps an address. An IPv4-mapped IPv6 address is the IPv4 address. A zone is dropped.
func (f *Flat) Map(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if block := specialBlock(a); block.IsValid() {
		return f.bits.apply(a, block.Bits())
	}
	for {
		if a = f.bits.apply(a, 0); !specialBlock(a).IsValid() {
			return a
		}
	}
}

// Docs maps all addresses to 240.0.0.0/4 and 2001:db8::/32, where nobody lives. Two of n IPv4 addresses become the same
// with a probability of n*n/2^29. It is not safe for concurrent use.
type Docs struct {
	bits bitPerm
}

// NewDocs returns the map for a key of 32 bytes.
func NewDocs(key []byte) (*Docs, error) {
	p, err := newBitPerm(key)
	return &Docs{bits: p}, err
}

// Map maps an address. An IPv4-mapped IPv6 address is the IPv4 address. A zone is dropped.
func (d *Docs) Map(a netip.Addr) netip.Addr {
	a = d.bits.apply(a.Unmap().WithZone(""), 0)
	if a.Is4() {
		b := a.As4()
		b[0] |= 0xf0
		return netip.AddrFrom4(b)
	}
	b := a.As16()
	copy(b[:], []byte{0x20, 0x01, 0x0d, 0xb8})
	return netip.AddrFrom16(b)
}

// specialBlocks are all special blocks. Mapped addresses are one, so that no IPv6 address becomes an IPv4 one.
var specialBlocks = func() (blocks []netip.Prefix) {
	for _, text := range append(append([]string{"::ffff:0:0/96"}, specialBlocks4...), specialBlocks6...) {
		blocks = append(blocks, netip.MustParsePrefix(text))
	}
	return blocks
}()

// specialBlock is the block that has a, the zero Prefix if none has.
func specialBlock(a netip.Addr) netip.Prefix {
	for _, b := range specialBlocks {
		if b.Contains(a) {
			return b
		}
	}
	return netip.Prefix{}
}

// bitPerm permutes the low bits of addresses: a Feistel network of two halves that differ by at most one bit, with AES-256 as
// the round function, as in feistel but for domains up to 2^128.
type bitPerm struct {
	block  cipher.Block
	domain [8]byte // of the permutation at hand
	buf    [aes.BlockSize]byte
}

func newBitPerm(key []byte) (p bitPerm, err error) {
	if len(key) != KeySize {
		return p, errors.New("address key must have 32 bytes")
	}
	p.block, err = aes.NewCipher(key)
	return p, err
}

// Rounds of the network; small domains are easier to attack.
const (
	wideRounds   = 10
	narrowRounds = 24
	wideBits     = 20
)

// apply permutes the addresses that share the first fixed bits with a.
func (p *bitPerm) apply(a netip.Addr, fixed int) netip.Addr {
	free := a.BitLen() - fixed
	if free == 0 {
		return a
	}
	rounds := wideRounds
	if free < wideBits {
		rounds = narrowRounds
	}
	in := a.As16()
	p.setDomain(in, a.BitLen(), fixed)
	hi, lo := binary.BigEndian.Uint64(in[:8]), binary.BigEndian.Uint64(in[8:])
	right := free / 2
	left := free - right
	l, r := shiftRight(hi, lo, right)&mask(left), lo&mask(right)
	for i := range rounds { // an even number, so that the halves have their widths again
		l, r = r, (l^p.round(i, r))&mask(left)
		left, right = right, left
	}
	hi, lo = replaceBits(hi, lo, r, right, 0)
	hi, lo = replaceBits(hi, lo, l, left, right)
	binary.BigEndian.PutUint64(in[:8], hi)
	binary.BigEndian.PutUint64(in[8:], lo)
	if a.Is4() {
		return netip.AddrFrom4([4]byte(in[12:]))
	}
	return netip.AddrFrom16(in)
}

// mask has n low bits set, n up to 64.
func mask(n int) uint64 { return 1<<n - 1 }

// shiftRight is the low half of 128 bits shifted right by n, n up to 64.
func shiftRight(hi, lo uint64, n int) uint64 { return lo>>n | hi<<(64-n) }

// replaceBits puts width bits of v in place of those from bit at on, both up to 64.
func replaceBits(hi, lo, v uint64, width, at int) (uint64, uint64) {
	lo = lo&^(mask(width)<<at) | v<<at
	return hi&^(mask(width)>>(64-at)) | v>>(64-at), lo
}

// setDomain fills the part of the round function's input that names the permutation: no two special blocks of one
// family have the same first 32 bits and length.
func (p *bitPerm) setDomain(in [16]byte, all, fixed int) {
	prefix := binary.BigEndian.Uint32(in[:4])
	if all == 32 {
		prefix = binary.BigEndian.Uint32(in[12:])
	}
	if fixed < 32 {
		prefix &^= 1<<(32-fixed) - 1
	}
	p.domain = [8]byte{4: byte(fixed), 5: byte(all)}
	binary.BigEndian.PutUint32(p.domain[:4], prefix)
}

func (p *bitPerm) round(i int, half uint64) uint64 {
	binary.BigEndian.PutUint64(p.buf[:8], half)
	copy(p.buf[8:], p.domain[:])
	p.buf[15] = byte(i)
	p.block.Encrypt(p.buf[:], p.buf[:])
	return binary.BigEndian.Uint64(p.buf[:8])
}
