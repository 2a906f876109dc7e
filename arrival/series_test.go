package arrival_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"reprise/arrival"
)

// series builds a Series of consecutive counts from the Unix second start on.
func series(t testing.TB, start int64, counts ...int64) *arrival.Series {
	t.Helper()
	s := new(arrival.Series)
	if err := s.AddBlock(arrival.Block{Start: start, Counts: counts}); err != nil {
		t.Fatal(err)
	}
	return s
}

func drawSeconds(t *rapid.T) map[int64]int64 {
	base := rapid.Int64Range(-1e9, 4e9).Draw(t, "base")
	return rapid.MapOfN(
		rapid.Custom(func(t *rapid.T) int64 {
			return base + rapid.Int64Range(0, rapid.SampledFrom([]int64{20, 3000, 1e8}).Draw(t, "reach")).Draw(t, "second")
		}),
		rapid.Int64Range(1, 1000), 0, 80).Draw(t, "seconds")
}

func TestSeriesIsAMapOfCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSeconds(t)
		var s, half arrival.Series
		total := int64(0)
		i := 0
		for second, n := range want { // Go's random map order: the order must not matter
			into := &s
			if i++; i%2 == 0 {
				into = &half
			}
			if err := into.Add(second, n); err != nil {
				t.Fatal(err)
			}
			total += n
		}
		if err := s.Merge(&half); err != nil {
			t.Fatal(err)
		}
		got := maps.Collect(s.Each())
		if !maps.Equal(got, want) || s.Total() != total {
			t.Fatalf("got %v, total %d; want %v, total %d", got, s.Total(), want, total)
		}
		checkSpan(t, &s, want)
		checkJSON(t, &s, want)
	})
}

func checkSpan(t *rapid.T, s *arrival.Series, want map[int64]int64) {
	from, to := s.Span()
	if len(want) == 0 {
		if from != 0 || to != 0 {
			t.Fatalf("empty series has span %d, %d", from, to)
		}
		return
	}
	seconds := slices.Sorted(maps.Keys(want))
	if from != seconds[0] || to != seconds[len(seconds)-1]+1 {
		t.Fatalf("span %d, %d of %v", from, to, seconds)
	}
	at, n := s.Peak()
	if n != slices.Max(slices.Collect(maps.Values(want))) || want[at] != n {
		t.Fatalf("peak %d at %d of %v", n, at, want)
	}
}

func checkJSON(t *rapid.T, s *arrival.Series, want map[int64]int64) {
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	back := new(arrival.Series)
	if err := back.Add(7, 7); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, back); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(maps.Collect(back.Each()), want) {
		t.Fatalf("series came back changed from %s", text)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(text) {
		t.Fatalf("second writing differs: %s, %s (%v)", text, again, err)
	}
	for b := range s.Blocks() {
		if len(b.Counts) > arrival.MaxBlock || b.Counts[0] == 0 || b.Counts[len(b.Counts)-1] == 0 {
			t.Fatalf("block %v is not in its shortest form", b)
		}
	}
}

func TestSeriesBlocks(t *testing.T) {
	f := func(want string, blocks ...arrival.Block) {
		t.Helper()
		var s arrival.Series
		for _, b := range blocks {
			if err := s.AddBlock(b); err != nil {
				t.Fatal(err)
			}
		}
		got, err := json.Marshal(&s)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v; want %s", got, err, want)
		}
	}
	f(`[]`)
	f(`[{"start":100,"counts":[1,0,2]}]`, arrival.Block{Start: 100, Counts: []int64{1, 0, 2, 0}})
	f(`[{"start":-5,"counts":[3]}]`, arrival.Block{Start: -5, Counts: []int64{3}})
	f(`[{"start":0,"counts":[1]},{"start":17,"counts":[1]}]`, arrival.Block{Start: 17, Counts: []int64{1}}, arrival.Block{Start: 0, Counts: []int64{1}})
	f(`[{"start":0,"counts":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}]`, arrival.Block{Counts: []int64{1}}, arrival.Block{Start: 16, Counts: []int64{1}})
}

func TestSeriesRefuses(t *testing.T) {
	f := func(second, n int64) {
		t.Helper()
		s := series(t, 10, 5)
		if err := s.Add(second, n); err == nil {
			t.Errorf("Add(%d, %d) gave no error", second, n)
		}
		if s.Total() != 5 || s.At(10) != 5 {
			t.Errorf("a refused Add changed the series")
		}
	}
	f(10, -1)
	f(10, arrival.MaxCount-4)
	f(arrival.MinSecond-1, 1)
	f(arrival.MaxSecond+1, 1)
	var s arrival.Series
	for _, text := range []string{`{}`, `[{"start":1,"counts":[-1]}]`, `[{"start":1,"counts":["1"]}]`, `[{"start":9e18,"counts":[1]}]`} {
		if err := json.Unmarshal([]byte(text), &s); err == nil {
			t.Errorf("%s was read without an error", text)
		}
	}
}

func TestSeriesAddDoesNotAllocate(t *testing.T) {
	s := series(t, 0, 1, 1)
	for i := int64(0); i < 640; i++ {
		if err := s.Add(i, 1); err != nil {
			t.Fatal(err)
		}
	}
	i := int64(0)
	if n := testing.AllocsPerRun(2000, func() {
		i = (i*7 + 13) % 640
		if s.Add(i, 1) != nil {
			t.Fail()
		}
	}); n != 0 {
		t.Errorf("%v allocations per Add", n)
	}
}

func BenchmarkSeriesAdd(b *testing.B) {
	var s arrival.Series
	b.ReportAllocs()
	for i := range b.N {
		_ = s.Add(1_600_000_000+int64(i>>7)%86400, 1)
	}
}
