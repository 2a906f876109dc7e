package httptarget_test

import (
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reprise/replay/httptarget"
	"reprise/replay/result"
)

// deaf is the URL of a listener whose backlog is full: the kernel drops every further SYN.
func deaf(t *testing.T) string {
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
	for range 16 {
		c, err := net.DialTimeout("tcp", ln.Addr().String(), 200*time.Millisecond)
		if err != nil {
			return "http://" + ln.Addr().String()
		}
		t.Cleanup(func() { _ = c.Close() })
	}
	t.Fatal("the backlog never fills up")
	return ""
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
