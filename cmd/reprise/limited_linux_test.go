package main

import (
	"os"
	"runtime"
	"syscall"
)

// Of capabilities(7) and prctl(2).
const (
	prctlDropBounding = 24 // PR_CAPBSET_DROP
	capOverrideModes  = 1  // CAP_DAC_OVERRIDE
	capReadAll        = 2  // CAP_DAC_READ_SEARCH
)

// limit makes the modes of files bind the program that the process becomes next, also if it is root.
func limit() error {
	runtime.LockOSThread() // capabilities are the thread's, and a program gets those of the thread that calls it
	if os.Geteuid() != 0 {
		return nil
	}
	for _, c := range []uintptr{capOverrideModes, capReadAll} {
		if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prctlDropBounding, c, 0); errno != 0 {
			return errno
		}
	}
	return nil
}
