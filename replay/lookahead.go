package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"reprise/replay/plan"
)

// lookAhead decodes, prepares and queues arrivals. It is the owner of all shots that are not on their
// way.
type lookAhead struct {
	engine    *engine
	prepare   func(*plan.Arrival, *Shot) error
	free      *Shot
	all       []*Shot // every shot ever made
	arrivals  int64
	sequence  int64
	withheld  map[string]int64
	endpoints []EndpointName
	index     map[EndpointName]int32
	recycled  pile
}

// errEmpty says that a plan offers nothing to a closed loop.
var errEmpty = errors.New("the plan has no arrival to send")

// read queues the arrivals of src up to its end, or until the dispatcher takes no more.
func (l *lookAhead) read(src iter.Seq2[*plan.Arrival, error]) {
	defer l.engine.ring.close()
	l.pass(src)
}

// cycle is read for the closed loop, which starts again when the content is used up.
func (l *lookAhead) cycle(src iter.Seq2[*plan.Arrival, error]) {
	defer l.engine.ring.close()
	for !l.engine.cut.Load() && !l.engine.ring.gone.Load() {
		before := l.sequence
		l.pass(src)
		if l.sequence == before {
			l.engine.fail(errEmpty)
		}
	}
}

// pass queues the arrivals of src once.
func (l *lookAhead) pass(src iter.Seq2[*plan.Arrival, error]) {
	last := int64(0)
	for a, err := range src {
		if err == nil && a.At < last {
			err = fmt.Errorf("arrival %d is %d us before its predecessor", l.arrivals, last-a.At)
		}
		if err != nil {
			if !l.engine.cut.Load() || !errors.Is(err, context.Canceled) {
				l.engine.fail(fmt.Errorf("read plan: %w", err))
			}
			return
		}
		last = a.At
		if !l.add(a) {
			return
		}
	}
}

// add queues one arrival. It is false when the run has ended.
func (l *lookAhead) add(a *plan.Arrival) bool {
	l.arrivals++
	if a.Withheld != plan.Sent {
		l.withhold(string(a.Withheld))
		return true
	}
	s := l.take()
	s.Arrival = *a
	s.Arrival.Target, s.Arrival.Header, s.Arrival.Body = nil, nil, nil
	s.Intended = a.At * int64(time.Microsecond)
	s.Deadline = s.Intended + int64(l.engine.options.Timeout)
	if !l.engine.cut.Load() { // what is only counted need not be ready
		if err := l.prepare(a, s); errors.Is(err, ErrUnreplayable) {
			l.withhold(string(plan.Unreplayable))
			s.next, l.free = l.free, s
			return true
		} else if err != nil {
			l.engine.fail(fmt.Errorf("prepare arrival %d: %w", l.arrivals-1, err))
			s.next, l.free = l.free, s
			l.arrivals--
			return false
		}
	}
	s.reset(l.sequence, l.endpoint(a))
	l.sequence++
	s.weight = int64(len(s.Wire) + len(s.kept))
	return l.engine.ring.push(s)
}

// A plan may name what it likes: beyond these limits reasons and endpoints are counted together.
const (
	maxReasons   = 16
	maxEndpoints = 10_000
	others       = "others"
)

func (l *lookAhead) withhold(reason string) {
	if l.withheld == nil {
		l.withheld = make(map[string]int64)
	}
	if _, known := l.withheld[reason]; !known && len(l.withheld) >= maxReasons {
		reason = others
	}
	l.withheld[reason]++
}

func (l *lookAhead) endpoint(a *plan.Arrival) int32 {
	name := EndpointName{a.Method, a.Endpoint}
	i, ok := l.index[name]
	if !ok && len(l.endpoints) >= maxEndpoints {
		name = EndpointName{Template: others}
		i, ok = l.index[name]
	}
	if !ok {
		i = int32(len(l.endpoints))
		l.endpoints = append(l.endpoints, name)
		l.index[name] = i
	}
	return i
}

const (
	// spare is what may lie between Finish and the look-ahead: the collector's batch.
	spare = 16384
	// keepBytes is the largest buffer that a reused shot keeps.
	keepBytes = 64 << 10
)

// take gives a shot to fill. New ones are made as long as they can be on their way; beyond that the
// look-ahead waits for the collector, which only a starved machine can make it do.
func (l *lookAhead) take() *Shot {
	for l.free == nil {
		if l.free = l.recycled.take(); l.free != nil {
			break
		}
		o := &l.engine.options
		if len(l.all) < o.LookAhead+o.MaxInFlight+spare {
			s := &Shot{engine: l.engine}
			l.all = append(l.all, s)
			return s
		}
		time.Sleep(time.Millisecond)
	}
	s := l.free
	l.free, s.next = s.next, nil
	if cap(s.Wire) > keepBytes {
		s.Wire = nil
	}
	if cap(s.kept) > keepBytes {
		s.kept = nil
	}
	s.Wire, s.kept = s.Wire[:0], s.kept[:0]
	return s
}
