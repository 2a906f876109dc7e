package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/ingest"
)

// atSecond is a line of the common format, that many seconds after a fixed instant.
func atSecond(second int, target string) string {
	at := time.Unix(start/1e9+int64(second), 0).UTC().Format("02/Jan/2006:15:04:05 -0700")
	return fmt.Sprintf(`203.0.113.7 - - [%s] "GET %s HTTP/1.1" 200 1`+"\n", at, target)
}

// writeFiles writes the texts as files log.0, log.1, ... and returns their names.
func writeFiles(t testing.TB, texts ...string) []string {
	t.Helper()
	dir := t.TempDir()
	names := make([]string, len(texts))
	for i, text := range texts {
		names[i] = filepath.Join(dir, fmt.Sprintf("log.%d", i))
		if err := os.WriteFile(names[i], []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

// readMerged returns the targets in the order of Records, and the report.
func readMerged(t testing.TB, o ingest.Options, names ...string) ([]string, ingest.Report) {
	t.Helper()
	r, err := ingest.Open(t.Context(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var targets []string
	last, late := int64(0), int64(0)
	for record, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if record.Start < last {
			late++
		}
		last = max(last, record.Start)
		targets = append(targets, string(record.Target))
	}
	rep := r.Report()
	equal(t, "late", rep.Merged.Late, late)
	for _, f := range rep.Files {
		checkBalance(t, f)
	}
	return targets, rep
}

func TestTrap13DisorderWithinTheWindow(t *testing.T) {
	names := writeFiles(t, atSecond(0, "/a")+atSecond(50, "/e")+atSecond(10, "/c")+atSecond(300, "/h")+atSecond(241, "/g"),
		atSecond(5, "/b")+atSecond(20, "/d")+atSecond(70, "/f"))
	for range 2 {
		targets, rep := readMerged(t, ingest.Options{}, names...)
		equal(t, "order", strings.Join(targets, ""), "/a/b/c/d/e/f/g/h")
		equal(t, "merged", rep.Merged, ingest.Merged{})
		equal(t, "late in the file", rep.Total().Late, 2)
		slices.Reverse(names)
	}
}

func TestTrap13LateLinesAreCounted(t *testing.T) {
	text := atSecond(0, "/a") + atSecond(100, "/b") + atSecond(200, "/c") + atSecond(30, "/late") + atSecond(300, "/d")
	targets, _ := readMerged(t, ingest.Options{}, writeFiles(t, text)...)
	equal(t, "order", strings.Join(targets, ""), "/a/late/b/c/d") // a batch is sorted as a whole
	// More lines than wait for their turn.
	var b strings.Builder
	for i := range 20_000 {
		b.WriteString(atSecond(i/100, fmt.Sprintf("/%d", i)))
	}
	b.WriteString(atSecond(40, "/late"))
	targets, rep := readMerged(t, ingest.Options{Window: time.Hour}, writeFiles(t, b.String())...)
	equal(t, "records", len(targets), 20_001)
	equal(t, "late", rep.Merged.Late, 1)
	if rep.Merged.MaxLate < 100 || rep.Merged.MaxLate > 159 {
		t.Errorf("late by %g s", rep.Merged.MaxLate)
	}
}

// Equal starts stay in the order of the files, and within a file in that of the lines.
func TestMergeIsStable(t *testing.T) {
	var a, b strings.Builder
	for i := range 1000 {
		a.WriteString(atSecond(i/500, fmt.Sprintf("/a%d", i)))
		b.WriteString(atSecond(i/500, fmt.Sprintf("/b%d", i)))
	}
	targets, _ := readMerged(t, ingest.Options{}, writeFiles(t, a.String(), b.String())...)
	for i, target := range targets {
		file, n := "a", i%1000
		if n >= 500 {
			file, n = "b", n-500
		}
		if want := fmt.Sprintf("/%s%d", file, n+i/1000*500); target != want {
			t.Fatalf("%d is %s, want %s", i, target, want)
		}
	}
}

// Whatever the files hold, every record comes once, those within the window in the order of their starts, and the
// order is that of a stable sort where nothing is late.
func TestMergeOfAnyDisorder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		files := rapid.IntRange(1, 5).Draw(rt, "files")
		span := rapid.SampledFrom([]int{1, 30, 59, 100, 5000}).Draw(rt, "span")
		step := rapid.SampledFrom([]int{0, 1, 20, 1000}).Draw(rt, "step")
		var texts []string
		total := 0
		for f := range files {
			var b strings.Builder
			n := rng.IntN(2000) + 1
			for i := range n {
				b.WriteString(atSecond(f*step+i*step/50+rng.IntN(span), fmt.Sprintf("/%d/%d", f, i)))
			}
			total += n
			texts = append(texts, b.String())
		}
		names := writeFiles(t, texts...)
		targets, rep := readMerged(t, ingest.Options{}, names...)
		if len(targets) != total || rep.Total().Records != int64(total) {
			rt.Fatalf("%d records, want %d", len(targets), total)
		}
		seen := map[string]bool{}
		for _, target := range targets {
			if seen[target] {
				rt.Fatalf("%s came twice", target)
			}
			seen[target] = true
		}
		if span <= 60 && rep.Merged.Late != 0 {
			rt.Fatalf("%d lines are late, by up to %g s", rep.Merged.Late, rep.Merged.MaxLate)
		}
		again, _ := readMerged(t, ingest.Options{}, names...)
		if !slices.Equal(targets, again) {
			rt.Fatal("another order at the second reading")
		}
	})
}

// A thousand rotated files are never open at the same time, nor are as many that overlap.
func TestMergeOpensFewFiles(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("needs Linux: open files are counted in /proc")
		}
		return len(entries)
	}
	f := func(step, most int) {
		t.Helper()
		var texts []string
		for i := range 300 {
			texts = append(texts, atSecond(i*step, "/a")+atSecond(i*step+1, "/b"))
		}
		r, err := ingest.Open(t.Context(), writeFiles(t, texts...), ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before, peak, n := open(), 0, 0
		for _, err := range r.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			peak = max(peak, open())
			n++
		}
		equal(t, "records", n, 600)
		if peak-before > most {
			t.Errorf("%d files were open at the same time, want at most %d", peak-before, most)
		}
	}
	f(3600, 2)
	f(0, 32)
}

// Clocks that are far ahead must not keep everything in memory that was read beside them.
func TestMergeMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 60 MB")
	}
	var b strings.Builder
	pad := strings.Repeat("x", 200)
	for i := range 200_000 {
		second := i / 100
		if i%200 == 0 {
			second += 1_000_000 + i
		}
		b.WriteString(atSecond(second, fmt.Sprintf("/%d/%s", i, pad)))
	}
	names := writeFiles(t, b.String())
	b.Reset()
	r, err := ingest.Open(t.Context(), names, ingest.Options{SkipHash: true})
	if err != nil {
		t.Fatal(err)
	}
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, peak, n := live(), uint64(0), 0
	for _, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%20_000 == 0 {
			peak = max(peak, live())
		}
	}
	equal(t, "records", n, 200_000)
	equal(t, "late", r.Report().Merged, ingest.Merged{})
	if peak > before+16<<20 {
		t.Errorf("%d MiB are held", (peak-before)>>20)
	}
}

// The loop may end at any place; TestMain sees goroutines that are left over.
func TestMergeEndsEarly(t *testing.T) {
	names := writeDays(t, 5, 3000, 2000)
	stop := errors.New("stop")
	for _, after := range []int{1, 2, 255, 256, 257, 3000, 3001, 14_999} {
		r, err := ingest.Open(t.Context(), names, ingest.Options{Format: "combined"})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range r.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == after {
				break
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		var last error
		n = 0
		for _, last = range r.Records(ctx) {
			if n++; n == after {
				cancel()
			}
		}
		cancel()
		if !errors.Is(last, context.Canceled) && after < 14_999 {
			t.Errorf("cancelled after %d records: %v", after, last)
		}
		rejects := 0
		r, err = ingest.Open(t.Context(), names, ingest.Options{Format: "combined", Reject: func(ingest.Reject) error {
			if rejects++; rejects > after/2 {
				return stop
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, last = range r.Records(t.Context()) {
		}
		equal(t, "error of the hook", errors.Is(last, stop), true)
	}
}

// The rejects come in the order of the lines, whatever the speed.
func TestMergeTellsRejectsInOrder(t *testing.T) {
	names := writeDays(t, 3, 3000, 3000)
	var want []string
	for range 3 {
		var got []string
		lines := map[string]int64{}
		o := ingest.Options{Format: "combined", Reject: func(r ingest.Reject) error {
			if r.Pos.Line <= lines[r.Pos.File] {
				t.Errorf("line %d comes after line %d", r.Pos.Line, lines[r.Pos.File])
			}
			lines[r.Pos.File] = r.Pos.Line
			got = append(got, fmt.Sprint(r))
			return nil
		}}
		readMerged(t, o, names...)
		equal(t, "rejects", len(got), 9000)
		if want == nil {
			want = got
		}
		equal(t, "the same order", slices.Equal(got, want), true)
	}
}

// 0 back-jumps: the rotated set is in order after the merge, whatever the order of the arguments.
func TestTrap13RotatedLogs(t *testing.T) {
	names, err := filepath.Glob(realLog(t, "nginx-blog-rotated/access.log*"))
	if err != nil || len(names) != 12 {
		t.Fatal(len(names), err)
	}
	// The same lines stand in one file of the whole set.
	read := func(names ...string) (starts []int64, records []string, rep ingest.Report) {
		r, err := ingest.Open(t.Context(), names, ingest.Options{SkipHash: true})
		if err != nil {
			t.Fatal(err)
		}
		for record, err := range r.Records(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			starts = append(starts, record.Start)
			records = append(records, fmt.Sprintf("%d %s %s %s %s %d %d", record.Start, record.Client, record.Method, record.Target, record.Agent, record.Status, record.Bytes))
		}
		return starts, records, r.Report()
	}
	starts, want, rep := read(names...)
	equal(t, "records", len(want), 30_647)
	equal(t, "back-jumps", slices.IsSorted(starts), true)
	equal(t, "late", rep.Merged, ingest.Merged{})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		_, got, _ := read(names...)
		equal(t, "the same records", slices.Equal(got, want), true)
	}
	_, whole, _ := read(realLog(t, "nginx-blog-2012.log.gz"))
	at := slices.Index(whole, want[0])
	if at < 0 || len(whole) < at+len(want) {
		t.Fatal("the first record is not in the whole log")
	}
	equal(t, "the same span of the whole log", slices.Equal(whole[at:at+len(want)], want), true)
}
