package ingest_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strconv"
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
	_, report := countRecords(t, r)
	return report
}

// countRecords reads r to its end, without keeping a record.
func countRecords(t testing.TB, r *ingest.Reader) (records int64, report ingest.Report) {
	t.Helper()
	for _, err := range r.Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		records++
	}
	return records, r.Report()
}

func checkBalance(t testing.TB, f ingest.FileReport) {
	t.Helper()
	if sum := f.Records + f.NoRequest + f.Rejected + f.Skipped; sum != f.Lines {
		t.Errorf("%s: %d records + %d no_request + %d rejected + %d skipped = %d, but %d lines", f.Name, f.Records, f.NoRequest, f.Rejected, f.Skipped, sum, f.Lines)
	}
}

// logCounts is what a file holds: every line in one of four buckets, and the disorder of its starts.
type logCounts struct {
	lines, records, noRequest, skipped int64
	reasons                            map[string]int64
	late                               int64
	maxLate                            float64
}

func countsOf(f ingest.FileReport) logCounts {
	return logCounts{f.Lines, f.Records, f.NoRequest, f.Skipped, f.Reasons, f.Late, f.MaxLate}
}

func checkCounts(t testing.TB, f ingest.FileReport, want logCounts) {
	t.Helper()
	checkBalance(t, f)
	if got := countsOf(f); !reflect.DeepEqual(got, want) {
		t.Errorf("%s as %s:\ngot  %+v\nwant %+v", f.Name, f.Format, got, want)
	}
	if len(f.Warnings) != 0 || len(f.SHA256) != 64 {
		t.Errorf("%s: warnings %q, sha256 %q", f.Name, f.Warnings, f.SHA256)
	}
}

// The expected numbers come from a Python program that shares nothing with this one: a regular expression over
// the whole line for each text format (quoted columns as "([^"\\]|\\.)*", so that an escape takes the next byte
// along), the json module for JSON lines, a split at the separator under the latest #Fields for W3C; a request
// is one when a token, a space and a target without control bytes remain after the escapes are undone. Late
// lines are those whose start (the end minus the duration where both are logged) is before the latest start
// above them. The lines that it rejects were read one by one:
//
//	apache-combined-2015 8899          torn in the agent
//	nginx-blog-2012                    seven "GET  HTTP/1.1" without a target, one "HTTP/1.1 200 OK", and one that is
//	                                   the end of an agent ("WebKit/535.19 (KHTML, like Gecko) ...")
//	apache-vhost-2020 6628             a line end inside the request ("HEAD / HTTP/1.0\n")
//	scan-acunetix-2016 2099            "GET  HTTP/1.1"
//
// Skipped are the "#" lines of W3C files and what Caddy says of itself between its access lines.
func TestRealLogs(t *testing.T) {
	f := func(name, format, stamp string, want logCounts) {
		t.Run(name, func(t *testing.T) {
			rep := readAll(t, ingest.Options{}, realLog(t, name+".log.gz")).Files[0]
			checkCounts(t, rep, want)
			if rep.Format != format || rep.Stamp != stamp {
				t.Errorf("format %s, stamp %s; want %s, %s", rep.Format, rep.Stamp, format, stamp)
			}
		})
	}
	none := map[string]int64{}
	f("apache-combined-2015", "combined", "start", logCounts{10000, 9999, 0, 0, map[string]int64{"quote": 1}, 9447, 59})
	f("nasa-common-1995", "common", "unknown", logCounts{4000, 4000, 0, 0, none, 0, 0})
	f("nginx-blog-2012", "combined", "end", logCounts{341163, 178514, 162640, 0, map[string]int64{"request_line": 9}, 5, 2})
	f("nginx-shop-2019", "main", "end", logCounts{1000, 1000, 0, 0, none, 0, 0})
	f("apache-vhost-2020", "vhost_combined", "start", logCounts{9935, 9393, 541, 0, map[string]int64{"request_line": 1}, 299, 1078})
	f("scan-netsparker-2016", "combined", "unknown", logCounts{7314, 7314, 0, 0, none, 0, 0})
	f("scan-acunetix-2016", "combined", "start", logCounts{6539, 6538, 0, 0, map[string]int64{"request_line": 1}, 6526, 1722})
	f("scan-w3af-2016", "combined", "start", logCounts{3996, 3996, 0, 0, none, 1697, 9928})
	f("haproxy-http-2012", "syslog+haproxy", "start", logCounts{17211, 17211, 0, 0, none, 536, 52.261})
	f("iis-w3c-2009", "w3c", "end", logCounts{24781, 14093, 0, 10688, none, 6100, 1350.444})
	f("iis85-w3c-2015", "w3c", "end", logCounts{254, 210, 0, 44, none, 64, 0.22})
	f("cloudfront-w3c-2011", "cloudfront", "end", logCounts{102, 100, 0, 2, none, 59, 86})
	f("traefik-clf-2018", "traefik", "start", logCounts{29, 29, 0, 0, none, 0, 0})
	f("caddy-json-2024", "caddy", "end", logCounts{4, 4, 0, 0, none, 0, 0})
	f("caddy-json-compose-2025", "compose+caddy", "end", logCounts{39, 4, 0, 35, none, 0, 0})
	f("cloudflare-logpush-2024", "cloudflare", "start", logCounts{15, 15, 0, 0, none, 0, 0})
}

// Counted as in TestRealLogs. The files come back oldest first: the highest number is the oldest.
func TestRealLogsRotated(t *testing.T) {
	names := make([]string, 12)
	for i := range names {
		names[i] = realLog(t, "nginx-blog-rotated/access.log."+strconv.Itoa(i+1))
		if i >= 2 {
			names[i] += ".gz"
		}
	}
	want := [12][3]int64{ // lines, records, no_request of access.log.1, .2, ...
		{4318, 2325, 1993}, {4798, 2301, 2497}, {5338, 2991, 2347}, {4095, 2813, 1282}, {3554, 1956, 1598}, {4986, 2903, 2083},
		{4203, 2218, 1985}, {5631, 3176, 2455}, {4984, 2174, 2810}, {7669, 2287, 5382}, {5144, 2755, 2389}, {6668, 2748, 3920},
	}
	files := readAll(t, ingest.Options{}, names...).Files
	for i, f := range files {
		at := len(names) - 1 - i
		if f.Name != names[at] {
			t.Fatalf("file %d is %s, want %s", i, f.Name, names[at])
		}
		checkCounts(t, f, logCounts{want[at][0], want[at][1], want[at][2], 0, map[string]int64{}, 0, 0})
	}
}
