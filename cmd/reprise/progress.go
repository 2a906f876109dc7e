package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows how far long work has come: a line that redraws itself on a terminal, a line every ten
// seconds elsewhere, so that a CI log stays readable.
type progress struct {
	w     io.Writer
	tty   bool
	line  func() string
	stop  chan struct{}
	ended sync.WaitGroup
}

const (
	redraw = 250 * time.Millisecond
	plod   = 10 * time.Second
)

// watch starts showing what line returns, which must be safe to call from another goroutine. The caller
// must call done.
func (s *shell) watch(line func() string) *progress {
	p := &progress{w: s.err, tty: s.tty, line: line, stop: make(chan struct{})}
	every := plod
	if p.tty {
		every = redraw
	}
	p.ended.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				p.show()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

func (p *progress) show() {
	if p.tty {
		fmt.Fprintf(p.w, "\r\x1b[K%s", plain(p.line()))
		return
	}
	fmt.Fprintln(p.w, plain(p.line()))
}

// done ends the showing and clears the line.
func (p *progress) done() {
	close(p.stop)
	p.ended.Wait()
	if p.tty {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
