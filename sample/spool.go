package sample

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool keeps record lines in the order in which they came: in memory, and over its limit in a file.
type spool struct {
	limit int
	dir   string
	buf   []byte
	file  *os.File
}

// entry is one kept line.
type entry struct {
	cell uint32 // index of its stratum
	key  uint64
	line []byte // borrowed until the next entry
}

// put adds an entry; its line is copied.
func (s *spool) put(cell uint32, key uint64, line []byte) error {
	s.buf = binary.LittleEndian.AppendUint32(s.buf, cell)
	s.buf = binary.LittleEndian.AppendUint64(s.buf, key)
	s.buf = binary.LittleEndian.AppendUint32(s.buf, uint32(len(line)))
	s.buf = append(s.buf, line...)
	if len(s.buf) < s.limit {
		return nil
	}
	return s.flush()
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
	if _, err := s.file.Write(s.buf); err != nil {
		return fmt.Errorf("temporary file: %w", err)
	}
	s.buf = s.buf[:0]
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
	for b := s.buf; len(b) > 0; {
		n := binary.LittleEndian.Uint32(b[12:])
		e := entry{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint64(b[4:]), b[16 : 16+n : 16+n]}
		if err := do(e); err != nil {
			return err
		}
		b = b[16+n:]
	}
	return nil
}

func eachEntry(r io.Reader, do func(entry) error) error {
	var head [16]byte
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
	s.buf = nil
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
