package ingest

import (
	"context"
	"iter"
	"math"
)

const (
	// mergeFiles is how many files are read at the same time. Those that overlap with more than that many
	// others wait, and their records come late.
	mergeFiles = 32
	// mergeAhead is how many files decompress beside the merge, each in a goroutine of its own.
	mergeAhead = 8
	// mergeRecords is how many records of all files wait for their turn, mergeMost of one file at most, and
	// mergeLeast of each at least.
	mergeRecords, mergeMost, mergeLeast = 32 << 10, 4 << 10, 1 << 10
)

// Records yields the records of all files in the order of their starts; equal starts in the order of Report's
// files, then of the lines. A record that stands in its file further from its place than Options.Window, or
// than some thousand records, comes late and is counted in Report.Merged.
//
// The record is borrowed until the next iteration. An error is fatal and last; its record is nil. Of several
// files one that fails is no error, but FileReport.Failure. Options.Reject is told from the goroutine of the
// loop, the lines of each file in their order; only a file's first line may be told later, when it might be half of the
// line before. What is yielded and told depends on the files alone.
//
// Records may be called again, which starts over, unless an input can be read only once.
func (r *Reader) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		err := r.merge(ctx, func(record *Record) bool { return yield(record, nil) })
		if err != nil {
			yield(nil, err)
		}
	}
}

// merge gives the records of all files to yield until it returns false, and ends all reading it began.
func (r *Reader) merge(ctx context.Context, yield func(*Record) bool) error {
	m := &merger{reader: r, ctx: ctx, waiting: r.files, last: math.MinInt64}
	r.merged = Merged{}
	defer func() {
		for _, s := range m.open {
			s.stop()
		}
		r.merged.MaxLate = float64(m.maxLate) / 1e9
	}()
	return m.run(yield)
}

// merger puts the records of several files into one order.
type merger struct {
	reader  *Reader
	ctx     context.Context
	waiting []*file   // not opened yet
	open    []*stream // in the order of the files
	last    int64     // the latest start yielded
	maxLate int64     // nanoseconds
}

// run is the merge itself.
func (m *merger) run(yield func(*Record) bool) error {
	for n := 0; ; n++ {
		next, err := m.next()
		if next == nil || err != nil {
			return err
		}
		if n%1024 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if start := next.order.start(); start < m.last {
			m.reader.merged.Late++
			m.maxLate = max(m.maxLate, m.last-start)
		} else {
			m.last = start
		}
		if !yield(next.order.front()) {
			return nil
		}
		next.order.drop()
	}
}

// next returns the file whose turn it is, nil when all have ended.
func (m *merger) next() (*stream, error) {
	for {
		first, err := m.earliest()
		if err != nil {
			return nil, err
		}
		if len(m.waiting) == 0 || len(m.open) >= mergeFiles {
			return first, nil
		}
		window := int64(m.reader.options.Window)
		if first != nil && first.order.start() < m.waiting[0].first-window {
			return first, nil
		}
		m.start(m.waiting[0])
		m.waiting = m.waiting[1:]
	}
}

// earliest returns the open file with the earliest record. It waits until each file has one that it can give, or
// has ended, and forgets those that have.
func (m *merger) earliest() (*stream, error) {
	var first *stream
	ended := false
	for _, s := range m.open {
		for !s.order.ready() && !s.order.ended {
			if err := m.pull(s); err != nil {
				return nil, err
			}
		}
		if s.order.len() == 0 {
			ended = true
			continue
		}
		if first == nil || s.order.start() < first.order.start() {
			first = s
		}
	}
	if ended {
		kept := m.open[:0]
		for _, s := range m.open {
			if s.order.len() > 0 {
				kept = append(kept, s)
			}
		}
		m.open = kept
	}
	return first, nil
}

// start begins to read a file.
func (m *merger) start(f *file) {
	s := newStream(m.ctx, f, &m.reader.options, len(m.open) < mergeAhead, len(m.reader.files) == 1)
	m.open = append(m.open, s)
}

// pull takes the next batch of a file.
func (m *merger) pull(s *stream) error {
	b, ok := s.next()
	if !ok {
		s.order.ended = true
		return nil
	}
	for _, reject := range b.rejects {
		if err := m.reader.options.Reject(reject); err != nil {
			return err
		}
	}
	s.order.limit = max(mergeLeast, min(mergeMost, mergeRecords/len(m.open)))
	last, err := b.last, b.err
	s.order.ended = last
	s.order.add(b) // which may give the batch back
	if last {
		s.stop()
	}
	return err
}
