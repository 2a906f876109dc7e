package compare

import "math"

// studentCDF is P(T <= t) for Student's t with df degrees of freedom, by the regularised incomplete beta
// function (Abramowitz & Stegun 26.7.1).
func studentCDF(t, df float64) float64 {
	tail := incompleteBeta(df/(df+t*t), df/2, 0.5) / 2
	if t > 0 {
		return 1 - tail
	}
	return tail
}

// studentQuantile is the t with P(T <= t) = p, for p in (0.5, 1), by bisection.
func studentQuantile(p, df float64) float64 {
	low, high := 0.0, 1.0
	for studentCDF(high, df) < p {
		high *= 2
	}
	for range 100 {
		mid := (low + high) / 2
		if studentCDF(mid, df) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return (low + high) / 2
}

// incompleteBeta is I_x(a, b), by the continued fraction of Abramowitz & Stegun 26.5.8 with Lentz's method.
func incompleteBeta(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return math.Max(0, math.Min(1, x))
	}
	if x > (a+1)/(a+b+2) {
		return 1 - incompleteBeta(1-x, b, a)
	}
	ga, _ := math.Lgamma(a)
	gb, _ := math.Lgamma(b)
	gab, _ := math.Lgamma(a + b)
	front := math.Exp(gab-ga-gb+a*math.Log(x)+b*math.Log1p(-x)) / a
	const tiny = 1e-300
	c, d, f := 1.0, 0.0, 1.0
	for i := range 400 {
		m := float64(i / 2)
		term := 1.0
		switch {
		case i == 0:
		case i%2 == 0:
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonzero(1+term*d, tiny)
		c = nonzero(1+term/c, tiny)
		f *= c * d
		if math.Abs(1-c*d) < 1e-14 {
			break
		}
	}
	return front * (f - 1)
}

func nonzero(v, tiny float64) float64 {
	if math.Abs(v) < tiny {
		return tiny
	}
	return v
}
