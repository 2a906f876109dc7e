package compare

import (
	"math"
	"slices"
)

// MinPairs is the number of paired runs from which a verdict is possible.
const MinPairs = 5

// Verdict is the answer of a comparison.
type Verdict string

// The verdicts. PASS: B is not worse than A by more than the tolerance. FAIL: it is. Both need MinPairs.
const (
	Pass          Verdict = "PASS"
	Fail          Verdict = "FAIL"
	Inconclusive  Verdict = "INCONCLUSIVE"
	NotComparable Verdict = "NOT COMPARABLE"
	Invalid       Verdict = "INVALID"
)

// Ratio is B/A over paired runs: the geometric mean of the pairs' ratios and its 95 % t-interval.
type Ratio struct {
	Value     float64 // exp(mean ln(B/A)); 0 when a value is missing or not positive
	Low, High float64 // 0 below two pairs
	Pairs     int

	mean, sd float64 // of ln(B/A)
}

// Paired computes B/A pair by pair. A pair with a value that is not positive and finite is left out.
func Paired(a, b []float64) Ratio {
	var d []float64
	for i := range min(len(a), len(b)) {
		l := math.Log(b[i] / a[i])
		if a[i] > 0 && b[i] > 0 && !math.IsInf(l, 0) && !math.IsNaN(l) {
			d = append(d, l)
		}
	}
	r := Ratio{Pairs: len(d)}
	if len(d) == 0 {
		return r
	}
	for _, v := range d {
		r.mean += v / float64(len(d))
	}
	r.Value = math.Exp(r.mean)
	if len(d) < 2 {
		return r
	}
	for _, v := range d {
		r.sd += (v - r.mean) * (v - r.mean)
	}
	n := float64(len(d))
	r.sd = math.Sqrt(r.sd / (n - 1))
	half := studentQuantile(0.975, n-1) * r.sd / math.Sqrt(n)
	r.Low, r.High = math.Exp(r.mean-half), math.Exp(r.mean+half)
	return r
}

// Verdict applies the non-inferiority rule with tolerance delta (0.1 = 10 %).
func (r Ratio) Verdict(delta float64) Verdict {
	switch {
	case r.Pairs < MinPairs:
		return Inconclusive
	case r.High <= 1+delta:
		return Pass
	case r.Low > 1+delta:
		return Fail
	}
	return Inconclusive
}

// NoNumber is what Needed returns when no number of runs can pass.
const NoNumber = -1

// Needed is the smallest number of pairs with which these means and this noise would PASS, at least MinPairs;
// NoNumber when the mean itself is over the tolerance, 0 when fewer than two pairs tell nothing about noise.
func (r Ratio) Needed(delta float64) int {
	if r.Pairs < 2 {
		return 0
	}
	room := math.Log1p(delta) - r.mean
	if room <= 0 {
		return NoNumber
	}
	fits := func(n int) bool {
		return studentQuantile(0.975, float64(n-1))*r.sd/math.Sqrt(float64(n)) <= room
	}
	high := MinPairs
	for !fits(high) {
		if high > 1<<20 {
			return NoNumber
		}
		high *= 2
	}
	low := MinPairs
	for low < high {
		mid := (low + high) / 2
		if fits(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// worse is the one-sided p-value of "B/A is not above 1+delta".
func (r Ratio) worse(delta float64) float64 {
	if r.Pairs < 2 {
		return 1
	}
	over := r.mean - math.Log1p(delta)
	if r.sd == 0 {
		if over > 0 {
			return 0
		}
		return 1
	}
	return 1 - studentCDF(over*math.Sqrt(float64(r.Pairs))/r.sd, float64(r.Pairs-1))
}

// Difference is a share in B minus the same share in A with its 95 % interval (Newcombe 1998, method 10:
// two Wilson intervals combined). It treats requests as independent, so the interval is a lower bound.
type Difference struct {
	A, B      float64 // shares, 0 to 1
	Value     float64
	Low, High float64
}

// Shares compares x of n requests on both sides.
func Shares(xA, nA, xB, nB int64) Difference {
	if nA <= 0 || nB <= 0 {
		return Difference{Low: -1, High: 1}
	}
	a, lowA, highA := wilson(xA, nA)
	b, lowB, highB := wilson(xB, nB)
	d := Difference{A: a, B: b, Value: b - a}
	d.Low = d.Value - math.Hypot(b-lowB, highA-a)
	d.High = d.Value + math.Hypot(highB-b, a-lowA)
	return d
}

// wilson is the share x/n and its 95 % score interval (Wilson 1927).
func wilson(x, n int64) (p, low, high float64) {
	const z = 1.959963984540054
	size := float64(n)
	p = float64(x) / size
	centre := (p + z*z/(2*size)) / (1 + z*z/size)
	half := z / (1 + z*z/size) * math.Sqrt(p*(1-p)/size+z*z/(4*size*size))
	return p, math.Max(0, centre-half), math.Min(1, centre+half)
}

// holm reports whether any of the one-sided p-values is significant at 2.5 % after Holm's correction, which
// for "any" is Bonferroni on the smallest one.
func holm(p []float64) bool {
	return len(p) > 0 && slices.Min(p)*float64(len(p)) < 0.025
}
