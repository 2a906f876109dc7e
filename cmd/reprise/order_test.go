package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// disordered are log lines of which some come hours late, more of them than fit the least memory.
func disordered(n int) [][]byte {
	draw := rand.New(rand.NewPCG(5, 6))
	at := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	lines := make([][]byte, n)
	for i := range lines {
		at = at.Add(time.Duration(draw.IntN(900)) * time.Millisecond)
		start := at
		if draw.IntN(5) == 0 {
			start = start.Add(-time.Duration(draw.IntN(8000)) * time.Second)
		}
		lines[i] = start.AppendFormat(fmt.Appendf(nil, "198.51.100.%d - - [", draw.IntN(200)), "02/Jan/2006:15:04:05 -0700")
		lines[i] = fmt.Appendf(lines[i], "] \"GET /p/%d?q=w%d HTTP/1.1\" 200 %d \"-\" \"Browser/%d\"\n", draw.IntN(5000), draw.IntN(1_000_000), i, draw.IntN(9))
	}
	return lines
}

// recordLines are the lines of a record file but its first and its last.
func recordLines(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return bytes.Join(lines[1:len(lines)-2], nil)
}

// TestTraceOfDisorder makes one trace of a log with late records, whatever the workers, the memory, the order in
// which files are named and the number of them.
func TestTraceOfDisorder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lines := disordered(40_000)
	cuts := []int{0, 9000, 9001, 30_000, len(lines)}
	var parts []string
	write(t, filepath.Join(dir, "whole.log"), bytes.Join(lines, nil))
	for i := range len(cuts) - 1 {
		parts = append(parts, fmt.Sprintf("part%d.log", i))
		write(t, filepath.Join(dir, parts[i]), bytes.Join(lines[cuts[i]:cuts[i+1]], nil))
	}
	reprise(t, dir, []string{"keygen", "-o", "k"})
	made := 0
	trace := func(logs []string, more ...string) string {
		made++
		name := fmt.Sprintf("trace%d", made)
		reprise(t, dir, slices.Concat([]string{"anonymize"}, logs, []string{"--key-file", "k", "-o", name}, more))
		return filepath.Join(dir, name)
	}
	whole := trace([]string{"whole.log"}, "--workers", "1")
	split := trace(parts)
	if !bytes.Equal(recordLines(t, whole), recordLines(t, split)) {
		t.Error("a log in parts has other records than the whole")
	}
	for _, more := range [][]string{{"--workers", "2"}, {"--workers", "7", "--memory", "1MB"}, {"--memory", "1GB"}} {
		equalFiles(t, whole, trace([]string{"whole.log"}, more...))
	}
	for range 3 {
		rand.New(rand.NewPCG(uint64(made), 1)).Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		equalFiles(t, split, trace(parts, "--memory", "1MB"))
	}
}
