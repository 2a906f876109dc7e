package endpoint_test

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"reprise/anonymize/endpoint"
)

// TestTemplatesOfRealLogs measures what learning does to logs in which a request stands in quotes and its status behind
// it, as in the combined format. go test -v shows the figures.
func TestTemplatesOfRealLogs(t *testing.T) {
	folder := os.Getenv("REPRISE_LOGS")
	if folder == "" {
		t.Skip("REPRISE_LOGS names no folder of real logs")
	}
	f := func(log string, mostTemplates int, leastCoverage float64) {
		t.Helper()
		l, paths, requests := endpoint.NewLearner(), map[string]int{}, 0
		eachRequest(t, filepath.Join(folder, log), func(target []byte, client uint64, status int) {
			l.AddTarget(target, client, status)
			if path := endpoint.Path(target); status/100 == 2 || status/100 == 3 {
				paths[string(path)]++
				requests++
			}
		})
		set := l.Set()
		matched, templates := 0, map[string]int{}
		for path, n := range paths {
			if pattern := set.Match([]byte(path)).Pattern; pattern != "{unmatched}" {
				matched += n
				templates[pattern] += n
			}
		}
		raw, covered := coverage(paths, requests), coverage(templates, requests)
		t.Logf("%s: %d requests, %d raw paths -> %d templates; the 100 biggest cover %.1f %% -> %.1f %%; matched %.2f %%",
			log, requests, len(paths), len(set.Templates()), 100*raw, 100*covered, 100*float64(matched)/float64(requests))
		if len(set.Templates()) > mostTemplates || covered < leastCoverage || float64(matched) < 0.95*float64(requests) {
			t.Errorf("%s: %d templates, at most %d; coverage %.3f, at least %.3f", log, len(set.Templates()), mostTemplates, covered, leastCoverage)
		}
	}
	f("nginx-blog-2012.log.gz", 600, 0.9)
	f("apache-combined-2015.log.gz", 400, 0.88)
	f("nginx-shop-2019.log.gz", 80, 0.99)
	f("nasa-common-1995.log.gz", 200, 0.95)
}

// coverage is the share of requests that the 100 biggest take.
func coverage(counts map[string]int, requests int) float64 {
	var sizes []int
	for _, n := range counts {
		sizes = append(sizes, n)
	}
	slices.SortFunc(sizes, func(a, b int) int { return cmp.Compare(b, a) })
	sum := 0
	for _, n := range sizes[:min(100, len(sizes))] {
		sum += n
	}
	return float64(sum) / float64(requests)
}

func eachRequest(t *testing.T, file string, visit func(target []byte, client uint64, status int)) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		client, rest, _ := bytes.Cut(lines.Bytes(), []byte(" "))
		_, rest, ok := bytes.Cut(rest, []byte(`"`))
		end := bytes.Index(rest, []byte(`" `))
		if !ok || end < 0 || len(rest) < end+5 {
			continue
		}
		words := bytes.Fields(rest[:end])
		status := int(rest[end+2]-'0') * 100
		if len(words) > 1 && words[1][0] == '/' {
			visit(words[1], endpoint.ClientHash(client), status)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
