package inspect_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/ingest"
	"reprise/ingest/inspect"
)

var (
	someMethods = []string{"GET", "POST", "DELETE", "CONNECT", "BREW"}
	someAgents  = []string{"", "Mozilla/5.0", "examplebot/1.0", "kube-probe/1.30"}
)

// drawRecord makes a request of few clients and paths, so that much of it comes again.
func drawRecord(t *rapid.T, start int64) *ingest.Record {
	number := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "number") }
	return &ingest.Record{
		Start: start, Duration: ingest.Unknown, Client: fmt.Appendf(nil, "203.0.113.%d", number(40)), Method: []byte(someMethods[number(len(someMethods))]),
		Target: fmt.Appendf(nil, "/w%c/%d", 'a'+number(20), number(3)), Status: rapid.SampledFrom([]int{0, 200, 304, 404, 499, 700, 701, -1}).Draw(t, "status"),
		Agent: []byte(someAgents[number(len(someAgents))]),
	}
}

func summaryOf(o inspect.Options, parts ...[]*ingest.Record) inspect.Summary {
	all := inspect.New(o)
	for _, part := range parts {
		one := inspect.New(o)
		for _, r := range part {
			one.Add(r)
		}
		all.Merge(one)
	}
	return all.Finish(ingest.Report{})
}

// The summary of merged parts is that of one inspection of all, but for what depends on the order of a file's lines.
func TestMergeIsTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.SampledFrom([]int64{1e7, 4e8, 1e9, 3e12}).Draw(t, "step")
		var parts [][]*ingest.Record
		var all []*ingest.Record
		for range rapid.IntRange(1, 4).Draw(t, "parts") {
			var part []*ingest.Record
			start := rapid.Int64Range(-50, 50).Draw(t, "first") * step
			for range rapid.IntRange(0, 60).Draw(t, "records") {
				start += rapid.Int64Range(-3, 10).Draw(t, "gap") * step
				part = append(part, drawRecord(t, start))
			}
			parts, all = append(parts, part), append(all, part...)
		}
		o := inspect.Options{Clients: rapid.SampledFrom([]int{5, 100}).Draw(t, "clients"), Paths: rapid.SampledFrom([]int{7, 1000}).Draw(t, "paths")}
		whole, merged := summaryOf(o, all), summaryOf(o, parts...)
		slices.Reverse(parts)
		if reversed := summaryOf(o, parts...); !reflect.DeepEqual(merged, reversed) {
			t.Fatalf("merged in another order:\n%+v\n%+v", merged, reversed)
		}
		exact := whole
		exact.PeakSliding = merged.PeakSliding
		if !reflect.DeepEqual(exact, merged) {
			t.Fatalf("whole and merged:\n%+v\n%+v", whole, merged)
		}
		checkTimes(t, whole, all)
	})
}

// checkTimes compares what a Summary says of the starts with a count by hand.
func checkTimes(t *rapid.T, s inspect.Summary, records []*ingest.Record) {
	seconds := map[int64]int64{}
	var starts []int64
	for _, r := range records {
		second := r.Start / 1e9
		if r.Start < 0 && r.Start%1e9 != 0 {
			second--
		}
		seconds[second]++
		starts = append(starts, r.Start)
	}
	slices.Sort(starts)
	sliding := int64(0)
	for i, first := range starts {
		n := int64(0)
		for _, start := range starts[i:] {
			if start-first < 1e9 {
				n++
			}
		}
		sliding = max(sliding, n)
	}
	peak, gap := int64(0), int64(0)
	busy := slices.Sorted(maps.Keys(seconds))
	for i, second := range busy {
		peak = max(peak, seconds[second])
		if i > 0 {
			gap = max(gap, second-busy[i-1]-1)
		}
	}
	if s.PeakSecond != peak || s.BusySeconds != int64(len(busy)) || s.LongestGap.Seconds != gap {
		t.Fatalf("peak %d, busy %d, gap %d; want %d, %d, %d", s.PeakSecond, s.BusySeconds, s.LongestGap.Seconds, peak, len(busy), gap)
	}
	if r := s.PeakSliding; r.AtLeast > sliding || r.AtMost < sliding {
		t.Fatalf("sliding peak %d is not in %+v", sliding, r)
	}
}

// A log of several files has the same summary whatever the number of processors and the order of the names.
func TestReadIsDeterministic(t *testing.T) {
	text := variedLog(1 << 20)
	dir := t.TempDir()
	var names []string
	lines := bytes.SplitAfter(text, []byte("\n"))
	for k := range 7 {
		name := filepath.Join(dir, fmt.Sprintf("access.log.%d", k))
		if err := os.WriteFile(name, bytes.Join(lines[k*len(lines)/7:(k+1)*len(lines)/7], nil), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	read := func(names []string) inspect.Summary {
		r, err := ingest.Open(t.Context(), names, ingest.Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := make(chan int64, len(lines))
		s, err := inspect.Read(t.Context(), r, inspect.Options{Paths: 200, Clients: 1000}, func(n int64) { seen <- n })
		if err != nil {
			t.Fatal(err)
		}
		close(seen)
		sum := int64(0)
		for n := range seen {
			sum += n
		}
		if sum > s.Records {
			t.Errorf("told %d records of %d", sum, s.Records)
		}
		return s
	}
	want := read(names)
	if want.Records < 4000 || want.EndpointsExact || want.ClientsExact {
		t.Fatalf("%d records; the tables are not full", want.Records)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, procs := range []int{1, 3} {
		runtime.GOMAXPROCS(procs)
		rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		if got := read(names); !reflect.DeepEqual(got, want) {
			t.Errorf("with %d processors:\n%+v\nwant:\n%+v", procs, got, want)
		}
	}
}

// Whatever a log holds, an Inspection keeps within its bounds: all clients, paths and agents differ, and the seconds are
// spread over 30 years.
func TestMemoryIsBounded(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	i := inspect.New(inspect.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const n = 200_000
	var path strings.Builder
	for k := range n {
		path.Reset()
		for range 9 {
			path.WriteByte('/')
			for range 5 {
				path.WriteByte(byte('a' + draw.IntN(26)))
			}
		}
		i.Add(&ingest.Record{
			Start: draw.Int64N(30*365*86400) * 1e9, Client: fmt.Appendf(nil, "2001:db8:%x:%x::%x", k&0xffff, k>>16, k), Method: fmt.Appendf(nil, "M%d", k),
			Target: []byte(path.String()), Status: 200 + k%100 + k%2*k, Agent: fmt.Appendf(nil, "agent %d", k),
		})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if got := int64(after.HeapAlloc) - int64(before.HeapAlloc); got > 9<<20 {
		t.Errorf("%d KiB after %d records", got>>10, n)
	} else {
		t.Logf("%d KiB after %d records", got>>10, n)
	}
	s := i.Finish(ingest.Report{})
	if s.ClientsExact || s.EndpointsExact || s.BinSeconds == 1 || len(s.Warnings) != 3 {
		t.Errorf("bins of %d s, warnings %q", s.BinSeconds, s.Warnings)
	}
	if s.Methods["other"] != n || s.Endpoints == 0 {
		t.Errorf("methods %v, %d endpoints", s.Methods, s.Endpoints)
	}
	answered := int64(0)
	for _, e := range s.TopEndpoints {
		answered += e.Answered
	}
	if answered < n/4 {
		t.Errorf("the endpoints have %d requests of %d", answered, n)
	}
}
