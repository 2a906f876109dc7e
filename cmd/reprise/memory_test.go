package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
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
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: the peak is read from /proc")
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
		c := built(t, args...)
		c.Dir = dir
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		written := make(chan error, 1)
		go func() { written <- writeLong(in) }()
		peak := watched(t, c)
		if err := <-written; err != nil {
			t.Fatalf("%s did not read its input: %v", args[0], err)
		}
		if peak > maxMemory {
			t.Errorf("%s took %d MB, want at most %d", args[0], peak>>20, maxMemory>>20)
		} else {
			t.Logf("%s took %d MB", args[0], peak>>20)
		}
	}
}

// watched runs a command and gives the most resident memory that it had, in bytes. The kernel's own figure of
// a finished process is no use: it counts the memory of the test before it became the command.
func watched(t *testing.T, c *exec.Cmd) (peak int64) {
	t.Helper()
	var report bytes.Buffer
	c.Stderr = &report
	if err := c.Start(); err != nil { // returns when it is the command
		t.Fatal(err)
	}
	ended := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			peak = max(peak, residentPeak(c.Process.Pid))
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	err := c.Wait()
	close(ended)
	watch.Wait()
	if err != nil {
		t.Fatalf("reprise %s: %v\n%s", c.Args[1], err, report.Bytes())
	}
	if peak == 0 {
		t.Fatal("/proc tells nothing about memory")
	}
	return peak
}

// residentPeak is VmHWM of a running process, 0 when it has none.
func residentPeak(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes := int64(0)
	fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// writeLong writes a log in the combined format.
func writeLong(w io.WriteCloser) error {
	b := bufio.NewWriterSize(w, 1<<20)
	draw := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	var line []byte
	number := func(text string, below int) {
		line = strconv.AppendInt(append(line, text...), int64(draw.IntN(below)), 10)
	}
	for n := 0; n < longLog; n += len(line) {
		at = at.Add(time.Duration(draw.IntN(40)) * time.Millisecond)
		line = line[:0]
		number("240.", 4)
		number(".", 50)
		number(".", 50)
		line = append(line, ".1 - - ["...)
		line = at.Add(-time.Duration(draw.IntN(5))*time.Second).AppendFormat(line, "02/Jan/2006:15:04:05 -0700")
		number(`] "GET /products/`, 100_000)
		number("?page=", 50)
		number("&q=word", 1_000_000)
		number(` HTTP/1.1" 200 `, 100_000)
		number(` "-" "Browser/`, 100)
		number(" (X11; Linux x86_64) Engine/", 1000)
		line = append(line, "\"\n"...)
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return w.Close()
}
