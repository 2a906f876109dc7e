package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"reprise/testdata"
)

// The tests of this package are inside it, because a command has no exported names. They run the command as
// a process of its own, so that signals, exit codes and pipes are real: the test binary, which is reprise when
// it is called so.

func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "reprise":
		main()
	case limited:
		self, err := os.Executable()
		if err == nil {
			err = limit()
		}
		if err == nil {
			err = syscall.Exec(self, append([]string{"reprise"}, os.Args[1:]...), os.Environ())
		}
		panic(err)
	}
	os.Exit(testAll(m))
}

// limited is the name by which the test binary runs reprise as a user whom the modes of files bind, also for root: so
// that the scripts can meet a file that must not be read.
const limited = "limited-reprise"

// folder of the links by which the test binary is called reprise.
var folder string

func testAll(m *testing.M) int {
	self, err := os.Executable()
	if err == nil {
		folder, err = os.MkdirTemp("", "reprise-test-")
	}
	if err == nil {
		defer os.RemoveAll(folder)
		err = errors.Join(os.Symlink(self, filepath.Join(folder, "reprise")), os.Symlink(self, filepath.Join(folder, limited)))
	}
	if err != nil {
		panic(err)
	}
	return m.Run()
}

// command is a run of reprise that was not started yet, in a new folder.
func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(filepath.Join(folder, "reprise"), args...)
	c.Dir = t.TempDir()
	return c
}

// build makes reprise as make does, with the commit in it and without a race detector, once for all tests.
var build = sync.OnceValues(func() (program string, err error) {
	program = filepath.Join(folder, "built", "reprise")
	out, err := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-o", program, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return program, nil
})

// built is a run of the program as users have it, for tests of what it takes and how fast it is.
func built(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, args...)
	c.Dir = t.TempDir()
	return c
}

// bundledLog is the text of the bundled log.
func bundledLog(t testing.TB) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(testdata.ShopLog))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// peakMinute is the part of the bundled log from 20:00:00 to 20:00:59.
func peakMinute(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	for line := range bytes.Lines(bundledLog(t)) {
		if bytes.Contains(line, []byte("[28/Nov/2025:20:00:")) {
			b.Write(line)
		}
	}
	if b.Len() == 0 {
		t.Fatal("the bundled log has no line at 20:00")
	}
	return b.Bytes()
}

// plainText is the contents of a file, without its zstd if it is a record file.
func plainText(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil || !bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		return data, err
	}
	z, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	// A file that a kill cut short is read as far as it goes.
	text, err := io.ReadAll(z)
	if err == io.ErrUnexpectedEOF {
		err = nil
	}
	return text, err
}

// rawIn is a value of the logs that stands in text though it never should, or empty. The scripts' own logs
// mark such values with the word "rawvalue".
func rawIn(text []byte) string {
	for _, word := range append([]string{"rawvalue"}, testdata.Planted...) {
		if bytes.Contains(text, []byte(word)) {
			return word
		}
	}
	return ""
}
