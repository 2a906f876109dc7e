package ingest

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"sync"
)

const (
	// mergeFiles is how many files are read at the same time. Those that overlap with more than that many
	// others wait, and their records come late.
	mergeFiles = 32
	// mergeAhead is how many files decompress in a goroutine of their own beside that of their parser.
	mergeAhead = 2
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
// line before. What is yielded and told does not depend on how fast files are read.
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

// merge gives the records of all files to yield until it returns false, and joins all goroutines it started.
func (r *Reader) merge(ctx context.Context, yield func(*Record) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	m := &merger{reader: r, ctx: ctx, waiting: r.files, last: math.MinInt64}
	r.merged = Merged{}
	defer m.group.Wait()
	defer cancel()
	err := m.run(yield)
	r.merged.MaxLate = float64(m.maxLate) / 1e9
	if err != nil && ctx.Err() != nil && !errors.Is(err, ctx.Err()) {
		return err
	}
	return cmp.Or(ctx.Err(), err)
}

// merger puts the records of several files into one order.
type merger struct {
	reader  *Reader
	ctx     context.Context
	group   sync.WaitGroup
	waiting []*file   // not opened yet
	open    []*stream // in the order of the files
	last    int64     // the latest start yielded
	maxLate int64     // nanoseconds
}

// run is the merge itself.
func (m *merger) run(yield func(*Record) bool) error {
	for {
		next, err := m.next()
		if next == nil || err != nil {
			return err
		}
		record := next.order.front()
		if record.Start < m.last {
			m.reader.merged.Late++
			m.maxLate = max(m.maxLate, m.last-record.Start)
		} else {
			m.last = record.Start
		}
		if !yield(record) {
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
	s := newStream(m.ctx, int64(m.reader.options.Window))
	ahead := len(m.open) < mergeAhead
	m.open = append(m.open, s)
	m.group.Go(func() {
		err := f.read(m.ctx, &m.reader.options, s, ahead, len(m.reader.files) == 1)
		s.close(err)
	})
}

// pull takes the next batch of a file.
func (m *merger) pull(s *stream) error {
	var b *batch
	select {
	case b = <-s.full:
	case <-m.ctx.Done():
		return m.ctx.Err()
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
	return err
}
