package report_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reprise/replay/result"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file below testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s line %d:\ngot  %s\nwant %s", name, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", name, len(g), len(w))
}

// replayed is a bursty replay of five minutes with one stall of 1.6 s.
func replayed(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "shop-replay", source: "trace", seconds: 300, rate: bursty(150), slots: 8, serviceMS: 18,
		stall: [2]float64{141.2, 142.8}, timeout: 2, backlog: 1.2, endpoints: 12, lagMS: 0.4, seed: 7, targetEnv: "sha256:9c11", sha: "aa01", warmup: 10}).summary(t)
}

// synthetic is P1's steady traffic at about the same mean rate on the same target.
func synthetic(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "P1", source: "P1", seconds: 300, rate: steady(150), slots: 8, serviceMS: 18,
		timeout: 2, backlog: 1.2, endpoints: 5, lagMS: 0.4, seed: 7, targetEnv: "sha256:9c11", sha: "bb02", warmup: 10}).summary(t)
}

// overloaded is a target that answers next to nothing in time.
func overloaded(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "browse", source: "P1", seconds: 7, rate: steady(230), slots: 2, serviceMS: 60,
		timeout: 0.5, endpoints: 3, lagMS: 0.3, seed: 3, targetEnv: "unknown", sha: "cc03"}).summary(t)
}

// starved is a run that its own generator spoilt.
func starved(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "shop-replay", source: "trace", seconds: 40, rate: bursty(190), slots: 8, serviceMS: 30,
		timeout: 2, cap: 60, endpoints: 6, lagMS: 90, seed: 5, targetEnv: "sha256:9c11", sha: "aa01",
		invalid: []string{"dispatch lag p99 is 180 ms (limit 5 ms): the generator was late, not the target", "started 15120 of 16800 (90.00%, limit 99.9%): 1680 dropped at the in-flight cap; raise --max-in-flight"}}).summary(t)
}

// tiny is a run of ten requests in one second.
func tiny(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "smoke", source: "constant", seconds: 1, rate: steady(10), slots: 4, serviceMS: 5,
		timeout: 1, endpoints: 2, lagMS: 0.2, seed: 2, targetEnv: "unknown", sha: "dd04"}).summary(t)
}

// closedLoop has eight workers on the target of replayed, with the same stall.
func closedLoop(t testing.TB) *result.Summary {
	return (&queue{mode: "closed", scenario: "shop-replay", source: "trace", seconds: 300, workers: 6, slots: 8, serviceMS: 18,
		stall: [2]float64{141.2, 142.8}, timeout: 2, backlog: 1.2, endpoints: 12, seed: 7, targetEnv: "sha256:9c11", sha: "aa01", warmup: 10}).summary(t)
}

// day is 24 hours by the second with more endpoints than a page shows; the rate is low to keep the model fast.
func day(t testing.TB) *result.Summary {
	return (&queue{mode: "open", scenario: "day", source: "trace", seconds: 86400, rate: bursty(1.5), slots: 4, serviceMS: 20,
		timeout: 2, endpoints: 90, lagMS: 0.4, seed: 9, targetEnv: "sha256:9c11", sha: "ee05", warmup: 10}).summary(t)
}

// frozen is a fast target behind a closed loop that stands still for 1.5 s: eight of very many requests are caught.
func frozen(t testing.TB) *result.Summary {
	s := (&queue{mode: "closed", scenario: "path", source: "path", seconds: 6, workers: 8, slots: 8, serviceMS: 1.2,
		stall: [2]float64{2.8, 4.3}, timeout: 5, endpoints: 1, seed: 11, targetEnv: "unknown", sha: "ff06"}).summary(t)
	s.Contract["workers"] = "8"
	return s
}

// foreign is the log of another shop against a target that has none of its pages.
func foreign(t testing.TB) *result.Summary {
	s := (&queue{mode: "open", scenario: "trace", source: "trace", seconds: 20, rate: steady(50), slots: 8, serviceMS: 2,
		timeout: 2, endpoints: 4, lagMS: 0.3, seed: 12, targetEnv: "unknown", sha: "ab07"}).summary(t)
	whole := s.Completed
	s.Status, s.StatusMatch = map[string]int64{"404": whole}, result.StatusMatchJSON{Same: 30, SameClass: 10, Other: whole - 40}
	return s
}

// cut is a run that was interrupted in its fifth second.
func cut(t testing.TB) *result.Summary {
	s := (&queue{mode: "open", scenario: "trace", source: "trace", seconds: 5, rate: steady(50), slots: 8, serviceMS: 20,
		timeout: 2, endpoints: 4, lagMS: 0.3, seed: 13, targetEnv: "unknown", sha: "ab08",
		invalid: []string{"interrupted: the run was cut, 500 of 750 requests were never sent; run it again to its end"}}).summary(t)
	s.Unsent, s.Offered, s.Planned = 500, s.Offered+500, s.Planned+500
	return s
}

// empty is a run that was cut before its first request.
func empty(testing.TB) *result.Summary {
	return &result.Summary{Version: result.SummaryVersion, Mode: "open", InvalidReasons: []string{"interrupted"}}
}

var fixtures = map[string]func(testing.TB) *result.Summary{
	"replayed": replayed, "synthetic": synthetic, "overloaded": overloaded, "starved": starved, "tiny": tiny, "closed": closedLoop, "empty": empty,
	"frozen": frozen, "foreign": foreign, "cut": cut,
}
