package ingest_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"reprise/ingest"
)

// realLines returns the lines of a real log that hold the text, each from the text on.
func realLines(t testing.TB, name, from string) (lines []string) {
	t.Helper()
	file, err := os.Open(realLog(t, name+".log.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(text)
	for s.Scan() {
		if at := strings.Index(s.Text(), from); at >= 0 {
			lines = append(lines, s.Text()[at:])
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// The counts and sums come from a Python program over the same lines.
func TestJSONRealLogs(t *testing.T) {
	f := func(name, from, format string, records, skipped int, bytes, duration int64) {
		t.Helper()
		parser, err := ingest.NewFormat(format, ingest.FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var n [3]int
		var sumBytes, sumDuration int64
		var r ingest.Record
		for _, line := range realLines(t, name, from) {
			v := parser.Parse([]byte(line), &r)
			if v.Rejected() {
				t.Errorf("%s: %s at column %d", name, v.Reason, v.Column)
				continue
			}
			n[v.Reason]++
			if v.OK() {
				sumBytes += r.Bytes
				sumDuration += r.Duration
				if len(r.Client) == 0 || len(r.Host) == 0 || r.Status == 0 || r.Target[0] != '/' || len(r.Agent) == 0 {
					t.Errorf("%s: an incomplete record", name)
				}
			}
		}
		if n != [3]int{records, 0, skipped} || sumBytes != bytes || sumDuration != duration {
			t.Errorf("%s: %v, %d bytes, %d ns; want %d records, %d skipped, %d bytes, %d ns", name, n, sumBytes, sumDuration, records, skipped, bytes, duration)
		}
	}
	f("caddy-json-2024", "{", "caddy", 4, 0, 252148, 43184052)
	f("caddy-json-compose-2025", "{", "caddy", 4, 35, 188, 3060695)
	f("cloudflare-logpush-2024", "{", "cloudflare", 15, 0, 115665, 608000000)
	f("traefik-clf-2018", `{"BackendAddr`, "traefik_json", 4, 0, 3300, 24798012)
}
