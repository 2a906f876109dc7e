package sample_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
	"pgregory.net/rapid"

	"reprise/anonymize/trace"
	"reprise/sample"
)

func TestOptionsAreRefusedByFlag(t *testing.T) {
	f := func(flag string, o sample.Options) {
		t.Helper()
		if _, err := sample.New(o); err == nil || !strings.Contains(err.Error(), flag) {
			t.Errorf("%+v: error %v does not name %s", o, err, flag)
		}
	}
	f("--per-stratum", sample.Options{})
	f("--fraction", sample.Options{PerStratum: 3, Fraction: .5})
	f("--per-stratum", sample.Options{PerStratum: -1})
	f("--per-stratum", sample.Options{PerStratum: sample.MaxPerStratum + 1})
	for _, x := range []float64{math.NaN(), math.Inf(1), -.1, 1.1, 1e-12} {
		f("--fraction", sample.Options{Fraction: x})
	}
	f("--unit", sample.Options{PerStratum: 3, Unit: sample.User})
	f("--unit", sample.Options{Fraction: .5, Unit: "session"})
	f("--by", sample.Options{Fraction: .5, By: []sample.Dimension{"weekday"}})
	f("--by", sample.Options{Fraction: .5, By: []sample.Dimension{"hour", "hour"}})
	f("--by", sample.Options{Fraction: .5, By: []sample.Dimension{"hour", "hourofday"}})
	f("--memory", sample.Options{Fraction: .5, Memory: -1})
	if err := sample.CheckFraction(0); err == nil {
		t.Error("a fraction of 0 given by a user is accepted")
	}
}

// key computes a record's key by the words of FORMAT.md.
func key(r *trace.Record, unit sample.Unit, seed, ordinal uint64) uint64 {
	d := xxhash.NewWithSeed(seed)
	switch {
	case unit == sample.User && r.User != trace.Pseudonym{}:
		d.Write(r.User[:])
	case unit == sample.User && len(r.Client) > 0:
		d.WriteString(string(r.Client) + "\x00" + r.Agent)
	default:
		d.WriteString(strings.TrimSuffix(string(r.AppendJSON(nil)), "}"))
		d.Write(binary.LittleEndian.AppendUint64(nil, ordinal))
	}
	return d.Sum64()
}

type keyed struct {
	line string
	key  uint64
}

// expected is the choice by sorting everything, stratum by stratum.
func expected(records []*trace.Record, o sample.Options) map[string]int {
	strata := make(map[string][]keyed)
	seen := make(map[string]uint64)
	for _, r := range records {
		line := string(r.AppendJSON(nil))
		h := math.Floor(float64(r.Start) / hour)
		name := fmt.Sprint(h, r.Endpoint)
		strata[name] = append(strata[name], keyed{line, key(r, o.Unit, o.Seed, seen[line])})
		seen[line]++
	}
	kept := make(map[string]int)
	for _, s := range strata {
		slices.SortFunc(s, func(a, b keyed) int {
			if a.key < b.key {
				return -1
			}
			return 1
		})
		for i, k := range s {
			if o.PerStratum > 0 && i < o.PerStratum || o.PerStratum == 0 && float64(k.key) < o.Fraction*0x1p64 {
				kept[k.line]++
			}
		}
	}
	return kept
}

func drawOptions(t *rapid.T) sample.Options {
	o := sample.Options{Seed: rapid.Uint64().Draw(t, "seed"), Memory: rapid.SampledFrom([]int{0, 1, 300}).Draw(t, "memory")}
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		o.PerStratum, o.Unit = rapid.IntRange(1, 12).Draw(t, "per stratum"), sample.Request
		if o.Memory > 0 {
			o.Memory += 4000 // the keys need their part
		}
	case 1:
		o.Fraction, o.Unit = rapid.Float64Range(.2, 1).Draw(t, "fraction"), sample.Request
	default:
		o.Fraction, o.Unit = rapid.Float64Range(.2, 1).Draw(t, "fraction"), sample.User
	}
	return o
}

// finish is choose for traces of which a fraction may keep nothing.
func finish(t failer, records []*trace.Record, o sample.Options) (*sample.Selection, bool) {
	t.Helper()
	s, err := sample.New(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if err := s.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Finish()
	if errors.Is(err, sample.ErrNothingKept) {
		return nil, false
	}
	if err != nil {
		t.Fatal(err)
	}
	return v, true
}

func TestChoiceIsBottomK(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records, o := anyTrace(t), drawOptions(t)
		want := expected(records, o)
		v, ok := finish(t, records, o)
		if !ok {
			if len(want) > 0 {
				t.Fatalf("nothing was kept of %v", want)
			}
			return
		}
		c := mustRead(t, write(t, v))
		got := make(map[string]int)
		for _, r := range c.records {
			got[string(r.Record.AppendJSON(nil))]++
		}
		if !maps.Equal(got, want) {
			t.Fatalf("kept %v\nwant %v", got, want)
		}
		if !slices.IsSortedFunc(c.records, func(a, b *sample.Record) int { return int(a.Start - b.Start) }) {
			t.Fatal("records are not in start order")
		}
	})
}

func TestWeightsAddUpToThePopulation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := anyTrace(t)
		v, ok := finish(t, records, drawOptions(t))
		if !ok {
			return
		}
		c := mustRead(t, write(t, v))
		sums, counts := make([]float64, len(c.table.Strata)), make([]int64, len(c.table.Strata))
		for _, r := range c.records {
			sums[r.Stratum] += r.Weight
			counts[r.Stratum]++
			a := c.table.Strata[r.Stratum]
			if a.Endpoint != r.Endpoint || a.Hour != int64(math.Floor(float64(r.Start)/hour)) {
				t.Fatalf("record of %s at %d is in stratum %+v", r.Endpoint, r.Start, a.Stratum)
			}
		}
		population := int64(0)
		for i, a := range c.table.Strata {
			population += a.Population
			if counts[i] != a.Sample || a.Lost() != (a.Sample == 0) {
				t.Fatalf("stratum %+v has %d records", a, counts[i])
			}
			if !a.Lost() && math.Abs(sums[i]-float64(a.Population)) > 1e-9*float64(a.Population) {
				t.Fatalf("weights of %+v add up to %g", a, sums[i])
			}
		}
		endpoints := int64(0)
		for _, e := range c.table.Endpoints {
			endpoints += e.Requests
		}
		if n := int64(len(records)); population != n || c.table.Profile.Total() != n || endpoints != n {
			t.Fatalf("population %d, profile %d, endpoints %d of %d records", population, c.table.Profile.Total(), endpoints, n)
		}
	})
}

func TestOrderWithinAnInstantDoesNotMatter(t *testing.T) {
	records := shopTrace(4000)
	for _, r := range records {
		r.Start -= r.Start % 60_000_000
	}
	lines := func(o sample.Options) []string {
		kept := mustRead(t, write(t, choose(t, records, o))).records
		all := make([]string, 0, len(kept))
		for _, r := range kept {
			all = append(all, string(r.AppendJSON(nil)))
		}
		slices.Sort(all)
		return all
	}
	for _, o := range []sample.Options{{PerStratum: 7, Seed: 1}, {Fraction: .2, Seed: 1}, {Fraction: .2, Unit: sample.Request}} {
		before := lines(o)
		rand.New(rand.NewPCG(1, 1)).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		slices.SortStableFunc(records, func(a, b *trace.Record) int { return int(a.Start - b.Start) })
		if after := lines(o); !slices.Equal(before, after) {
			t.Errorf("%+v: %d lines became %d other ones", o, len(before), len(after))
		}
	}
}

func TestEqualLinesAreSampledOneByOne(t *testing.T) {
	records := slices.Repeat([]*trace.Record{shopTrace(1)[0]}, 10_000)
	// 1000 expected, deviation 30.
	v := choose(t, records, sample.Options{Fraction: .1, Unit: sample.Request})
	if n := v.Totals().Sample; n < 850 || n > 1150 {
		t.Errorf("%d of 10000 equal lines are sampled, want about 1000", n)
	}
	if n := choose(t, records, sample.Options{PerStratum: 25}).Totals().Sample; n != 25 {
		t.Errorf("%d of 10000 equal lines are sampled, want 25", n)
	}
}

func TestUsersStayWhole(t *testing.T) {
	records := shopTrace(20_000)
	for i, r := range records {
		if i%50 == 0 { // nothing told about the user
			r.User, r.Client, r.Agent = trace.Pseudonym{}, nil, ""
		}
	}
	v := choose(t, records, sample.Options{Fraction: .25, Seed: 3})
	if v.Anonymous != 400 {
		t.Errorf("%d records without a user, want 400", v.Anonymous)
	}
	kept := make(map[trace.Pseudonym]int)
	for _, r := range mustRead(t, write(t, v)).records {
		kept[r.User]++
	}
	had := make(map[trace.Pseudonym]int)
	for _, r := range records {
		had[r.User]++
	}
	if n := kept[trace.Pseudonym{}]; n < 60 || n > 140 {
		t.Errorf("%d of 400 records without a user are kept, want about 100", n)
	}
	delete(kept, trace.Pseudonym{})
	for user, n := range kept {
		if n != had[user] {
			t.Errorf("user %v keeps %d of %d records", user, n, had[user])
		}
	}
	if n := len(kept); n < 30 || n > 70 {
		t.Errorf("%d of 200 users are kept, want about 50", n)
	}
	// The same users in another file.
	for _, r := range mustRead(t, write(t, choose(t, records[10_000:], sample.Options{Fraction: .25, Seed: 3}))).records {
		if kept[r.User] == 0 && r.User != (trace.Pseudonym{}) {
			t.Fatalf("user %v is kept in one file and not in the other", r.User)
		}
	}
}

func TestStrataByEveryDimension(t *testing.T) {
	r := shopTrace(1)[0]
	r.Start = -1 // 1969-12-31T23:59:59.999999Z
	r.Method, r.Endpoint, r.Status = "PUT", "/x", 404
	f := func(want sample.Stratum, by ...sample.Dimension) {
		t.Helper()
		got := choose(t, []*trace.Record{r}, sample.Options{PerStratum: 1, By: by}).Strata[0]
		if got.Stratum != want || got.Population != 1 || got.Weight != 1 {
			t.Errorf("by %v: %+v, want %+v", by, got, want)
		}
	}
	f(sample.Stratum{Hour: -1, Endpoint: "/x"})
	f(sample.Stratum{Hour: -1}, sample.ByHour)
	f(sample.Stratum{Hour: 23, Method: "PUT"}, sample.ByHourOfDay, sample.ByMethod)
	f(sample.Stratum{Hour: sample.NoHour, Class: 4}, sample.ByStatus)
	f(sample.Stratum{Hour: sample.NoHour, Endpoint: "/x", Method: "PUT", Class: 4}, sample.ByStatus, sample.ByMethod, sample.ByEndpoint)
}

func TestTotals(t *testing.T) {
	table := sample.Table{Strata: []sample.Allocation{
		{Population: 60, Sample: 8}, {Population: 30, Sample: 2}, {Population: 10},
	}}
	got := table.Totals()
	// Expected 6, 3, 1 of 10: 4/6 + 1/3 + 1 = 2.
	want := sample.Totals{Population: 100, Sample: 10, Strata: 3, Lost: 1, LostShare: .1, MaxShareError: .2, ChiSquare: 2}
	if math.Abs(got.ChiSquare-2) > 1e-12 || math.Abs(got.MaxShareError-.2) > 1e-12 {
		t.Errorf("%+v", got)
	}
	got.ChiSquare, got.MaxShareError = want.ChiSquare, want.MaxShareError
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestProportionalSampleFitsByChiSquare(t *testing.T) {
	v := choose(t, shopTrace(50_000), sample.Options{Fraction: .1, Unit: sample.Request, Seed: 2})
	totals := v.Totals()
	// Chi-square with strata-1 degrees of freedom, thinned by 1-F: mean (n-1)(1-F), five deviations.
	n := float64(totals.Strata - 1)
	if limit := n + 5*math.Sqrt(2*n); totals.ChiSquare > limit || totals.ChiSquare < n-5*math.Sqrt(2*n) {
		t.Errorf("chi-square %.1f of %d strata", totals.ChiSquare, totals.Strata)
	}
}

// Keys are in the memory that is given: what they take, lines cannot, and what is over is refused by name.
func TestKeysCountAsMemory(t *testing.T) {
	records := shopTrace(20_000)
	for _, r := range records {
		r.Endpoint = "/"
	}
	o := sample.Options{PerStratum: 10_000, By: []sample.Dimension{sample.ByEndpoint}, Tmp: t.TempDir()}
	want := write(t, choose(t, records, o))
	o.Memory = 10_000 * 12 // keys and their growth, and next to nothing for the lines
	if got := write(t, choose(t, records, o)); !bytes.Equal(got, want) {
		t.Error("another memory chooses other records")
	}
	o.Memory = 10_000*8 - 1
	s, err := sample.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	added := 0
	for _, r := range records {
		if err = s.Add(r); err != nil {
			break
		}
		added++
	}
	if err == nil || !strings.Contains(err.Error(), "--per-stratum") || !strings.Contains(err.Error(), "--memory") || added < 5000 {
		t.Errorf("after %d records: %v", added, err)
	}
}

func TestSamplerRefuses(t *testing.T) {
	add := func(o sample.Options, records ...*trace.Record) error {
		s, err := sample.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, r := range records {
			if err := s.Add(r); err != nil {
				return err
			}
		}
		_, err = s.Finish()
		return err
	}
	one, two := *shopTrace(1)[0], *shopTrace(1)[0]
	two.Start--
	if err := add(sample.Options{PerStratum: 1}, &one, &two); err == nil || !strings.Contains(err.Error(), "order") {
		t.Errorf("time going back: %v", err)
	}
	two.Start, two.Endpoint = one.Start, "/other"
	if err := add(sample.Options{PerStratum: 1, MaxStrata: 1}, &one, &two); err == nil || !strings.Contains(err.Error(), "strata") {
		t.Errorf("too many strata: %v", err)
	}
	if err := add(sample.Options{PerStratum: 1}); !errors.Is(err, sample.ErrEmptyTrace) {
		t.Errorf("empty trace: %v", err)
	}
	if err := add(sample.Options{Fraction: 1e-9}, &one); !errors.Is(err, sample.ErrNothingKept) {
		t.Errorf("nothing kept: %v", err)
	}
	two.Start = math.MaxInt64
	if err := add(sample.Options{PerStratum: 1}, &two); err == nil || !strings.Contains(err.Error(), "profile") {
		t.Errorf("a stamp beyond all years: %v", err)
	}
	if err := add(sample.Options{Fraction: 1, Memory: 1, Tmp: t.TempDir() + "/none"}, &one, &one); err == nil {
		t.Error("a folder that does not exist is no error")
	}
}
