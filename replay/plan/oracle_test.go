package plan_test

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/arrival"
	"reprise/replay/plan"
	"reprise/sample"
)

// copied is one copy of a record.
type copied struct {
	us     int64
	target string
	mass   float64
}

// spread lays out the copies of one hour by the words of Drawing's documentation, all in memory.
func spread(d *plan.Drawing, records []sample.Record, hour int64, cut bool) (copies []copied, mass float64) {
	from, to := max(hour*3600, d.LogFrom)*1e6, min((hour+1)*3600, d.LogTo)*1e6
	lo, hi := from, to
	if cut {
		lo, hi = max(from, d.From*1e6), min(to, d.To*1e6)
	}
	for i := range records {
		r := &records[i]
		if r.Start < from || r.Start >= to {
			continue
		}
		n, inside := min(64, int(math.Ceil(r.Weight))), 0
		for k := range n {
			us := from + (r.Start-from+int64(k)*(to-from)/int64(n))%(to-from)
			if us >= lo && us < hi {
				copies = append(copies, copied{us, string(r.Target), r.Weight / float64(n)})
				inside++
			}
		}
		mass += float64(float64(inside) * (r.Weight / float64(n)))
	}
	slices.SortStableFunc(copies, func(a, b copied) int { return cmp.Compare(a.us, b.us) })
	return copies, mass
}

// nearest lays out the hour of the log that is nearest to hour.
func nearest(d *plan.Drawing, records []sample.Record, hour int64) ([]copied, float64) {
	if copies, mass := spread(d, records, hour, true); len(copies) > 0 {
		return copies, mass
	}
	for away := int64(0); ; away++ {
		for _, h := range [...]int64{hour - away, hour + away} {
			if copies, mass := spread(d, records, h, false); len(copies) > 0 {
				return copies, mass
			}
		}
	}
}

// dealt is the drawing by sorting all copies of every hour.
func dealt(d *plan.Drawing, records []sample.Record) (list []string) {
	var blocks [][3]int64 // hour, cycle, arrivals
	for _, source := range d.Schedule.Sources(d.Seed) {
		hour := int64(math.Floor(float64(source.Second) / 3600))
		if n := len(blocks); n == 0 || blocks[n-1][0] != hour || blocks[n-1][1] != source.Cycle {
			blocks = append(blocks, [3]int64{hour, source.Cycle})
		}
		blocks[len(blocks)-1][2]++
	}
	for _, b := range blocks {
		copies, mass := nearest(d, records, b[0])
		step := mass / float64(b[2])
		bits := rand.NewPCG(d.Seed, arrival.Seed(uint64(b[0]), "plan/draw")).Uint64() >> 44
		start := float64(float64(bits)/(1<<20)+1.0/(1<<21)) * step
		at, sum := 0, copies[0].mass
		for k := range b[2] {
			for pos := start + float64(float64(k)*step); pos >= sum && at < len(copies)-1; sum += copies[at].mass {
				at++
			}
			list = append(list, copies[at].target)
		}
	}
	return list
}

func drawSample(t *rapid.T) (*arrival.Series, []sample.Record) {
	gaps := rapid.SliceOfN(rapid.SampledFrom([]int64{0, 0, 1, 60, 700, 3600, 9000}), 1, 40).Draw(t, "gaps")
	weights := rapid.SliceOfN(rapid.SampledFrom([]float64{1, 1, 2, 2.5, 3.3, 40, 63.5, 64, 64.5, 1000}), len(gaps), len(gaps)).Draw(t, "weights")
	if rapid.Bool().Draw(t, "all") {
		weights = slices.Repeat([]float64{1}, len(gaps))
	}
	at, seconds := int64(0), []int64{}
	for _, g := range gaps {
		at += g
		seconds = append(seconds, at)
	}
	profile, records := log(seconds, func(i int) float64 { return weights[i] })
	for i := range records {
		// Some requests are longer than a page of the tape.
		records[i].Target = fmt.Appendf(nil, "/p/%d/%s", i, strings.Repeat("x", rapid.SampledFrom([]int{0, 0, 0, 100, 9000, 20_000}).Draw(t, "length")))
		records[i].Host = rapid.SampledFrom([]string{"", "a", "b.test"}).Draw(t, "host")
	}
	return profile, records
}

// TestDrawAgainstOracle holds the merge of the walks against sorting all copies, in memory and in a file.
func TestDrawAgainstOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		profile, records := drawSample(t)
		first, end := profile.Span()
		from := rapid.Int64Range(first, end-1).Draw(t, "from")
		to := rapid.Int64Range(from+1, end).Draw(t, "to")
		kind := rapid.SampledFrom([]arrival.Kind{arrival.Measured, arrival.Constant}).Draw(t, "kind")
		o := arrival.Options{From: from, To: to, Rate: 200 / float64(to-from)}
		if rapid.Bool().Draw(t, "repeats") {
			o.Duration = time.Duration(to-from) * 5 * time.Second / 2
		}
		s, err := arrival.New(kind, profile, o)
		if err != nil {
			t.Skip(err)
		}
		d := &plan.Drawing{Schedule: s, Records: source(records), Seed: rapid.Uint64().Draw(t, "seed"), From: from, To: to,
			LogFrom: first, LogTo: end, Memory: rapid.SampledFrom([]int{0, 1, 20_000}).Draw(t, "memory")}
		want := dealt(d, records)
		for range 2 {
			if got := targets(t, d); !slices.Equal(got, want) {
				t.Fatalf("drew %d requests, want %d:\n%.300v\n%.300v", len(got), len(want), got, want)
			}
		}
	})
}

// A window that is sent again and again is read once for its hours and once for its records.
func TestDrawReadsARepeatedWindowOnce(t *testing.T) {
	profile, records := log([]int64{3599, 3600, 3601}, one)
	d := drawing(t, profile, records, arrival.Measured, arrival.Options{Duration: 300 * time.Second})
	readings := 0
	d.Records = func() iter.Seq2[*sample.Record, error] {
		readings++
		return source(records)()
	}
	if got := targets(t, d); !slices.Equal(got, slices.Repeat([]string{"/p/0", "/p/1", "/p/2"}, 100)) {
		t.Errorf("drew %v", got)
	}
	if readings != 2 {
		t.Errorf("the sample was read %d times", readings)
	}
}

// A window without a request in its last seconds repeats as a whole, and not request by request.
func TestDrawRepeatsASingleSecond(t *testing.T) {
	profile, records := log([]int64{0, 0, 9}, one)
	d := drawing(t, profile, records, arrival.Measured, arrival.Options{From: day, To: day + 1, Duration: 3 * time.Second})
	if got := fmt.Sprint(targets(t, d)); got != "[/p/0 /p/1 /p/0 /p/1 /p/0 /p/1]" {
		t.Error(got)
	}
}

// Requests before and after the window cost no second reading.
func TestDrawReadsInOneGo(t *testing.T) {
	seconds := []int64{}
	for i := range int64(200) {
		seconds = append(seconds, i*600)
	}
	for _, weight := range []float64{1, 3} {
		profile, records := log(seconds, func(int) float64 { return weight })
		d := drawing(t, profile, records, arrival.Measured, arrival.Options{From: day + 20_000, To: day + 90_000})
		readings := 0
		d.Records = func() iter.Seq2[*sample.Record, error] {
			readings++
			return source(records)()
		}
		targets(t, d)
		targets(t, d)
		if readings != 3 {
			t.Errorf("weight %v: two plans took %d readings, want one of the hours and one each", weight, readings)
		}
	}
}

func TestDrawRefusesASampleThatDoesNotFit(t *testing.T) {
	f := func(want string, change func(d *plan.Drawing, records []sample.Record)) {
		t.Helper()
		profile, records := log([]int64{10, 20, 8000}, one)
		d := drawing(t, profile, records, arrival.Measured, arrival.Options{})
		change(d, records)
		var last error
		for a, err := range d.Arrivals() {
			if last = err; (a == nil) != (err != nil) {
				t.Errorf("yielded %v with error %v", a, err)
			}
		}
		if last == nil || !strings.Contains(last.Error(), want) {
			t.Errorf("error %v, want one with %q", last, want)
		}
	}
	f("outside of the time", func(_ *plan.Drawing, r []sample.Record) { r[2].Start += 3600e6 })
	f("outside of the time", func(_ *plan.Drawing, r []sample.Record) { r[0].Start -= 5e6 })
	f("outside of the time", func(_ *plan.Drawing, r []sample.Record) { r[0].Start -= 1e18 })
	f("not in start order", func(_ *plan.Drawing, r []sample.Record) { r[0].Start = r[1].Start + 1 })
	f("no record", func(d *plan.Drawing, _ []sample.Record) { d.Records = source(nil) })
	f("temporary file", func(d *plan.Drawing, r []sample.Record) {
		r[0].Weight, d.Memory, d.Tmp = 2, 1, t.TempDir()+"/none"
	})
	calls := 0
	f("changed", func(d *plan.Drawing, r []sample.Record) {
		d.Records = func() iter.Seq2[*sample.Record, error] {
			calls++
			return source(r[:len(r)-min(calls-1, 2)])()
		}
	})
}
