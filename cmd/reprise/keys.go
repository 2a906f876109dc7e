package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
)

const (
	flagKeyFile = "key-file"
	flagKeyFD   = "key-fd"
	codeKey     = "ANON-KEY"
)

// keyFlags are the flags of every command that takes the pseudonym key. Neither takes the key itself.
func keyFlags() []cli.Flag {
	return []cli.Flag{
		text(flagKeyFile, "", "file of the pseudonym key, made by reprise keygen"),
		whole(flagKeyFD, 0, "read the key from this open file descriptor instead, such as 3 with 3< <(pass show reprise)"),
	}
}

// keySource says where the pseudonym key comes from.
type keySource struct {
	file string         // its name; empty for none
	key  *anonymize.Key // of a descriptor, which can be read only once; nil for a file
}

// keySourceOf reads the flags of keyFlags. The command line goes before the REPRISE_ variables.
func keySourceOf(c *cli.Context) (keySource, error) {
	file := c.String(flagKeyFile)
	byFile, byFD := file != "", c.IsSet(flagKeyFD)
	if byFile && byFD {
		byFile, byFD = !byVariable(c, flagKeyFile) || byVariable(c, flagKeyFD), !byVariable(c, flagKeyFD) || byVariable(c, flagKeyFile)
	}
	switch _, err := os.Lstat(file); {
	case byFile && byFD:
		return keySource{}, usage("USAGE", "--key-file and --key-fd both say where the key is", "keep one of them")
	case byFD:
		return keyFromDescriptor(c.Context, c.Int(flagKeyFD))
	case err != nil && anonymize.IsKeyText(file):
		return keySource{}, keyInSight("--key-file")
	}
	return keySource{file: file}, nil
}

// byVariable tells whether a flag has the value of its REPRISE_ variable.
func byVariable(c *cli.Context, name string) bool {
	value, ok := os.LookupEnv(twin(name)[0])
	return ok && value == fmt.Sprint(c.Value(name))
}

func keyFromDescriptor(ctx context.Context, n int) (keySource, error) {
	name := fmt.Sprintf("on descriptor %d", n)
	if n < 0 || n == 1 || n == 2 {
		return keySource{}, usage("USAGE", fmt.Sprintf("--key-fd: %d is no descriptor to read a key from", n), "--key-fd 3 3< ~/reprise.key")
	}
	f := os.NewFile(uintptr(n), name)
	if _, err := f.Stat(); err != nil {
		return keySource{}, usage(codeKey, fmt.Sprintf("descriptor %d is not open", n), fmt.Sprintf("--key-fd %d %d< ~/reprise.key", n, n))
	}
	key, err := anonymize.ReadKey(interruptible(ctx, f), name)
	if ctx.Err() != nil {
		return keySource{}, context.Cause(ctx)
	}
	if err != nil {
		return keySource{}, usage(codeKey, err.Error(), "the descriptor must give the text of a key file: reprise keygen -o ~/reprise.key")
	}
	return keySource{key: key}, f.Close()
}

// load returns the key.
func (k keySource) load() (*anonymize.Key, error) {
	if k.key != nil {
		return k.key, nil
	}
	return loadKey(k.file)
}

// outside refuses a key file inside a folder of runs, which is handed on as a whole.
func (k keySource) outside(runs string) error {
	if k.file == "" || !inFolder(k.file, runs) {
		return nil
	}
	return usage(codeKey, fmt.Sprintf("key file %s lies inside the folder of the runs, %s", k.file, runs), "mv "+quoted(k.file)+" ~/ and use it from there")
}

// warnBeside says that a key file stands in the folder of the trace.
func (s *shell) warnBeside(k keySource, trace string) {
	if k.file == "" || trace == "-" {
		return
	}
	key, err1 := os.Stat(filepath.Dir(k.file))
	out, err2 := os.Stat(filepath.Dir(trace))
	if err1 == nil && err2 == nil && os.SameFile(key, out) {
		fmt.Fprintf(s.err, "warning: key file %s lies beside the trace: whoever gets both can undo the pseudonyms; keep it elsewhere\n", plain(k.file))
	}
}

// inFolder tells whether a file lies in a folder or below it, by whatever names.
func inFolder(name, folder string) bool {
	in, err := os.Stat(folder)
	if err != nil {
		return false // nothing lies in it yet
	}
	dir, err := filepath.Abs(filepath.Dir(name))
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	var info fs.FileInfo
	for err == nil {
		if info, err = os.Stat(dir); err == nil && os.SameFile(info, in) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return false
}

// refuseKeys refuses a key that stands among the arguments or in the environment.
func refuseKeys(args, environ []string) error {
	const mark = "reprise-key-v1"
	for i, arg := range args {
		apart := i > 0 && strings.HasSuffix(args[i-1], mark) && anonymize.IsKeyText(arg) // the shell cut the line in two
		if apart || strings.Contains(arg, mark) && anonymize.IsKeyText(arg) {
			return keyInSight("an argument")
		}
	}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case !strings.HasPrefix(name, "REPRISE_"):
		case name == "REPRISE_KEY" && value != "", strings.Contains(value, mark) && anonymize.IsKeyText(value):
			return keyInSight(plain(name))
		}
	}
	return nil
}

// keyInSight refuses a key in a place that other processes, the shell's history or a job's log can show.
func keyInSight(where string) error {
	f := &failure{code: codeKey, exit: exitUsage, what: "a key was given in " + where + ", where others can see it",
		why: "arguments and the environment show up in process lists, shell histories and logs of jobs",
		fix: "reprise keygen -o ~/reprise.key makes a new one; give its place: --key-file ~/reprise.key, REPRISE_KEY_FILE or --key-fd"}
	if where == "REPRISE_KEY" {
		f.what = "REPRISE_KEY is set; a key is not taken from there"
		f.fix = "unset REPRISE_KEY; REPRISE_KEY_FILE names the key's file"
	}
	return f
}
