package anonymize_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"testing"

	"reprise/anonymize"
	"reprise/ingest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raw yields n records in borrowed memory that is scribbled over afterwards; every seventh has no clean form.
// After them comes end, if there is one.
func raw(n int, end error) iter.Seq2[*ingest.Record, error] {
	return func(yield func(*ingest.Record, error) bool) {
		line := make([]byte, 0, 256)
		for i := range n {
			line = fmt.Appendf(line[:0], "/p/%d?q=%d&page=%d", 1000+i, i%77, i%9)
			r := get("")
			r.Target, r.Pos = line, ingest.Pos{File: "a.log", Line: int64(i + 1)}
			if i%7 == 3 {
				r.Method = nil
			}
			if !yield(r, nil) {
				return
			}
			for j := range line {
				line[j] = 0xff
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

// lines are the clean records as the trace file would have them.
func lines(t *testing.T, a *anonymize.Anonymizer, in iter.Seq2[*ingest.Record, error], workers int) (out []byte, n int, err error) {
	t.Helper()
	for l, err := range a.Stream(context.Background(), in, workers) {
		if err != nil {
			return out, n, err
		}
		for i := range l.Len() {
			_, text := l.Line(i)
			out = append(append(out, text...), '\n')
		}
		n += l.Len()
	}
	return out, n, nil
}

func TestStreamIsTheSameForAnyWorkers(t *testing.T) {
	const n = 5000
	var want []byte
	var stats anonymize.Stats
	for _, workers := range []int{0, 1, 2, 7} {
		var refused []int64
		a, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{CacheEntries: 64, Refuse: func(p ingest.Pos, r anonymize.Refusal) error {
			if p.File != "a.log" || r != anonymize.RefusedMethod {
				t.Errorf("refused %v for %v", p, r)
			}
			refused = append(refused, p.Line)
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		got, kept, err := lines(t, a, raw(n, nil), workers)
		if err != nil {
			t.Fatal(err)
		}
		if kept+len(refused) != n || len(refused) != (n+3)/7 || refused[1] != 11 {
			t.Errorf("%d workers: %d kept, %d refused of %d", workers, kept, len(refused), n)
		}
		if want == nil {
			want, stats = got, a.Stats()
		}
		if !bytes.Equal(got, want) || !reflect.DeepEqual(a.Stats(), stats) {
			t.Errorf("%d workers: other bytes or statistics", workers)
		}
		if s := a.Stats(); s.Records != int64(kept) || s.Refused["method"] != int64(len(refused)) {
			t.Errorf("%d workers: statistics are %+v", workers, s)
		}
	}
}

func TestStreamErrorOfInputIsLast(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, workers := range []int{1, 3} {
		_, n, err := lines(t, anonymizer(t, 1), raw(1300, broken), workers)
		if !errors.Is(err, broken) || n != 1300-1300/7-1 {
			t.Errorf("%d workers: %d records, then %v", workers, n, err)
		}
	}
}

func TestStreamErrorOfHookStops(t *testing.T) {
	enough := errors.New("enough")
	for _, workers := range []int{1, 3} {
		a, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{Refuse: func(ingest.Pos, anonymize.Refusal) error { return enough }})
		if err != nil {
			t.Fatal(err)
		}
		if _, n, err := lines(t, a, raw(5000, nil), workers); !errors.Is(err, enough) || n != 0 {
			t.Errorf("%d workers: %d records, then %v", workers, n, err)
		}
	}
}

// goleak in TestMain looks for goroutines that are left.
func TestStreamLeftEarly(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, after := range []int{1, 2, 30} {
			n := 0
			for _, err := range anonymizer(t, 1).Stream(context.Background(), raw(100_000, nil), workers) {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n == after {
					break
				}
			}
			if n != after {
				t.Errorf("%d workers: %d times, want %d", workers, n, after)
			}
			goleak.VerifyNone(t)
		}
	}
}

func TestStreamCancelled(t *testing.T) {
	cause := errors.New("ctrl-c")
	for _, workers := range []int{1, 2} {
		ctx, cancel := context.WithCancelCause(context.Background())
		n, last := 0, error(nil)
		for _, err := range anonymizer(t, 1).Stream(ctx, raw(1_000_000, nil), workers) {
			if n++; n == 4 {
				cancel(cause)
			}
			last = err
		}
		if !errors.Is(last, cause) || n > 5 {
			t.Errorf("%d workers: %d times, last error %v", workers, n, last)
		}
		cancel(nil)
	}
}

func TestStreamOfNothing(t *testing.T) {
	for _, workers := range []int{1, 2} {
		if _, n, err := lines(t, anonymizer(t, 1), raw(0, nil), workers); n != 0 || err != nil {
			t.Errorf("%d workers: %d records, %v", workers, n, err)
		}
	}
}

// With many records the cost per record has no allocation in it: batches and results are reused.
func TestStreamAllocatesPerStreamOnly(t *testing.T) {
	r := get("/p/4711?q=77")
	in := func(yield func(*ingest.Record, error) bool) {
		for range 100_000 {
			if !yield(r, nil) {
				return
			}
		}
	}
	for _, workers := range []int{1, 2} {
		a := anonymizer(t, 1)
		got := testing.AllocsPerRun(1, func() {
			for _, err := range a.Stream(context.Background(), in, workers) {
				if err != nil {
					t.Fatal(err)
				}
			}
		})
		if got > 2000 { // caches, batches and their buffers, once
			t.Errorf("%d workers: %v allocations for 100000 records", workers, got)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	all := records()
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("%dworkers", workers), func(b *testing.B) {
			a := anonymizer(b, 1)
			b.ReportAllocs()
			b.SetBytes(260)
			in := func(yield func(*ingest.Record, error) bool) {
				for i := 0; b.Loop(); i++ {
					if !yield(all[i%len(all)], nil) {
						return
					}
				}
			}
			for _, err := range a.Stream(context.Background(), in, workers) {
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
