package trace

import (
	"bytes"
	"io"
)

// spool keeps the frames of a trace until its header is known: in memory, and beyond limit in a file without a name.
type spool struct {
	limit  int // bytes
	tmp    string
	used   int
	frames [][]byte
	file   *run // nil = not needed so far
	size   int64
}

func (s *spool) put(frame []byte) error {
	if s.file == nil && s.used+len(frame) <= s.limit {
		s.frames = append(s.frames, bytes.Clone(frame))
		s.used += len(frame)
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = newRun(s.tmp, 0); err != nil {
			return err
		}
	}
	n, err := s.file.file.Write(frame)
	s.size += int64(n)
	return err
}

// reader reads all frames from the first on.
func (s *spool) reader() io.Reader {
	parts := make([]io.Reader, 0, len(s.frames)+1)
	for _, f := range s.frames {
		parts = append(parts, bytes.NewReader(f))
	}
	if s.file != nil {
		parts = append(parts, io.NewSectionReader(s.file.file, 0, s.size))
	}
	return io.MultiReader(parts...)
}

// WriteTo implements io.WriterTo.
func (s *spool) WriteTo(w io.Writer) (int64, error) { return io.Copy(w, s.reader()) }

func (s *spool) close() error {
	s.frames = nil
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file = nil
	return file.close()
}
