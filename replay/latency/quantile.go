package latency

import "math"

// Rank is the nearest rank of the quantile p among n values, ceil(p n), in 1..n; 0 when n is 0.
// The rounding error of the product p n cannot push it one rank up.
func Rank(p float64, n int64) int64 {
	if n <= 0 {
		return 0
	}
	k := int64(math.Ceil(p * float64(n) * (1 - 1e-15)))
	return min(max(k, 1), n)
}

// RankInterval is the two-sided order-statistic interval for the quantile p of n independent values with
// at least the given confidence: the ranks lo and hi with P(X < lo) <= a/2 and P(X >= hi) <= a/2 for a
// binomial X(n, p) and a = 1 - confidence (David and Nagaraja, Order Statistics, section 7.1). ok is
// false where n is too small for a finite interval (below 368 for p = 0.99 and 95 %).
//
// The values of one run are not independent: a queue makes neighbours alike. The interval is therefore a lower
// bound on the uncertainty, and runs are compared by runs.
func RankInterval(p float64, n int64, confidence float64) (lo, hi int64, ok bool) {
	if n <= 0 || p <= 0 || p >= 1 {
		return 0, 0, false
	}
	tail := (1 - confidence) / 2
	mean, sd := p*float64(n), math.Sqrt(float64(n)*p*(1-p))
	first := max(int64(mean-12*sd)-12, 0)
	last := min(int64(mean+12*sd)+12, n)
	masses := binomialMasses(p, n, first, last)
	var below float64 // P(X < first + i)
	for i, m := range masses {
		k := first + int64(i)
		if below <= tail {
			lo = k
		}
		if hi == 0 && 1-below <= tail {
			hi = k
		}
		below += m
	}
	return lo, hi, lo >= 1 && hi >= 1 && hi <= n
}

// binomialMasses gives P(X = k) for k in first..last, scaled so that they sum to 1: what lies more than
// twelve deviations away is below 1e-30, and scaling removes the rounding of the first logarithm.
func binomialMasses(p float64, n, first, last int64) []float64 {
	masses := make([]float64, last-first+1)
	var sum float64
	for i := range masses {
		k := float64(first) + float64(i)
		a, _ := math.Lgamma(float64(n) + 1)
		b, _ := math.Lgamma(k + 1)
		c, _ := math.Lgamma(float64(n) - k + 1)
		masses[i] = math.Exp(a - b - c + k*math.Log(p) + (float64(n)-k)*math.Log1p(-p))
		sum += masses[i]
	}
	for i := range masses {
		masses[i] /= sum
	}
	return masses
}
