package result

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Command is what command.txt tells of how a run was started.
type Command struct {
	Args    []string // with the program's name
	Env     []string // as of os.Environ; only the names of REPRISE_* are kept
	Tool    string   // version of the tool
	Commit  string   // source revision; empty = unknown
	Target  string   // version of the target; empty = unknown
	Started time.Time
}

// WriteTo writes command.txt without secrets: values of flags that hold one, user information in URLs,
// and the values of the environment.
func (c Command) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "command: %s\n", strings.Join(quoteAll(Redact(c.Args)), " "))
	fmt.Fprintf(&b, "environment: %s\n", strings.Join(ownNames(c.Env), " "))
	fmt.Fprintf(&b, "tool: %s\ncommit: %s\n", orUnknown(c.Tool), orUnknown(c.Commit))
	fmt.Fprintf(&b, "target_version: %s\n", orUnknown(c.Target))
	fmt.Fprintf(&b, "go: %s\nsystem: %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(&b, "started_at: %s\n", c.Started.UTC().Format(time.RFC3339Nano))
	n, err := w.Write(b.Bytes())
	return int64(n), err
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return printable(s)
}

// secretWords are what the name of a flag with a secret contains. A key file is named, not shown, so it stays.
var secretWords = []string{"token", "secret", "password", "passwd", "auth", "cookie", "credential", "header", "dsn", "api-key", "apikey"}

const removed = "[removed]"

// Redact returns argv without the values that may be secret: those of flags named like one, and user information
// in URLs.
func Redact(args []string) []string {
	out := slices.Clone(args)
	hide := false
	for i, a := range out {
		if hide {
			out[i], hide = removed, false
			continue
		}
		name, value, assigned := strings.Cut(a, "=")
		switch {
		case strings.HasPrefix(name, "-") && isSecret(name) && assigned:
			out[i] = name + "=" + removed
		case strings.HasPrefix(name, "-") && isSecret(name):
			hide = true
		case assigned && strings.HasPrefix(name, "-"):
			out[i] = name + "=" + withoutUser(value)
		default:
			out[i] = withoutUser(a)
		}
	}
	return out
}

// isSecret does not look at --host-header, which takes one of two words.
func isSecret(flag string) bool {
	name := strings.ToLower(strings.TrimLeft(flag, "-"))
	return name != "host-header" && slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(name, w) })
}

// withoutUser removes user and password from a URL, and from anything else that looks like one.
func withoutUser(s string) string {
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	if u, err := url.Parse(s); err == nil && u.User == nil {
		return s
	}
	authority, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, tail = rest[:i], rest[i:]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = removed + "@" + authority[i+1:]
	}
	return scheme + "://" + authority + tail
}

// ownNames are the names of the tool's own environment variables.
func ownNames(env []string) []string {
	var names []string
	for _, e := range env {
		if name, _, _ := strings.Cut(e, "="); strings.HasPrefix(name, "REPRISE_") {
			names = append(names, printable(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// quoteAll makes arguments that a POSIX shell reads back.
func quoteAll(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		a = printable(a)
		if a == "" || strings.ContainsAny(a, " \t\"'\\$`!*?[]{}()<>|&;#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return out
}

// printable replaces control characters, which a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, s)
}

// WriteMetrics writes metrics.txt: what the target said of itself before and after the run. Nil means that it was not
// asked, or did not answer.
func WriteMetrics(w io.Writer, before, after []byte) error {
	for _, part := range []struct {
		title string
		text  []byte
	}{{"before", before}, {"after", after}} {
		text := part.text
		if len(text) == 0 {
			text = []byte("# not available")
		}
		if _, err := fmt.Fprintf(w, "# === %s the run ===\n%s\n", part.title, bytes.TrimRight(text, "\n")); err != nil {
			return fmt.Errorf("write metrics: %w", err)
		}
	}
	return nil
}

// Notes is notes.md with its questions, for people to fill in.
const Notes = `# Notes

## Goal
What should this run tell?

## Hypothesis
What do you expect, and which number would prove it wrong?

## What changed
What is different from the run before: target version, configuration, data, plan?

## Conclusion
What did the run tell? What comes next?
`

// Host is host.json: the machine that generated the load. It holds no name and no address.
type Host struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPUs  int    `json:"cpus"`
	Procs int    `json:"gomaxprocs"`
	Go    string `json:"go"`
}

// ThisHost describes this machine.
func ThisHost() Host {
	return Host{runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.Version()}
}
