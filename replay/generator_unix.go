//go:build unix

package replay

import (
	"os"
	"syscall"
	"time"
)

// processCPU is the processor time of this process so far, user and system.
func processCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// openFiles is the number of open descriptors, 0 where the system does not tell.
func openFiles() int64 {
	d, err := os.Open("/dev/fd")
	if err != nil {
		return 0
	}
	defer func() { _ = d.Close() }() // opened for reading only
	names, _ := d.Readdirnames(-1)
	return int64(max(len(names)-1, 0))
}
