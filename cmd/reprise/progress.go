package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows how far long work has come: a line that redraws itself on a terminal, and nothing elsewhere.
type progress struct {
	w     io.Writer
	line  func() string
	tick  *time.Ticker // nil off a terminal
	stop  chan struct{}
	ended sync.WaitGroup
}

const redraw = 250 * time.Millisecond

// watch starts showing what line returns, which must be safe to call from another goroutine. The caller
// must call done.
func (s *shell) watch(line func() string) *progress {
	p := &progress{w: s.err, line: line, stop: make(chan struct{})}
	if !s.tty {
		return p
	}
	p.tick = time.NewTicker(redraw)
	p.ended.Go(func() {
		defer p.tick.Stop()
		for {
			select {
			case <-p.tick.C:
				p.show()
			case <-p.stop:
				return
			}
		}
	})
	return p
}

func (p *progress) show() { fmt.Fprintf(p.w, "\r\x1b[K%s", plain(p.line())) }

// done ends the showing and clears the line.
func (p *progress) done() {
	if p.tick == nil {
		return
	}
	close(p.stop)
	p.ended.Wait()
	fmt.Fprint(p.w, "\r\x1b[K")
}
