package audit

import (
	"fmt"
	"math"
	"math/bits"
)

// Layouts of values: their alphabet, and the power of two of their length.
const (
	alphabets = 5 // digits, letters, both, with signs, beyond ASCII
	lengths   = 10
)

// histogram counts the layouts of the values of each field.
type histogram [fields][alphabets * lengths]int64

func (h *histogram) add(f field, raw []byte) {
	text := unpercent(raw)
	digits, letters, other, foreign := 0, 0, 0, 0
	for _, c := range text {
		switch low := c | 0x20; {
		case c >= '0' && c <= '9':
			digits++
		case low >= 'a' && low <= 'z':
			letters++
		case c >= 0x80:
			foreign++
		default:
			other++
		}
	}
	alphabet := 2
	switch {
	case foreign > 0:
		alphabet = 4
	case other > 0:
		alphabet = 3
	case letters == 0:
		alphabet = 0
	case digits == 0:
		alphabet = 1
	}
	h[f][alphabet*lengths+min(bits.Len(uint(len(text))), lengths-1)]++
}

// distance is the part of the values of a field that would have to change their layout: total variation.
func (h *histogram) distance(o *histogram, f field) (d float64, before, after int64) {
	for i := range h[f] {
		before += h[f][i]
		after += o[f][i]
	}
	if before == 0 || after == 0 {
		return 0, before, after
	}
	for i := range h[f] {
		d += math.Abs(float64(h[f][i])/float64(before)-float64(o[f][i])/float64(after)) / 2
	}
	return d, before, after
}

// entropy is that of the layouts of a field in bits.
func (h *histogram) entropy(f field) (e float64) {
	n := 0.0
	for _, c := range h[f] {
		n += float64(c)
	}
	for _, c := range h[f] {
		if c > 0 {
			p := float64(c) / n
			e -= p * math.Log2(p)
		}
	}
	return e
}

// driftCheck compares the layouts of values before and after.
func driftCheck(before, after *histogram) Check {
	c := Check{Name: "drift", Status: Note}
	worst := 0.0
	for _, f := range []field{inClient, inPath, inName, inQuery, inSecret, inFragment, inCookie, inHeader} {
		d, n, m := before.distance(after, f)
		if n == 0 || m == 0 {
			continue
		}
		worst = max(worst, d)
		c.detail("%s: %.1f %% have another layout; entropy of layouts %.2f bits before, %.2f after; %d values, %d before", f, 100*d, before.entropy(f), after.entropy(f), m, n)
		c.number(f.String(), int64(1000*d+0.5))
	}
	c.Summary = fmt.Sprintf("up to %.1f %% of the values of a field have another length or alphabet than before", 100*worst)
	return c
}
