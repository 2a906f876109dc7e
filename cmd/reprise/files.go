package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reprise/anonymize"
)

// output is a file that appears under its name only when it is whole. A name of "-" is stdout.
type output struct {
	*bufio.Writer
	file  *os.File // nil for stdout
	name  string
	whole bool // file is a device or a pipe, which is written as it is
}

// create starts an output. It refuses a name that exists, unless force is set.
// With force it still refuses to replace one of the inputs, or a key, without which nothing can be added to its traces.
func create(name string, force bool, stdout io.Writer, inputs ...string) (*output, error) {
	if force {
		if err := apart(name, inputs); err != nil {
			return nil, err
		}
	}
	if name == "" {
		return nil, usage("NO-OUTPUT", "no output file was named", "add -o FILE, or -o - for stdout")
	}
	if name == "-" {
		return &output{Writer: bufio.NewWriterSize(stdout, 1<<16), name: name}, nil
	}
	// A device or a pipe has no half-written state, and a rename would put a file in its place.
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, unwritable(name, err)
		}
		return &output{Writer: bufio.NewWriterSize(f, 1<<16), file: f, name: name, whole: true}, nil
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

// apart refuses an output that is a key file, or one of the inputs, by whatever name.
func apart(name string, inputs []string) error {
	out, err := os.Stat(name)
	if err != nil {
		return nil //nolint:nilerr // what does not exist is no input
	}
	if out.Mode().IsRegular() && holdsKey(name) {
		return usage("OUTPUT-EXISTS", name+" holds a key", "a key is never replaced; choose another name with -o")
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) && in.Mode().IsRegular() {
			return usage("OUTPUT-IS-INPUT", name+" is an input of this command", "choose another name with -o")
		}
	}
	return nil
}

// holdsKey tells whether a file begins like a key file.
func holdsKey(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64))
	return err == nil && anonymize.IsKeyText(strings.TrimSpace(string(text)))
}

// absent refuses an output that exists. Force replaces files, but no folder.
func absent(name string, force bool) error {
	info, err := os.Lstat(name)
	switch {
	case err == nil && info.IsDir() && force:
		return usage("OUTPUT-EXISTS", name+" is a folder", "choose another name with -o")
	case err == nil && !force:
		return usage("OUTPUT-EXISTS", name+" exists", "choose another name with -o, or add --force to replace it")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return unwritable(name, err)
	}
	return nil
}

// unwritable explains why an output cannot be made.
func unwritable(name string, err error) error {
	if full(err) {
		return diskFull(fmt.Errorf("cannot write %s: %w", name, err))
	}
	fix := "choose another place with -o"
	if errors.Is(err, fs.ErrNotExist) {
		fix = "mkdir -p " + filepath.Dir(name)
	}
	return &failure{code: "OUTPUT", exit: exitEnvironment, what: fmt.Sprintf("cannot write %s: %v", name, err), fix: fix}
}

// commit flushes, syncs and renames the file to its name.
func (o *output) commit() error {
	if err := o.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", o.name, err)
	}
	if o.file == nil {
		return nil
	}
	if o.whole {
		defer func() { o.file = nil }()
		if err := o.file.Close(); err != nil {
			return fmt.Errorf("write %s: %w", o.name, err)
		}
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
	if o.file == nil {
		return
	}
	o.file.Close()
	if !o.whole {
		os.Remove(o.file.Name())
	}
	o.file = nil
}

// openFile opens a file to read. What it refuses is the user's mistake, not a damaged input.
func openFile(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, missing(err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &failure{code: "INPUT", exit: exitUsage, what: name + " is a folder, not a file", fix: "name a file in it"}
	}
	return f, nil
}

// maxWhole bounds what is read into memory as a whole: configurations and catalogues.
const maxWhole = 256 << 20

// readWhole reads a file that is no log and no record file.
func readWhole(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWhole+1))
	if err == nil && len(data) > maxWhole {
		err = fmt.Errorf("%s is larger than %d MiB", name, maxWhole>>20)
	}
	return data, err
}

// held is a file that is opened once and read from its start as often as wanted: what takes its name
// meanwhile changes nothing.
type held struct {
	*os.File
	base string // for headers
	size int64
}

// hold opens a file to be read more than once; "-" is stdin.
func (s *shell) hold(ctx context.Context, name, tmp string) (*held, error) {
	if name == "-" {
		return s.spool(ctx, tmp)
	}
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, missing(err)
	}
	return &held{File: f, base: filepath.Base(name), size: info.Size()}, nil
}

// fromStart reads the file from its start, apart from all other readers.
func (h *held) fromStart() io.Reader { return io.NewSectionReader(h.File, 0, h.size) }

// missing explains why an input cannot be opened.
func missing(err error) error {
	fix := "check the name"
	if errors.Is(err, fs.ErrPermission) {
		fix = "make it readable, or run as a user who may read it"
	}
	return &failure{code: "INPUT", exit: exitUsage, what: err.Error(), fix: fix}
}

// input is an open record file, with its SHA-256 known once it was read to its end.
type input struct {
	io.Reader
	file *os.File
	name string
	sum  interface{ Sum([]byte) []byte }
}

// openInput opens a record file; "-" is stdin, whose reading ends with ctx.
func openInput(ctx context.Context, name string, stdin io.Reader) (*input, error) {
	sum := sha256.New()
	if name == "-" {
		return &input{Reader: io.TeeReader(interruptible(ctx, stdin), sum), name: "stdin", sum: sum}, nil
	}
	f, err := openFile(name)
	if err != nil {
		return nil, err
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
