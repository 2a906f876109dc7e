package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// onlyFile is the file of a pattern that must fit exactly one: FILE may be a glob, since archives carry a date.
func onlyFile(ts *testscript.TestScript, pattern string) string {
	names, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	if len(names) != 1 {
		ts.Fatalf("%s fits %d files", pattern, len(names))
	}
	return names[0]
}

// only VAR PATTERN puts the one path that fits into the variable.
func setOnly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: only VAR PATTERN")
	}
	ts.Setenv(args[0], onlyFile(ts, args[1]))
}

// json FILE PATH REGEXP checks a field of a JSON file, or of stdout. PATH is names and indexes joined by dots;
// "*" is the length. Lines of JSON give their last. "! json" wants another value.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: json FILE PATH REGEXP")
	}
	value, ok := jsonAt(readJSON(ts, args[0]), args[1])
	if !ok {
		ts.Fatalf("%s has no %s", args[0], args[1])
	}
	text, isText := value.(string)
	if !isText {
		b, err := json.Marshal(value)
		ts.Check(err)
		text = string(b)
	}
	if regexp.MustCompile("^(?:"+args[2]+")$").MatchString(text) == neg {
		ts.Fatalf("%s is %s, against %s", args[1], text, args[2])
	}
}

func readJSON(ts *testscript.TestScript, name string) any {
	var text []byte
	if name == "stdout" {
		text = []byte(ts.ReadFile(name))
	} else {
		var err error
		text, err = plainText(onlyFile(ts, name))
		ts.Check(err)
	}
	var v any
	if json.Unmarshal(text, &v) == nil {
		return v
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	ts.Check(json.Unmarshal([]byte(lines[len(lines)-1]), &v))
	return v
}

// ledger FILE checks that every request of a summary ended in exactly one bucket.
func checkLedger(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ledger SUMMARY")
	}
	if wrong := unbalanced(readJSON(ts, args[0])); wrong != "" {
		ts.Fatalf("the ledger does not add up: %s", wrong)
	}
}

// mode FILE 0600 checks the permissions of a file.
func checkMode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode FILE OCTAL")
	}
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if want, err := strconv.ParseUint(args[1], 8, 32); err != nil || info.Mode().Perm() != fs.FileMode(want) {
		ts.Fatalf("%s has mode %04o", args[0], info.Mode().Perm())
	}
}

// clean checks that nothing half-written is left: no partial file or folder, and no temporary file.
func checkClean(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: clean")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs("."), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".partial") {
			ts.Fatalf("%s is left", path)
		}
		return err
	}))
	left, err := os.ReadDir(ts.Getenv("TMPDIR"))
	ts.Check(err)
	for _, e := range left {
		if !strings.HasPrefix(e.Name(), "reprise-shop-") { // of a shop that still serves
			ts.Fatalf("the temporary file %s is left", e.Name())
		}
	}
}

// noraw FILE... checks that no raw value of a log stands in the files, or in the files of the folders.
func checkNoRaw(ts *testscript.TestScript, neg bool, args []string) {
	for _, arg := range args {
		n := 0
		ts.Check(filepath.WalkDir(ts.MkAbs(arg), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			n++
			text, err := plainText(path)
			if word := rawIn(text); word != "" {
				ts.Fatalf("%s holds the raw value %q", path, word)
			}
			return err
		}))
		if n == 0 {
			ts.Fatalf("%s holds no file", arg)
		}
	}
}

// head BYTES FILE TO cuts a file.
func cutHead(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: head BYTES FILE TO")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	data, err := os.ReadFile(onlyFile(ts, args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data[:min(n, len(data))], 0o644))
}

// same A B checks that two record files hold the same records; their headers and trailers may differ, since
// they name the inputs.
func checkSame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same FILE FILE")
	}
	var records [2]string
	for i, name := range args {
		text, err := plainText(ts.MkAbs(name))
		ts.Check(err)
		lines := strings.SplitAfter(string(text), "\n")
		if len(lines) < 4 {
			ts.Fatalf("%s holds no record", name)
		}
		records[i] = strings.Join(lines[1:len(lines)-2], "") // SplitAfter ends with an empty one
	}
	if records[0] != records[1] {
		ts.Fatalf("%s and %s hold different records", args[0], args[1])
	}
}
