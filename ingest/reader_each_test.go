package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/ingest"
)

// writeDays writes n files of one day each, with lines records and broken rejected lines a file, and returns
// their names, the newest day first.
func writeDays(t testing.TB, n, lines, broken int) []string {
	t.Helper()
	dir := t.TempDir()
	names := make([]string, n)
	for day := range n {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "203.0.113.7 - - [%02d/Mar/2025:09:%02d:%02d +0000] \"GET /%d/%d HTTP/1.1\" 200 1 \"-\" \"a\"\n", day+1, i/60%60, i%60, day, i)
			if i < broken {
				fmt.Fprintf(&b, "broken %d\n", i)
			}
		}
		names[n-1-day] = filepath.Join(dir, fmt.Sprintf("log.%d", n-1-day))
		if err := os.WriteFile(names[n-1-day], []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestEachIsTheSameForAnyWorkers(t *testing.T) {
	names := writeDays(t, 7, 6000, 50)
	var want string
	for _, workers := range []int{1, 2, 7, 100, 0} {
		var rejects []string
		r, err := ingest.Open(t.Context(), names, ingest.Options{Reject: func(r ingest.Reject) error {
			rejects = append(rejects, fmt.Sprint(r))
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // files can be read again
			rejects = nil
			got := make([][]string, len(names))
			next := 0
			err = r.Each(t.Context(), workers, func(file int) func(*ingest.Record) error {
				equal(t, "file", file, next)
				next++
				return func(r *ingest.Record) error {
					got[file] = append(got[file], string(r.Target))
					return nil
				}
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for day, targets := range got {
				equal(t, "records", len(targets), 6000)
				for i, target := range targets {
					equal(t, "target", target, fmt.Sprintf("/%d/%d", day, i))
				}
			}
			equal(t, "rejects", len(rejects), 350)
			report := r.Report()
			for _, f := range report.Files {
				checkBalance(t, f)
			}
			outcome := fmt.Sprint(rejects, report)
			if want == "" {
				want = outcome
			}
			if outcome != want {
				t.Fatalf("%d workers tell something else than one", workers)
			}
		}
	}
}

func TestEachStops(t *testing.T) {
	names := writeDays(t, 5, 6000, 5000) // more rejects than wait for a turn
	stop := errors.New("stop")
	visitNothing := func(int) func(*ingest.Record) error { return func(*ingest.Record) error { return nil } }
	f := func(o ingest.Options, visit func(int) func(*ingest.Record) error, want error) {
		t.Helper()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r, err := ingest.Open(ctx, names, o)
		if err != nil {
			t.Fatal(err)
		}
		if visit == nil {
			visit = func(int) func(*ingest.Record) error { cancel(); return func(*ingest.Record) error { return nil } }
		}
		if err := r.Each(ctx, 3, visit, nil); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	f(ingest.Options{Format: "combined"}, nil, context.Canceled)
	f(ingest.Options{Format: "combined", Reject: func(ingest.Reject) error { return stop }}, visitNothing, stop)
	n := 0
	f(ingest.Options{Format: "combined", Reject: func(ingest.Reject) error { n++; return nil }}, visitNothing, nil)
	equal(t, "rejects", n, 25_000)
	for _, last := range []int{0, 3} {
		f(ingest.Options{Format: "combined", Reject: func(ingest.Reject) error { return nil }}, func(file int) func(*ingest.Record) error {
			return func(r *ingest.Record) error {
				if file == last && r.Pos.Line > 3000 {
					return stop
				}
				return nil
			}
		}, stop)
	}
}

// What a reading allocates does not depend on the number of its lines.
func TestReadersAllocateNothingPerRecord(t *testing.T) {
	allocations := func(lines int, each bool) float64 {
		name := writeFiles(t, manyLines(lines, func(i int) string { return common(i / 50) }))
		r, err := ingest.Open(t.Context(), name, ingest.Options{SkipHash: true})
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(3, func() {
			n := 0
			if each {
				err = r.Each(t.Context(), 1, func(int) func(*ingest.Record) error { return func(*ingest.Record) error { n++; return nil } }, nil)
			} else {
				for range r.Records(t.Context()) {
					n++
				}
			}
			if n != lines || err != nil {
				t.Fatal(n, err)
			}
		})
	}
	for _, each := range []bool{false, true} {
		few, many := allocations(20_000, each), allocations(120_000, each)
		if many > few+20 {
			t.Errorf("%g allocations for 20,000 lines, %g for 120,000", few, many)
		}
	}
}
