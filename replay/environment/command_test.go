//go:build unix

package environment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reprise/replay/environment"
)

// shell is a reset step that runs a script.
func shell(script, more string) string {
	return fmt.Sprintf("reset: [{exec: [sh, -c, %q]%s}]", script, more)
}

func TestCommandFails(t *testing.T) {
	ctx := context.Background()
	err := build(t, environment.Options{}, shell(`echo out; printf 'no \033[31mdatabase\n' >&2; exit 3`, "")).Reset(ctx)
	failed := failure(t, err)
	if failed.ExitCode != 3 || failed.Stderr != `no \x1b[31mdatabase` {
		t.Errorf("exit code %d, stderr %q; want 3 and the escaped text", failed.ExitCode, failed.Stderr)
	}
	if got, want := err.Error(), `reset step 1 (exec sh with 2 arguments): exit code 3; stderr: no \x1b[31mdatabase`; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	failed = failure(t, build(t, environment.Options{}, "reset: [{exec: [no-such-command-here, secret]}]").Reset(ctx))
	if want := "reset step 1 (exec no-such-command-here with 1 argument): command not found"; failed.Error() != want {
		t.Errorf("error %q, want %q", failed, want)
	}
	failed = failure(t, build(t, environment.Options{}, shell(`kill -9 $$`, "")).Reset(ctx))
	if failed.ExitCode != 0 || !strings.Contains(failed.Error(), "ended by signal: killed") {
		t.Errorf("%v, want the signal", failed)
	}
}

func TestStderrIsBounded(t *testing.T) {
	failed := failure(t, build(t, environment.Options{}, shell(`i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done >&2; exit 1`, "")).Reset(context.Background()))
	if !strings.HasPrefix(failed.Stderr, "...") || !strings.HasSuffix(failed.Stderr, "line 1999") || len(failed.Stderr) > 2*2048 {
		t.Errorf("%d bytes of stderr from %.20q, want the last 2 KiB", len(failed.Stderr), failed.Stderr)
	}
}

// TestCommandSurroundings shows what a command is told.
func TestCommandSurroundings(t *testing.T) {
	t.Setenv("SHOP_FLAVOUR", "mint")
	dir := t.TempDir()
	o := environment.Options{Dir: dir, Now: func() time.Time {
		return time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	}}
	if err := build(t, o, shell(`echo "$REPRISE_NOW $SHOP_FLAVOUR" > told`, "")).Reset(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "told"))
	if want := "2026-03-01T11:00:00Z mint\n"; err != nil || string(got) != want {
		t.Errorf("told %q (error %v), want %q", got, err, want)
	}
}

// TestWholeGroupDies starts a child that ignores the polite signal. The command and its child hold the
// reading end of a pipe; that nobody can be written to any more means that both are gone.
func TestWholeGroupDies(t *testing.T) {
	held := func(fifo string) bool {
		pipe, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			pipe.Close()
		}
		return !errors.Is(err, syscall.ENXIO)
	}
	wait := func(what string, done func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	f := func(name, more string, want error, cancelled bool) {
		t.Helper()
		fifo := filepath.Join(t.TempDir(), "alive")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ended := make(chan error, 1)
		e := build(t, environment.Options{}, shell(fmt.Sprintf(`exec 3<>%s; (trap '' TERM; sleep 600) & wait`, fifo), more))
		go func() { ended <- e.Reset(ctx) }()
		if cancelled {
			wait(name+": the command did not start", func() bool { return held(fifo) })
			cancel()
		}
		if failed := failure(t, <-ended); !errors.Is(failed, want) {
			t.Errorf("%s: %v, want %v", name, failed, want)
		}
		wait(name+": a process of the group is alive", func() bool { return !held(fifo) })
	}
	f("timeout", ", timeout: 500ms", context.DeadlineExceeded, false)
	f("cancel", "", context.Canceled, true)
}

// TestBackgroundProcessMayStay: a reset may start the target and exit.
func TestBackgroundProcessMayStay(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	err := build(t, environment.Options{}, shell(`sleep 600 & echo $! > `+pid, "")).Reset(context.Background())
	text, readErr := os.ReadFile(pid)
	if err := errors.Join(err, readErr); err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(string(text), &n); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Errorf("the process it started is gone: %v", err)
	}
}
