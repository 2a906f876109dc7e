package main

import (
	"math/bits"
	"sort"
)

// draws is a stream of random numbers, SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Everything here is
// integer arithmetic: floating point may be fused, and so differ in its last bit, from one processor to
// the next, and the log must have the same bytes everywhere.
type draws struct{ state uint64 }

// stream returns the stream of a name, so that a change in one part of the log does not reshuffle the rest.
func stream(name string) *draws {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return &draws{mix(h)}
}

func (d *draws) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below draws from 0..n-1.
func (d *draws) below(n int) int {
	hi, _ := bits.Mul64(d.next(), uint64(n))
	return int(hi)
}

// between draws from lo..hi, both included.
func (d *draws) between(lo, hi int) int { return lo + d.below(hi-lo+1) }

// percent is true n times out of 100.
func (d *draws) percent(n int) bool { return d.below(100) < n }

// exponential draws from the exponential distribution of the given mean by von Neumann's comparison
// method (1951), which needs no logarithm: a run of falling uniforms of odd length accepts the first one
// as the fraction, a run of even length adds one to the whole part.
func (d *draws) exponential(mean int) int {
	for whole := 0; ; whole++ {
		first := d.next() >> 32
		length := 1
		for last := first; ; length++ {
			u := d.next() >> 32
			if u >= last {
				break
			}
			last = u
		}
		if length%2 == 1 {
			return whole*mean + int(first*uint64(mean)>>32)
		}
	}
}

// pick draws one of the list.
func pick[T any](d *draws, list []T) T { return list[d.below(len(list))] }

// text draws n characters of the alphabet.
func (d *draws) text(alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[d.below(len(alphabet))]
	}
	return string(b)
}

const (
	hexDigits    = "0123456789abcdef"
	alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// zipf draws ranks 0..n-1 with weight (rank+3)^-1.25, for which the first fifth of 600 ranks has about
// four fifths of the draws.
type zipf []int

func newZipf(n int) zipf {
	z := make(zipf, n)
	sum := 0
	for i := range z {
		r := int64(i + 3)
		sum += int(1_000_000_000 / root(root(r*r*r*r*r*10_000)))
		z[i] = sum
	}
	return z
}

func (z zipf) draw(d *draws) int {
	x := d.below(z[len(z)-1])
	return sort.Search(len(z), func(i int) bool { return z[i] > x })
}

// root is the integer square root by Newton's method.
func root(n int64) int64 {
	x := n
	for y := (x + 1) / 2; y < x; y = (x + n/x) / 2 {
		x = y
	}
	return x
}
