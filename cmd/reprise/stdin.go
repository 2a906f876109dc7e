package main

import (
	"context"
	"fmt"
	"io"
	"os"
)

// pipe reads a stream in a goroutine of its own, so that a signal ends a Read that waits for a writer who
// never writes. The goroutine itself waits on; the process ends soon.
type pipe struct {
	ctx  context.Context
	full chan piece
	free chan []byte
	rest []byte
	held []byte // what rest is a part of
	err  error
}

// piece is what one read gave.
type piece struct {
	data []byte
	err  error
}

// interruptible is r, but its reads end with ctx and then give the cause.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	const pieces, size = 2, 64 << 10
	p := &pipe{ctx: ctx, full: make(chan piece, pieces), free: make(chan []byte, pieces)}
	for range pieces {
		p.free <- make([]byte, size)
	}
	go func() {
		for buf := range p.free {
			n, err := r.Read(buf[:size])
			p.full <- piece{buf[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *pipe) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.held != nil {
			p.free <- p.held // never blocks: as many pieces as room for them
			p.held = nil
		}
		select {
		case <-p.ctx.Done():
			p.err = context.Cause(p.ctx)
		case got := <-p.full:
			p.rest, p.held, p.err = got.data, got.data, got.err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// spool copies stdin to a temporary file without a name, for stages that read their input more than once.
func (s *shell) spool(ctx context.Context, tmp string) (*held, error) {
	f, err := os.CreateTemp(tmp, "reprise-stdin-*")
	if err != nil {
		return nil, unwritable("a temporary copy of stdin", err)
	}
	// Nothing stays behind, whatever ends the process.
	err = os.Remove(f.Name())
	size := int64(0)
	if err == nil {
		size, err = io.Copy(f, interruptible(ctx, s.in))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("copy stdin to %s: %w", f.Name(), err)
	}
	return &held{File: f, base: "stdin", size: size}, nil
}
