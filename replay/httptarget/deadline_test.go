package httptarget_test

import (
	"bufio"
	"encoding/pem"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/result"
)

// punctual checks that no outcome is later than its deadline and not said to be.
type punctual struct {
	t       *testing.T
	timeout time.Duration
}

func (p punctual) Observe(o *result.Outcome) error {
	late := o.Response() >= int64(p.timeout)
	if late != (o.Kind == result.TimedOut) {
		p.t.Errorf("%v %v after %v", o.Kind, o.Cause, time.Duration(o.Response()))
	}
	if o.FirstByte >= o.Intended+int64(p.timeout) {
		p.t.Errorf("a first byte at %v", time.Duration(o.FirstByte-o.Intended))
	}
	return nil
}

// between is a pause of lo to hi microseconds.
func between(lo, hi int64) { time.Sleep(time.Duration(lo+rand.Int64N(hi-lo)) * time.Microsecond) }

// around answers after a pause of lo to hi microseconds.
func around(lo, hi int64) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := readRequest(r); err != nil {
				return
			}
			between(lo, hi)
			if _, err := io.WriteString(c, ok); err != nil {
				return
			}
		}
	}
}

// Answers that come close to their deadline are completed or timed out, by the clock and not by who notices first. None
// is an error: the watchdog's wake-up for an exchange that has just ended does not harm the next one.
func TestAnswersNearTheirDeadline(t *testing.T) {
	const timeout = 4 * time.Millisecond
	f := func(name string, target *httptarget.Target) {
		t.Helper()
		totals, err := replay.RunClosed(t.Context(), steady(1000, 1), target, punctual{t, timeout},
			replay.ClosedOptions{Workers: 16, Duration: 2 * time.Second, Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		l := &totals.Ledger
		if l.Kinds[result.Failed] != 0 || l.Kinds[result.Completed]+l.Kinds[result.TimedOut] != l.Started || l.Started < 100 {
			t.Errorf("%s: ledger %+v", name, l)
		}
	}
	before, _ := scripted(t, around(1000, 3500))
	f("before", open(t, before, nil))
	across, _ := scripted(t, around(2000, 6000))
	f("across", open(t, across, nil))
	f("across, bounded", open(t, across, func(o *httptarget.Options) { o.MaxConns = 16 }))
	for _, h2 := range []bool{false, true} {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { between(2000, 6000) }))
		srv.EnableHTTP2, srv.Config.ErrorLog = h2, quiet
		srv.StartTLS()
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
		target := open(t, srv.URL, func(o *httptarget.Options) { o.CA = ca })
		f("https", target)
		_ = target.Close()
		srv.Close()
	}
}

// A dial that its shots no longer need may end while the target closes.
func TestCloseWhileDialling(t *testing.T) {
	url := minimalServer(t)
	for range 500 {
		target, err := httptarget.New(t.Context(), httptarget.Options{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		replayAll(t, target, arrivals(get("/x"), 0, 0, 0, 0, 0, 0), 5*time.Second)
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = target.Close()
		}()
		select {
		case <-closed:
		case <-time.After(20 * time.Second):
			t.Fatal("the target does not close")
		}
	}
}
