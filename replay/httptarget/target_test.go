package httptarget_test

import (
	"context"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// arrivals yields copies of a at the given instants, in milliseconds.
func arrivals(a plan.Arrival, ms ...int64) iter.Seq2[*plan.Arrival, error] {
	return func(yield func(*plan.Arrival, error) bool) {
		for _, at := range ms {
			c := a
			c.At = at * 1000
			if !yield(&c, nil) {
				return
			}
		}
	}
}

func get(path string) plan.Arrival {
	return plan.Arrival{Method: "GET", Target: []byte(path), Endpoint: path, Status: 200}
}

// log keeps all outcomes by sequence.
type log struct {
	mu  sync.Mutex
	all map[int64]result.Outcome
}

func (l *log) Observe(o *result.Outcome) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[int64]result.Outcome)
	}
	l.all[o.Seq] = *o
	return nil
}

// at is the outcome of request i.
func (l *log) at(t *testing.T, i int64) result.Outcome {
	t.Helper()
	o, ok := l.all[i]
	if !ok {
		t.Fatalf("request %d has no outcome", i)
	}
	return o
}

func open(t *testing.T, url string, change func(*httptarget.Options)) *httptarget.Target {
	t.Helper()
	o := httptarget.Options{URL: url}
	if change != nil {
		change(&o)
	}
	target, err := httptarget.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = target.Close() })
	return target
}

// replayAll runs the arrivals and checks what must hold for every run.
func replayAll(t *testing.T, target *httptarget.Target, src iter.Seq2[*plan.Arrival, error], timeout time.Duration) (*replay.Totals, *log) {
	t.Helper()
	l := new(log)
	totals, err := replay.Run(t.Context(), src, target, l, replay.Options{Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range l.all {
		if o.SentAt != result.Unset && o.Response() != o.Lag()+o.Wait()+o.Service() {
			t.Errorf("request %d: response %d is not lag %d + wait %d + service %d", o.Seq, o.Response(), o.Lag(), o.Wait(), o.Service())
		}
	}
	return totals, l
}

func TestServerCountsWhatWasWritten(t *testing.T) {
	var served, conns, again atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		if r.Context().Value(usedKey{}).(*atomic.Bool).Swap(true) {
			again.Add(1)
		}
		switch r.URL.Path {
		case "/busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, "hello")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, usedKey{}, new(atomic.Bool))
	}
	srv.Start()
	defer srv.Close()
	target := open(t, srv.URL, nil)
	src := func(yield func(*plan.Arrival, error) bool) {
		for i := range 300 {
			a := get([]string{"/ok", "/busy", "/gone"}[i%3])
			a.At = int64(i) * 1000
			if !yield(&a, nil) {
				return
			}
		}
	}
	totals, _ := replayAll(t, target, src, 5*time.Second)
	l := &totals.Ledger
	if l.Kinds[result.Completed] != 200 || l.Kinds[result.Rejected] != 100 || l.Statuses[404] != 100 || l.Statuses[429] != 100 {
		t.Errorf("ledger %+v", l)
	}
	if l.Written != 300 || served.Load() != 300 {
		t.Errorf("written %d, the server counted %d, want 300", l.Written, served.Load())
	}
	// Requests on kept connections are counted as the server counts them. Of the connections, some may still
	// be on their way to the server's accept, and some may never carry a request.
	c := totals.Connections
	if c.Reused != again.Load() || c.New < 300-again.Load() {
		t.Errorf("connections %+v, the server saw %d requests on used ones", c, again.Load())
	}
	agree(t, target, &conns)
}

// usedKey finds the mark of a connection that has carried a request.
type usedKey struct{}

// agree waits until the target and the server count the same connections: either may see one first.
func agree(t *testing.T, target *httptarget.Target, conns *atomic.Int64) {
	t.Helper()
	for range 2000 {
		if target.Connections().New == conns.Load() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("connections %+v, the server saw %d", target.Connections(), conns.Load())
}
