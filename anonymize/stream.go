package anonymize

import (
	"context"
	"iter"
	"sync"

	"reprise/anonymize/trace"
	"reprise/ingest"
)

// batchRecords is the number of records that a worker is handed at once, so that a hand-over costs little.
const batchRecords = 512

// job is one batch on its way through a worker. Jobs are reused.
type job struct {
	raw   ingest.Batch
	clean []trace.Record // as many as raw; their memory is reused
	fail  []Refusal      // of each record, 0 for none
	err   error          // of the input; fatal, after the records
	done  chan struct{}  // the worker has finished
}

// Stream makes the records of in clean with the given number of workers, and yields those that are not
// refused in the order of in, each borrowed until the next. What is yielded does not depend on workers, of which there is at
// least one. An error is fatal and last: that of in, of ctx or of Options.Refuse.
//
// All goroutines have ended when the loop over Stream is left, also early; for that, in must come to its next
// record. Only one Stream of an Anonymizer can run at a time.
func (a *Anonymizer) Stream(ctx context.Context, in iter.Seq2[*ingest.Record, error], workers int) iter.Seq2[*trace.Record, error] {
	if workers <= 1 {
		return a.inline(ctx, in)
	}
	return func(yield func(*trace.Record, error) bool) {
		p := newPipe(workers)
		forks := make([]*Anonymizer, workers)
		for i := range forks {
			forks[i] = a.Fork()
			p.wait.Go(func() { p.work(forks[i]) })
		}
		p.wait.Go(func() { p.feed(in) })
		a.drain(ctx, p, yield)
		close(p.stop)
		p.wait.Wait()
		for _, f := range forks {
			a.counts.add(&f.counts)
		}
	}
}

// inline is Stream without goroutines.
func (a *Anonymizer) inline(ctx context.Context, in iter.Seq2[*ingest.Record, error]) iter.Seq2[*trace.Record, error] {
	return func(yield func(*trace.Record, error) bool) {
		var out trace.Record
		n := 0
		for raw, err := range in {
			if n%batchRecords == 0 && ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			n++
			if err != nil {
				yield(nil, err)
				return
			}
			if r := a.clean(raw, &out); r != 0 {
				if err := a.refuse(raw.Pos, r); err != nil {
					yield(nil, err)
					return
				}
				continue
			}
			if !yield(&out, nil) {
				return
			}
		}
	}
}

func (a *Anonymizer) refuse(pos ingest.Pos, r Refusal) error {
	if a.options.Refuse == nil {
		return nil
	}
	return a.options.Refuse(pos, r)
}

// pipe connects the feeder, the workers and the consumer. The same jobs go round.
type pipe struct {
	free, todo, order chan *job
	stop              chan struct{}
	wait              sync.WaitGroup
}

func newPipe(workers int) *pipe {
	jobs := 2*workers + 2
	p := &pipe{free: make(chan *job, jobs), todo: make(chan *job, jobs), order: make(chan *job, jobs), stop: make(chan struct{})}
	for range jobs {
		p.free <- &job{done: make(chan struct{}, 1)}
	}
	return p
}

// feed cuts in into jobs. The channels hold all jobs, so only waiting for a free one can block.
func (p *pipe) feed(in iter.Seq2[*ingest.Record, error]) {
	defer close(p.order)
	defer close(p.todo)
	j := p.take()
	if j == nil {
		return
	}
	for raw, err := range in {
		if err != nil {
			j.err = err
			break
		}
		j.raw.Add(raw)
		if len(j.raw.Records()) == batchRecords {
			p.hand(j)
			if j = p.take(); j == nil {
				return
			}
		}
	}
	p.hand(j)
}

// take waits for a free job; it is nil when the consumer has left.
func (p *pipe) take() *job {
	select {
	case <-p.stop:
		return nil
	case j := <-p.free:
		j.raw.Reset()
		j.err = nil
		return j
	}
}

func (p *pipe) hand(j *job) {
	p.todo <- j
	p.order <- j
}

func (p *pipe) work(a *Anonymizer) {
	for j := range p.todo {
		raw := j.raw.Records()
		for len(j.clean) < len(raw) {
			j.clean = append(j.clean, trace.Record{})
			j.fail = append(j.fail, 0)
		}
		for i := range raw {
			j.fail[i] = a.clean(&raw[i], &j.clean[i])
		}
		j.done <- struct{}{}
	}
}

// drain yields the finished jobs in the order of the input.
func (a *Anonymizer) drain(ctx context.Context, p *pipe, yield func(*trace.Record, error) bool) {
	for j := range p.order {
		select {
		case <-j.done:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			yield(nil, context.Cause(ctx))
			return
		}
		raw := j.raw.Records()
		for i := range raw {
			if r := j.fail[i]; r != 0 {
				if err := a.refuse(raw[i].Pos, r); err != nil {
					yield(nil, err)
					return
				}
				continue
			}
			if !yield(&j.clean[i], nil) {
				return
			}
		}
		if j.err != nil {
			yield(nil, j.err)
			return
		}
		p.free <- j
	}
}
