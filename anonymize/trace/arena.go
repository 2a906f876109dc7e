package trace

// line is the place of an encoded record in the arena.
type line struct {
	start       int64
	block, at   uint32
	size, order uint32
}

const lineBytes = 24

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
