package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"reprise/testdata"
)

// TestScripts runs testdata/script. Every script finds in its folder access.log, the first minute of the
// bundled log's peak (687 requests), and bind.yaml.
func TestScripts(t *testing.T) {
	bin := filepath.Dir(command(t).Path)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("PATH", bin+string(filepath.ListSeparator)+e.Getenv("PATH"))
			if err := os.WriteFile(filepath.Join(e.WorkDir, "access.log"), peakMinute(t), 0o644); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(e.WorkDir, "bind.yaml"), testdata.ShopBind, 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"start":   start,
			"signal":  signalTo,
			"join":    join,
			"await":   await,
			"shop":    startShop,
			"garbage": startGarbage,
			"json":    checkJSON,
			"ledger":  checkLedger,
			"mode":    checkMode,
			"clean":   checkClean,
			"noraw":   checkNoRaw,
			"head":    cutHead,
			"same":    checkSame,
			"only":    setOnly,
		},
	})
}

// exits CODES reprise ARGS... runs a command and wants one of the exit codes, joined by commas. What it
// prints must keep the contract: errors have a code, their exit code and a fix, none is a bug of ours, and no
// raw value of a log stands in either stream.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE[,CODE] command args...")
	}
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ok bool
		if code, ok = exitCodeOf(err); !ok {
			ts.Fatalf("%v", err)
		}
	}
	checkExit(ts, code, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
}

func checkExit(ts *testscript.TestScript, code int, want, stdout, stderr string) {
	if !strings.Contains(","+want+",", ","+strconv.Itoa(code)+",") {
		ts.Fatalf("exit code %d, want %s\n%s%s", code, want, stdout, stderr)
	}
	if word := rawIn([]byte(stdout + stderr)); word != "" {
		ts.Fatalf("the output holds the raw value %q", word)
	}
	_, report, failed := strings.Cut(stderr, "error[")
	switch code {
	case exitUsage, exitInput, exitEnvironment:
		if !failed {
			ts.Fatalf("exit code %d without an error[CODE]:\n%s", code, stderr)
		}
	}
	if !failed {
		return
	}
	if !strings.Contains(report, " (exit "+strconv.Itoa(code)+")\n") || !strings.Contains(report, "\n  fix: ") {
		ts.Fatalf("the error lacks its exit code or a fix:\n%s", stderr)
	}
	if strings.Contains(stderr, "error[BUG]") || strings.Contains(stderr, "goroutine ") {
		ts.Fatalf("a bug:\n%s", stderr)
	}
}
