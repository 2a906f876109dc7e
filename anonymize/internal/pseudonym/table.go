package pseudonym

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"math/bits"
)

// table is a permutation written out. It is read-only and shared by all workers.
type table []uint32

func (t table) Size() uint64          { return uint64(len(t)) }
func (t table) Apply(x uint64) uint64 { return uint64(t[x]) }

// newTable draws a single cycle with Sattolo's algorithm from an AES-CTR stream of the key.
func newTable(key []byte, size uint64) table {
	draw := newStream(key, size)
	t := make(table, size)
	for i := range t {
		t[i] = uint32(i)
	}
	for i := size - 1; i > 0 && size > 1; i-- {
		j := draw.below(i)
		t[i], t[j] = t[j], t[i]
	}
	return t
}

// stream is a keyed source of uniform integers.
type stream struct {
	ctr cipher.Stream
	buf [8]byte
}

func newStream(key []byte, nonce uint64) *stream {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic("pseudonym: key of a wrong length")
	}
	var iv [aes.BlockSize]byte
	binary.BigEndian.PutUint64(iv[:8], nonce)
	return &stream{ctr: cipher.NewCTR(block, iv[:])}
}

// below is uniform in 0..n-1 (Lemire 2019, with rejection of the biased part).
func (s *stream) below(n uint64) uint64 {
	for {
		clear(s.buf[:])
		s.ctr.XORKeyStream(s.buf[:], s.buf[:])
		hi, lo := bits.Mul64(binary.BigEndian.Uint64(s.buf[:]), n)
		if lo >= -n%n {
			return hi
		}
	}
}
