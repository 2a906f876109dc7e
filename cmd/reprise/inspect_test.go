package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestInspectRealLog counts the lines of a real log, which wc and grep have counted too.
func TestInspectRealLog(t *testing.T) {
	t.Parallel()
	log := realLog(t, "nginx-blog-2012.log.gz")
	var s struct {
		Lines     int64
		Records   int64
		NoRequest int64 `json:"no_request"`
		Rejected  int64
		Skipped   int64
		Files     []struct{ Format string }
	}
	if err := json.Unmarshal([]byte(reprise(t, t.TempDir(), []string{"inspect", "--json", log})), &s); err != nil {
		t.Fatal(err)
	}
	if s.Lines != 341163 {
		t.Errorf("%d lines, want 341163", s.Lines)
	}
	if sum := s.Records + s.NoRequest + s.Rejected + s.Skipped; sum != s.Lines {
		t.Errorf("%d lines, but their kinds add up to %d", s.Lines, sum)
	}
	if s.Records == 0 || len(s.Files) != 1 || !strings.Contains(s.Files[0].Format, "combined") {
		t.Errorf("%+v", s)
	}
}

// TestInspectMemory inspects two logs at a time in which all clients, paths, agents and seconds differ.
func TestInspectMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux: the peak is read from /proc")
	}
	const limit = 64 << 20
	dir := t.TempDir()
	for k, name := range []string{"a.log", "b.log"} {
		write(t, filepath.Join(dir, name), strangeLog(uint64(k), 150_000))
	}
	c := built(t, "inspect", "--json", "a.log", "b.log")
	c.Dir = dir
	if peak := watched(t, c); peak > limit {
		t.Errorf("inspect took %d MB, want at most %d", peak>>20, limit>>20)
	} else {
		t.Logf("inspect took %d MB", peak>>20)
	}
}

// strangeLog makes a log that fills every table.
func strangeLog(seed uint64, lines int) []byte {
	draw := rand.New(rand.NewPCG(seed, 7))
	from := time.Date(1995, 1, 1, 0, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	for range lines {
		at := from.Add(time.Duration(draw.IntN(30*365*86400)) * time.Second)
		fmt.Fprintf(&b, "2001:db8:%x:%x::%x - - [%s] \"GET ", draw.IntN(1<<16), draw.IntN(1<<16), draw.IntN(1<<16), at.Format("02/Jan/2006:15:04:05 -0700"))
		for range 9 {
			b.WriteByte('/')
			for range 5 {
				b.WriteByte(byte('a' + draw.IntN(26)))
			}
		}
		fmt.Fprintf(&b, " HTTP/1.1\" 200 5 \"-\" \"agent %d\"\n", draw.Uint64())
	}
	return b.Bytes()
}
