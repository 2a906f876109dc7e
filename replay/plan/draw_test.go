package plan_test

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/anonymize/trace"
	"reprise/arrival"
	"reprise/replay/plan"
	"reprise/sample"
)

const day = int64(1_332_979_200) // 2012-03-29T00:00:00Z

// log makes a log of the given seconds after day, one request each, with its weight, and its profile.
func log(seconds []int64, weight func(i int) float64) (*arrival.Series, []sample.Record) {
	profile := new(arrival.Series)
	records := make([]sample.Record, len(seconds))
	for i, at := range seconds {
		records[i] = sample.Record{Weight: weight(i), Record: trace.Record{Start: (day + at) * 1e6, Method: "GET", Target: fmt.Appendf(nil, "/p/%d", i), Endpoint: "/p/{int}", Status: 200}}
		if err := profile.Add(day+at, int64(math.Round(weight(i)))); err != nil {
			panic(err)
		}
	}
	return profile, records
}

func one(int) float64 { return 1 }

func source(records []sample.Record) func() iter.Seq2[*sample.Record, error] {
	return func() iter.Seq2[*sample.Record, error] {
		return func(yield func(*sample.Record, error) bool) {
			for i := range records {
				if !yield(&records[i], nil) {
					return
				}
			}
		}
	}
}

func drawing(t testing.TB, profile *arrival.Series, records []sample.Record, kind arrival.Kind, o arrival.Options) *plan.Drawing {
	t.Helper()
	s, err := arrival.New(kind, profile, o)
	if err != nil {
		t.Fatal(err)
	}
	terms := s.Terms()
	from, to := profile.Span()
	return &plan.Drawing{Schedule: s, Records: source(records), Seed: 7, From: terms.From, To: terms.To, LogFrom: from, LogTo: to}
}

// failer is what testing.T and rapid.T have in common.
type failer interface {
	Helper()
	Fatal(...any)
}

func targets(t failer, d *plan.Drawing) (list []string) {
	t.Helper()
	for a, err := range d.Arrivals() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(a.Target))
	}
	return list
}

// With every weight 1 and the measured or logged schedule, the plan is the log at any speed: each request
// once, in its order, also when a window cuts into an hour, and again in each repetition.
func TestDrawGivesBackTheLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gaps := rapid.SliceOfN(rapid.Int64Range(0, 1500), 2, 60).Draw(t, "gaps")
		at, seconds := int64(0), []int64{}
		for _, g := range gaps {
			at += g
			seconds = append(seconds, at)
		}
		profile, records := log(seconds, one)
		from := rapid.Int64Range(0, at).Draw(t, "from")
		to := rapid.Int64Range(from, at).Draw(t, "to") + 1
		var want []string
		for i, s := range seconds {
			records[i].Start += int64(i) * 1001
			if s >= from && s < to {
				want = append(want, string(records[i].Target))
			}
		}
		if len(want) == 0 {
			t.Skip("no request in the window")
		}
		o := arrival.Options{From: day + from, To: day + to, Speed: rapid.Float64Range(.01, 10_000).Draw(t, "speed")}
		if cycles := rapid.IntRange(1, 3).Draw(t, "cycles"); cycles > 1 {
			o.Speed = 1 // a duration is whole microseconds, and so are the repetitions of the window only then
			o.Duration = time.Duration(int64(cycles)*(to-from)) * time.Second
			want = slices.Repeat(want, cycles)
		}
		s, err := arrival.New(arrival.Measured, profile, o)
		if rapid.Bool().Draw(t, "logged") {
			s, err = arrival.NewLogged(func(yield func(int64) bool) {
				for i := range records {
					if !yield(records[i].Start) {
						return
					}
				}
			}, o)
		}
		if err != nil {
			t.Fatal(err)
		}
		d := &plan.Drawing{Schedule: s, Records: source(records), Seed: 7, From: day + from, To: day + to}
		if got := targets(t, d); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("drew %v, the log has %v", got, want)
		}
	})
}

// A record is drawn as often as its weight says, to within one, and not in one clump.
func TestDrawKeepsPopularity(t *testing.T) {
	seconds, weights := []int64{}, []float64{}
	total := 0.0
	for i := range int64(120) {
		seconds = append(seconds, i*30)
		weights = append(weights, float64(1+i%7)*3)
		total += weights[i]
	}
	profile, records := log(seconds, func(i int) float64 { return weights[i] })
	list := targets(t, drawing(t, profile, records, arrival.Measured, arrival.Options{}))
	if len(list) != int(total) {
		t.Fatalf("%d arrivals, the weights sum to %v", len(list), total)
	}
	count, run, longest := map[string]int{}, 0, 0
	for i, target := range list {
		count[target]++
		if run++; i == 0 || list[i-1] != target {
			run = 1
		}
		longest = max(longest, run)
	}
	for i, w := range weights {
		if n := count[fmt.Sprintf("/p/%d", i)]; math.Abs(float64(n)-w) > 1 {
			t.Errorf("request %d of weight %v was drawn %d times", i, w, n)
		}
	}
	if longest > 3 {
		t.Errorf("one request came %d times in a row", longest)
	}
}

// An hour of the schedule without a sampled request borrows from the nearest one, and says so.
func TestDrawBorrowsFromTheNearestHour(t *testing.T) {
	profile, records := log([]int64{10, 20, 3 * 3600}, one)
	d := drawing(t, profile, records, arrival.Constant, arrival.Options{Rate: 1})
	list := targets(t, d)
	if len(list) != 3*3600+1-10 {
		t.Fatalf("%d arrivals", len(list))
	}
	for i, target := range list {
		// The first arrival is in second 10; the third hour is nearer to the fourth.
		if want := i >= 2*3600-10; (target == "/p/2") != want {
			t.Fatalf("arrival %d has the request %s", i, target)
		}
	}
	if got := d.Stats().Borrowed; got != 2*3600 {
		t.Errorf("%d arrivals are said to be borrowed, 7200 are", got)
	}
}

// A duration longer than the window sends its requests again.
func TestDrawRepeats(t *testing.T) {
	profile, records := log([]int64{0, 1, 2}, one)
	d := drawing(t, profile, records, arrival.Measured, arrival.Options{Duration: 6e9})
	if got := fmt.Sprint(targets(t, d)); got != "[/p/0 /p/1 /p/2 /p/0 /p/1 /p/2]" {
		t.Error(got)
	}
	if again := fmt.Sprint(targets(t, d)); again != "[/p/0 /p/1 /p/2 /p/0 /p/1 /p/2]" {
		t.Error("the second reading differs:", again)
	}
}

// What has side effects, what asks for a tunnel and what no request line holds keeps its slot, withheld; a
// proxy request is reduced to its path.
func TestDrawWithholds(t *testing.T) {
	for _, c := range []struct {
		method, target string
		writes         bool
		want           plan.Withheld
		sent           string
	}{
		{"GET", "/a?b=1", false, plan.Sent, "/a?b=1"},
		{"POST", "/a", false, plan.Write, "/a"},
		{"POST", "/a", true, plan.Sent, "/a"},
		{"PROPFIND", "/a", false, plan.Write, "/a"},
		{"CONNECT", "elsewhere:443", true, plan.Unreplayable, "elsewhere:443"},
		{"GET", "http://elsewhere/x?y=http://z/", false, plan.Sent, "/x?y=http://z/"},
		{"GET", "http://elsewhere", false, plan.Sent, "/"},
		{"GET", "http://elsewhere?q=/x", false, plan.Sent, "/?q=/x"},
		{"GET", "http://elsewhere?", false, plan.Sent, "/?"},
		{"GET", "/r?u=http://x/y", false, plan.Sent, "/r?u=http://x/y"},
		{"GET", "//elsewhere/x", false, plan.Sent, "//elsewhere/x"},
		{"OPTIONS", "*", false, plan.Sent, "*"},
		{"GET", "*", false, plan.Unreplayable, "*"},
		{"GET", "/a b", false, plan.Unreplayable, "/a b"},
		{"GET", "/a\r\nX: y", false, plan.Unreplayable, "/a\r\nX: y"},
		{"G T", "/a", true, plan.Unreplayable, "/a"},
	} {
		profile, records := log([]int64{0}, one)
		records[0].Method, records[0].Target = c.method, []byte(c.target)
		d := drawing(t, profile, records, arrival.Measured, arrival.Options{})
		d.AllowWrites = c.writes
		for a, err := range d.Arrivals() {
			if err != nil {
				t.Fatal(err)
			}
			if a.Withheld != c.want || string(a.Target) != c.sent {
				t.Errorf("%s %q: withheld %q, target %q; want %q, %q", c.method, c.target, a.Withheld, a.Target, c.want, c.sent)
			}
		}
	}
}

// A host that no Host header can hold withholds its request, and not the whole plan.
func TestDrawWithholdsAnImpossibleHost(t *testing.T) {
	profile, records := log([]int64{0}, one)
	records[0].Host = "a b"
	for a, err := range drawing(t, profile, records, arrival.Measured, arrival.Options{}).Arrivals() {
		if err != nil || a.Withheld != plan.Unreplayable || a.Check() != nil {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// The header of a record travels with it, also by way of the tape; what the engine sends itself is left out.
func TestDrawCarriesHeaders(t *testing.T) {
	for header, want := range map[string]string{
		"":                                 "",
		"Accept: */*\r\nCookie: uid=7\r\n": "Accept: */*\r\nCookie: uid=7\r\n",
		"Accept: */*\r\nContent-Type: a/b\r\nX-User: 1\r\nte: x\r\n": "Accept: */*\r\nX-User: 1\r\n",
		"Host: elsewhere\r\n": "",
	} {
		for _, weight := range []float64{1, 2.5} {
			profile, records := log([]int64{0}, func(int) float64 { return weight })
			records[0].Header = []byte(header)
			for a, err := range drawing(t, profile, records, arrival.Measured, arrival.Options{}).Arrivals() {
				if err != nil || a.Withheld != plan.Sent || string(a.Header) != want {
					t.Errorf("header %q, weight %v: %q, withheld %q, %v; want %q", header, weight, a.Header, a.Withheld, err, want)
				}
			}
		}
	}
}
