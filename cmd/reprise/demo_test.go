package main

import (
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// members are the files of a run archive that DESIGN of the archive promises.
var members = []string{"command.txt", "summary.json", "metrics.txt", "notes.md", "latency.hlog", "latency.hgrm", "timeline.jsonl.zst", "host.json", "report.html"}

// fields are the names in summary.json that other tools may rely on.
var fields = strings.Fields(`version mode scenario seed rate duration_seconds timeout_ms offered started completed timed_out
	rejected rps_completed max_in_flight latency_ms.p50 latency_ms.p95 latency_ms.p99 latency_ms.p999 environment started_at
	tool_version offered_rps wall_seconds target_environment target_version errors.total errors.by_kind dropped unsent withheld
	written in_flight_at_end`)

// TestDemo runs the demo of the README. How fast a busy machine does it is not asserted.
func TestDemo(t *testing.T) {
	commit := "unknown" // not a checkout
	if head, err := exec.Command("git", "rev-parse", "HEAD").Output(); err == nil {
		commit = string(head[:12])
	}
	c := built(t, "demo", "-o", "demo")
	stdout := runs(t, c, exitOK, exitInvalid)
	demo := filepath.Join(c.Dir, "demo")
	if n := strings.Count(stdout, "open planned="); n < 3 {
		t.Errorf("%d open runs were printed, want the replay, P1 and the stall:\n%s", n, stdout)
	}
	if !strings.Contains(stdout, "closed started=") {
		t.Errorf("no closed run was printed:\n%s", stdout)
	}
	for pattern, target := range map[string]string{"*-replay-open*": "shop", "*-P1-open*": "shop", "*-stall-open*": "shop", "*-stall-closed*": "shop"} {
		archives, err := filepath.Glob(filepath.Join(demo, "runs", pattern))
		if err != nil || len(archives) == 0 {
			t.Errorf("no archive %s", pattern)
		}
		for _, dir := range archives {
			checkArchive(t, dir, commit, target)
		}
	}
	replays, _ := filepath.Glob(filepath.Join(demo, "runs", "*-replay-open*"))
	for _, dir := range replays {
		_, summary := oneRun(t, dir)
		if share := figureOf(t, summary, "status_match.share"); share < .99 {
			t.Errorf("%s: %.4f of the statuses are those of the log, want 0.99", filepath.Base(dir), share)
		}
	}
	if _, err := os.Stat(filepath.Join(replays[len(replays)-1], "compare.html")); err != nil {
		t.Error(err)
	}
	noPlanted(t, demo)
}

// checkArchive wants every member and every field that the format promises.
func checkArchive(t *testing.T, dir, commit, target string) {
	t.Helper()
	name := filepath.Base(dir)
	for _, m := range members {
		if info, err := os.Stat(filepath.Join(dir, m)); err != nil || info.Size() == 0 {
			t.Errorf("%s: the member %s is missing or empty: %v", name, m, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "command.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\ncommit: " + commit, "\ngo: go1.", "\nsystem: ", "\ntarget_version: " + target, "command: ", "\nenvironment: "} {
		if !strings.Contains("\n"+string(text), want) {
			t.Errorf("%s: command.txt lacks %q:\n%s", name, strings.TrimSpace(want), text)
		}
	}
	_, summary := oneRun(t, dir)
	for _, path := range fields {
		if _, ok := jsonAt(summary, path); !ok {
			t.Errorf("%s: summary.json lacks %s", name, path)
		}
	}
	if v, _ := summary["target_version"].(string); !strings.HasPrefix(v, target) {
		t.Errorf("%s: target_version is %q", name, v)
	}
	if v, _ := summary["target_environment"].(string); !strings.HasPrefix(v, "sha256:") {
		t.Errorf("%s: target_environment is %q, want the fingerprint", name, v)
	}
	rps := figureOf(t, summary, "completed") / figureOf(t, summary, "wall_seconds")
	if got := figureOf(t, summary, "rps_completed"); math.Abs(got-rps) > 0.001 {
		t.Errorf("%s: rps_completed is %v, want completed / wall_seconds = %v", name, got, rps)
	}
}

// noPlanted looks for the personal data of the bundled log in everything but the log itself.
func noPlanted(t *testing.T, dir string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "access.log.gz" {
			return err
		}
		n++
		text, err := plainText(path)
		if word := rawIn(text); word != "" {
			t.Errorf("%s holds the planted value %q", path, word)
		}
		return err
	})
	if err != nil || n < 30 {
		t.Errorf("%d files were looked at: %v", n, err)
	}
	if rawIn(bundledLog(t)) == "" {
		t.Error("the planted values are not in the log: the search proves nothing")
	}
}
