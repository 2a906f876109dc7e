package latency

import hdr "github.com/HdrHistogram/hdrhistogram-go"

// sparse is a Histogram for few distinct values: it keeps only the buckets in use. Endpoints and seconds
// have one each, where a dense one of 190 KB would not do.
type sparse struct {
	counts *hdr.PackedHistogram
	sum    float64 // nanoseconds
	max    int64   // nanoseconds
}

func newSparse() *sparse { return &sparse{counts: hdr.NewPacked(1, highestUS, Digits)} }

// record counts a duration, at the limits of the range if need be.
func (s *sparse) record(ns int64) {
	ns = min(max(ns, 0), int64(Highest))
	s.sum += float64(ns)
	s.max = max(s.max, ns)
	_ = s.counts.RecordValue(ns / 1000) // in range
}

// quantile is the nearest rank quantile in nanoseconds.
func (s *sparse) quantile(p float64) int64 {
	return min(1000*atRank(s.counts, Rank(p, s.counts.TotalCount())), s.max)
}

// merge adds the counts of o, which has the same range, so that none can be lost.
func (s *sparse) merge(o *sparse) {
	s.counts.Merge(o.counts)
	s.sum += o.sum
	s.max = max(s.max, o.max)
}

func (s *sparse) reset() {
	s.counts.Reset()
	s.sum, s.max = 0, 0
}

// addSparse adds counts of the same range.
func (h *Histogram) addSparse(s *sparse) {
	s.counts.MergeInto(h.counts)
	h.sum += s.sum
	h.max = max(h.max, s.max)
}
