package arrival

import (
	"math"
	"math/big"
	"math/bits"
)

// wide is an unsigned sum of 128 bits: squares of counts outgrow 64 bits, and a sum of floats would
// depend on the processor.
type wide struct{ hi, lo uint64 }

// addProduct adds x times y.
func (w *wide) addProduct(x, y uint64) {
	hi, lo := bits.Mul64(x, y)
	var carry uint64
	w.lo, carry = bits.Add64(w.lo, lo, 0)
	w.hi += hi + carry
}

func (w wide) big() *big.Int {
	b := new(big.Int).SetUint64(w.hi)
	return b.Lsh(b, 64).Or(b, new(big.Int).SetUint64(w.lo))
}

// bins counts arrivals in intervals of equal width and sums what the statistics need, exactly. Times come
// in order, from 0 on, in the unit of width. Only whole intervals enter the statistics.
type bins struct {
	width int64
	upTo  int64  // end of the open interval
	open  uint64 // its count
	n     int64  // closed intervals
	first uint64 // count of the first interval
	prev  uint64 // count of the last closed interval
	sum   uint64
	sq    wide // sum of squares
	lag   wide // sum of products of neighbours
	peak  uint64
}

// add counts n arrivals at the time.
func (b *bins) add(at, n int64) {
	if at >= b.upTo {
		b.advance(at / b.width)
	}
	b.open += uint64(n)
	if b.open > b.peak {
		b.peak = b.open
	}
}

// advance closes every interval before the one with the index.
func (b *bins) advance(index int64) {
	if b.upTo > 0 {
		b.close()
	}
	if index > b.n {
		b.prev, b.n = 0, index // empty intervals add nothing to the sums
	}
	b.upTo = (index + 1) * b.width
}

func (b *bins) close() {
	if b.n == 0 {
		b.first = b.open
	}
	b.sum += b.open
	b.sq.addProduct(b.open, b.open)
	b.lag.addProduct(b.prev, b.open)
	b.prev, b.open = b.open, 0
	b.n++
}

// end closes the whole intervals before the time and drops the broken one, if any.
func (b *bins) end(at int64) {
	if whole := at / b.width; whole > b.n {
		b.advance(whole)
	}
}

// spread is n sq - sum^2: n times the sum of squared deviations from the mean.
func (b *bins) spread() *big.Int {
	s := new(big.Int).SetUint64(b.sum)
	q := b.sq.big()
	q.Mul(q, big.NewInt(b.n))
	return q.Sub(q, s.Mul(s, s))
}

// index is the index of dispersion, variance over mean, with n-1 in the variance; NaN below two
// intervals or without arrivals.
func (b *bins) index() float64 {
	if b.n < 2 || b.sum == 0 {
		return math.NaN()
	}
	d := new(big.Int).SetUint64(b.sum)
	return quotient(b.spread(), d.Mul(d, big.NewInt(b.n-1)))
}

// lag1 is the autocorrelation of neighbouring intervals, NaN when all counts are equal.
func (b *bins) lag1() float64 {
	spread := b.spread()
	if b.n < 2 || spread.Sign() == 0 {
		return math.NaN()
	}
	// n^2 times the sum of (x - m)(x' - m), with m = s/n, ends = first + last count:
	// n^2 lag - n s (2s - ends) + (n-1) s^2.
	n, s := big.NewInt(b.n), new(big.Int).SetUint64(b.sum)
	ends := new(big.Int).SetUint64(b.first)
	ends.Add(ends, new(big.Int).SetUint64(b.prev))
	num := b.lag.big()
	num.Mul(num, n).Mul(num, n)
	inner := new(big.Int).Lsh(s, 1)
	inner.Sub(inner, ends).Mul(inner, s).Mul(inner, n)
	tail := new(big.Int).Mul(s, s)
	tail.Mul(tail, big.NewInt(b.n-1))
	num.Sub(num, inner).Add(num, tail)
	return quotient(num, spread.Mul(spread, n))
}

// quotient is the float64 nearest to num/den.
func quotient(num, den *big.Int) float64 {
	f, _ := new(big.Rat).SetFrac(num, den).Float64()
	return f
}
