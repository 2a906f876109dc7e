package trace_test

import (
	"testing"

	"reprise/anonymize/trace"
)

func TestLinesAreThoseOfTheRecords(t *testing.T) {
	var l trace.Lines
	for range 2 {
		l.Reset()
		var want []string
		for i := range 500 { // the text moves several times
			r := numbered(int64(i), i, 1+i%90)
			l.Add(r)
			want = append(want, string(r.AppendJSON(nil)))
		}
		if l.Len() != len(want) {
			t.Fatalf("%d lines, want %d", l.Len(), len(want))
		}
		for i := range want {
			if start, text := l.Line(i); start != int64(i) || string(text) != want[i] {
				t.Errorf("line %d is %s of %d, want %s", i, text, start, want[i])
			}
		}
	}
}

func TestRecordsOnTheirWayCostNoAllocation(t *testing.T) {
	s := sorter(t, t.TempDir(), 0)
	defer s.Close()
	var l trace.Lines
	r := numbered(1, 1, 60)
	add := func() {
		l.Reset()
		for range 100 {
			l.Add(r)
		}
		if err := s.AddLines(&l); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 { // more than a frame
		add()
	}
	if got := testing.AllocsPerRun(50, add); got != 0 {
		t.Errorf("%v allocations for 100 records", got)
	}
}
