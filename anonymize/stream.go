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
	clean trace.Lines   // of those that are not refused
	fail  []Refusal     // of each record, 0 for none
	err   error         // of the input; fatal, after the records
	done  chan struct{} // the worker has finished
}

// Stream makes the records of in clean with the given number of workers, at least one, and yields those that are not
// refused, encoded, in the order of in: many at once, borrowed until the next. Neither they nor their division depend on
// workers. An error is fatal and last: that of in, of ctx or of Options.Refuse.
//
// All goroutines have ended when the loop over Stream is left, also early; for that, in must come to its next
// record. Only one Stream of an Anonymizer can run at a time.
func (a *Anonymizer) Stream(ctx context.Context, in iter.Seq2[*ingest.Record, error], workers int) iter.Seq2[*trace.Lines, error] {
	return func(yield func(*trace.Lines, error) bool) {
		p := newPipe(max(1, workers))
		forks := []*Anonymizer{a} // the first worker
		for len(forks) < workers {
			forks = append(forks, a.Fork())
		}
		for _, f := range forks {
			p.wait.Go(func() { p.work(f) })
		}
		p.wait.Go(func() { p.feed(in) })
		a.drain(ctx, p, yield)
		close(p.stop)
		p.wait.Wait()
		for _, f := range forks[1:] {
			a.counts.add(&f.counts)
		}
	}
}

// tell tells the refusals of a finished job.
func (a *Anonymizer) tell(j *job) error {
	if a.options.Refuse == nil {
		return nil
	}
	for i, raw := range j.raw.Records() {
		if r := j.fail[i]; r != 0 {
			if err := a.options.Refuse(raw.Pos, r); err != nil {
				return err
			}
		}
	}
	return nil
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
	var out trace.Record
	for j := range p.todo {
		j.clean.Reset()
		j.fail = j.fail[:0]
		raw := j.raw.Records()
		for i := range raw {
			r := a.clean(&raw[i], &out)
			if j.fail = append(j.fail, r); r == 0 {
				j.clean.Add(&out)
			}
		}
		j.done <- struct{}{}
	}
}

// drain yields the finished jobs in the order of the input.
func (a *Anonymizer) drain(ctx context.Context, p *pipe, yield func(*trace.Lines, error) bool) {
	for j := range p.order {
		select {
		case <-j.done:
		case <-ctx.Done():
		}
		err := context.Cause(ctx)
		if err == nil {
			err = a.tell(j)
		}
		if err == nil && j.clean.Len() > 0 && !yield(&j.clean, nil) {
			return
		}
		if err == nil {
			err = j.err
		}
		if err != nil {
			yield(nil, err)
			return
		}
		p.free <- j
	}
}
