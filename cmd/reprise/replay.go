package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/rules"
	"reprise/replay"
	"reprise/replay/environment"
	"reprise/replay/httptarget"
)

func (s *shell) replayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "send a plan to a target and account for every request",
		ArgsUsage: "PLAN",
		Description: `Open loop: a request's intended instant never depends on the target. The environment is reset and its
fingerprint checked before every run. Traffic goes to loopback, or to hosts listed as targets in --env, or to
the one repeated with --confirm-host.

   reprise replay P.plan.zst --target http://127.0.0.1:8080 -o runs
   reprise replay P.plan.zst --target http://staging:8080 --confirm-host staging --env reprise.yaml --runs 5 -o runs
   reprise replay P.plan.zst --target http://127.0.0.1:8080 --mode closed --workers 8 -o runs`,
		OnUsageError: usageError,
		Flags:        append([]cli.Flag{text("name", "", "scenario name in the archive; default: that of the plan")}, replayFlags(1)...),
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "PLAN")
			if err != nil {
				return err
			}
			o, err := s.replayOptionsOf(c)
			if err != nil {
				return err
			}
			_, err = s.replay(c.Context, name, o)
			return err
		},
	}
}

// replayFlags are the flags of every command that sends traffic.
func replayFlags(runs int) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "runs", Usage: "folder of the run archives", EnvVars: twin("output")},
		text("target", "", "URL to send to, such as http://127.0.0.1:8080"),
		text("mode", "open", "open, or closed to see what a closed loop hides"),
		whole("workers", 0, "requests open at any time (closed mode)"),
		text("timeout", "", "deadline of a request from its intended instant; default: the scenario's, else 30s"),
		text("warmup", "", "length of the warm-up before every run; default: the scenario's, else none"),
		whole("runs", runs, "runs, each after a reset"),
		whole("max-in-flight", 0, "requests open at once before arrivals are dropped and counted; default 10000"),
		whole("max-conns", 0, "connections at once; requests beyond them queue; 0 = no limit"),
		text("conns", "reuse", "connections: reuse, new (one per request) or per-user"),
		text("host-header", "target", "Host header: target, or logged"),
		text("reject-status", "429,503", "statuses that count as rejected, apart from latency"),
		text("env", "", "reprise.yaml with reset, ready, fingerprint, metrics and targets"),
		yes("allow-writes", "send methods with side effects; needs a reset step in --env"),
		text("confirm-host", "", "the target's host again, if it is neither loopback nor in targets"),
		text("target-version", "unknown", "build of the target, for the archive and for comparison"),
		text("max-lag", "", "limit of the dispatch lag's 99th percentile; default 5ms"),
		number("min-started", 0, "least part of the offered requests that must be started; default 0.999"),
		yes("insecure", "accept any certificate of an https target"),
		text("ca", "", "PEM file of authorities to trust for an https target"),
		yes("requests", "write every request to requests.jsonl.zst"),
	}
}

// replayOptions say how a plan is sent.
type replayOptions struct {
	out           string
	name          string
	label         string // of the archive folder; empty = name
	closed        bool
	workers       int
	timeout       time.Duration // 0 = the plan's own, else 30 s
	warmup        time.Duration
	warmupSet     bool
	runs          int
	maxInFlight   int
	target        httptarget.Options
	reject        string
	env           *environment.Environment
	allowWrites   bool
	targetVersion string
	gates         replay.Gates
	requests      bool
	argv          []string
	// before is called between the warm-up and t0; nil for nothing.
	before func() error
}

func (s *shell) replayOptionsOf(c *cli.Context) (o replayOptions, err error) {
	o = replayOptions{out: c.String("output"), name: c.String("name"), workers: c.Int("workers"), runs: c.Int("runs"),
		maxInFlight: c.Int("max-in-flight"), allowWrites: c.Bool("allow-writes"), targetVersion: c.String("target-version"),
		requests: c.Bool("requests"), reject: c.String("reject-status"), argv: os.Args}
	switch mode := c.String("mode"); {
	case mode == "closed":
		o.closed = true
	case mode != "open":
		return o, usage("USAGE", fmt.Sprintf("--mode: %q is not open or closed", mode), "--mode open")
	}
	if err := positive(c, "workers", "max-in-flight", "max-conns"); err != nil {
		return o, err
	}
	if o.closed != (o.workers > 0) {
		return o, usage("USAGE", "--workers goes with --mode closed, and must be given there", "--mode closed --workers 8")
	}
	if o.runs < 1 || o.runs > 1000 {
		return o, usage("USAGE", fmt.Sprintf("--runs: %d is not between 1 and 1000", o.runs), "--runs 3")
	}
	if o.out == "" {
		return o, usage("NO-OUTPUT", "no folder for the run archives", "-o runs")
	}
	o.warmupSet = c.String("warmup") != ""
	for _, d := range []struct {
		name  string
		into  *time.Duration
		least time.Duration
	}{{"timeout", &o.timeout, time.Millisecond}, {"warmup", &o.warmup, 0}, {"max-lag", &o.gates.MaxLag, time.Microsecond}} {
		if err := duration(c, d.name, d.into, d.least); err != nil {
			return o, err
		}
	}
	if o.gates.MinStarted = c.Float64("min-started"); c.IsSet("min-started") && !(o.gates.MinStarted > 0 && o.gates.MinStarted <= 1) {
		return o, usage("USAGE", fmt.Sprintf("--min-started: %v is not above 0 and at most 1", o.gates.MinStarted), "--min-started 0.999")
	}
	if err := o.targetOptions(c); err != nil {
		return o, err
	}
	return o, o.environment(c.String("env"))
}

// duration reads a duration flag from least to an hour; an empty one stays zero.
func duration(c *cli.Context, name string, into *time.Duration, least time.Duration) error {
	text := c.String(name)
	if text == "" {
		return nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > time.Hour {
		fix := "--" + name + " 500ms"
		if _, bare := strconv.Atoi(text); bare == nil && text != "0" {
			fix = "--" + name + " " + strings.TrimPrefix(text, "-") + "s"
		}
		return usage("USAGE", fmt.Sprintf("--%s: %q is no duration from %s to 1h", name, text, least), fix)
	}
	*into = d
	return nil
}

func (o *replayOptions) targetOptions(c *cli.Context) error {
	if c.String("target") == "" {
		return usage("TARGET", "no target was given", "--target http://127.0.0.1:8080")
	}
	o.target = httptarget.Options{URL: c.String("target"), Agent: "reprise/" + release, HostHeader: httptarget.HostHeader(c.String("host-header")),
		Policy: httptarget.Policy(c.String("conns")), MaxConns: c.Int("max-conns"), Insecure: c.Bool("insecure"),
		Guard: httptarget.Guard{Confirmed: c.String("confirm-host")}}
	for _, choice := range []struct{ flag, allowed string }{{"conns", "reuse|new|per-user"}, {"host-header", "target|logged"}} {
		if value := c.String(choice.flag); !slices.Contains(strings.Split(choice.allowed, "|"), value) {
			return usage("USAGE", fmt.Sprintf("--%s: %q is not %s", choice.flag, value, strings.ReplaceAll(choice.allowed, "|", " or ")), "--"+choice.flag+" "+strings.Split(choice.allowed, "|")[0])
		}
	}
	for part := range strings.SplitSeq(o.reject, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 100 || n > 999 {
			return usage("USAGE", fmt.Sprintf("--reject-status: %q is no status", part), "--reject-status 429,503")
		}
		o.target.RejectStatus = append(o.target.RejectStatus, n)
	}
	if ca := c.String("ca"); ca != "" {
		pem, err := readWhole(ca)
		if err != nil {
			return usage("CA", err.Error(), "--ca FILE.pem")
		}
		o.target.CA = pem
	}
	return nil
}

// environment reads --env. Without it there is nothing to reset, and nothing that proves the state.
func (o *replayOptions) environment(name string) error {
	var config environment.Config
	if name != "" {
		text, err := readWhole(name)
		if err != nil {
			return usage("ENV", err.Error(), "--env reprise.yaml")
		}
		parsed, err := environment.Parse(text, name, "run", rules.Section)
		if err != nil {
			return usage("ENV", err.Error(), "correct "+name)
		}
		config = *parsed
	}
	o.target.Guard.Allowed = config.Targets
	env, err := environment.New(config, environment.Options{})
	if err != nil {
		return usage("ENV", err.Error(), "correct "+name)
	}
	o.env = env
	return nil
}
