//go:build !linux

package replay

import "runtime"

// newThreadPacer falls back to the runtime's timers.
func newThreadPacer() Pacer {
	runtime.LockOSThread()
	return SleepPacer{}
}
