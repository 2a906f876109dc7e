package trace

import (
	"cmp"
	"slices"
)

// fanIn is the number of runs of one level that are merged into one of the next.
const fanIn = 16

// pile sorts the lines of late records within a budget of memory. What does not fit goes to temporary files as sorted
// runs.
type pile struct {
	memory int
	tmp    string
	arena  arena
	index  []line
	runs   []*run
	added  int64
}

// newPile makes room for lines in three quarters of memory and for their index in an eighth; the rest is for compressing.
func newPile(memory int, tmp string) pile {
	return pile{memory: memory, tmp: tmp, arena: newArena(int64(memory) / 4 * 3)}
}

func (p *pile) add(start int64, text []byte) error {
	if !p.arena.fits(len(text)) || len(p.index) >= p.memory/8/lineBytes {
		if err := p.spill(); err != nil {
			return err
		}
	}
	block, at := p.arena.put(text)
	p.index = append(p.index, line{start: start, block: block, at: at, size: uint32(len(text)), order: uint32(len(p.index))})
	p.added++
	return nil
}

// sort orders the lines in memory.
func (p *pile) sort() {
	slices.SortFunc(p.index, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.order, b.order))
	})
}

// spill writes the lines in memory as a run, and merges runs that have become many.
func (p *pile) spill() error {
	if len(p.index) == 0 {
		return nil
	}
	p.sort()
	w, err := newRunWriter(p.tmp, 0)
	if err != nil {
		return err
	}
	for _, l := range p.index {
		if err := w.put(l.start, p.arena.get(l)); err != nil {
			w.run.close()
			return err
		}
	}
	if err := w.finish(); err != nil {
		w.run.close()
		return err
	}
	p.runs = append(p.runs, w.run)
	p.arena.reset()
	p.index = p.index[:0]
	return p.compact()
}

// compact merges the last runs while fanIn of them have one level. They are neighbours in the order of add, and so is
// their merger.
func (p *pile) compact() error {
	for {
		n := len(p.runs) - fanIn
		if n < 0 || p.runs[n].level != p.runs[len(p.runs)-1].level {
			return nil
		}
		merged, err := mergeRuns(p.tmp, p.runs[n:])
		if err != nil {
			return err
		}
		for _, r := range p.runs[n:] {
			r.close()
		}
		p.runs = append(p.runs[:n], merged)
	}
}

// each hands over all lines in the order of their starts; equal ones in that of add.
func (p *pile) each(put func(start int64, text []byte) error) error {
	if len(p.runs) == 0 {
		p.sort()
		for _, l := range p.index {
			if err := put(l.start, p.arena.get(l)); err != nil {
				return err
			}
		}
		return nil
	}
	if err := p.spill(); err != nil {
		return err
	}
	p.arena, p.index = arena{}, nil
	return mergeTo(p.runs, put)
}
