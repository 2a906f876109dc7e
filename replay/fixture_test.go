package replay_test

import (
	"context"
	"iter"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reprise/replay"
	"reprise/replay/plan"
	"reprise/replay/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// slots is an in-memory server: c slots, a fixed service time, one queue in order of arrival, and a freeze
// during which no service starts. Its answers follow from the recursion of a FCFS queue (Kiefer and
// Wolfowitz 1955), so each response is known exactly. A request that times out keeps its place.
type slots struct {
	service  time.Duration
	freeze   [2]time.Duration // from, to, after the first Start's t0
	status   uint16
	mu       sync.Mutex
	free     []int64
	open     map[*replay.Shot]*time.Timer
	abandons int
}

func newSlots(c int, service time.Duration) *slots {
	return &slots{service: service, status: 200, free: make([]int64, c), open: make(map[*replay.Shot]*time.Timer)}
}

// next is the instant at which a request that arrives now has been served.
func (q *slots) next(now int64) int64 {
	k := 0
	for i, f := range q.free {
		if f < q.free[k] {
			k = i
		}
	}
	start := max(now, q.free[k])
	if start >= int64(q.freeze[0]) && start < int64(q.freeze[1]) {
		start = int64(q.freeze[1])
	}
	q.free[k] = start + int64(q.service)
	return q.free[k]
}

func (q *slots) Start(s *replay.Shot) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := s.Now()
	done := q.next(now)
	kind, cause := result.Completed, result.CauseNone
	if q.status == 429 || q.status == 503 {
		kind = result.Rejected
	}
	if done > s.Deadline {
		done, kind, cause = s.Deadline, result.TimedOut, result.CauseFirstByte
	}
	q.open[s] = time.AfterFunc(time.Duration(done-now), func() {
		q.mu.Lock()
		_, mine := q.open[s]
		delete(q.open, s)
		q.mu.Unlock()
		if mine {
			q.end(s, kind, cause, now)
		}
	})
	return true
}

func (q *slots) end(s *replay.Shot, k result.Kind, c result.Cause, sent int64) {
	o := &s.Outcome
	o.Kind, o.Cause, o.Written = k, c, true
	o.SentAt, o.Done = sent, s.Now()
	if k == result.Completed || k == result.Rejected {
		o.Status, o.FirstByte = q.status, o.Done
	}
	s.Finish()
}

// Abort implements replay.Aborter.
func (q *slots) Abort() {
	q.mu.Lock()
	open := q.open
	q.open = make(map[*replay.Shot]*time.Timer)
	q.mu.Unlock()
	for s, timer := range open {
		timer.Stop()
		q.abandons++
		q.end(s, result.InFlight, result.CauseAborted, s.Outcome.Dispatched)
	}
}

// at yields GET requests at the given instants after t0.
func at(instants ...time.Duration) iter.Seq2[*plan.Arrival, error] {
	return func(yield func(*plan.Arrival, error) bool) {
		a := plan.Arrival{Method: "GET", Target: []byte("/x"), Endpoint: "/x", Status: 200}
		for _, d := range instants {
			a.At = d.Microseconds()
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// every gives n instants at a constant rate.
func every(gap time.Duration, n int) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i] = time.Duration(i) * gap
	}
	return all
}

// log keeps the outcomes.
type log []result.Outcome

func (l *log) Observe(o *result.Outcome) error {
	*l = append(*l, *o)
	return nil
}

// bySeq is the outcomes in the order of the plan.
func (l log) bySeq() []result.Outcome {
	out := make([]result.Outcome, len(l))
	for _, o := range l {
		out[o.Seq] = o
	}
	return out
}

// run replays with the runtime's timers, which synctest fakes.
func run(ctx context.Context, t *testing.T, src iter.Seq2[*plan.Arrival, error], target replay.Target, o replay.Options) (*replay.Totals, log) {
	t.Helper()
	if o.Pacer == nil {
		o.Pacer = replay.SleepPacer{}
	}
	var l log
	totals, err := replay.Run(ctx, src, target, &l, o)
	if err != nil {
		t.Fatal(err)
	}
	return totals, l
}
