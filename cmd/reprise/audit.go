package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/audit"
	"reprise/ingest"
)

// codeAudit is the failure of a trace in which something was found.
const codeAudit = "AUDIT"

func (s *shell) auditCommand() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "look for personal values that are left in a trace; exit 3 when there are any",
		ArgsUsage: "T.trace.zst [--against LOG...]",
		Description: `Reads the trace with detectors that anonymize does not use. Against the raw logs it looks for every value of
them, and with the key it makes the trace again and counts merged values. Values are never printed.

   reprise audit T.trace.zst
   reprise audit T.trace.zst --against access.log* --key-file ~/reprise.key
   reprise audit T.trace.zst --against access.log* --key-file ~/reprise.key --rules rules.yaml
   reprise audit T.trace.zst --against access.log --canary planted.txt --json | jq .checks` + formatHelp,
		OnUsageError: usageError,
		Flags: slices.Concat(keyFlags(), []cli.Flag{
			text("against", "", "the raw logs of the trace, further ones as arguments"),
			rulesFlag(),
			text("endpoints", "", "the path templates that the trace was made with; default: learned again from the logs"),
			text("canary", "", "file of values that were planted in the logs, one a line: none may be in the trace"),
			whole("k", 0, fmt.Sprintf("fail when records are in groups of fewer users; default: say so below %d", audit.DefaultK)),
			yes("json", "print the report as JSON"),
			text("tmp", "", "folder for temporary files; default: the system's")}, logFlags()),
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("USAGE", "no trace was named", "reprise audit T.trace.zst --against access.log")
			}
			return s.audit(c, c.Args().First(), c.Args().Tail())
		},
	}
}

func (s *shell) audit(c *cli.Context, name string, logs []string) (err error) {
	tmp, err := tmpOf(c)
	if err != nil {
		return err
	}
	if c.String("rejects") != "" {
		return usage("USAGE", "audit reads the logs more than once and writes no rejects", "reprise inspect LOG --rejects FILE")
	}
	against := c.String("against")
	if against == "" && len(logs) > 0 {
		return usage("USAGE", fmt.Sprintf("audit takes one trace, got %d", 1+len(logs)), "reprise audit T.trace.zst --against LOG LOG")
	}
	var options audit.Options
	if err := positive(c, "k"); err != nil {
		return err
	}
	options.K = c.Int("k")
	if options.K == 1 || options.K > audit.MaxK {
		return usage("USAGE", fmt.Sprintf("--k: %d is not from 2 to %d", options.K, audit.MaxK), fmt.Sprintf("--k %d", audit.DefaultK))
	}
	if options.Rules, err = s.rulesOf(c); err != nil {
		return err
	}
	if options.Canaries, err = canaries(c.String("canary")); err != nil {
		return err
	}
	file, err := s.hold(c.Context, name, tmp)
	if err != nil {
		return err
	}
	defer file.Close()
	options.Trace = func() (io.Reader, error) { return file.fromStart(), nil }
	var report ingest.Report
	if against != "" {
		if report, err = s.auditAgainst(c, &options, append([]string{against}, logs...)); err != nil {
			return err
		}
	} else {
		for _, name := range []string{flagKeyFile, flagKeyFD, "endpoints"} {
			if c.IsSet(name) && !byVariable(c, name) {
				return usage("USAGE", "--"+name+" is of use with the raw logs only", "add --against LOG")
			}
		}
	}
	result, err := s.runAudit(c.Context, options)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = json.NewEncoder(s.out).Encode(result)
	} else {
		err = result.WriteText(s.out)
	}
	if err != nil {
		return err
	}
	if failed := result.Failed(); len(failed) > 0 {
		return &failure{code: codeAudit, exit: exitInput, what: "the trace failed the audit: " + strings.Join(failed, ", "), fix: "see the fix of each check above"}
	}
	return unreadable(report)
}

// auditAgainst prepares what needs the raw logs, and reads them once to learn the templates where none are given.
func (s *shell) auditAgainst(c *cli.Context, o *audit.Options, names []string) (ingest.Report, error) {
	logs, err := s.logOptionsFor(c, names)
	if err != nil {
		return ingest.Report{}, err
	}
	if slices.Contains(logs.names, "-") {
		return ingest.Report{}, usage("USAGE", "logs are read more than once, stdin is not", "reprise audit T.trace.zst --against FILE")
	}
	logs.watch = o.Rules.TopKeys()
	key, err := keySourceOf(c)
	if err != nil {
		return ingest.Report{}, err
	}
	if key.file != "" || key.key != nil {
		if o.Key, err = key.load(); err != nil {
			return ingest.Report{}, err
		}
	}
	var report ingest.Report
	if given := c.String("endpoints"); given != "" {
		o.Endpoints, err = s.templates(c.Context, given, logs)
	} else {
		o.Endpoints, report, err = s.learn(c.Context, logs)
	}
	o.Logs = func(ctx context.Context) (*ingest.Reader, error) { return logs.open(ctx) }
	return report, err
}

// runAudit shows how far the audit has come.
func (s *shell) runAudit(ctx context.Context, o audit.Options) (*audit.Report, error) {
	var line atomic.Value
	line.Store("audit")
	o.Progress = func(pass string, n int64) { line.Store(fmt.Sprintf("audit: %s, %d records", pass, n)) }
	p := s.watch(func() string { return line.Load().(string) })
	defer p.done()
	return audit.Run(ctx, o)
}

// canaries reads the file of planted values.
func canaries(name string) (*audit.Canaries, error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, missing(err)
	}
	defer f.Close()
	c, err := audit.ReadCanaries(f)
	if err != nil {
		return nil, usage("CANARY", fmt.Sprintf("%s: %v", name, err), "one planted value a line")
	}
	return c, nil
}
