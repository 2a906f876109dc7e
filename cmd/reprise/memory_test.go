package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

const (
	longLog   = 300 << 20 // bytes of the generated log
	maxMemory = 200 << 20
)

// TestMemory reads a log that is longer than the memory it may take. Ten thousand clients and a hundred
// thousand paths make every table as full as it gets.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("short: reads 300 MB twice")
	}
	t.Parallel()
	dir := t.TempDir()
	reprise(t, dir, []string{"keygen", "-o", "k"})
	write(t, filepath.Join(dir, "access.log"), bundledLog(t))
	reprise(t, dir, []string{"endpoints", "learn", "access.log", "-o", "endpoints.yaml"})
	for _, args := range [][]string{
		{"inspect", "--json", "-"},
		{"anonymize", "-", "--key-file", "k", "--endpoints", "endpoints.yaml", "-o", "trace"},
	} {
		c := command(t, args...)
		c.Dir = dir
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() { written <- writeLong(in) }()
		runs(t, c)
		if err := <-written; err != nil {
			t.Fatalf("%s did not read its input: %v", args[0], err)
		}
		if peak := peakMemory(c); peak > maxMemory {
			t.Errorf("%s took %d MB, want at most %d", args[0], peak>>20, maxMemory>>20)
		} else {
			t.Logf("%s took %d MB", args[0], peak>>20)
		}
	}
}

// peakMemory is the most resident memory that a finished command had, in bytes.
func peakMemory(c *exec.Cmd) int64 {
	rss := int64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS == "darwin" {
		return rss
	}
	return rss << 10
}

// writeLong writes a log in the combined format.
func writeLong(w io.WriteCloser) error {
	b := bufio.NewWriterSize(w, 1<<20)
	draw := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	n := 0
	for n < longLog {
		at = at.Add(time.Duration(draw.IntN(40)) * time.Millisecond)
		late := at.Add(-time.Duration(draw.IntN(5)) * time.Second)
		size, err := fmt.Fprintf(b, "240.%d.%d.%d - - [%s] \"GET /products/%d?page=%d&q=word%d HTTP/1.1\" 200 %d \"-\" \"Browser/%d.%d (X11; Linux x86_64) Engine/%d\"\n",
			draw.IntN(4), draw.IntN(50), draw.IntN(50), late.Format("02/Jan/2006:15:04:05 -0700"),
			draw.IntN(100_000), draw.IntN(50), draw.IntN(1_000_000), draw.IntN(100_000), draw.IntN(100), draw.IntN(100), draw.IntN(1000))
		if err != nil {
			return err
		}
		n += size
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return w.Close()
}
