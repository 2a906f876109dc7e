package httptarget_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reprise/replay/httptarget"
	"reprise/replay/plan"
	"reprise/replay/result"
)

// narrow listens with the shortest backlog there is.
func narrow(t *testing.T) net.Listener {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "listener")
	defer func() { _ = f.Close() }()
	ln, err := net.FileListener(f) // on a duplicate
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// fill fills the backlog: the kernel drops every further SYN.
func fill(t *testing.T, ln net.Listener) {
	t.Helper()
	for range 16 {
		c, err := net.DialTimeout("tcp", ln.Addr().String(), 200*time.Millisecond)
		if err != nil {
			return
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("the backlog never fills up")
}

// deaf is the URL of a listener that takes no connection.
func deaf(t *testing.T) string {
	t.Helper()
	ln := narrow(t)
	fill(t, ln)
	return "http://" + ln.Addr().String()
}

// A second wave of shots gets its dials when the first wave's end: its connect begins then, not at the dispatch.
func TestSecondWaveOfDials(t *testing.T) {
	const first, gap, timeout = 64, 200, 600 // shots, ms, ms
	target := open(t, deaf(t), nil)
	instants := append(slices.Repeat([]int64{0}, first), slices.Repeat([]int64{gap}, 10)...)
	_, l := replayAll(t, target, arrivals(get("/x"), instants...), timeout*time.Millisecond)
	for i := range int64(len(instants)) {
		o := l.at(t, i)
		if o.Kind != result.TimedOut || o.Cause != result.CauseConnect && (i < first || o.Cause != result.CauseWait) {
			t.Errorf("request %d: %v %v", i, o.Kind, o.Cause)
		}
		if i >= first && o.SentAt != result.Unset && o.SentAt < timeout*int64(time.Millisecond) {
			t.Errorf("request %d: its connect begins at %v, beside %d others", i, time.Duration(o.SentAt), first)
		}
	}
}

// On a single connection requests go in their order: none waits for a dial while the connection is idle, and none that
// comes later takes it first.
func TestNoShotWaitsBesideAnIdleConnection(t *testing.T) {
	const offered = 20_000
	ln := narrow(t)
	got := make([]string, 0, offered+1) // the exchange of the answer orders the accesses
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		for r := bufio.NewReader(c); ; {
			q, err := readRequest(r)
			if err != nil {
				return
			}
			got = append(got, q.URL.Path)
			_, _ = io.WriteString(c, ok)
		}
	}()
	target := open(t, "http://"+ln.Addr().String(), nil)
	replayAll(t, target, arrivals(get("/00000"), 0), 10*time.Second)
	fill(t, ln)
	src := func(yield func(*plan.Arrival, error) bool) {
		a, random := get("/"), rand.New(rand.NewPCG(1, 2))
		for i := range offered {
			a.At += 20 + random.Int64N(150)
			a.Target = fmt.Appendf(nil, "/%05d", i+1)
			if !yield(&a, nil) {
				return
			}
		}
	}
	totals, _ := replayAll(t, target, src, 20*time.Second)
	k := &totals.Ledger.Kinds // a busy machine drops some
	if c := target.Connections(); k[result.Completed]+k[result.Dropped] != offered || k[result.Completed] < 1000 || c.New != 1 {
		t.Fatalf("ledger %+v, connections %+v", totals.Ledger, c)
	}
	for i := 1; i < len(got); i++ {
		if got[i] < got[i-1] {
			t.Fatalf("request %s is sent after %s", got[i], got[i-1])
		}
	}
}

// A target that does not take connections is the cause of the queue behind the dials: its dials are slow, their
// shots end while connecting, the others while waiting, and the run stays valid with a warning.
func TestTargetThatTakesNoConnection(t *testing.T) {
	target := open(t, deaf(t), nil)
	totals, l := replayAll(t, target, arrivals(get("/x"), slices.Repeat([]int64{0}, 100)...), 1500*time.Millisecond)
	by := &totals.Ledger.Causes[result.TimedOut]
	if by[result.CauseConnect] != 64 || by[result.CauseWait] != 36 || totals.Ledger.Written != 0 {
		t.Errorf("timed out while connecting %d, waiting %d; want 64, 36: %+v", by[result.CauseConnect], by[result.CauseWait], totals.Ledger)
	}
	for _, o := range l.all {
		if (o.SentAt == result.Unset) != (o.Cause == result.CauseWait) {
			t.Errorf("outcome %+v", o)
		}
	}
	_ = target.Close() // the last dials may end after their shots
	if c := target.Connections(); c.New != 0 || c.Reused != 0 || c.Slow == 0 {
		t.Errorf("connections %+v, want slow ones only", c)
	}
	if w := strings.Join(totals.Warnings(), "\n"); !strings.Contains(w, "the target did not take connections fast enough (0 refused, 64 not answered in time") {
		t.Errorf("warnings %q", w)
	}
	if _, why := totals.Valid(); slices.ContainsFunc(why, func(r string) bool { return strings.Contains(r, "open connections") }) {
		t.Errorf("reasons %q", why)
	}
}

// Refused dials are no connections.
func TestRefusedDialsAreNotCounted(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + ln.Addr().String()
	_ = ln.Close()
	for _, o := range []httptarget.Options{{}, {MaxConns: 2}, {Policy: httptarget.PolicyNew}} {
		target := open(t, url, func(p *httptarget.Options) { p.MaxConns, p.Policy = o.MaxConns, o.Policy })
		totals, _ := replayAll(t, target, arrivals(get("/x"), 0, 1, 2), time.Second)
		if c := target.Connections(); totals.Ledger.Causes[result.Failed][result.CauseConnect] != 3 || c.New != 0 || c.Reused != 0 {
			t.Errorf("%+v: ledger %+v, connections %+v", o, totals.Ledger, c)
		}
	}
}
