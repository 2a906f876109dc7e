package httptarget_test

import (
	"bufio"
	"encoding/binary"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// visits yields one arrival of every user in from..to, half a millisecond apart.
func visits(from, to int) func(func(*plan.Arrival, error) bool) {
	return func(yield func(*plan.Arrival, error) bool) {
		for i := from; i < to; i++ {
			a := get("/x")
			a.At = int64(i-from) * 500
			binary.BigEndian.PutUint32(a.User[:], uint32(i))
			if !yield(&a, nil) {
				return
			}
		}
	}
}

// Without a limit of its own the pool per user keeps 1,024 idle connections, those used last.
func TestIdleConnectionsPerUserAreBounded(t *testing.T) {
	const kept, users = 1024, 1500
	var live atomic.Int64
	url, _ := scripted(t, func(c net.Conn, r *bufio.Reader) {
		live.Add(1)
		answers(ok)(c, r)
		live.Add(-1)
	})
	target := open(t, url, func(o *httptarget.Options) { o.Policy = httptarget.PolicyUser })
	visit := func(from, to int) { // by the hundred, so that the order of the hundreds is known
		for ; from < to; from += 100 {
			if totals, _ := replayAll(t, target, visits(from, from+100), 20*time.Second); totals.Ledger.Kinds[result.Completed] != 100 {
				t.Fatalf("ledger %+v", totals.Ledger)
			}
		}
	}
	visit(0, users)
	if c := target.Connections(); c.New != users || c.Reused != 0 {
		t.Fatalf("connections %+v", c)
	}
	for limit := time.Now().Add(10 * time.Second); live.Load() != kept; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("%d connections are open, want %d", live.Load(), kept)
		}
	}
	visit(users-1000, users)
	if c := target.Connections(); c.New != users || c.Reused != 1000 {
		t.Errorf("connections %+v, want those of the last 1,000 users again", c)
	}
	visit(0, 100)
	if c := target.Connections(); c.New != users+100 {
		t.Errorf("connections %+v, want those of the first 100 users gone", c)
	}
}
