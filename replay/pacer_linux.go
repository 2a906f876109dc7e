package replay

import (
	"context"
	"runtime"
	"syscall"
	"time"
)

const (
	// spinMargin is slept short of the instant and then spun away: a nanosleep of a thread with minimal
	// timer slack wakes about 70 us late, and a timer of the Go runtime about 600 us.
	spinMargin = 100 * time.Microsecond
	// nap bounds one sleep, so that the end of the run is noticed.
	nap = 10 * time.Millisecond

	prSetTimerSlack = 29 // PR_SET_TIMERSLACK of prctl(2), nanoseconds
)

// threadPacer sleeps in the kernel on a thread of its own and spins for the rest.
type threadPacer struct{ alone bool }

// newThreadPacer binds the calling goroutine to its thread for good: the thread ends with the goroutine, so its
// timer slack troubles nobody else.
func newThreadPacer() Pacer {
	runtime.LockOSThread()
	// Without the call sleeps are up to 50 us later, which the lag would show; so its error is no matter.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, 1, 0)
	return threadPacer{alone: runtime.GOMAXPROCS(0) == 1}
}

// Wait implements Pacer.
func (p threadPacer) Wait(ctx context.Context, until time.Time) {
	for {
		left := time.Until(until)
		if left <= spinMargin {
			break
		}
		ts := syscall.NsecToTimespec(int64(min(left-spinMargin, nap)))
		_ = syscall.Nanosleep(&ts, nil) // a signal ends it early, which the loop takes care of
		if ctx.Err() != nil {
			return
		}
	}
	for time.Until(until) > 0 {
		if p.alone {
			runtime.Gosched()
		}
	}
}
