package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/replay/result"
	"reprise/sample"
)

func (s *shell) runCommand() *cli.Command {
	return &cli.Command{
		Name:      "run",
		Usage:     "the whole pipeline on your log and your target",
		ArgsUsage: "LOG...",
		Description: `anonymize, sample, schedule, then for every run: reset, warm-up, replay, report. Without --window the
busiest five minutes of the log are replayed. --vs runs a synthetic load of the same mean rate beside it and says
what it hides: constant sends the same requests evenly, P1 is the built-in shop scenario.

   reprise keygen -o ~/reprise.key
   reprise run access.log.gz --key-file ~/reprise.key --target http://127.0.0.1:8080 -o runs
   reprise run access.log.gz --config reprise.yaml --vs constant -o runs

--config names a reprise.yaml with the environment (reset, ready, fingerprint, metrics, targets) and, under run:,
any of these flags and the logs: run: {logs: [access.log.gz], key-file: reprise.key, target: http://127.0.0.1:8080}.` + formatHelp,
		OnUsageError: usageError,
		Flags:        runFlags(),
		Action: func(c *cli.Context) error {
			o, err := s.runOptionsOf(c)
			if err != nil {
				return err
			}
			return s.pipeline(c.Context, o)
		},
	}
}

// runFlags are the flags of all stages; the first one of a name counts.
func runFlags() []cli.Flag {
	all := [][]cli.Flag{{
		text("config", "", "reprise.yaml with the environment and, under run:, flags of this command"),
		text("name", "replay", "scenario name in the archives"),
		text("vs", "", "synthetic load to compare with: constant or P1"),
		number("fraction", 1, "part of the users to sample, above 0 and at most 1"),
		text("unit", "", "what is sampled as a whole: user or request"),
		text("warmup", "5s", "length of the warm-up before every run"),
		text("window", "peak:5m", "part of the log: FROM/TO, FROM+LENGTH or peak:LENGTH"),
		rulesFlag(), text("endpoints", "", "path templates; default: learned from the logs"),
		whole("workers", 0, "requests open at any time (closed mode)"),
		text("memory", "192MB", "memory of each preparing stage; beyond it data go to --tmp"),
	}, keyFlags(), replayFlags(3), scheduleFlags(), logFlags()}
	seen := make(map[string]bool)
	var flags []cli.Flag
	for _, list := range all {
		for _, f := range list {
			if name := f.Names()[0]; !seen[name] {
				seen[name] = true
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// runOptions are the choices of the whole pipeline.
type runOptions struct {
	anonymize anonymizeOptions
	sample    sample.Options
	schedule  scheduleOptions
	replay    replayOptions
	vs        string
}

func (s *shell) runOptionsOf(c *cli.Context) (o runOptions, err error) {
	names := c.Args().Slice()
	if name := c.String("config"); name != "" {
		if names, err = applyConfig(c, name); err != nil {
			return o, err
		}
	}
	if o.vs = c.String("vs"); o.vs != "" && o.vs != "constant" && !strings.EqualFold(o.vs, "P1") {
		return o, usage("USAGE", fmt.Sprintf("--vs: %q is not constant or P1", o.vs), "--vs constant")
	}
	logs, err := s.logOptionsFor(c, names)
	if err != nil {
		return o, err
	}
	memory, err := memoryOf(c)
	if err != nil {
		return o, err
	}
	tmp, err := tmpOf(c)
	if err != nil {
		return o, err
	}
	o.anonymize = anonymizeOptions{logs: logs, endpoints: c.String("endpoints"),
		workers: runtime.GOMAXPROCS(0), tmp: tmp, memory: memory}
	if o.anonymize.key, err = keySourceOf(c); err != nil {
		return o, err
	}
	if o.anonymize.rules, err = s.rulesOf(c); err != nil {
		return o, err
	}
	o.sample = sample.Options{Fraction: c.Float64("fraction"), Unit: sample.Unit(c.String("unit")), Seed: c.Uint64("seed"), Tmp: tmp, Memory: memory}
	if err := sample.CheckFraction(o.sample.Fraction); err != nil {
		return o, usage("USAGE", err.Error(), "--fraction 0.1")
	}
	if o.schedule, err = scheduleOptionsOf(c); err != nil {
		return o, err
	}
	if o.replay, err = s.replayOptionsOf(c); err != nil {
		return o, err
	}
	return o, o.replay.environmentOf(c)
}

// environmentOf takes the environment from --env, else from --config.
func (o *replayOptions) environmentOf(c *cli.Context) error {
	if c.String("env") == "" && c.String("config") != "" {
		return o.environment(c.String("config"))
	}
	return nil
}

// prepared are the files that the preparing stages leave behind.
type prepared struct {
	trace, sample, plan, synthetic string
	unread                         error // some of the log could not be read
}

// pipeline runs all stages. What can fail early is checked before the first of them.
func (s *shell) pipeline(ctx context.Context, o runOptions) error {
	if err := o.check(ctx); err != nil {
		return err
	}
	if o.schedule.bind != "" {
		// Ids are bound to the data set as every run finds it.
		s.step("reset", "before its ids are read")
		if err := restore(ctx, o.replay.env); err != nil {
			return err
		}
	}
	p, d, err := s.makePlan(ctx, o)
	if err != nil {
		return err
	}
	s.step("replay", o.replay.target.URL)
	runs, err := s.replay(ctx, p.plan, o.replay)
	if err != nil && o.vs != "" {
		fmt.Fprintf(s.err, "--vs %s is left out: these runs give nothing to compare with\n", o.vs)
	}
	if err == nil && o.vs != "" {
		err = s.versus(ctx, o, p, d, runs)
	}
	// Of what a run says, bad input comes first; what ended it comes before that.
	if v, ok := errors.AsType[verdict](err); ok && p.unread != nil && v.exit < exitHungUp {
		return p.unread
	}
	return cmp.Or(err, p.unread)
}

func (o *runOptions) check(ctx context.Context) error {
	if _, err := o.anonymize.key.load(); err != nil {
		return err
	}
	if err := o.anonymize.key.outside(o.replay.out); err != nil {
		return err
	}
	if _, err := o.schedule.rules(); err != nil {
		return err
	}
	if o.schedule.allowWrites && !o.replay.env.Resets() {
		return noReset()
	}
	return reach(ctx, o.replay.target)
}

// preparedIn names the prepared files of a folder.
func preparedIn(dir string) prepared {
	in := func(name string) string { return filepath.Join(dir, name) }
	return prepared{trace: in("trace.zst"), sample: in("sample.zst"), plan: in("plan.zst"), synthetic: in("synthetic.plan.zst")}
}

// makePlan prepares the plan in a folder of its own beside the archives, which appears when it is whole: a
// later rehearsal leaves the plan of an older archive alone.
func (s *shell) makePlan(ctx context.Context, o runOptions) (p prepared, d *diagnosis, err error) {
	folder, err := result.Create(o.replay.out, o.replay.name, "prepared", time.Now())
	if err != nil {
		return p, nil, unwritable(o.replay.out, err)
	}
	p = preparedIn(folder.Dir())
	if d, err = s.prepare(ctx, o, &p); err != nil {
		return p, nil, errors.Join(err, abandon(folder))
	}
	if err := folder.Commit(); err != nil {
		return p, nil, unwritable(folder.Final(), err)
	}
	unread := p.unread
	p = preparedIn(folder.Dir())
	p.unread = unread
	return p, d, nil
}

// step announces a stage.
func (s *shell) step(stage, detail string) {
	fmt.Fprintf(s.err, "== %-10s %s\n", stage, plain(detail))
}

// prepare makes the plan of a log.
func (s *shell) prepare(ctx context.Context, o runOptions, p *prepared) (*diagnosis, error) {
	s.step("anonymize", strings.Join(o.anonymize.logs.names, " "))
	err := s.anonymize(ctx, o.anonymize, p.trace, true)
	if f, ok := errors.AsType[*failure](err); ok && f.code == codeUnreadable {
		p.unread, err = err, nil // told at the end
	}
	if err != nil {
		return nil, err
	}
	s.step("sample", p.trace)
	table, err := s.sample(ctx, p.trace, p.sample, true, o.sample)
	if err != nil {
		return nil, err
	}
	s.printAllocation(table, 5)
	s.step("schedule", p.sample)
	d, err := s.schedule(ctx, p.sample, p.plan, true, o.schedule)
	if err != nil {
		return nil, err
	}
	s.printSchedule(d)
	return d, nil
}
