package plan

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// pageBytes is the unit in which records are put aside; every open place of a deck holds one page at most.
const pageBytes = 8 << 10

// tape keeps pages of bytes: the first ones in memory, those over the limit in a file.
type tape struct {
	limit int    // bytes in memory
	dir   string // of the file; empty = the system's
	held  [][]byte
	size  int // bytes in held
	filed int // pages in the file
	file  *os.File
}

// add copies a page of up to pageBytes and returns its number.
func (t *tape) add(page []byte) (int, error) {
	if t.filed == 0 && t.size+len(page) <= t.limit {
		t.held = append(t.held, slices.Clone(page))
		t.size += len(page)
		return len(t.held) - 1, nil
	}
	if err := t.open(); err != nil {
		return 0, err
	}
	if _, err := t.file.WriteAt(page, int64(t.filed)*pageBytes); err != nil {
		return 0, fmt.Errorf("temporary file: %w", err)
	}
	t.filed++
	return len(t.held) + t.filed - 1, nil
}

func (t *tape) open() error {
	if t.file != nil {
		return nil
	}
	f, err := os.CreateTemp(t.dir, "reprise-plan-")
	if err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	// Without a name it vanishes with the process, however that ends. Systems that refuse to remove an
	// open file keep it until close.
	_ = os.Remove(f.Name())
	t.file = f
	return nil
}

// page returns page number i, borrowed: from memory, or read into buf, which has pageBytes. The end of a
// page that was added with fewer bytes is undefined.
func (t *tape) page(i int, buf []byte) ([]byte, error) {
	if i < len(t.held) {
		return t.held[i], nil
	}
	n, err := t.file.ReadAt(buf, int64(i-len(t.held))*pageBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return buf[:n], nil
}

// reset forgets all pages and keeps the file to write over.
func (t *tape) reset() {
	clear(t.held)
	t.held, t.size, t.filed = t.held[:0], 0, 0
}

// close gives up the pages and the file.
func (t *tape) close() {
	t.held, t.size, t.filed = nil, 0, 0
	if t.file != nil {
		// What it held can be drawn again, so there is nothing to lose.
		_ = t.file.Close()
		_ = os.Remove(t.file.Name())
		t.file = nil
	}
}
