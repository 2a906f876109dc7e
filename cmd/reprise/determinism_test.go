package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDeterminism makes every file twice and wants equal bytes: equal inputs, key, seed and options, any
// number of workers, and any share of memory.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	t.Run("bundled log", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "access.log"), bundledLog(t))
		stagesAreEqual(t, dir, "access.log", "")
	})
	t.Run("nginx-blog-2012", func(t *testing.T) {
		stagesAreEqual(t, t.TempDir(), realLog(t, "nginx-blog-2012.log.gz"), "2012-03-29T01:00:00-07:00+1h")
	})
}

// stagesAreEqual runs all stages on a log twice. A window limits the plans.
func stagesAreEqual(t *testing.T, dir, log, window string) {
	reprise(t, dir, []string{"keygen", "-o", "k"})
	reprise(t, dir, []string{"endpoints", "learn", log, "-o", "endpoints.yaml"})
	twice := func(name string, args, variant []string) {
		t.Helper()
		reprise(t, dir, append(append([]string{}, args...), "-o", name))
		reprise(t, dir, append(append(append([]string{}, args...), variant...), "-o", name+".again"))
		equalFiles(t, filepath.Join(dir, name), filepath.Join(dir, name+".again"))
	}
	// The second one also learns the templates by itself, and sorts on the disk.
	twice("trace", []string{"anonymize", log, "--key-file", "k"}, []string{"--workers", "2", "--memory", "1MB"})
	reprise(t, dir, []string{"anonymize", log, "--key-file", "k", "--endpoints", "endpoints.yaml", "--workers", "1", "-o", "one"})
	equalFiles(t, filepath.Join(dir, "trace"), filepath.Join(dir, "one"))
	twice("users", []string{"sample", "trace", "--fraction", "0.3"}, nil)
	twice("sample", []string{"sample", "trace", "--per-stratum", "50"}, []string{"--memory", "20MB"})
	for _, model := range []string{"measured", "poisson", "constant", "logged"} {
		args := []string{"schedule", "sample", "--arrival", model, "--speed", "60", "--seed", "3", "--allow-writes"}
		if window != "" {
			args = append(args, "--window", window)
		}
		twice(model, args, nil)
	}
}

// TestSynthIsDeterministic makes the built-in scenarios and their data twice.
func TestSynthIsDeterministic(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, scenario := range []string{"P1", "P2"} {
		for _, name := range []string{scenario, scenario + ".again"} {
			reprise(t, dir, []string{"synth", scenario, "--seed", "5", "--duration", "10s", "-o", name})
			reprise(t, dir, []string{"synth", scenario, "--seed", "5", "--gen-data", "-o", "data-" + name})
		}
		equalFiles(t, filepath.Join(dir, scenario), filepath.Join(dir, scenario+".again"))
		files, err := os.ReadDir(filepath.Join(dir, "data-"+scenario))
		if err != nil || len(files) == 0 {
			t.Fatalf("the data set has %d files: %v", len(files), err)
		}
		for _, f := range files {
			equalFiles(t, filepath.Join(dir, "data-"+scenario, f.Name()), filepath.Join(dir, "data-"+scenario+".again", f.Name()))
		}
	}
}

func equalFiles(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(x) == 0 {
		t.Errorf("%s is empty", a)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ", a, b)
	}
}
