package main

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is a file that appears under its name only when it is whole. A name of "-" is stdout.
type output struct {
	*bufio.Writer
	file *os.File // nil for stdout
	name string
}

// create starts an output. It refuses a name that exists, unless force is set.
func create(name string, force bool, stdout io.Writer) (*output, error) {
	if name == "" {
		return nil, usage("NO-OUTPUT", "no output file was named", "add -o FILE, or -o - for stdout")
	}
	if name == "-" {
		return &output{Writer: bufio.NewWriterSize(stdout, 1<<16), name: name}, nil
	}
	if err := absent(name, force); err != nil {
		return nil, err
	}
	// The random part keeps two runs with the same output name apart until one of them is whole.
	f, err := os.OpenFile(fmt.Sprintf("%s.%s.partial", name, rand.Text()[:8]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, unwritable(name, err)
	}
	return &output{Writer: bufio.NewWriterSize(f, 1<<16), file: f, name: name}, nil
}

func absent(name string, force bool) error {
	if force {
		return nil
	}
	if _, err := os.Lstat(name); err == nil {
		return usage("OUTPUT-EXISTS", name+" exists", "choose another name with -o, or add --force to replace it")
	} else if !errors.Is(err, fs.ErrNotExist) {
		return unwritable(name, err)
	}
	return nil
}

// unwritable explains why an output cannot be made.
func unwritable(name string, err error) error {
	return &failure{code: "OUTPUT", exit: exitEnvironment, what: fmt.Sprintf("cannot write %s: %v", name, err), fix: "choose another place with -o"}
}

// commit flushes, syncs and renames the file to its name.
func (o *output) commit() error {
	if err := o.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	if o.file == nil {
		return nil
	}
	if err := errors.Join(o.file.Sync(), o.file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	if err := os.Rename(o.file.Name(), o.name); err != nil {
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	o.file = nil
	return nil
}

// discard removes what was not committed; after commit it does nothing.
func (o *output) discard() {
	if o.file != nil {
		o.file.Close()
		os.Remove(o.file.Name())
		o.file = nil
	}
}

// input is an open record file, with its SHA-256 known once it was read to its end.
type input struct {
	io.Reader
	file *os.File
	name string
	sum  interface{ Sum([]byte) []byte }
}

// openInput opens a record file; "-" is stdin.
func openInput(name string, stdin io.Reader) (*input, error) {
	sum := sha256.New()
	if name == "-" {
		return &input{Reader: io.TeeReader(stdin, sum), name: "stdin", sum: sum}, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &failure{code: "INPUT", exit: exitUsage, what: err.Error()}
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &failure{code: "INPUT", exit: exitUsage, what: name + " is a folder, not a file"}
	}
	return &input{Reader: io.TeeReader(f, sum), file: f, name: filepath.Base(name), sum: sum}, nil
}

// sha256 is the digest of the whole input; it reads what the record reader has left over.
func (i *input) sha256() (string, error) {
	if _, err := io.Copy(io.Discard, i.Reader); err != nil {
		return "", fmt.Errorf("read %s: %w", i.name, err)
	}
	return hex.EncodeToString(i.sum.Sum(nil)), nil
}

func (i *input) close() {
	if i.file != nil {
		i.file.Close()
	}
}
