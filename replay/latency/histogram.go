package latency

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"reprise/replay/result"
)

const (
	// Lowest is the smallest value that is told apart.
	Lowest = time.Microsecond
	// Highest is the largest.
	Highest = time.Hour
	// Digits is the number of significant decimal digits: the value error is at most 0.1 %.
	Digits = 3

	highestUS = int64(Highest / time.Microsecond)
)

// Histogram counts durations. Its count, sum and maximum are exact; its quantiles are exact in rank and
// within 0.1 % in value. Make one with NewHistogram or Decode. It is not safe for concurrent use.
type Histogram struct {
	counts  *hdr.Histogram
	sum     float64 // nanoseconds
	max     int64   // nanoseconds
	clipped int64
}

// NewHistogram returns an empty histogram; it takes about 190 KB.
func NewHistogram() *Histogram {
	return &Histogram{counts: hdr.New(1, highestUS, Digits)}
}

// Record counts one duration in nanoseconds. Fractions of a microsecond are cut, so that "at least x" stays true;
// durations below zero or above an hour are recorded at the limit and counted as clipped.
func (h *Histogram) Record(ns int64) {
	us := ns / 1000
	if ns < 0 || us > highestUS {
		h.clipped++
		ns = min(max(ns, 0), int64(Highest))
		us = ns / 1000
	}
	h.sum += float64(ns)
	h.max = max(h.max, ns)
	// The value is inside the range that New was given, so there is no error to see.
	_ = h.counts.RecordValue(us)
}

// Count is the number of values recorded.
func (h *Histogram) Count() int64 { return h.counts.TotalCount() }

// Clipped is the number of values outside the range.
func (h *Histogram) Clipped() int64 { return h.clipped }

// Max is the largest value; exact, except after Decode.
func (h *Histogram) Max() time.Duration { return time.Duration(h.max) }

// Mean is the arithmetic mean, 0 of no values; exact, except after Decode.
func (h *Histogram) Mean() time.Duration {
	if h.Count() == 0 {
		return 0
	}
	return time.Duration(math.Round(h.sum / float64(h.Count())))
}

// Quantile is the smallest recorded value, up to the resolution, that at least the share p of all values
// does not exceed: the value of rank ceil(p n). It is 0 of no values. p lies in (0, 1].
func (h *Histogram) Quantile(p float64) time.Duration { return h.AtRank(Rank(p, h.Count())) }

// AtRank is the value with the rank k in ascending order, 1 <= k <= Count.
func (h *Histogram) AtRank(k int64) time.Duration {
	return time.Duration(min(atRank(h.counts, k)*1000, h.max))
}

// quantiler is a dense or a packed histogram of the library.
type quantiler interface {
	TotalCount() int64
	ValueAtPercentile(float64) int64
}

// atRank asks the library, whose own rule is floor(p n + 1/2), for the percentile that this rule turns
// into rank k.
func atRank(h quantiler, k int64) int64 {
	n := h.TotalCount()
	if n == 0 {
		return 0
	}
	return h.ValueAtPercentile(100 * float64(min(max(k, 1), n)) / float64(n))
}

// Merge adds the counts of o.
func (h *Histogram) Merge(o *Histogram) error {
	if dropped := h.counts.Merge(o.counts); dropped != 0 {
		return fmt.Errorf("merge of histograms lost %d values: their ranges differ", dropped)
	}
	h.sum += o.sum
	h.max = max(h.max, o.max)
	h.clipped += o.clipped
	return nil
}

// Percentiles is the summary of the histogram in milliseconds.
func (h *Histogram) Percentiles() result.Percentiles {
	return result.Percentiles{
		N:    h.Count(),
		P50:  ms(h.Quantile(.5)),
		P90:  ms(h.Quantile(.9)),
		P95:  ms(h.Quantile(.95)),
		P99:  ms(h.Quantile(.99)),
		P999: ms(h.Quantile(.999)),
		Max:  ms(h.Max()),
		Mean: ms(h.Mean()),
	}
}

// ms is d in milliseconds, to the microsecond.
func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Encode is the histogram in HdrHistogram's V2 compressed format as base64, in microseconds; the tools
// of HdrHistogram and Decode read it.
func (h *Histogram) Encode() (string, error) {
	b, err := h.counts.EncodeV2()
	if err != nil {
		return "", fmt.Errorf("encode histogram: %w", err)
	}
	return string(b), nil
}

// Decode reads what Encode wrote. The sum and the maximum are then known to 0.1 % only. Text that is no
// histogram of the range of this package is an error.
func Decode(text string) (*Histogram, error) {
	if _, err := base64.StdEncoding.DecodeString(text); err != nil {
		return nil, errors.New("decode histogram: not base64")
	}
	counts, err := hdr.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	h := NewHistogram()
	if counts.SignificantFigures() != Digits {
		return nil, fmt.Errorf("decode histogram: %d significant digits, want %d", counts.SignificantFigures(), Digits)
	}
	if dropped := h.counts.Merge(counts); dropped != 0 {
		return nil, fmt.Errorf("decode histogram: %d values are outside 1 us .. 1 h", dropped)
	}
	h.sum = counts.Mean() * 1000 * float64(counts.TotalCount())
	h.max = counts.Max() * 1000
	return h, nil
}

// WriteDistribution writes latency.hgrm: the percentile distribution in milliseconds, in the text form
// that HdrHistogram's plotter opens.
func (h *Histogram) WriteDistribution(w io.Writer) error {
	if _, err := h.counts.PercentilesPrint(w, 5, 1000); err != nil {
		return fmt.Errorf("write distribution: %w", err)
	}
	return nil
}
