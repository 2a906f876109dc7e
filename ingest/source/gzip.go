package source

import (
	"bufio"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
)

// errTrailing marks bytes after a whole gzip member that do not start another.
var errTrailing = errors.New("trailing bytes")

// gzipMembers reads the members of a gzip file one by one. The library's own loop over members cannot
// tell a short garbage tail from a member cut short, and both occur in rotated logs.
type gzipMembers struct {
	in   *bufio.Reader
	z    *gzip.Reader
	open bool
}

// Read implements io.Reader over the concatenated members (RFC 1952 section 2.2).
func (g *gzipMembers) Read(p []byte) (int, error) {
	for {
		if !g.open {
			if err := g.next(); err != nil {
				return 0, err
			}
		}
		n, err := g.z.Read(p)
		if err == io.EOF {
			g.open, err = false, nil
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// next starts the member that the input stands at: io.EOF when there is none, errTrailing when what
// follows is something else.
func (g *gzipMembers) next() error {
	if g.z == nil {
		z, err := gzip.NewReader(g.in)
		if err != nil {
			return unexpected(err)
		}
		z.Multistream(false)
		g.z, g.open = z, true
		return nil
	}
	head, err := g.in.Peek(2)
	if len(head) == 0 {
		return err // io.EOF, or the input's own failure
	}
	if len(head) < 2 || head[0] != 0x1f || head[1] != 0x8b {
		return errTrailing
	}
	if err := g.z.Reset(g.in); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			return errTrailing
		}
		return unexpected(err)
	}
	g.z.Multistream(false)
	g.open = true
	return nil
}

// unexpected turns an end of input inside a header into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
