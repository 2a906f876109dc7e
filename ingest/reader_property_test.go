package ingest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/ingest"
)

// oddText draws a log of stretches in several formats, garbage between them, and any end.
func oddText(t *rapid.T, label string) string {
	stretches := []func(i int) string{
		common, caddy,
		func(int) string { return "panic: out of everything\n" },
		func(int) string { return "\n" },
		func(int) string { return "#Fields: date time c-ip cs-method cs-uri-stem sc-status\n" },
		func(i int) string { return fmt.Sprintf("2025-03-12 10:00:%02d 203.0.113.7 GET /%d 200\n", i%60, i) },
		func(i int) string { return "192.0.2.1 - - [12/Mar/2025:09:14:03 +0000] \"-\" 400 0\n" },
		func(i int) string { return strings.Repeat("\x00", i%7) + common(i) },
		func(i int) string {
			return fmt.Sprintf(`{"log":%q,"stream":"stdout","time":"2025-03-12T09:14:03Z"}`, common(i)) + "\n"
		},
	}
	var b strings.Builder
	b.WriteString(manyLines(rapid.IntRange(0, 40).Draw(t, label+" first"), common))
	for n := range rapid.IntRange(0, 5).Draw(t, label+" stretches") {
		kind := rapid.IntRange(0, len(stretches)-1).Draw(t, "kind")
		from := n * 1000
		b.WriteString(manyLines(rapid.SampledFrom([]int{1, 2, 3, 99, 100, 101, 600}).Draw(t, "lines"), func(i int) string { return stretches[kind](from + i) }))
	}
	text := b.String()
	return text[:len(text)-rapid.IntRange(0, min(len(text), 90)).Draw(t, label+" cut")]
}

// Whatever stands in two files, each line is in one bucket, each record is yielded and each rejected line told, and
// both ways of reading say the same.
func TestNoLineIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := writeFiles(t, oddText(rt, "a"), oddText(rt, "b"))
		if rapid.Bool().Draw(rt, "swap") {
			slices.Reverse(names)
		}
		var rejects []string
		r, err := ingest.Open(t.Context(), names, ingest.Options{Reject: func(r ingest.Reject) error {
			rejects = append(rejects, fmt.Sprint(r))
			return nil
		}})
		if _, unknown := errors.AsType[*ingest.UnknownFormatError](err); unknown || errors.Is(err, ingest.ErrEmpty) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		outcome := func(read func(add func(*ingest.Record) error) error) string {
			var records []string
			rejects = nil
			err := read(func(r *ingest.Record) error {
				records = append(records, fmt.Sprintf("%s:%d@%d %s", r.Pos.File, r.Pos.Line, r.Pos.Byte, r.Target))
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			rep := r.Report()
			for _, f := range rep.Files {
				checkBalance(t, f)
			}
			total := rep.Total()
			if int64(len(records)) != total.Records || int64(len(rejects)) != total.Rejected {
				rt.Fatalf("%d records yielded, %d rejects told: %+v", len(records), len(rejects), total)
			}
			slices.Sort(records)
			slices.Sort(rejects)
			if n := len(slices.Compact(records)); n != len(records) {
				rt.Fatal("a record came twice")
			}
			rep.Merged = ingest.Merged{}
			return fmt.Sprint(records, rejects, rep)
		}
		merged := outcome(func(add func(*ingest.Record) error) error {
			for r, err := range r.Records(t.Context()) {
				if err != nil {
					return err
				}
				_ = add(r)
			}
			return nil
		})
		for _, workers := range []int{1, 2} {
			got := make([][]*ingest.Record, len(names))
			each := outcome(func(add func(*ingest.Record) error) error {
				err := r.Each(t.Context(), workers, func(file int) func(*ingest.Record) error {
					return func(r *ingest.Record) error { got[file] = append(got[file], r.Clone()); return nil }
				}, nil)

				for _, record := range slices.Concat(got...) {
					_ = add(record)
				}
				return err
			})
			if each != merged {
				rt.Fatalf("Each with %d workers\n%s\nRecords\n%s", workers, each, merged)
			}
		}
	})
}
