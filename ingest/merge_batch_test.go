package ingest_test

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"reprise/ingest"
)

// Rows of rejected lines that are told before a record fill a hand-over; the record must not be lost between it and
// the next one.
func TestMergeKeepsRecordsAmongManyRejects(t *testing.T) {
	var b strings.Builder
	var want []string
	request := func() {
		n := len(want)
		want = append(want, fmt.Sprintf("/%d", n))
		b.WriteString(atSecond(n, want[n]))
	}
	for range 1100 { // more than detection looks at
		request()
	}
	for range 60 {
		b.WriteString(strings.Repeat("no line of a log\n", 97))
		request()
	}
	told := 0
	o := ingest.Options{Reject: func(ingest.Reject) error { told++; return nil }}
	got, report := readMerged(t, o, writeFiles(t, b.String())...)
	equal(t, "targets", strings.Join(got, " "), strings.Join(want, " "))
	equal(t, "told", told, 60*97)
	equal(t, "rejected", report.Total().Rejected, 60*97)
}

// growing is a log that gets lines as long as somebody reads.
type growing struct{ lines atomic.Int64 } // read ahead by another goroutine

func (g *growing) Read(p []byte) (int, error) {
	if g.lines.Load() >= 100_000 {
		return 0, io.EOF
	}
	n := 0
	for {
		line := atSecond(int(g.lines.Load()), "/")
		if n+len(line) > len(p) {
			return n, nil
		}
		n += copy(p[n:], line)
		g.lines.Add(1)
	}
}

// A loop that ends early does not read the rest of the log.
func TestMergeEndsEarlyReadsNoFurther(t *testing.T) {
	log := &growing{}
	r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Stdin: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if log.lines.Load() >= 100_000 {
		t.Error("all lines were read")
	}
}
