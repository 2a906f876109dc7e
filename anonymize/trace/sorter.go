package trace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

const (
	// DefaultSortMemory is the budget of a Sorter in bytes.
	DefaultSortMemory = 64 << 20
	// MinSortMemory is the least budget in bytes.
	MinSortMemory = 64 << 10
	// fanIn is the number of runs of one level that are merged into one of the next.
	fanIn = 16
)

// SorterOptions bound a Sorter. The zero value is usable.
type SorterOptions struct {
	// Memory is the budget for records in bytes; 0 = DefaultSortMemory. Merging needs up to about half a
	// megabyte more for each run, at most 15 runs for each power of 16 in the number of times the budget was filled.
	Memory int
	// Tmp is the folder for temporary files; "" = that of the system.
	Tmp string
}

func (o *SorterOptions) validate() error {
	if o.Memory == 0 {
		o.Memory = DefaultSortMemory
	}
	if o.Memory < MinSortMemory {
		return fmt.Errorf("sort memory: %d bytes is below the least of %d", o.Memory, MinSortMemory)
	}
	return nil
}

// Sorter brings records into the order of their Start; records of one Start keep the order of Add. What does not fit
// the budget goes to temporary files as sorted runs, which have no name as soon as they are open, so that nothing stays
// behind even after a crash. It is not safe for concurrent use.
type Sorter struct {
	options SorterOptions
	arena   arena
	index   []line
	runs    []*run
	dec     Decoder
	rec     Record
	buf     []byte
	added   int64
	late    int64
	latest  int64
	err     error // fatal, of Add
	sealed  bool
}

// line is the place of an encoded record in the arena.
type line struct {
	start       int64
	block, at   uint32
	size, order uint32
}

const lineBytes = 24

// NewSorter returns an empty Sorter.
func NewSorter(o SorterOptions) (*Sorter, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	// Three quarters for the lines, an eighth for their index, the rest for compressing.
	return &Sorter{options: o, arena: newArena(int64(o.Memory) / 4 * 3)}, nil
}

// Add takes a copy of r. An error, such as that of a full disk, is final; Close then still has to be called.
func (s *Sorter) Add(r *Record) error {
	switch {
	case s.err != nil:
		return s.err
	case s.sealed:
		return errors.New("sorter takes no records after Records")
	}
	if s.added > 0 && r.Start < s.latest {
		s.late++
	} else {
		s.latest = r.Start
	}
	s.added++
	s.buf = r.AppendJSON(s.buf[:0])
	if !s.arena.fits(len(s.buf)) || len(s.index) >= s.options.Memory/8/lineBytes {
		if err := s.spill(); err != nil {
			return s.fail(err)
		}
	}
	block, at := s.arena.put(s.buf)
	s.index = append(s.index, line{start: r.Start, block: block, at: at, size: uint32(len(s.buf)), order: uint32(len(s.index))})
	return nil
}

// Len is the number of records added.
func (s *Sorter) Len() int64 { return s.added }

// Late is the number of records that came after one with a later Start.
func (s *Sorter) Late() int64 { return s.late }

// fail frees everything: after an error nothing can be read any more.
func (s *Sorter) fail(err error) error {
	s.err = fmt.Errorf("sort records: %w", err)
	_ = s.release() // the first error is the one to tell
	return s.err
}

// sort orders the lines in memory.
func (s *Sorter) sort() {
	slices.SortFunc(s.index, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.order, b.order))
	})
}

// spill writes the lines in memory as a run, and merges runs that have become many.
func (s *Sorter) spill() error {
	if len(s.index) == 0 {
		return nil
	}
	s.sort()
	w, err := newRunWriter(s.options.Tmp, 0)
	if err != nil {
		return err
	}
	for _, l := range s.index {
		if err := w.put(l.start, s.arena.get(l)); err != nil {
			w.run.close()
			return err
		}
	}
	if err := w.finish(); err != nil {
		w.run.close()
		return err
	}
	s.runs = append(s.runs, w.run)
	s.arena.reset()
	s.index = s.index[:0]
	return s.compact()
}

// compact merges the last runs while fanIn of them have one level. They are neighbours in the order of Add, and so is
// their merger.
func (s *Sorter) compact() error {
	for {
		n := len(s.runs) - fanIn
		if n < 0 || s.runs[n].level != s.runs[len(s.runs)-1].level {
			return nil
		}
		merged, err := mergeRuns(s.options.Tmp, s.runs[n:])
		if err != nil {
			return err
		}
		for _, r := range s.runs[n:] {
			r.close()
		}
		s.runs = append(s.runs[:n], merged)
	}
}

// Records yields the records in order, each borrowed until the next; no record can be added any more. It can be
// ranged over once. An error is fatal and last.
func (s *Sorter) Records(ctx context.Context) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		if s.err == nil && s.sealed {
			s.err = errors.New("sorter can be read only once")
		}
		s.sealed = true
		n := 0
		put := func(_ int64, text []byte) error {
			if n%1024 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			n++
			if err := s.dec.Decode(text, &s.rec, nil); err != nil {
				return err
			}
			if !yield(&s.rec, nil) {
				return errStop
			}
			return nil
		}
		err := s.err
		if err == nil {
			err = s.each(put)
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// errStop says that the consumer has left.
var errStop = errors.New("stop")

// each hands over all lines in order.
func (s *Sorter) each(put func(int64, []byte) error) error {
	if len(s.runs) == 0 {
		s.sort()
		for _, l := range s.index {
			if err := put(l.start, s.arena.get(l)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := s.spill(); err != nil {
		return s.fail(err)
	}
	s.arena, s.index = arena{}, nil
	return mergeTo(s.runs, put)
}

// Close removes the temporary files and frees the memory. It can be called more than once.
func (s *Sorter) Close() error {
	if s.err == nil {
		s.err = errors.New("sorter is closed")
	}
	return s.release()
}

func (s *Sorter) release() (err error) {
	for _, r := range s.runs {
		err = errors.Join(err, r.close())
	}
	s.runs, s.index, s.arena = nil, nil, arena{}
	return err
}

// arena holds lines in blocks of one size, so that it grows without copying.
type arena struct {
	blocks [][]byte
	block  int // size
	limit  int // blocks
	used   int // blocks in use; the last one is open
}

func newArena(bytes int64) arena {
	block := min(max(bytes/16, 4<<10), 1<<20)
	return arena{block: int(block), limit: max(1, int(bytes/block))}
}

// fits reports whether a line of n bytes can be put. A line is always taken when the arena is empty.
func (a *arena) fits(n int) bool {
	if a.used == 0 || a.used < a.limit {
		return a.used == 0 || n <= a.block || a.room() >= n
	}
	return a.room() >= n
}

func (a *arena) room() int { return cap(a.blocks[a.used-1]) - len(a.blocks[a.used-1]) }

func (a *arena) put(b []byte) (block, at uint32) {
	if a.used == 0 || a.room() < len(b) {
		if a.used == len(a.blocks) {
			a.blocks = append(a.blocks, nil)
		}
		if cap(a.blocks[a.used]) < len(b) || cap(a.blocks[a.used]) == 0 {
			a.blocks[a.used] = make([]byte, 0, max(a.block, len(b)))
		}
		a.used++
	}
	open := &a.blocks[a.used-1]
	at = uint32(len(*open))
	*open = append(*open, b...)
	return uint32(a.used - 1), at
}

func (a *arena) get(l line) []byte { return a.blocks[l.block][l.at : l.at+l.size] }

func (a *arena) reset() {
	for i := range a.blocks {
		if cap(a.blocks[i]) > a.block { // of one long line
			a.blocks[i] = nil
			continue
		}
		a.blocks[i] = a.blocks[i][:0]
	}
	a.used = 0
}
