package arrival

import "math"

// PeakLaw is the law of the largest of n independent Poisson counts: what the fullest second of n would
// hold if traffic were Poisson.
type PeakLaw struct {
	low  int64     // below it, no count is ever the largest
	tail []float64 // tail[i] = P(one count > low+i)
	n    int64
}

// negligible ends the weights of a Poisson law, relative to the largest: no n can bring them back.
const negligible = 1e-30

// NewPeakLaw takes the mean count (not negative, at most MaxRate) and the number of counts (at least 1).
func NewPeakLaw(mean float64, n int64) PeakLaw {
	mean, n = min(max(mean, 0), MaxRate), max(n, 1)
	// Weights relative to the mode need neither exp nor lgamma, whose last bits differ by processor.
	mode := int64(mean)
	var down []float64
	for w, k := float64(mode)/max(mean, 1), mode; k > 0 && w > negligible; k-- {
		down = append(down, w)
		w = float64(w * (float64(k-1) / mean))
	}
	weights := make([]float64, 0, 2*len(down)+64)
	for i := len(down) - 1; i >= 0; i-- {
		weights = append(weights, down[i])
	}
	for w, k := 1.0, mode+1; w > negligible; k++ {
		weights = append(weights, w)
		w = float64(w * (mean / float64(k)))
	}
	total := 0.0
	for i := len(weights) - 1; i >= 0; i-- {
		total += weights[i]
	}
	above := 0.0
	for i := len(weights) - 1; i >= 0; i-- {
		above, weights[i] = above+weights[i], above/total
	}
	return PeakLaw{low: mode - int64(len(down)), tail: weights, n: n}
}

// Mean is the expected largest count, the sum over k of 1 - F(k)^n.
func (p PeakLaw) Mean() float64 {
	sum := 0.0
	for i := len(p.tail) - 1; i >= 0; i-- {
		sum += 1 - power(1-p.tail[i], p.n)
	}
	return float64(p.low) + sum
}

// Quantile is the smallest k with F(k)^n >= q, for q in (0, 1).
func (p PeakLaw) Quantile(q float64) int64 {
	for i, t := range p.tail {
		if power(1-t, p.n) >= q {
			return p.low + int64(i)
		}
	}
	return p.low + int64(len(p.tail))
}

// power is x^n for n >= 1 by repeated squaring, exact to about n units in the last place.
func power(x float64, n int64) float64 {
	result := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = float64(result * x)
		}
		x = float64(x * x)
	}
	return result
}

// DispersionLimits bounds the index of dispersion of n Poisson counts: a Poisson series lies outside
// [low, high] in 5 % of cases, and above the burst limit in 1 %. From (n-1) I ~ chi-square(n-1); NaN
// for n below 10, where the expansion used is not good to three digits.
func DispersionLimits(n int64) (low, high, burst float64) {
	if n < 10 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	v := float64(n - 1)
	return chiSquare(-1.959964, v) / v, chiSquare(1.959964, v) / v, chiSquare(2.326348, v) / v
}

// chiSquare is the quantile of the chi-square law with v degrees of freedom that belongs to the normal
// quantile z: the Cornish-Fisher expansion of Goldberg and Levine (1946), to the term in 1/v.
func chiSquare(z, v float64) float64 {
	root := math.Sqrt(2 * v)
	z2 := float64(z * z)
	a := float64(z * root)
	b := float64((z2 - 1) * 2 / 3)
	c := float64(z*(z2-7)) / float64(9*root)
	d := (float64(float64(6*z2)*z2) + float64(14*z2) - 32) / float64(405*v)
	return v + a + b + c - d
}
