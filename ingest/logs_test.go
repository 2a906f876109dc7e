package ingest_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"reprise/ingest"
)

// realLog returns the path of a de-identified production log, which the project does not contain.
func realLog(t testing.TB, name string) string {
	dir := os.Getenv("REPRISE_LOGS")
	if dir == "" {
		t.Skip("REPRISE_LOGS is not set: it names the folder with the real access logs")
	}
	return filepath.Join(dir, name)
}

// readAll reads the named logs to their end, without keeping a record.
func readAll(t testing.TB, o ingest.Options, names ...string) ingest.Report {
	t.Helper()
	r, err := ingest.Open(t.Context(), names, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r.Report()
}

func checkBalance(t testing.TB, f ingest.FileReport) {
	t.Helper()
	if sum := f.Records + f.NoRequest + f.Rejected + f.Skipped; sum != f.Lines {
		t.Errorf("%s: %d records + %d no_request + %d rejected + %d skipped = %d, but %d lines", f.Name, f.Records, f.NoRequest, f.Rejected, f.Skipped, sum, f.Lines)
	}
}

// The expected numbers come from a Python program of its own (regular expressions over the same files), and
// every rejected line was looked at: one torn in the agent, eight "GET  HTTP/1.1" without a target, a response
// line, the end of an agent, and a line end inside a request.
func TestRealLogs(t *testing.T) {
	f := func(name, format, stamp string, lines, records, noRequest int64, reasons map[string]int64, late int64, maxLate float64) {
		t.Helper()
		rep := readAll(t, ingest.Options{}, realLog(t, name+".log.gz")).Files[0]
		checkBalance(t, rep)
		if rep.Format != format || rep.Stamp != stamp {
			t.Errorf("%s: format %s, stamp %s; want %s, %s", name, rep.Format, rep.Stamp, format, stamp)
		}
		if rep.Lines != lines || rep.Records != records || rep.NoRequest != noRequest || !maps.Equal(rep.Reasons, reasons) {
			t.Errorf("%s: lines %d records %d no_request %d rejected %v; want %d %d %d %v", name, rep.Lines, rep.Records, rep.NoRequest, rep.Reasons, lines, records, noRequest, reasons)
		}
		if rep.Late != late || rep.MaxLate != maxLate {
			t.Errorf("%s: %d lines late by up to %g s; want %d, %g", name, rep.Late, rep.MaxLate, late, maxLate)
		}
		if len(rep.Warnings) != 0 || len(rep.SHA256) != 64 {
			t.Errorf("%s: warnings %q, sha256 %q", name, rep.Warnings, rep.SHA256)
		}
	}
	none := map[string]int64{}
	f("apache-combined-2015", "combined", "start", 10000, 9999, 0, map[string]int64{"quote": 1}, 9447, 59)
	f("nasa-common-1995", "common", "unknown", 4000, 4000, 0, none, 0, 0)
	f("nginx-blog-2012", "combined", "end", 341163, 178514, 162640, map[string]int64{"request_line": 9}, 5, 2)
	f("nginx-shop-2019", "main", "unknown", 1000, 1000, 0, none, 0, 0)
	f("apache-vhost-2020", "vhost_combined", "unknown", 9935, 9393, 541, map[string]int64{"request_line": 1}, 299, 1078)
	f("scan-netsparker-2016", "combined", "unknown", 7314, 7314, 0, none, 0, 0)
	f("scan-acunetix-2016", "combined", "start", 6539, 6538, 0, map[string]int64{"request_line": 1}, 6526, 1722)
	f("scan-w3af-2016", "combined", "unknown", 3996, 3996, 0, none, 1697, 9928)
}
