package sample

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// chunkBytes is the step in which memory grows; one buffer that doubles would be copied and held twice.
const chunkBytes = 256 << 10

// spool keeps record lines in the order in which they came: in memory, and over its limit in a file.
type spool struct {
	limit  int // bytes in memory
	dir    string
	chunks [][]byte // whole entries each
	size   int      // bytes in chunks
	file   *os.File
}

// entry is one kept line.
type entry struct {
	cell uint32 // index of its stratum
	key  uint64
	line []byte // borrowed until the next entry
}

// entryHead is the size of an entry before its line: cell, key, length of the line.
const entryHead = 4 + 8 + 4

// put adds an entry; its line is copied.
func (s *spool) put(cell uint32, key uint64, line []byte) error {
	n := entryHead + len(line)
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		if s.size > 0 && s.size+n > s.limit {
			if err := s.flush(); err != nil {
				return err
			}
		}
		last = s.grow(n)
	}
	b := binary.LittleEndian.AppendUint32(s.chunks[last], cell)
	b = binary.LittleEndian.AppendUint64(b, key)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(line)))
	s.chunks[last] = append(b, line...)
	s.size += n
	return nil
}

// grow makes the last chunk one with room for n bytes and returns its index. After a flush there is an
// empty one left to use again.
func (s *spool) grow(n int) int {
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		s.chunks = append(s.chunks, make([]byte, 0, max(n, min(chunkBytes, s.limit))))
		last++
	}
	return last
}

// flush moves the lines in memory to the file.
func (s *spool) flush() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, "reprise-sample-")
		if err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		// Without a name it vanishes with the process, however that ends. Systems that refuse to
		// remove an open file keep it until close.
		_ = os.Remove(f.Name())
		s.file = f
	}
	for _, chunk := range s.chunks {
		if _, err := s.file.Write(chunk); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
	}
	if len(s.chunks) > 0 {
		s.chunks = append(s.chunks[:0], s.chunks[0][:0])
	}
	s.size = 0
	return nil
}

// each reads the entries from the first on.
func (s *spool) each(do func(entry) error) error {
	if s.file != nil {
		if err := s.flush(); err != nil {
			return err
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		return eachEntry(bufio.NewReaderSize(s.file, 256<<10), do)
	}
	for _, b := range s.chunks {
		for len(b) > 0 {
			end := entryHead + int(binary.LittleEndian.Uint32(b[12:]))
			e := entry{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:]), b[entryHead:end:end]}
			if err := do(e); err != nil {
				return err
			}
			b = b[end:]
		}
	}
	return nil
}

func eachEntry(r io.Reader, do func(entry) error) error {
	var head [entryHead]byte
	var line []byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("temporary file: %w", err)
		}
		n := int(binary.LittleEndian.Uint32(head[12:]))
		if cap(line) < n {
			line = make([]byte, n, 2*n)
		}
		line = line[:n]
		if _, err := io.ReadFull(r, line); err != nil {
			return fmt.Errorf("temporary file: %w", err)
		}
		if err := do(entry{binary.LittleEndian.Uint32(head[:]), binary.LittleEndian.Uint64(head[4:]), line}); err != nil {
			return err
		}
	}
}

// close gives up the lines and the file.
func (s *spool) close() error {
	s.chunks, s.size = nil, 0
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if e := os.Remove(s.file.Name()); e != nil && !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, e)
	}
	s.file = nil
	return err
}
