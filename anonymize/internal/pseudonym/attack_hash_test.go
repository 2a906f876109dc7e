package pseudonym_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/cespare/xxhash/v2"
)

// The attacks of this file are why no pseudonym is a hash: each one is carried out, so that its test fails if it does
// not work. The benchmarks say what it costs:
//
//	go test -run '^$' -bench Attack ./anonymize/internal/pseudonym

// The constants of XXH64 (xxHash specification 0.1.1, XXH64 algorithm), and the inverses of those that are multiplied by.
const (
	prime1 uint64 = 11400714785074694791
	prime2 uint64 = 14029467366897019727
	prime3 uint64 = 1609587929392839161
	prime4 uint64 = 9650029242287828579
	prime5 uint64 = 2870177450012600261
)

var inverse1, inverse2, inverse3 = inverse(prime1), inverse(prime2), inverse(prime3)

// inverse is that of an odd number modulo 2^64, by Newton's iteration.
func inverse(n uint64) uint64 {
	x := n
	for range 6 {
		x *= 2 - n*x
	}
	return x
}

// phoneDigits is the length of the numbers under attack: a mobile number of China, or of Germany with its 49.
const phoneDigits = 11

// calm undoes the last step of XXH64, which mixes all bits.
func calm(h uint64) uint64 {
	h ^= h >> 32
	h *= inverse3
	h ^= h>>29 ^ h>>58
	h *= inverse2
	return h ^ h>>33
}

// unbyte undoes the step of one byte.
func unbyte(h uint64, b byte) uint64 {
	return bits.RotateLeft64(h*inverse1, -11) ^ uint64(b)*prime5
}

// unword undoes all of the step of eight bytes but for the word itself.
func unword(h uint64) uint64 { return bits.RotateLeft64((h-prime4)*inverse1, -27) }

// invert finds the number of eleven digits that has the digest, for a known seed, without search but for three digits.
func invert(digest, seed uint64) (number [phoneDigits]byte, ok bool) {
	h := calm(digest)
	for last := range uint64(1000) {
		number[8], number[9], number[10] = '0'+byte(last/100), '0'+byte(last/10%10), '0'+byte(last%10)
		state := unword(unbyte(unbyte(unbyte(h, number[10]), number[9]), number[8]))
		word := state ^ (seed + prime5 + phoneDigits)
		word = bits.RotateLeft64(word*inverse1, -31) * inverse2
		// Eight digits: no byte is below '0', nor above '9'.
		if word&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 || (word+0x0606060606060606)&0xf0f0f0f0f0f0f0f0 != 0x3030303030303030 {
			continue
		}
		binary.LittleEndian.PutUint64(number[:], word)
		return number, true
	}
	return number, false
}

// seedOf finds the seed of a digest whose number is known: every step is undone.
func seedOf(digest uint64, number []byte) uint64 {
	h := calm(digest)
	for i := phoneDigits - 1; i >= 8; i-- {
		h = unbyte(h, number[i])
	}
	word := bits.RotateLeft64(binary.LittleEndian.Uint64(number)*prime2, 31) * prime1
	return unword(h) ^ word - prime5 - phoneDigits
}

// seeded is XXH64 with a seed.
func seeded(seed uint64, number []byte) uint64 {
	d := xxhash.NewWithSeed(seed)
	_, _ = d.Write(number)
	return d.Sum64()
}

// someNumber is a random number of eleven digits.
func someNumber(r *rand.Rand) []byte {
	return strconv.AppendUint(nil, 10_000_000_000+r.Uint64N(90_000_000_000), 10)
}

func TestAttackInvertsAHash(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		seed := r.Uint64() * (r.Uint64() & 1) // 0 is the plain hash
		number := someNumber(r)
		if got, ok := invert(seeded(seed, number), seed); !ok || string(got[:]) != string(number) {
			t.Fatalf("%s came back as %s, %v", number, got, ok)
		}
	}
	if got, ok := invert(xxhash.Sum64String("no numbers!"), 0); ok {
		t.Errorf("text came back as the number %s", got)
	}
}

func TestAttackRecoversASecretSeed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		seed, number := r.Uint64(), someNumber(r)
		if got := seedOf(seeded(seed, number), number); got != seed {
			t.Fatalf("seed %x came back as %x", seed, got)
		}
	}
}

// search tries the numbers from first on until one has the digest.
func search(first uint64, n int, same func(number []byte) bool) (string, bool) {
	var buf [phoneDigits]byte
	for v := first; v < first+uint64(n); v++ {
		if number := strconv.AppendUint(buf[:0], v, 10); same(number) {
			return string(number), true
		}
	}
	return "", false
}

// A search finds the number behind an unkeyed hash, and behind an HMAC if the key is known; without it there is
// nothing to compare with.
func TestAttackSearches(t *testing.T) {
	const secret, first, span = 13_800_123_456, 13_800_100_000, 50_000
	number := []byte(strconv.Itoa(secret))
	f := func(name string, want bool, hash, guess func([]byte) []byte) {
		t.Helper()
		digest := string(hash(number))
		got, ok := search(first, span, func(n []byte) bool { return string(guess(n)) == digest })
		if ok != want || want && got != string(number) {
			t.Errorf("%s: found %q, %v", name, got, ok)
		}
	}
	plain := func(n []byte) []byte { sum := sha256.Sum256(n); return sum[:] }
	f("SHA-256", true, plain, plain)
	f("HMAC with the key", true, keyed("key"), keyed("key"))
	f("HMAC with another key", false, keyed("key"), keyed("guess"))
}

// keyed is HMAC-SHA-256.
func keyed(key string) func([]byte) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	var sum [sha256.Size]byte
	return func(n []byte) []byte {
		mac.Reset()
		mac.Write(n)
		return mac.Sum(sum[:0])
	}
}

// BenchmarkAttackInvert is one number from its digest; the seed is known.
func BenchmarkAttackInvert(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var digests [256]uint64
	for i := range digests {
		digests[i] = xxhash.Sum64(someNumber(r))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := invert(digests[i%len(digests)], 0); !ok {
			b.Fatal("not found")
		}
	}
}

// BenchmarkAttackSeed is a secret seed of 64 bits from one number and its digest.
func BenchmarkAttackSeed(b *testing.B) {
	number := []byte("13800123456")
	digest := seeded(0x0123456789abcdef, number)
	b.ReportAllocs()
	for b.Loop() {
		if seedOf(digest, number) != 0x0123456789abcdef {
			b.Fatal("not found")
		}
	}
}

// BenchmarkAttackSearch is one guess at a number. The hours are those for all numbers of eleven digits on one core.
func BenchmarkAttackSearch(b *testing.B) {
	f := func(name string, hash func([]byte) uint64) {
		b.Run(name, func(b *testing.B) {
			var buf [phoneDigits]byte
			v := uint64(13_800_000_000)
			b.ReportAllocs()
			for b.Loop() {
				if hash(strconv.AppendUint(buf[:0], v, 10)) == 0 {
					b.Log("a digest of zeros")
				}
				v++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)*1e11/3.6e12, "hours/1e11")
		})
	}
	f("xxhash", xxhash.Sum64)
	f("sha256", func(n []byte) uint64 { sum := sha256.Sum256(n); return binary.LittleEndian.Uint64(sum[:]) })
	mac := keyed("a key that was stolen")
	f("hmac-known-key", func(n []byte) uint64 { return binary.LittleEndian.Uint64(mac(n)) })
}
