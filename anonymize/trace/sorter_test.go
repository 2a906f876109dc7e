package trace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"

	"go.uber.org/goleak"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// numbered makes a record whose target tells its place in the input.
func numbered(start int64, n, size int) *trace.Record {
	return &trace.Record{Start: start, Method: "GET", Target: fmt.Appendf(nil, "/%d?%0*d", n, size, 0), Endpoint: "/{int}", Status: 200,
		Bytes: trace.Unknown, Duration: trace.Unknown, Coarse: 6}
}

func sorter(t interface {
	Helper()
	Fatal(...any)
}, dir string, memory int) *trace.Sorter {
	t.Helper()
	s, err := trace.NewSorter(trace.SorterOptions{Memory: memory, Tmp: dir})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// targets writes the file and reads it back.
func targets(s *trace.Sorter) (got []string, err error) {
	var b bytes.Buffer
	if err := s.Write(context.Background(), &b, recordfile.Header{}, recordfile.Trailer{}); err != nil {
		return nil, err
	}
	r, err := trace.NewReader(&b)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for r, err := range r.Records(context.Background()) {
		if err != nil {
			return got, err
		}
		got = append(got, string(r.Target))
	}
	return got, nil
}

func empty(t testing.TB, dir string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) > 0 {
		t.Errorf("%d files are left in the temporary folder", len(names))
	}
}

func TestSorterAgainstStableSort(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, spread := rapid.IntRange(0, 2500).Draw(rt, "records"), rapid.Int64Range(1, 5000).Draw(rt, "spread")
		size := rapid.SampledFrom([]int{1, 100, 5000}).Draw(rt, "size")
		if size == 5000 {
			n /= 4
		}
		s, err := trace.NewSorter(trace.SorterOptions{Memory: trace.MinSortMemory, Tmp: dir, Workers: rapid.IntRange(0, 3).Draw(rt, "workers")})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		var all []*trace.Record
		late, latest := int64(0), int64(-1<<62)
		for i := range n {
			r := numbered(rng.Int64N(spread)-spread/2, i, 1+rng.IntN(size))
			if r.Start < latest {
				late++
			}
			latest = max(latest, r.Start)
			all = append(all, r)
			if err := s.Add(r); err != nil {
				rt.Fatal(err)
			}
		}
		if s.Len() != int64(n) || s.Late() != late {
			rt.Fatalf("Len %d, Late %d, want %d and %d", s.Len(), s.Late(), n, late)
		}
		slices.SortStableFunc(all, func(a, b *trace.Record) int { return int(a.Start - b.Start) })
		got, err := targets(s)
		if err != nil {
			rt.Fatal(err)
		}
		want := make([]string, 0, n)
		for _, r := range all {
			want = append(want, string(r.Target))
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("the order of %d records differs", n)
		}
	})
	empty(t, dir)
}

// So many runs that merged runs are merged again.
func TestSorterManyRuns(t *testing.T) {
	dir := t.TempDir()
	s := sorter(t, dir, trace.MinSortMemory)
	defer s.Close()
	const n = 110_000 // hundreds of runs of up to 170 records
	for i := range n {
		if err := s.Add(numbered(int64(i*7919%n), i, 60)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := targets(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, target := range got {
		if want := fmt.Sprintf("/%d?", i*97679%n); !strings.HasPrefix(target, want) {
			t.Fatalf("record %d is %.12s, want %s", i, target, want)
		}
	}
	if count := len(got); count != n {
		t.Errorf("%d records, want %d", count, n)
	}
	empty(t, dir)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestSorterLeavesNoFileWhenItsOutputFails(t *testing.T) {
	dir := t.TempDir()
	s := sorter(t, dir, trace.MinSortMemory)
	for i := range 5000 {
		if err := s.Add(numbered(int64(-i), i, 50)); err != nil {
			t.Fatal(err)
		}
	}
	enough := errors.New("enough")
	if err := s.Write(context.Background(), failing{enough}, recordfile.Header{}, recordfile.Trailer{}); !errors.Is(err, enough) {
		t.Errorf("error is %v, want that of the output", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	empty(t, dir)
	if err := s.Add(numbered(1, 1, 1)); err == nil {
		t.Error("a closed sorter takes records")
	}
}

func TestSorterIsWrittenOnce(t *testing.T) {
	s := sorter(t, t.TempDir(), 0)
	defer s.Close()
	if err := s.Add(numbered(1, 1, 1)); err != nil {
		t.Fatal(err)
	}
	if got, err := targets(s); err != nil || len(got) != 1 {
		t.Fatalf("%v, %v", got, err)
	}
	if err := s.Add(numbered(1, 1, 1)); err == nil {
		t.Error("a record was taken after Write")
	}
	if _, err := targets(s); err == nil {
		t.Error("written twice")
	}
}

func TestSorterStopsWithItsContext(t *testing.T) {
	s := sorter(t, t.TempDir(), 0)
	defer s.Close()
	if err := s.Add(numbered(1, 1, 1)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	if err := s.Write(ctx, io.Discard, recordfile.Header{}, recordfile.Trailer{}); !errors.Is(err, cause) {
		t.Errorf("error is %v, want %v", err, cause)
	}
}

func TestSorterWithoutFolder(t *testing.T) {
	s := sorter(t, t.TempDir()+"/none", trace.MinSortMemory)
	defer s.Close()
	var err error
	for i := 0; i < 5000 && err == nil; i++ {
		err = s.Add(numbered(int64(-i), i, 50))
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want that the folder does not exist", err)
	}
	if _, again := targets(s); !errors.Is(again, os.ErrNotExist) {
		t.Errorf("Write gives %v after a failed Add", again)
	}
}

func TestSorterRefusesTinyBudget(t *testing.T) {
	for _, memory := range []int{-1, 1, trace.MinSortMemory - 1} {
		if _, err := trace.NewSorter(trace.SorterOptions{Memory: memory}); err == nil {
			t.Errorf("a budget of %d was taken", memory)
		}
	}
}

func BenchmarkSorter(b *testing.B) {
	for name, memory := range map[string]int{"memory": 1 << 30, "spill": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			s := sorter(b, b.TempDir(), memory)
			defer s.Close()
			r := numbered(0, 1, 60)
			b.ReportAllocs()
			b.SetBytes(int64(len(r.AppendJSON(nil))))
			for i := 0; b.Loop(); i++ {
				r.Start = int64(i * 7919 % 1_000_003)
				if err := s.Add(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
