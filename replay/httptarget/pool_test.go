package httptarget_test

import (
	"bufio"
	"context"
	"encoding/pem"
	"errors"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reprise/replay"
	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// slow answers after the pause.
func slow(pause time.Duration) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for {
			if _, err := readRequest(r); err != nil {
				return
			}
			time.Sleep(pause)
			if _, err := io.WriteString(c, ok); err != nil {
				return
			}
		}
	}
}

// With one connection requests queue: the wait is the time until the connection is taken.
func TestMaxConnsQueues(t *testing.T) {
	url, conns := scripted(t, slow(100*time.Millisecond))
	target := open(t, url, func(o *httptarget.Options) { o.MaxConns = 1 })
	_, l := replayAll(t, target, arrivals(get("/x"), 0, 1, 2, 3), 350*time.Millisecond)
	for i := range int64(3) {
		o := l.at(t, i)
		if o.Kind != result.Completed || o.SentAt-l.at(t, 0).SentAt < i*int64(100*time.Millisecond) {
			t.Errorf("request %d: %v after a wait of %v", i, o.Kind, time.Duration(o.Wait()))
		}
	}
	// The fourth gets its connection at 300 ms and is cut at 350 ms.
	if o := l.at(t, 3); o.Kind != result.TimedOut || o.Cause == result.CauseWait {
		t.Errorf("the last one: %v %v, want timed_out after its send", o.Kind, o.Cause)
	}
	if conns.Load() != 1 {
		t.Errorf("%d connections", conns.Load())
	}
}

func TestTimeoutInTheQueue(t *testing.T) {
	url, _ := scripted(t, slow(400*time.Millisecond))
	target := open(t, url, func(o *httptarget.Options) { o.MaxConns = 1 })
	totals, l := replayAll(t, target, arrivals(get("/x"), 0, 0, 0), 200*time.Millisecond)
	if o := l.at(t, 2); o.Kind != result.TimedOut || o.Cause != result.CauseWait || o.SentAt != result.Unset || o.Written {
		t.Errorf("outcome %+v, want timed_out(wait), never sent", o)
	}
	if n := totals.Latency.Service.Count(); n != 1 {
		t.Errorf("%d values in service, want 1: what expired in the queue has none", n)
	}
	if n := totals.Latency.Response.Count(); n != 3 {
		t.Errorf("%d values in response, want 3", n)
	}
}

func TestNewConnectionPerRequest(t *testing.T) {
	for _, limit := range []int{0, 2} {
		url, conns := scripted(t, answers(ok))
		target := open(t, url, func(o *httptarget.Options) { o.Policy, o.MaxConns = httptarget.PolicyNew, limit })
		totals, _ := replayAll(t, target, arrivals(get("/x"), 0, 1, 2, 30, 60, 90), 2*time.Second)
		if c := target.Connections(); totals.Ledger.Kinds[result.Completed] != 6 || c.New != 6 || c.Reused != 0 {
			t.Errorf("limit %d: completed %d, %+v", limit, totals.Ledger.Kinds[result.Completed], c)
		}
		agree(t, target, conns)
	}
}

// Connections of a user are used again by that user only; at the limit an idle one makes room.
func TestConnectionsPerUser(t *testing.T) {
	users := func(yield func(*plan.Arrival, error) bool) {
		for i := range 3 {
			a := get("/x")
			a.User[0] = byte(i)
			if !yield(&a, nil) {
				return
			}
		}
	}
	f := func(limit int, want func(requests int64) int64) {
		t.Helper()
		url, conns := scripted(t, answers(ok))
		target := open(t, url, func(o *httptarget.Options) { o.Policy, o.MaxConns = httptarget.PolicyUser, limit })
		totals, err := replay.RunClosed(t.Context(), users, target, nil, replay.ClosedOptions{Workers: 1, Duration: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		n := totals.Ledger.Kinds[result.Completed]
		if n != totals.Ledger.Offered || n < 3 || conns.Load() != want(n) {
			t.Errorf("limit %d: completed %d of %d on %d connections, want %d", limit, n, totals.Ledger.Offered, conns.Load(), want(n))
		}
	}
	f(0, func(int64) int64 { return 3 })
	f(3, func(int64) int64 { return 3 })
	f(2, func(n int64) int64 { return n }) // a user's connection is always gone when its turn comes
}

// cutter cuts the run when the target has taken n shots.
type cutter struct {
	*httptarget.Target
	n   int
	cut context.CancelFunc
}

func (c *cutter) Start(s *replay.Shot) bool {
	started := c.Target.Start(s)
	if c.n--; c.n == 0 {
		c.cut()
	}
	return started
}

// When the drain is over, open requests are in flight at the end: on connections, in dials and in the queue.
func TestAbort(t *testing.T) {
	for _, limit := range []int{0, 2} {
		url, _ := scripted(t, func(c net.Conn, _ *bufio.Reader) { stalls(c) })
		target := open(t, url, func(o *httptarget.Options) { o.MaxConns = limit })
		ctx, cancel := context.WithCancel(t.Context())
		totals, err := replay.Run(ctx, arrivals(get("/x"), 0, 1, 2, 3, 5000), &cutter{target, 4, cancel}, nil,
			replay.Options{Timeout: time.Minute, Drain: 50 * time.Millisecond})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if k := totals.Ledger.Kinds; k[result.InFlight] != 4 || k[result.Unsent] != 1 {
			t.Errorf("limit %d: in flight %d, unsent %d; want 4, 1", limit, k[result.InFlight], k[result.Unsent])
		}
	}
}

// After an abort the target serves the next run.
func TestTargetAfterAbort(t *testing.T) {
	url, _ := scripted(t, answers(ok))
	target := open(t, url, nil)
	replayAll(t, target, arrivals(get("/x"), 0), time.Second)
	target.Abort()
	totals, _ := replayAll(t, target, arrivals(get("/x"), 0, 1), time.Second)
	if totals.Ledger.Kinds[result.Completed] != 2 {
		t.Errorf("ledger %+v", totals.Ledger)
	}
}

// quiet is where the test servers' complaints go.
var quiet = stdlog.New(io.Discard, "", 0)

func TestTLS(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		var served atomic.Int64
		var protos sync.Map
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			served.Add(1)
			protos.Store(r.Proto, true)
			if r.RequestURI == "/a%2fb|c?x=%zz" {
				w.WriteHeader(http.StatusTeapot)
			}
			_, _ = io.Copy(w, r.Body)
		}))
		srv.EnableHTTP2 = h2
		srv.Config.ErrorLog = quiet
		srv.StartTLS()
		ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
		target := open(t, srv.URL, func(o *httptarget.Options) { o.CA, o.MaxConns = ca, 1 })
		exact := get("/a%2fb|c?x=%zz")
		post := plan.Arrival{Method: "POST", Target: []byte("/post"), Body: []byte("body"), Type: "text/plain", Header: []byte("X-A: b\r\n")}
		src := func(yield func(*plan.Arrival, error) bool) {
			for i, a := range []plan.Arrival{get("/x"), post, exact, get("//two")} {
				a.At = int64(i) * 100_000
				if !yield(&a, nil) {
					return
				}
			}
		}
		totals, l := replayAll(t, target, src, 5*time.Second)
		if totals.Ledger.Kinds[result.Completed] != 3 || totals.Ledger.Written != 3 || served.Load() != 3 || totals.Ledger.Withheld["unreplayable"] != 1 {
			t.Errorf("h2 %v: ledger %+v, served %d", h2, totals.Ledger, served.Load())
		}
		if _, ok := protos.Load(map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[h2]); !ok {
			t.Errorf("h2 %v: another protocol was used", h2)
		}
		if o := l.at(t, 2); !h2 && o.Status != http.StatusTeapot {
			t.Errorf("the target did not arrive byte for byte: %+v", o)
		}
		if c := totals.Connections; c.New != 1 || c.Reused != 2 {
			t.Errorf("h2 %v: connections %+v, want 3 requests on one", h2, c)
		}
		// Without the CA the certificate is refused.
		_, l = replayAll(t, open(t, srv.URL, nil), arrivals(get("/x"), 0), 5*time.Second)
		if o := l.at(t, 0); o.Kind != result.Failed || o.Cause != result.CauseTLS || o.Written {
			t.Errorf("h2 %v: untrusted certificate gives %v %v", h2, o.Kind, o.Cause)
		}
		_, l = replayAll(t, open(t, srv.URL, func(o *httptarget.Options) { o.Insecure = true }), arrivals(get("/x"), 0), 5*time.Second)
		if o := l.at(t, 0); o.Kind != result.Completed {
			t.Errorf("h2 %v: insecure gives %v %v", h2, o.Kind, o.Cause)
		}
		_ = target.Close()
		srv.Close()
	}
}

func TestTLSFaults(t *testing.T) {
	f := func(name string, handler http.HandlerFunc, kind result.Kind, cause result.Cause) {
		t.Helper()
		srv := httptest.NewUnstartedServer(handler)
		srv.Config.ErrorLog = quiet
		srv.StartTLS()
		defer srv.Close()
		target := open(t, srv.URL, func(o *httptarget.Options) { o.Insecure = true })
		defer func() { _ = target.Close() }()
		totals, l := replayAll(t, target, arrivals(get("/x"), 0), 300*time.Millisecond)
		if o := l.at(t, 0); o.Kind != kind || o.Cause != cause || totals.Ledger.Written != 1 {
			t.Errorf("%s: %v %v written %d, want %v %v", name, o.Kind, o.Cause, totals.Ledger.Written, kind, cause)
		}
	}
	f("silence", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, result.TimedOut, result.CauseFirstByte)
	f("closed", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, result.Failed, result.CauseReset)
	f("redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://192.0.2.1/", http.StatusFound)
	}, result.Completed, 0)
	f("rejected", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, result.Rejected, 0)
	// Plain HTTP where TLS is expected.
	url, _ := scripted(t, func(c net.Conn, _ *bufio.Reader) { _, _ = io.WriteString(c, "HTTP/1.1 400 Bad\r\n\r\n") })
	_, l := replayAll(t, open(t, "https"+url[4:], nil), arrivals(get("/x"), 0), time.Second)
	if o := l.at(t, 0); o.Kind != result.Failed || o.Cause != result.CauseTLS {
		t.Errorf("plain server: %v %v, want errors(tls)", o.Kind, o.Cause)
	}
}

func TestGuard(t *testing.T) {
	f := func(g httptarget.Guard, host string, allowed bool) {
		t.Helper()
		addrs, err := g.Check(t.Context(), host)
		var denied *httptarget.GuardError
		if allowed != (err == nil) || !allowed && !errors.As(err, &denied) {
			t.Errorf("%s: %v, %v", host, addrs, err)
		}
	}
	none := httptarget.Guard{}
	f(none, "127.0.0.1", true)
	f(none, "127.8.9.1", true)
	f(none, "::1", true)
	f(none, "::ffff:127.0.0.1", true)
	f(none, "localhost", true)
	f(none, "192.0.2.1", false)
	f(none, "0.0.0.0", false)
	f(none, "10.0.0.1", false)
	f(httptarget.Guard{Allowed: []string{"192.0.2.1"}}, "192.0.2.1", true)
	f(httptarget.Guard{Allowed: []string{"192.0.2.1"}}, "192.0.2.2", false)
	f(httptarget.Guard{Confirmed: "192.0.2.1"}, "192.0.2.1", true)
	f(httptarget.Guard{Allowed: []string{""}}, "192.0.2.1", false)
	f(httptarget.Guard{Confirmed: "192.0.2.2"}, "127.0.0.1", false)
	f(httptarget.Guard{Allowed: []string{"192.0.2.1"}, Confirmed: "192.0.2.2"}, "192.0.2.1", false)
	f(none, "LOCALHOST", true)
	if _, err := httptarget.New(t.Context(), httptarget.Options{URL: "http://192.0.2.1"}); err == nil {
		t.Error("a target that is not allowed was made")
	}
}

// A name that may not be dialled is not looked up either: not even the end of the context keeps it from being refused.
func TestGuardAsksBeforeItResolves(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := func(g httptarget.Guard, host, confirmed string) {
		t.Helper()
		_, err := g.Check(ctx, host)
		var denied *httptarget.GuardError
		if !errors.As(err, &denied) || denied.Host != host || denied.Confirmed != confirmed || !strings.Contains(err.Error(), confirmed) {
			t.Errorf("%s: %v", host, err)
		}
	}
	f(httptarget.Guard{}, "staging.example", "")
	f(httptarget.Guard{}, "notlocalhost", "")
	f(httptarget.Guard{Allowed: []string{"other.example"}}, "staging.example", "")
	f(httptarget.Guard{Confirmed: "stage.example"}, "staging.example", "stage.example")
	f(httptarget.Guard{Confirmed: "staging.example"}, "localhost", "staging.example")
}

func TestOptions(t *testing.T) {
	for _, o := range []httptarget.Options{
		{}, {URL: "ftp://127.0.0.1"}, {URL: "http://"}, {URL: "http://127.0.0.1/base"}, {URL: "http://u:p@127.0.0.1"},
		{URL: "http://127.0.0.1?x"}, {URL: "http://127.0.0.1", MaxConns: -1}, {URL: "http://127.0.0.1", Policy: "some"},
		{URL: "http://127.0.0.1", HostHeader: "any"}, {URL: "http://127.0.0.1", RejectStatus: []int{7}},
		{URL: "http://127.0.0.1", Agent: "a\r\nb"}, {URL: "http://127.0.0.1", CA: []byte("x")},
		{URL: "https://127.0.0.1", CA: []byte("x")}, {URL: "https://127.0.0.1", Policy: httptarget.PolicyUser},
	} {
		if target, err := httptarget.New(t.Context(), o); err == nil {
			_ = target.Close()
			t.Errorf("%+v is accepted", o)
		}
	}
}

// Connections that the server closes while they are idle are found dead in the pool, all hundred of them. A
// request that meets one at the very moment of its end is lost, and said to be.
func TestIdleDeaths(t *testing.T) {
	url, _ := scripted(t, func(c net.Conn, r *bufio.Reader) {
		for {
			_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if _, err := readRequest(r); err != nil {
				return
			}
			_, _ = io.WriteString(c, ok)
		}
	})
	target := open(t, url, nil)
	instants := slices.Repeat([]int64{0}, 100)
	instants = append(instants, slices.Repeat([]int64{800}, 100)...)
	totals, l := replayAll(t, target, arrivals(get("/x"), instants...), 5*time.Second)
	for _, o := range l.all {
		if o.Kind != result.Completed && (o.Cause != result.CauseReset || !o.Reused) {
			t.Errorf("outcome %+v", o)
		}
	}
	if n := totals.Ledger.Kinds[result.Completed]; n < 150 {
		t.Errorf("completed %d of 200: %v", n, totals.Ledger.Causes)
	}
}
