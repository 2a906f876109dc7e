package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
	"reprise/replay/plan"
)

func (s *shell) loadCommand() *cli.Command {
	return &cli.Command{
		Name:  "load",
		Usage: "send a synthetic load without a log: a scenario, or one path at a rate",
		Description: `The load is a plan like any other, made on the fly and sent by the same engine.

   reprise load --scenario P1 --target http://127.0.0.1:8080 --env reprise.yaml --allow-writes -o runs
   reprise load --path /healthz --rate 500 --duration 20s --target http://127.0.0.1:8080 -o runs
   reprise load --path /healthz --mode closed --workers 8 --duration 20s --target http://127.0.0.1:8080 -o runs`,
		OnUsageError: usageError,
		Flags: append(append([]cli.Flag{seedFlag(), text("scenario", "", "P1, P2 or a scenario file"), text("path", "", "path to GET"),
			text("name", "", "scenario name in the archive; default: that of the load")}, scenarioFlags()...), replayFlags(1)...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return noArgs(c)
			}
			o, err := s.replayOptionsOf(c)
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "reprise-load-*")
			if err != nil {
				return unwritable("a folder for the plan", err)
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, "load.plan.zst")
			if err := s.loadPlan(c, path, o.closed); err != nil {
				return err
			}
			_, err = s.replay(c.Context, path, o)
			return err
		},
	}
}

// loadPlan writes the plan of --scenario or --path.
func (s *shell) loadPlan(c *cli.Context, path string, closed bool) error {
	scenario, target := c.String("scenario"), c.String("path")
	if (scenario == "") == (target == "") {
		return usage("USAGE", "give one of --scenario and --path", "reprise load --path / --rate 100 --duration 30s --target http://127.0.0.1:8080")
	}
	if scenario != "" {
		sc, err := scenarioOf(c, scenario)
		if err != nil {
			return err
		}
		_, err = s.synth(c.Context, sc, c.Uint64("seed"), path, false)
		return err
	}
	kind := arrival.Constant
	if c.IsSet("arrival") {
		kind = arrival.Kind(c.String("arrival"))
	}
	o := arrival.Options{Rate: c.Float64("rate")}
	if closed && !c.IsSet("rate") {
		o.Rate = 1 // a closed loop takes the content of the plan and none of its instants
	}
	if !closed && !c.IsSet("rate") {
		return usage("USAGE", "no rate was given", "--rate 100")
	}
	if c.String("duration") == "" {
		return usage("USAGE", "no duration was given", "--duration 30s")
	}
	if target[0] != '/' {
		return usage("PATH", fmt.Sprintf("--path: %q does not start with /", target), "--path /"+target)
	}
	if err := arrival.CheckRate(o.Rate); err != nil {
		return usage("USAGE", err.Error(), "--rate 100")
	}
	d, err := time.ParseDuration(c.String("duration"))
	if err == nil {
		err = arrival.CheckDuration(d)
	}
	if err != nil {
		return usage("USAGE", "--duration: "+err.Error(), "--duration 30s")
	}
	o.Duration = d
	return s.pathPlan(c.Context, path, target, kind, o, c.Uint64("seed"))
}

// pathPlan writes a plan that GETs one path.
func (s *shell) pathPlan(ctx context.Context, path, target string, kind arrival.Kind, o arrival.Options, seed uint64) error {
	schedule, err := arrival.New(kind, nil, o)
	if err != nil {
		return usage("SCHEDULE", err.Error(), "reprise help load")
	}
	meter := arrival.NewMeter()
	for at := range schedule.Offsets(seed) {
		meter.Add(at)
	}
	t := plan.Terms{Terms: schedule.Terms(), Source: "path"}
	shape := meter.Shape(schedule.Duration())
	t.Describe(shape)
	options, err := t.Options()
	if err != nil {
		return err
	}
	dst, err := create(path, false, nil)
	if err != nil {
		return err
	}
	defer dst.discard()
	w, err := plan.NewWriter(dst, recordfile.Header{Tool: tool(), Seed: seed, Options: options, Lineage: []recordfile.Stage{{Stage: "load", Out: shape.Arrivals}}})
	if err != nil {
		return err
	}
	a := plan.Arrival{Method: "GET", Target: []byte(target), Endpoint: target}
	for a.At = range schedule.Offsets(seed) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.Write(&a); err != nil {
			return usage("PATH", err.Error(), "--path /healthz")
		}
	}
	if _, err := w.Close(recordfile.Trailer{}); err != nil {
		return err
	}
	return dst.commit()
}
