package arrival

import (
	"encoding/json"
	"fmt"
	"iter"
)

const (
	// MaxBlock is the largest number of counts in a Block that Blocks yields.
	MaxBlock = 1024
	// gapLimit is the run of empty seconds from which a new block is shorter than the zeros.
	gapLimit = 16
)

// Block is a run of consecutive counts, the written form of a Series.
type Block struct {
	Start  int64   `json:"start"`  // Unix second of the first count
	Counts []int64 `json:"counts"` // requests per second
}

// Blocks yields the series as blocks in time order. Equal series give equal blocks: a block starts and
// ends with a second that has requests, holds no run of 16 empty seconds or more, and at most
// MaxBlock counts. The counts are borrowed until the next iteration.
func (s *Series) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		b := Block{Counts: make([]int64, 0, MaxBlock)}
		for second, n := range s.Each() {
			next := b.Start + int64(len(b.Counts))
			gap := second - next
			if len(b.Counts) > 0 && (gap >= gapLimit || len(b.Counts)+int(gap) >= MaxBlock) {
				if !yield(b) {
					return
				}
				b.Counts = b.Counts[:0]
			}
			if len(b.Counts) == 0 {
				b.Start, gap = second, 0
			}
			for ; gap > 0; gap-- {
				b.Counts = append(b.Counts, 0)
			}
			b.Counts = append(b.Counts, n)
		}
		if len(b.Counts) > 0 {
			yield(b)
		}
	}
}

// AddBlock adds the counts of b. On an error the counts before the failing one are already added.
func (s *Series) AddBlock(b Block) error {
	for i, n := range b.Counts {
		if err := s.Add(b.Start+int64(i), n); err != nil {
			return err
		}
	}
	return nil
}

// MarshalJSON writes the series as an array of blocks.
func (s *Series) MarshalJSON() ([]byte, error) {
	blocks := []Block{}
	for b := range s.Blocks() {
		b.Counts = append([]int64(nil), b.Counts...)
		blocks = append(blocks, b)
	}
	return json.Marshal(blocks)
}

// UnmarshalJSON reads an array of blocks in any order, and replaces what the series held.
func (s *Series) UnmarshalJSON(text []byte) error {
	var blocks []Block
	if err := json.Unmarshal(text, &blocks); err != nil {
		return fmt.Errorf("series: %w", err)
	}
	var fresh Series
	for i, b := range blocks {
		if err := fresh.AddBlock(b); err != nil {
			return fmt.Errorf("series: block %d: %w", i, err)
		}
	}
	*s = fresh
	return nil
}
