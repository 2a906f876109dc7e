package main

import (
	"bufio"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
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
