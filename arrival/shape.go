package arrival

import (
	"fmt"
	"math"
	"math/big"
	"time"
)

// Shape describes arrivals, of a log or of a schedule. Undefined figures are nil or absent.
type Shape struct {
	Arrivals        int64   `json:"arrivals"`
	DurationSeconds float64 `json:"duration_seconds"`
	Rate            float64 `json:"rate"`        // mean, per second
	PeakSecond      int64   `json:"peak_second"` // arrivals in the fullest second, seconds counted from the start
	// PeakSliding is the most arrivals in any stretch of one second [t, t+1 s); offsets only.
	PeakSliding int64 `json:"peak_sliding_second,omitempty"`
	// ExpectedPoissonPeak is what PeakSecond would be on average if the same mean were Poisson.
	ExpectedPoissonPeak float64 `json:"expected_poisson_peak"`
	// IDC is the index of dispersion for counts, variance over mean, by the width of the intervals
	// in seconds ("0.1", "1", "10", "60"): 1 for Poisson at all widths. A width needs 10 whole
	// intervals; 0.1 needs offsets.
	IDC map[string]float64 `json:"idc"`
	// Kappa is (IDC(1 s) - 1) / Rate, the squared variation of the underlying rate. Thinning leaves
	// it alone, so that logs and samples of different rates can be compared by it.
	Kappa *float64 `json:"kappa,omitempty"`
	Lag1  *float64 `json:"lag1,omitempty"`   // autocorrelation of the counts of neighbouring seconds
	GapCV *float64 `json:"gap_cv,omitempty"` // standard deviation of the gaps over their mean; offsets only; 1 for Poisson
}

// minBins is the number of intervals below which an index of dispersion is noise.
const minBins = 10

// describe fills in what follows from counts per interval; one second is the second of the widths.
func describe(s *Shape, names []string, widths []*bins, second *bins) {
	s.Rate = float64(s.Arrivals) / s.DurationSeconds
	s.PeakSecond = int64(second.peak)
	s.ExpectedPoissonPeak = NewPeakLaw(s.Rate, int64(math.Ceil(s.DurationSeconds))).Mean()
	s.IDC = make(map[string]float64)
	for i, b := range widths {
		if idc := b.index(); b.n >= minBins && !math.IsNaN(idc) {
			s.IDC[names[i]] = idc
		}
	}
	if idc, ok := s.IDC["1"]; ok && s.Rate > 0 {
		s.Kappa = defined((idc - 1) / s.Rate)
		s.Lag1 = defined(second.lag1())
	}
}

func defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Meter measures the shape of a schedule as its offsets pass by, in the memory of its fullest second.
type Meter struct {
	widths [4]bins
	n      int64
	last   int64
	first  int64
	gaps   wide    // sum of squared gaps
	recent []int64 // offsets of the last second, as a queue from head on
	head   int
	slide  int64
}

var meterNames = []string{"0.1", "1", "10", "60"}

// NewMeter returns a Meter for one schedule.
func NewMeter() *Meter {
	m := new(Meter)
	for i, width := range [...]time.Duration{100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute} {
		m.widths[i].width = width.Microseconds()
	}
	return m
}

// Add counts one offset in microseconds. Offsets must not decrease.
func (m *Meter) Add(offset int64) {
	for i := range m.widths {
		m.widths[i].add(offset, 1)
	}
	if m.n == 0 {
		m.first = offset
	} else {
		gap := uint64(offset - m.last)
		m.gaps.addProduct(gap, gap)
	}
	m.n++
	m.last = offset
	m.slideTo(offset)
}

// slideTo moves the window of one second so that it ends with the offset.
func (m *Meter) slideTo(offset int64) {
	for m.head < len(m.recent) && m.recent[m.head] <= offset-1_000_000 {
		m.head++
	}
	if m.head > 0 && len(m.recent) == cap(m.recent) {
		m.recent = m.recent[:copy(m.recent, m.recent[m.head:])]
		m.head = 0
	}
	m.recent = append(m.recent, offset)
	m.slide = max(m.slide, int64(len(m.recent)-m.head))
}

// Shape describes the offsets of a schedule that is d long. The Meter must not be used afterwards.
func (m *Meter) Shape(d time.Duration) Shape {
	d = max(d, time.Duration(m.last+1)*time.Microsecond)
	s := Shape{Arrivals: m.n, DurationSeconds: d.Seconds(), PeakSliding: m.slide}
	widths := make([]*bins, len(m.widths))
	for i := range m.widths {
		m.widths[i].end(d.Microseconds())
		widths[i] = &m.widths[i]
	}
	describe(&s, meterNames, widths, &m.widths[1])
	s.GapCV = defined(m.gapCV())
	return s
}

// gapCV is sqrt(k (k q - g^2) / (k-1)) / g over k gaps with sum g and sum of squares q.
func (m *Meter) gapCV() float64 {
	k, g := m.n-1, m.last-m.first
	if k < 2 || g == 0 {
		return math.NaN()
	}
	sum := big.NewInt(g)
	sum.Mul(sum, sum)
	num := m.gaps.big()
	num.Mul(num, big.NewInt(k)).Sub(num, sum).Mul(num, big.NewInt(k))
	return math.Sqrt(quotient(num, sum.Mul(sum, big.NewInt(k-1))))
}

// PeakSentence says in plain words what a Poisson fit would hide; subject is such as "this log".
func (s Shape) PeakSentence(subject string) string {
	return fmt.Sprintf("Poisson at this mean would peak at %.0f/s; %s peaks at %d/s (%.1f x)",
		s.ExpectedPoissonPeak, subject, s.PeakSecond, float64(s.PeakSecond)/s.ExpectedPoissonPeak)
}
