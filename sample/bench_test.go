package sample_test

import (
	"strings"
	"testing"

	"reprise/anonymize/trace"
	"reprise/sample"
)

func BenchmarkAdd(b *testing.B) {
	records := shopTrace(100_000)
	size := 0
	for _, r := range records {
		size += len(r.AppendJSON(nil))
	}
	for _, c := range []struct {
		name string
		o    sample.Options
	}{{"users", sample.Options{Fraction: .1}}, {"requests", sample.Options{Fraction: .1, Unit: sample.Request}}, {"perstratum", sample.Options{PerStratum: 100}}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				s, err := sample.New(c.o)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				for _, r := range records {
					if err := s.Add(r); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(records)), "ns/record")
		})
	}
}

// BenchmarkAddAfterABusyInstant adds records of one instant each after an instant with a million different ones.
func BenchmarkAddAfterABusyInstant(b *testing.B) {
	s, err := sample.New(sample.Options{Fraction: 1e-9, Unit: sample.Request})
	if err != nil {
		b.Fatal(err)
	}
	r := *shopTrace(1)[0]
	for i := range int64(1_000_000) {
		if r.Bytes = i; s.Add(&r) != nil {
			b.Fatal("refused")
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if r.Start++; s.Add(&r) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	r := sample.Record{Record: *shopTrace(1)[0], Stratum: 12, Weight: 9.973684210526315}
	line := r.AppendJSON(nil)
	var d sample.Decoder
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Decode(line, &r); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAddDoesNotAllocate(t *testing.T) {
	for _, unit := range []sample.Unit{sample.Request, sample.User} {
		records := shopTrace(2000)
		s, err := sample.New(sample.Options{Fraction: 1e-9, Unit: unit})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records { // makes the strata and the pages of the profile
			if err := s.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		r := *records[len(records)-1]
		r.User, r.Agent = trace.Pseudonym{}, strings.Repeat("agent ", 20)
		if n := testing.AllocsPerRun(1000, func() {
			if s.Add(&r) != nil {
				t.Fail()
			}
		}); n != 0 {
			t.Errorf("unit %s: %v allocations per Add", unit, n)
		}
	}
}

func TestCodecDoesNotAllocate(t *testing.T) {
	r := *shopTrace(1)[0]
	rec := sample.Record{Record: r, Stratum: 1, Weight: 2.5}
	line := rec.AppendJSON(nil)
	var d sample.Decoder
	if n := testing.AllocsPerRun(1000, func() {
		if d.Decode(line, &rec) != nil {
			t.Fail()
		}
	}); n != 0 {
		t.Errorf("%v allocations per Decode", n)
	}
	var buf []byte
	if n := testing.AllocsPerRun(1000, func() { buf = rec.AppendJSON(buf[:0]) }); n != 0 {
		t.Errorf("%v allocations per AppendJSON", n)
	}
}
