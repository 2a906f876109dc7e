package pseudonym

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
)

// Perm is a permutation of the integers from 0 to Size-1. A Perm is not safe for concurrent use.
type Perm interface {
	// Size is the number of integers permuted, at least 1.
	Size() uint64
	// Apply maps x, which must be below Size.
	Apply(x uint64) uint64
}

// maxTable is the largest domain that is permuted by a table.
const maxTable = 100_000

// NewPerm returns the keyed permutation of 0..size-1. The key has 32 bytes. Up to 100,000 values it is
// one cycle through all of them (Sattolo 1986), so that no value stays itself; above, a Feistel network.
func NewPerm(key []byte, size uint64) Perm {
	if size <= maxTable {
		return newTable(key, size)
	}
	return newFeistel(key, size)
}

// feistel is the generalised Feistel network over a x b of Black and Rogaway, "Ciphers with arbitrary
// finite domains" (2002), with AES-256 as the round function. Where size has divisors near its root the
// product is exact; elsewhere a*b is larger by less than a, and the rare result beyond size is mapped again.
type feistel struct {
	block  cipher.Block
	size   uint64
	a, b   uint64
	rounds int
	buf    [aes.BlockSize]byte
}

func newFeistel(key []byte, size uint64) *feistel {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("pseudonym: key of a wrong length")
	}
	f := &feistel{block: block}
	f.resize(size)
	f.a, f.b = factor(size)
	return f
}

// resize makes f the permutation of another domain, without the search for divisors.
func (f *feistel) resize(size uint64) {
	f.size, f.rounds = size, 10
	if size < 1_000_000 {
		f.rounds = 24 // small domains are easier to attack: NIST SP 800-38G asks for 10^6
	}
	f.a = isqrt(size)
	f.b = (size + f.a - 1) / f.a
}

// factor finds a <= b with a*b >= size: the divisor of the form 2^i 3^j 5^k nearest below the root if one is within a
// quarter of it, else the root itself.
func factor(size uint64) (a, b uint64) {
	root := isqrt(size)
	best := uint64(0)
	for i := uint64(1); i <= root; i *= 2 {
		for j := i; j <= root; j *= 3 {
			for k := j; k <= root; k *= 5 {
				if size%k == 0 && k > best {
					best = k
				}
			}
		}
	}
	if best >= root/4 {
		return best, size / best
	}
	return root, (size + root - 1) / root
}

func isqrt(n uint64) uint64 {
	r := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for r*r > n || r > 1<<32-1 {
		r = (r + n/r) / 2
	}
	return r
}

func (f *feistel) Size() uint64 { return f.size }

func (f *feistel) Apply(x uint64) uint64 {
	for {
		if x = f.once(x); x < f.size {
			return x
		}
	}
}

func (f *feistel) once(x uint64) uint64 {
	l, r := x%f.a, x/f.a
	for i := range f.rounds {
		mod := f.a
		if i%2 == 1 {
			mod = f.b
		}
		l, r = r, (l+f.round(i, r, mod))%mod
	}
	return f.a*r + l
}

// round is 128 bits of AES over the round, the domain and one half, modulo mod. The size is part of the
// block, so that one key serves all domains.
func (f *feistel) round(i int, half, mod uint64) uint64 {
	binary.BigEndian.PutUint64(f.buf[:8], half)
	binary.BigEndian.PutUint64(f.buf[8:], f.size)
	f.buf[0] = byte(i) // halves are below 2^56
	f.block.Encrypt(f.buf[:], f.buf[:])
	hi, lo := binary.BigEndian.Uint64(f.buf[:8]), binary.BigEndian.Uint64(f.buf[8:])
	return bits.Rem64(hi, lo, mod)
}
