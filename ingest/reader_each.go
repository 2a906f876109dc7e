package ingest

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// Each reads every file to its end, up to workers of them at the same time (0 = GOMAXPROCS), each in a
// goroutine of its own. visit is called once for each file, in the order of Report and never twice at a
// time; what it returns gets the file's records in the order of the lines, from the file's goroutine.
// A record is borrowed until that function returns. end, which may be nil, is called from there too, when the file has
// given its last record, so that what was collected of it need not wait for the others. Options.Reject is told the
// rejected lines in the order of the files, so what Each tells and Report says does not depend on the number of workers.
//
// An error of a visitor or of Options.Reject, or the end of ctx, stops all files. Each returns when all its
// goroutines have ended; of several errors it returns that of the first file.
func (r *Reader) Each(ctx context.Context, workers int, visit func(file int) func(*Record) error, end func(file int)) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	shared, cancel := context.WithCancel(ctx)
	defer cancel()
	turns := newTurns(shared, r.options.Reject)
	errs := make([]error, len(r.files))
	slots := make(chan struct{}, workers)
	var group sync.WaitGroup
	for i, f := range r.files {
		select {
		case slots <- struct{}{}:
		case <-shared.Done():
		}
		if shared.Err() != nil {
			break
		}
		take := visit(i)
		group.Go(func() {
			defer func() { <-slots }()
			to := &single{visit: take} // made here, so that what two files write to shares no cache lines
			if r.options.Reject != nil {
				to.reject = func(rej Reject) error { return turns.tell(i, rej) }
			}
			if errs[i] = f.read(shared, &r.options, to, true, len(r.files) == 1); errs[i] == nil {
				errs[i] = turns.end(i)
			}
			if errs[i] != nil {
				cancel()
				return
			}
			if end != nil {
				end(i)
			}
		})
	}
	group.Wait()
	turns.close()
	if err := ctx.Err(); err != nil {
		return err
	}
	var cancelled error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		if err != nil {
			cancelled = err
		}
	}
	return cancelled
}

// single is a sink for a consumer that takes each record at once.
type single struct {
	visit  func(*Record) error
	reject func(Reject) error // nil = not told
	record Record
	line   []byte
}

var _ sink = &single{}

func (s *single) room(n int) (*Record, []byte, error) {
	if cap(s.line) < n {
		s.line = make([]byte, max(n, 2*cap(s.line), 4<<10))
	}
	return &s.record, s.line[:n:n], nil
}

func (s *single) keep() error { return s.visit(&s.record) }

func (s *single) refuse(r Reject) error {
	if s.reject == nil {
		return nil
	}
	return s.reject(r)
}

// turnsHeld is how many rejects wait for the files before theirs to end; then the files themselves wait.
const turnsHeld = 8192

// turns puts the rejects of files that are read at the same time into the order of the files.
type turns struct {
	tellAll func(Reject) error
	ctx     context.Context
	stop    func() bool

	mu    sync.Mutex
	moved sync.Cond
	now   int // the file whose rejects are told at once
	held  map[int][]Reject
	count int // of held
	ended map[int]bool
}

func newTurns(ctx context.Context, tell func(Reject) error) *turns {
	t := &turns{tellAll: tell, ctx: ctx, held: map[int][]Reject{}, ended: map[int]bool{}}
	t.moved.L = &t.mu
	t.stop = context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.moved.Broadcast()
	})
	return t
}

// tell tells one reject of a file, now or when its turn has come.
func (t *turns) tell(file int, r Reject) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for file != t.now && t.count >= turnsHeld {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		t.moved.Wait()
	}
	if file != t.now {
		t.held[file] = append(t.held[file], r)
		t.count++
		return nil
	}
	return t.tellAll(r)
}

// end says that a file has no more rejects.
func (t *turns) end(file int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended[file] = true
	for t.ended[t.now] {
		t.now++
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.moved.Broadcast()
	return nil
}

// flush tells what was held of the file whose turn it is.
func (t *turns) flush() error {
	held := t.held[t.now]
	delete(t.held, t.now)
	t.count -= len(held)
	for _, r := range held {
		if err := t.tellAll(r); err != nil {
			return err
		}
	}
	return nil
}

func (t *turns) close() { t.stop() }
