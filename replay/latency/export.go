package latency

import (
	"fmt"
	"io"
	"slices"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"

	"reprise/replay/result"
)

// Endpoint is what was recorded for one endpoint of the run's table.
type Endpoint struct {
	Index             int32 // -1 = the sum of all others
	Offered           int64
	Kinds             [result.Unsent + 1]int64 // outcomes by kind
	Response, Service *Histogram
}

// Endpoints gives the top endpoints by offered requests, most first and equal ones in table order, and,
// where more than top were seen, the sum of all others as the last.
func (r *Recorder) Endpoints(top int) []Endpoint {
	order := make([]int, 0, len(r.endpoints))
	for i, e := range r.endpoints {
		if e.offered > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return int(min(max(r.endpoints[b].offered-r.endpoints[a].offered, -1), 1))
	})
	var all []Endpoint
	others := Endpoint{Index: -1, Response: NewHistogram(), Service: NewHistogram()}
	for n, i := range order {
		if n >= top {
			others.add(r.endpoints[i])
			continue
		}
		e := Endpoint{Index: int32(i), Response: NewHistogram(), Service: NewHistogram()}
		e.add(r.endpoints[i])
		all = append(all, e)
	}
	if r.others != nil {
		others.add(r.others)
	}
	if others.Offered > 0 {
		all = append(all, others)
	}
	return all
}

func (e *Endpoint) add(o *endpoint) {
	e.Offered += o.offered
	for k, n := range o.kinds {
		e.Kinds[k] += n
	}
	e.Response.addSparse(o.response)
	e.Service.addSparse(o.service)
}

// Seconds is the run by intended second, from second 0. It is borrowed and complete after Close.
func (r *Recorder) Seconds() []Second { return r.timeline.seconds }

// P99Interval is the 95 % order-statistic interval of the response's 99th percentile; ok is false below
// 368 values.
func (r *Recorder) P99Interval() (lo, hi time.Duration, ok bool) {
	a, b, ok := RankInterval(.99, r.Response.Count(), .95)
	if !ok {
		return 0, 0, false
	}
	return r.Response.AtRank(a), r.Response.AtRank(b), true
}

// WriteLog writes latency.hlog: HdrHistogram's interval log of the response in microseconds, by intended
// second (wider in runs longer than twenty minutes). start is t0. Call it after Close.
func (r *Recorder) WriteLog(w io.Writer, start time.Time) error {
	lw := hdr.NewHistogramLogWriter(w)
	base := start.UnixMilli()
	write := func(err error) error {
		if err != nil {
			return fmt.Errorf("write interval log: %w", err)
		}
		return nil
	}
	for _, step := range []func() error{
		func() error { return lw.OutputComment("[response time in microseconds by intended time]") },
		lw.OutputLogFormatVersion,
		func() error { return lw.OutputStartTime(base) },
		func() error { return lw.OutputBaseTime(base / 1000 * 1000) },
		lw.OutputLegend,
	} {
		if err := write(step()); err != nil {
			return err
		}
	}
	lw.SetBaseTime(base / 1000 * 1000)
	for i, h := range r.timeline.spans {
		if h.counts.TotalCount() == 0 {
			continue
		}
		from := base + int64(i)*r.timeline.width*1000
		h.counts.SetStartTimeMs(from)
		h.counts.SetEndTimeMs(from + r.timeline.width*1000)
		if err := write(lw.OutputIntervalPackedHistogram(h.counts)); err != nil {
			return err
		}
	}
	return nil
}
