package source_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"reprise/ingest/source"
)

func write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func TestExpand(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"b.log", "a.log", "c.txt", ".hidden", "odd[1].log"} {
		write(t, filepath.Join(dir, name), nil)
	}
	if err := os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	f := func(want string, args ...string) {
		t.Helper()
		for i, arg := range args {
			if arg != source.Stdin {
				args[i] = filepath.Join(dir, arg)
			}
		}
		names, err := source.Expand(args)
		if err != nil {
			t.Error(err)
		}
		for i, name := range names {
			names[i] = filepath.Base(name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
	f("a.log b.log c.txt odd[1].log", ".")
	f("c.txt a.log b.log odd[1].log", "c.txt", "*.log", "a.log", "sub/../b.log")
	f("odd[1].log", "odd[1].log") // a file before a pattern
	f("- a.log", "-", "a.log", "-")
	f("missing a.log", "missing", "a.log")
	f("file a.log", "a.log/file", "a.log") // what is under a file cannot be looked at
	for _, arg := range []string{"none*", "sub", "sub/*"} {
		if _, err := source.Expand([]string{filepath.Join(dir, arg)}); !errors.Is(err, source.ErrNoFile) {
			t.Errorf("%s: %v", arg, err)
		}
	}
	if _, err := source.Expand([]string{filepath.Join(dir, "a[")}); !errors.Is(err, filepath.ErrBadPattern) {
		t.Error(err)
	}

	// What cannot be read hides nothing, and a loop of directories is not entered.
	link(t, "loop", filepath.Join(dir, "loop"))
	link(t, "gone", filepath.Join(dir, "dangling.log"))
	link(t, "..", filepath.Join(dir, "sub", "up"))
	link(t, "a.log", filepath.Join(dir, "same.log"))
	f("a.log b.log c.txt dangling.log loop odd[1].log", ".")
	f("a.log b.log dangling.log odd[1].log", "*.log")
	f("loop a.log", "loop", "a.log")
}

// Each way of being unreadable is an error that names the file.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	f := func(name string, want error) {
		t.Helper()
		path := filepath.Join(dir, name)
		_, err := source.Open(path, source.Options{})
		if !errors.Is(err, want) || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	link(t, "loop", filepath.Join(dir, "loop"))
	link(t, "gone", filepath.Join(dir, "dangling"))
	write(t, filepath.Join(dir, "secret"), []byte("text"))
	if err := os.Chmod(filepath.Join(dir, "secret"), 0); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	f("missing", fs.ErrNotExist)
	f("dangling", fs.ErrNotExist)
	f("secret/under", syscall.ENOTDIR)
	f("loop", syscall.ELOOP)
	f("socket", syscall.ENXIO)
	f(".", syscall.EISDIR)
	if os.Geteuid() != 0 { // root may read everything; the scripts of cmd/reprise show it for all
		f("secret", fs.ErrPermission)
	}
}

func TestDeviceAndFIFO(t *testing.T) {
	in, err := source.Open(os.DevNull, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(in); err != nil || len(got) != 0 || !in.Once() {
		t.Errorf("%s: %q %v once=%v", os.DevNull, got, err, in.Once())
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}

	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	fed := make(chan error, 1)
	go func() { fed <- os.WriteFile(path, gzipped(t, "text\n"), 0o600) }()
	in, err = source.Open(path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.ReadAhead()
	if got, err := io.ReadAll(in); err != nil || string(got) != "text\n" || !in.Once() || in.Codec() != source.Gzip {
		t.Errorf("fifo: %q %v once=%v %s", got, err, in.Once(), in.Codec())
	}
	if err := errors.Join(in.Close(), <-fed); err != nil {
		t.Error(err)
	}
}

// A log changes while it is read: what is appended before the end is reached is read too, and what a truncation
// takes away is missing.
func TestFileChangesWhileRead(t *testing.T) {
	text := []byte(numbered(100_000))
	f := func(data []byte, change func(path string) error) (got []byte, in *source.Input) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "access.log")
		write(t, path, data)
		in, err := source.Open(path, source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 1000)
		if _, err := io.ReadFull(in, first); err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(in)
		if closing := in.Close(); err != nil || closing != nil {
			t.Fatal(err, closing)
		}
		return slices.Concat(first, rest), in
	}
	appended := func(path string) error { return os.WriteFile(path, append(text, "more\n"...), 0o644) }
	if got, in := f(text, appended); !bytes.Equal(got, append(text, "more\n"...)) || len(in.Warnings()) != 0 {
		t.Errorf("appended: %d of %d bytes, %v", len(got), len(text)+5, in.Warnings())
	}
	half := func(path string) error { return os.Truncate(path, int64(len(text)/2)) }
	for _, change := range []func(path string) error{half, func(path string) error { return os.Truncate(path, 10) }} {
		got, in := f(text, change)
		if w := in.Warnings(); !bytes.HasPrefix(text, got) || len(got) > len(text)/2 || len(w) != 1 || w[0].Kind != source.Shortened || w[0].Bytes != int64(len(got)) {
			t.Errorf("truncated: %d of %d bytes, %v", len(got), len(text)/2, w)
		}
	}
	packed := gzipped(t, string(text))
	half = func(path string) error { return os.Truncate(path, int64(len(packed)/2)) }
	got, in := f(packed, half)
	if w := in.Warnings(); !bytes.HasPrefix(text, got) || len(w) != 1 || w[0].Kind != source.Truncated {
		t.Errorf("truncated gzip: %d bytes, %v", len(got), w)
	}
}
