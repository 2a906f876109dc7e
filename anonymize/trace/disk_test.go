//go:build unix

package trace_test

import (
	"errors"
	"os/signal"
	"syscall"
	"testing"

	"reprise/anonymize/trace"
)

// A limit on the size of files stands in for a full disk: the kernel refuses the write in the same way.
func TestSorterReportsFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := sorter(t, dir, trace.MinSortMemory)
	defer s.Close()
	limit := before
	limit.Cur = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	var err error
	for i := 0; i < 5000 && err == nil; i++ {
		err = s.Add(numbered(int64(i*7919%5000), i, 50))
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("error is %v, want EFBIG", err)
	}
	empty(t, dir)
}
