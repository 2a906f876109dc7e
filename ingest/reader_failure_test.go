package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"reprise/ingest"
)

// Of several inputs one that cannot be read does not hide the others.
func TestUnreadableInputs(t *testing.T) {
	dir := t.TempDir()
	good := func(i int) string {
		name := filepath.Join(dir, "good"+string(rune('0'+i)))
		if err := os.WriteFile(name, []byte(common(i)), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	damaged := writeFile(t, "damaged.gz", []byte("\x1f\x8b\x08\xff\xff"))
	missing := filepath.Join(dir, "missing")
	for _, bad := range []string{loop, missing, damaged, dir} {
		names := []string{good(3), bad, good(1)}
		for range 2 {
			r, err := ingest.Open(t.Context(), names, ingest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, each := range []bool{false, true} {
				var targets []string
				if each {
					err = r.Each(t.Context(), 0, func(file int) func(*ingest.Record) error {
						return func(*ingest.Record) error { return nil }
					}, nil)
					if err != nil {
						t.Fatal(err)
					}
					targets = []string{"/1", "/3"}
				}
				for record, err := range r.Records(t.Context()) {
					if err != nil {
						t.Fatal(err)
					}
					if !each {
						targets = append(targets, string(record.Target))
					}
				}
				equal(t, "records", strings.Join(targets, ""), "/1/3")
				rep := r.Report()
				equal(t, "failed", len(rep.Failed()), 1)
				equal(t, "name", rep.Files[2].Name, bad)
				if rep.Files[2].Failure == "" || rep.Files[2].Lines != 0 {
					t.Errorf("%+v", rep.Files[2])
				}
			}
			names[0], names[1] = names[1], names[0]
		}
		_, err := ingest.Open(t.Context(), []string{bad}, ingest.Options{})
		if err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
	_, err := ingest.Open(t.Context(), []string{missing, loop}, ingest.Options{})
	equal(t, "all", errors.Is(err, fs.ErrNotExist), true)
}

// A file that vanishes, or is cut, between the first look and the reading.
func TestInputsThatChange(t *testing.T) {
	names := writeFiles(t, manyLines(100, common), manyLines(100, common), manyLines(100, common))
	r, err := ingest.Open(t.Context(), names, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(names[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(names[1], 500); err != nil {
		t.Fatal(err)
	}
	n, rep := countRecords(t, r)
	equal(t, "records", rep.Total().Records, n)
	equal(t, "vanished", rep.Files[0].Failure != "", true)
	equal(t, "cut", strings.Contains(rep.Files[1].Failure, "shortened"), true)
	equal(t, "whole", rep.Files[2].Records, 100)
	for _, f := range rep.Files {
		checkBalance(t, f)
	}
}

// What came of a file that is cut or damaged counts, and the account says that it is not all.
func TestTrap20FailureOfDamagedFiles(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(manyLines(5000, common))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f := func(data []byte, failed bool) {
		t.Helper()
		rep := readAll(t, ingest.Options{}, writeFile(t, "log.gz", data)).Files[0]
		checkBalance(t, rep)
		equal(t, "failed", rep.Failure != "", failed)
		if rep.Records < 100 || failed && rep.Records == 5000 || !failed && rep.Records != 5000 {
			t.Errorf("%d records", rep.Records)
		}
	}
	whole := b.Bytes()
	// Damage that leaves no line is no empty log.
	_, err := ingest.Open(t.Context(), []string{writeFile(t, "log.gz", whole[:12])}, ingest.Options{})
	equal(t, "nothing left", err != nil && !errors.Is(err, ingest.ErrEmpty) && strings.Contains(err.Error(), "end in the middle"), true)
	f(whole, false)
	f(append(bytes.Clone(whole), "tail"...), false)
	f(whole[:len(whole)/2], true)
	wrong := bytes.Clone(whole)
	for i := range 50 {
		wrong[len(wrong)/2+i] ^= 0x55
	}
	f(wrong, true)
}

// An input that fails in the middle ends; the others do not.
func TestReadErrorOfOneOfTwo(t *testing.T) {
	broken := io200("the disk is on fire")
	r, err := ingest.Open(t.Context(), []string{writeFile(t, "log", []byte(manyLines(100, common))), "-"}, ingest.Options{Stdin: broken})
	if err != nil {
		t.Fatal(err)
	}
	n, rep := countRecords(t, r)
	equal(t, "failed", len(rep.Failed()), 1)
	equal(t, "why", strings.Contains(rep.Failed()[0].Failure, "the disk is on fire"), true)
	equal(t, "records", rep.Total().Records, n)
	if n < 1100 {
		t.Errorf("%d records", n)
	}
}

// io200 is an input of many lines that then fails.
func io200(why string) *failing {
	return &failing{text: strings.NewReader(manyLines(20_000, common)), err: iotest.ErrReader(errors.New(why))}
}

type failing struct {
	text *strings.Reader
	err  interface{ Read([]byte) (int, error) }
}

func (f *failing) Read(p []byte) (int, error) {
	if f.text.Len() > 0 {
		return f.text.Read(p)
	}
	return f.err.Read(p)
}

// silent is an input that gives nothing before it is told to end.
type silent chan struct{}

func (s silent) Read([]byte) (int, error) {
	<-s
	return 0, io.EOF
}

// Open does not wait for an input that gives nothing.
func TestOpenIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := make(silent)
	failed := make(chan error)
	go func() {
		_, err := ingest.Open(ctx, []string{"-"}, ingest.Options{Stdin: in})
		failed <- err
	}()
	cancel()
	equal(t, "cancelled", errors.Is(<-failed, context.Canceled), true)
	close(in) // and what waits ends with the input
}
