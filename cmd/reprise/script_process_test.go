package main

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for what should come at once: longer than any busy machine needs.
const patience = 60 * time.Second

// process is a command in the background. Its streams are the files NAME.out and NAME.err.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error
	stdin io.Closer
}

// processes of all scripts, by script and name.
var processes sync.Map

func exitCodeOf(err error) (int, bool) {
	var e *exec.ExitError
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.ExitCode(), true
}

// start NAME [-stdin FILE] command args... starts a command. With -stdin it reads the file and then waits for
// more, which never comes.
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME [-stdin FILE] command args...")
	}
	name, args := args[0], args[1:]
	feed := ""
	if args[0] == "-stdin" {
		feed, args = ts.MkAbs(args[1]), args[2:]
	}
	program := args[0]
	if program == "reprise" {
		program = filepath.Join(folder, program)
	}
	p := &process{cmd: exec.Command(program, args[1:]...), ended: make(chan struct{})}
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"), "PATH="+ts.Getenv("PATH"))
	var closers []io.Closer
	for suffix, stream := range map[string]*io.Writer{".out": &p.cmd.Stdout, ".err": &p.cmd.Stderr} {
		f, err := os.Create(ts.MkAbs(name + suffix))
		ts.Check(err)
		*stream, closers = f, append(closers, f)
	}
	if feed != "" {
		w, err := p.cmd.StdinPipe()
		ts.Check(err)
		data, err := os.ReadFile(feed)
		ts.Check(err)
		p.stdin = w
		go w.Write(data)
	}
	ts.Check(p.cmd.Start())
	go func() {
		// Wait would close stdin as soon as the process ends, which is what is wanted.
		p.err = p.cmd.Wait()
		for _, c := range closers {
			c.Close()
		}
		close(p.ended)
	}()
	processes.Store(ts.Name()+" "+name, p)
	ts.Defer(func() {
		p.cmd.Process.Kill()
		<-p.ended
	})
}

func processOf(ts *testscript.TestScript, name string) *process {
	p, ok := processes.Load(ts.Name() + " " + name)
	if !ok {
		ts.Fatalf("no process is named %s", name)
	}
	return p.(*process)
}

// signal NAME INT|TERM|KILL sends a signal.
func signalTo(ts *testscript.TestScript, neg bool, args []string) {
	sig, ok := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[len(args)-1]]
	if neg || len(args) != 2 || !ok {
		ts.Fatalf("usage: signal NAME INT|TERM|KILL")
	}
	ts.Check(processOf(ts, args[0]).cmd.Process.Signal(sig))
}

// join NAME CODES [WITHIN] waits for the end of a process and checks it as exits does. -1 is a process that a
// signal ended.
func join(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: join NAME CODE[,CODE] [WITHIN]")
	}
	limit := patience
	if len(args) > 2 {
		d, err := time.ParseDuration(args[2])
		ts.Check(err)
		limit = d
	}
	p := processOf(ts, args[0])
	select {
	case <-p.ended:
	case <-time.After(limit):
		ts.Fatalf("%s has not ended after %s:\n%s", args[0], limit, ts.ReadFile(args[0]+".err"))
	}
	code := 0
	if p.err != nil {
		code, _ = exitCodeOf(p.err)
	}
	checkExit(ts, code, args[1], ts.ReadFile(args[0]+".out"), ts.ReadFile(args[0]+".err"))
}

// await PATTERN [REGEXP] waits for a file whose path fits the glob pattern, and for a text in it.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: await PATTERN [REGEXP]")
	}
	var text *regexp.Regexp
	if len(args) == 2 {
		text = regexp.MustCompile(args[1])
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		names, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil && (text == nil || text.Match(data)) {
				return
			}
		}
	}
	ts.Fatalf("no file %s with that text after %s", args[0], patience)
}

// shop VAR [flags...] starts a shop on a free port and puts its URL into the variable.
func startShop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: shop VAR [flags...]")
	}
	start(ts, false, append([]string{args[0], "reprise", "shop", "--listen", "127.0.0.1:0"}, args[1:]...))
	await(ts, false, []string{args[0] + ".out", `^http://127\.0\.0\.1:\d+\n`})
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[0]+".out")))
}

// garbage VAR starts a server that answers every connection with bytes that are no HTTP.
func startGarbage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: garbage VAR")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(patience))
				if n, _ := c.Read(make([]byte, 4096)); n > 0 {
					io.WriteString(c, "\x16\x03\x01 rawvalue is no HTTP\r\n\r\n")
				}
			})
		}
	})
	ts.Setenv(args[0], "http://"+l.Addr().String())
	ts.Defer(func() { l.Close(); open.Wait() })
}
