package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// reprise runs a command in dir and wants one of the exit codes; no code means 0.
func reprise(t testing.TB, dir string, args []string, codes ...int) (stdout string) {
	t.Helper()
	c := built(t, args...)
	c.Dir = dir
	return runs(t, c, codes...)
}

// runs runs a prepared command and wants one of the exit codes; no code means 0.
func runs(t testing.TB, c *exec.Cmd, codes ...int) (stdout string) {
	t.Helper()
	var out, report bytes.Buffer
	c.Stdout, c.Stderr = &out, &report
	code := 0
	if err := c.Run(); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			t.Fatal(err)
		}
		code = e.ExitCode()
	}
	if len(codes) == 0 {
		codes = []int{exitOK}
	}
	if !slices.Contains(codes, code) {
		t.Fatalf("reprise %s: exit code %d, want %v\n%s%s", strings.Join(c.Args[1:], " "), code, codes, out.Bytes(), report.Bytes())
	}
	return out.String()
}

// background starts a command whose first line of output tells that it is ready, and ends it with the test.
func background(t testing.TB, c *exec.Cmd) (first string) {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		c.Wait()
	})
	line := make([]byte, 0, 256)
	for one := make([]byte, 1); !bytes.HasSuffix(line, []byte("\n")); line = append(line, one[0]) {
		if _, err := out.Read(one); err != nil {
			t.Fatalf("reprise %s ended before it was ready: %v", c.Args[1], err)
		}
	}
	return strings.TrimSpace(string(line))
}

// realLog is a log that the project does not ship.
func realLog(t testing.TB, name string) string {
	t.Helper()
	logs := os.Getenv("REPRISE_LOGS")
	if logs == "" {
		t.Skip("REPRISE_LOGS is not set: the folder of real logs")
	}
	return filepath.Join(logs, name)
}

// oneRun is the only archive in a folder of runs, with its summary.
func oneRun(t testing.TB, pattern string) (dir string, summary map[string]any) {
	t.Helper()
	dirs, err := filepath.Glob(pattern)
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%s fits %d folders, want 1", pattern, len(dirs))
	}
	text, err := os.ReadFile(filepath.Join(dirs[0], "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		t.Fatal(err)
	}
	if wrong := unbalanced(summary); wrong != "" {
		t.Errorf("%s: the ledger does not add up: %s", dirs[0], wrong)
	}
	return dirs[0], summary
}

// figureOf is a number of a summary.
func figureOf(t testing.TB, summary map[string]any, path string) float64 {
	t.Helper()
	v, ok := jsonAt(summary, path)
	n, isNumber := v.(float64)
	if !ok || !isNumber {
		t.Fatalf("the summary has no number %s", path)
	}
	return n
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// within polls until ok is true.
func within(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%s: not within %s", what, limit)
}

// jsonAt is the value at a path of names and indexes joined by dots; "*" is the length.
func jsonAt(v any, path string) (any, bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			if name == "*" {
				v = len(at)
				continue
			}
			var ok bool
			if v, ok = at[name]; !ok {
				return nil, false
			}
		case []any:
			if name == "*" {
				v = len(at)
				continue
			}
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// unbalanced names the first equation of the ledger that does not hold.
func unbalanced(summary any) string {
	get := func(name string) float64 {
		v, _ := jsonAt(summary, name)
		n, ok := v.(float64)
		if !ok {
			return -1e18
		}
		return n
	}
	for text, equal := range map[string]bool{
		"planned = offered + withheld":                get("planned") == get("offered")+get("withheld"),
		"offered = started + dropped + unsent":        get("offered") == get("started")+get("dropped")+get("unsent"),
		"started = the kinds of ends":                 get("started") == get("completed")+get("rejected")+get("timed_out")+get("errors.total")+get("in_flight_at_end"),
		"written <= started":                          get("written") <= get("started") && get("written") >= 0,
		"latency n = completed + timed out":           get("latency.n") == get("completed")+get("timed_out"),
		"finished = started without those still open": get("finished") == get("started")-get("in_flight_at_end"),
	} {
		if !equal {
			return text
		}
	}
	return ""
}
