package ingest_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reprise/ingest"
)

// orderedLine is a line as a server wrote it; its target says where it stands.
type orderedLine struct {
	at     int64 // start in seconds since the day began
	client int
	file   int
	line   int
}

// writeServers writes the lines of several servers, a file for each, and returns the files' names.
func writeServers(t *testing.T, servers [][]orderedLine) []string {
	t.Helper()
	dir := t.TempDir()
	names := make([]string, len(servers))
	for i, lines := range servers {
		var b strings.Builder
		for _, l := range lines {
			when := time.Date(2025, 3, 12, 8, 0, 0, 0, time.UTC).Add(time.Duration(l.at) * time.Second)
			fmt.Fprintf(&b, "192.0.2.%d - - [%s] \"GET /%d/%d HTTP/1.1\" 200 1 \"-\" \"a\"\n", l.client, when.Format("02/Jan/2006:15:04:05 -0700"), l.file, l.line)
		}
		names[i] = filepath.Join(dir, fmt.Sprintf("server%d.log", i))
		if err := os.WriteFile(names[i], []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// readOrder reads files through one Reader and returns the records' starts (in seconds) and targets.
func readOrder(t *testing.T, names ...string) (starts []int64, targets []string) {
	t.Helper()
	r, err := ingest.Open(t.Context(), names, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for record, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, record.Start/1e9)
		targets = append(targets, string(record.Target))
	}
	for _, f := range r.Report().Files {
		checkBalance(t, f)
	}
	return starts, targets
}

// Lines stand in the order of their ends, so starts go back by as much as requests take. Within the window
// the merge puts them in order, over all files, and neither loses nor repeats one.
func TestTrap13DisorderOfStartsWithinTheWindow(t *testing.T) {
	d := rand.New(rand.NewPCG(13, 1))
	servers := make([][]orderedLine, 3)
	var all []orderedLine
	for file := range servers {
		type ended struct {
			end   int64
			start int64
		}
		var by []ended
		for at := int64(0); at < 2000; at += d.Int64N(3) {
			by = append(by, ended{at + d.Int64N(50), at})
		}
		slices.SortStableFunc(by, func(a, b ended) int { return cmp.Compare(a.end, b.end) })
		for i, e := range by {
			servers[file] = append(servers[file], orderedLine{at: e.start, client: d.IntN(200), file: file, line: i})
		}
		all = append(all, servers[file]...)
	}
	names := writeServers(t, servers)
	starts, targets := readOrder(t, names...)
	if !slices.IsSorted(starts) {
		t.Error("starts go back after the merge")
	}
	want := make([]string, len(all))
	for i, l := range all {
		want[i] = fmt.Sprintf("/%d/%d", l.file, l.line)
	}
	again, shuffled := readOrder(t, names[2], names[0], names[1])
	if !slices.Equal(starts, again) || !slices.Equal(slices.Sorted(slices.Values(targets)), slices.Sorted(slices.Values(shuffled))) {
		t.Error("the order of the names changes what is read")
	}
	slices.Sort(want)
	slices.Sort(targets)
	if !slices.Equal(targets, want) {
		t.Errorf("read %d records that are not the %d written", len(targets), len(want))
	}
}

// A client that sends its requests over one connection has several in one second: they come out in the order
// of their lines, also when other files hold lines of the same second.
func TestTrap35ClientOrderWithinASecond(t *testing.T) {
	d := rand.New(rand.NewPCG(35, 1))
	servers := make([][]orderedLine, 4)
	for file := range servers {
		for i, at := 0, int64(0); i < 1500; i++ {
			if d.IntN(40) == 0 {
				at++
			}
			servers[file] = append(servers[file], orderedLine{at: at, client: 50*file + d.IntN(5), file: file, line: i})
		}
	}
	starts, targets := readOrder(t, writeServers(t, servers)...)
	if !slices.IsSorted(starts) {
		t.Error("starts go back after the merge")
	}
	last := [4]int{-1, -1, -1, -1}
	for _, target := range targets {
		var file, line int
		if _, err := fmt.Sscanf(target, "/%d/%d", &file, &line); err != nil {
			t.Fatal(err)
		}
		if line != last[file]+1 {
			t.Fatalf("line %d of file %d comes after line %d", line, file, last[file])
		}
		last[file] = line
	}
	if len(targets) != 4*1500 {
		t.Errorf("read %d records, want %d", len(targets), 4*1500)
	}
}
