package inspect

import (
	"context"
	"runtime"
	"sync"

	"reprise/ingest"
)

// maxWorkers bounds the files that are read at a time, and so the memory: each has an Inspection of its own.
const maxWorkers = 3

// stride is how many records a file gives between two calls of the function that is told the progress.
const stride = 4096

// Read inspects all files of a reader, several at a time, and merges each when it has ended. The Summary is the same for
// any number of processors. seen is told now and then how many more records were read; it may be nil, and is called from
// several goroutines. The error is that of Reader.Each.
func Read(ctx context.Context, r *ingest.Reader, o Options, seen func(records int64)) (Summary, error) {
	if seen == nil {
		seen = func(int64) {}
	}
	g := gathering{options: o, open: map[int]*Inspection{}}
	visit := func(file int) func(*ingest.Record) error {
		var one *Inspection
		n := 0
		return func(record *ingest.Record) error {
			if one == nil {
				one = g.begin(file) // by the file's own goroutine, so that the memory of two files shares no cache lines
			}
			one.Add(record)
			if n++; n%stride == 0 {
				seen(stride)
			}
			return nil
		}
	}
	if err := r.Each(ctx, min(runtime.GOMAXPROCS(0), maxWorkers), visit, g.end); err != nil {
		return Summary{}, err
	}
	if g.all == nil {
		g.all = New(o)
	}
	return g.all.Finish(r.Report()), nil
}

// gathering merges the inspections of files as they end.
type gathering struct {
	options Options
	mu      sync.Mutex
	open    map[int]*Inspection
	all     *Inspection // nil until a file has ended
}

func (g *gathering) begin(file int) *Inspection {
	one := New(g.options)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[file] = one
	return one
}

func (g *gathering) end(file int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.open[file]
	delete(g.open, file)
	if one == nil { // a file without records
		return
	}
	if g.all == nil {
		g.all = one
		return
	}
	g.all.Merge(one)
}
