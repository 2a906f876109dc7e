package ingest_test

import (
	"testing"

	"reprise/ingest"
)

// 2025-03-12 09:14:03 UTC in the years of two digits that strftime(3) has.
func TestYearsOfTwoDigits(t *testing.T) {
	f := func(layout, logged string, want int64) {
		t.Helper()
		r := mustParse(t, `%h %{`+layout+`}t "%r" %>s`, `203.0.113.7 `+logged+` "GET / HTTP/1.1" 200`)
		equal(t, layout, r.Start, want*1e9)
	}
	f("%d/%m/%y %T", "12/03/25 09:14:03", 1741770843)
	f("%D %T", "03/12/25 09:14:03", 1741770843)
	f("%D %T %z", "03/12/99 09:14:03 +0100", 921226443)
}

// Times and durations that no clock shows are rejected; no sum of them leaves 63 bits.
func TestTimesOutOfRange(t *testing.T) {
	f := func(format, line string, want ingest.Reason) {
		t.Helper()
		r, v := parse(t, format, line)
		equal(t, line, v.Reason, want)
		if end, ok := r.End(); v.OK() && (r.Start < 0 || ok && end < r.Start) {
			t.Errorf("%s: from %d to %d", line, r.Start, end)
		}
	}
	const epoch = `$msec "$request"`
	f(epoch, `9223372035.999999999 "GET / HTTP/1.1"`, ingest.Accepted)
	f(epoch, `9223372036.999999999 "GET / HTTP/1.1"`, ingest.BadTime)
	const took = `%t "%r" %D`
	f(took, `[12/Mar/2025:09:14:03 +0000] "GET / HTTP/1.1" 1576800000000000`, ingest.Accepted)
	f(took, `[12/Mar/2025:09:14:03 +0000] "GET / HTTP/1.1" 9223372036854774`, ingest.BadDuration)
	f(`json:start=ts,duration=took,request=r`, `{"ts":1741770843,"took":9223372035,"r":"GET / HTTP/1.1"}`, ingest.BadDuration)
}
