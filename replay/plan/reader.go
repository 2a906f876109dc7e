package plan

import (
	"iter"
	"math"

	"reprise/sample"
)

// reader goes through the sample by time, and starts again when it is asked for what it has passed.
type reader struct {
	open func() iter.Seq2[*sample.Record, error]
	pull func() (*sample.Record, error, bool)
	stop func()
	head *sample.Record // the last one pulled, borrowed; nil at the end
	used bool           // head was passed
	last int64          // start of the last record that was passed
}

// seek makes next begin with the first record that starts at or after from.
func (r *reader) seek(from int64) error {
	if r.pull == nil || r.last >= from {
		r.close()
		r.pull, r.stop = iter.Pull2(r.open())
	}
	for {
		if err := r.peek(); err != nil || r.head == nil || r.head.Start >= from {
			return err
		}
		r.pass()
	}
}

// next returns the next record that starts before to, borrowed until the one after; nil when there is none.
func (r *reader) next(to int64) (*sample.Record, error) {
	if err := r.peek(); err != nil || r.head == nil || r.head.Start >= to {
		return nil, err
	}
	r.pass()
	return r.head, nil
}

func (r *reader) pass() { r.used, r.last = true, r.head.Start }

// peek makes head the next record.
func (r *reader) peek() error {
	if !r.used {
		return nil
	}
	head, err, ok := r.pull()
	if !ok || err != nil {
		r.head = nil
		return err
	}
	if head.Start < r.last {
		return errOrder
	}
	r.head, r.used = head, false
	return nil
}

func (r *reader) close() {
	if r.stop != nil {
		r.stop()
	}
	*r = reader{open: r.open, used: true, last: math.MinInt64}
}
