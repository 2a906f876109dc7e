// Command reprise turns an access log into an honest rehearsal of a peak: it anonymises the log, samples
// it, fits an arrival schedule, replays it open-loop against a resettable environment, accounts for every
// request and reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // --tz works on machines without a zone database

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
)

func main() {
	// A number that is not set has no default worth telling.
	tell := cli.FlagStringer
	cli.FlagStringer = func(f cli.Flag) string { return strings.Replace(tell(f), " (default: 0)", "", 1) }
	s := &shell{in: os.Stdin, out: os.Stdout, err: os.Stderr, tty: isatty.IsTerminal(os.Stderr.Fd())}
	os.Exit(s.run(context.Background(), os.Args))
}

// shell is the world around a command: stdout carries only the result, all else goes to err.
type shell struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	tty bool // err is a terminal

	unknown bool // a command was not found; cli.v2 lets nobody return that
}

// signalled is the cause of a context that a signal ended.
type signalled struct{ exit int }

func (s signalled) Error() string { return "stopped by a signal" }

// Is makes errors.Is(err, context.Canceled) true for both causes of an end.
func (s signalled) Is(target error) bool { return target == context.Canceled }

// run runs one command line and returns its exit code.
func (s *shell) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// A reader that has gone is an error of that write, and no reason to die in the middle of a run.
	signal.Ignore(syscall.SIGPIPE)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	go func() {
		sig, ok := <-signals
		if !ok {
			return
		}
		cause := signalled{exitInterrupted}
		switch sig {
		case syscall.SIGTERM:
			cause.exit = exitTerminated
		case syscall.SIGHUP:
			cause.exit = exitHungUp
		}
		cancel(cause)
		// The second signal does not wait for the drain; what the first one started is marked already.
		if _, ok := <-signals; ok {
			os.Exit(cause.exit)
		}
	}()
	err := refuseKeys(args, os.Environ())
	if err == nil {
		app := s.app()
		err = app.RunContext(ctx, hoist(app, args))
	}
	return s.exit(ctx, err)
}

// exit prints what went wrong and chooses the exit code.
func (s *shell) exit(ctx context.Context, err error) int {
	var v verdict
	switch {
	case err == nil && s.unknown:
		return exitUsage
	case err == nil:
		return exitOK
	case errors.As(err, &v):
		return v.exit
	}
	f := explain(err)
	var sig signalled
	if f.code == "INTERRUPTED" && errors.As(context.Cause(ctx), &sig) {
		f.exit = sig.exit
	}
	f.write(s.err)
	return f.exit
}

func (s *shell) app() *cli.App {
	app := &cli.App{
		Name:                 "reprise",
		Usage:                "turn last night's access log into an honest rehearsal of tomorrow's peak",
		Version:              version(),
		Reader:               s.in,
		Writer:               s.out,
		ErrWriter:            s.err,
		EnableBashCompletion: true,
		ExitErrHandler:       func(*cli.Context, error) {}, // cli's own handler exits from inside
		OnUsageError:         usageError,
		CommandNotFound: func(c *cli.Context, name string) {
			s.unknown = true
			fmt.Fprintf(s.err, "error[USAGE] %q is no command (exit %d)\n  fix: %s\n", plain(name), exitUsage, nearCommand(c, name))
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return usage("USAGE", fmt.Sprintf("%q is no command", c.Args().First()), nearCommand(c, c.Args().First()))
			}
			return cli.ShowAppHelp(c)
		},
		Commands: s.commands(),
	}
	for _, c := range app.Commands {
		if c.OnUsageError == nil { // those that only hold others
			c.OnUsageError = usageError
		}
	}
	return app
}

// nearCommand is the fix for a command that there is not: the one whose name is nearest, and where all are listed.
// A nearest one is always found; one that begins with another letter is not what was meant.
func nearCommand(c *cli.Context, name string) string {
	commands, before := c.App.Commands, "reprise "
	if c.Command != nil && c.Command.Name != c.App.Name && len(c.Command.Subcommands) > 0 {
		commands, before = c.Command.Subcommands, "reprise "+c.Command.Name+" "
	}
	for _, word := range strings.Split(cli.SuggestCommand(commands, name), `"`) { // Did you mean "word"?
		if slices.ContainsFunc(commands, func(c *cli.Command) bool { return c.Name == word && strings.HasPrefix(name, word[:1]) }) {
			return "did you mean " + before + word + "? reprise help"
		}
	}
	return "reprise help"
}

// usageError turns the flag package's complaints into ours.
func usageError(c *cli.Context, err error, _ bool) error {
	help := "reprise help"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "reprise" {
		help = "reprise help " + c.Command.Name
	}
	const unknown = "flag provided but not defined: -"
	if name, ok := strings.CutPrefix(err.Error(), unknown); ok && c.Command != nil {
		if near := cli.SuggestFlag(c.Command.Flags, name, true); near != "" {
			help = "did you mean " + near + "? " + help
		}
		return usage("USAGE", "--"+strings.TrimLeft(name, "-")+" is no flag of this command", help)
	}
	return usage("USAGE", err.Error(), help)
}
