package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
	"reprise/replay/plan"
	"reprise/sample/synth"
)

func (s *shell) synthCommand() *cli.Command {
	return &cli.Command{
		Name:      "synth",
		Usage:     "make the plan, or the data set, of a synthetic scenario",
		ArgsUsage: "P1|P2|SCENARIO.yaml",
		Description: `P1: 250 requests/s for 60 s, 80/20 skew, 90 % product detail, 8 % listing, 2 % order writes.
P2: P1's mix at 3 times the rate for 30 s, then 30 s at the plain rate.

   reprise synth P1 --seed 1 -o P1.plan.zst
   reprise synth P1 --seed 1 --gen-data -o data`,
		OnUsageError: usageError,
		Flags: append([]cli.Flag{outFlag("the plan to this file, or the data set to this new folder"), forceFlag(), seedFlag(),
			yes("gen-data", "write products, users and requests instead of a plan")}, scenarioFlags()...),
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "scenario")
			if err != nil {
				return err
			}
			sc, err := scenarioOf(c, name)
			if err != nil {
				return err
			}
			if c.Bool("gen-data") {
				return s.writeData(c.Context, sc, c.Uint64("seed"), c.String("output"))
			}
			d, err := s.synth(c.Context, sc, c.Uint64("seed"), c.String("output"), c.Bool("force"))
			if err == nil {
				s.printSchedule(d)
			}
			return err
		},
	}
}

// scenarioFlags override the numbers of a scenario.
func scenarioFlags() []cli.Flag {
	return []cli.Flag{
		text("arrival", "", "constant or poisson"),
		number("rate", 0, "requests per second"),
		text("duration", "", "length before the recovery window"),
		whole("products", 0, "products of the data set"),
		whole("users", 0, "users of the data set"),
	}
}

// scenarioOf is the built-in scenario or scenario file of that name, with the flags that were given.
func scenarioOf(c *cli.Context, name string) (synth.Scenario, error) {
	sc, err := synth.BuiltIn(name)
	if err != nil {
		text, e := readWhole(name)
		if e != nil {
			return sc, usage("SCENARIO", fmt.Sprintf("%q is neither P1 nor P2, and no scenario file: %v", name, e), "reprise synth P1 -o P1.plan.zst")
		}
		if sc, err = synth.ParseScenario(text); err != nil {
			return sc, usage("SCENARIO", fmt.Sprintf("%s: %v", name, err), "correct "+name)
		}
	}
	if c.IsSet("arrival") {
		sc.Arrival = arrival.Kind(c.String("arrival"))
	}
	if c.IsSet("rate") {
		sc.Rate = c.Float64("rate")
	}
	if c.IsSet("products") {
		sc.Products = c.Int("products")
	}
	if c.IsSet("users") {
		sc.Users = c.Int("users")
	}
	if text := c.String("duration"); text != "" {
		d, err := time.ParseDuration(text)
		if err != nil {
			return sc, usage("USAGE", "--duration: "+err.Error(), "--duration 60s")
		}
		sc.DurationSeconds = d.Seconds()
	}
	if err := sc.Validate(); err != nil {
		return sc, usage("SCENARIO", err.Error(), "reprise help "+c.Command.Name)
	}
	return sc, nil
}

// synth writes the plan of a scenario. Its writes are always in the plan; the replay asks for
// --allow-writes before it sends them.
func (s *shell) synth(ctx context.Context, sc synth.Scenario, seed uint64, out string, force bool) (*diagnosis, error) {
	d, err := scenarioTerms(sc, seed)
	if err != nil {
		return nil, err
	}
	dst, err := create(out, force, s.out)
	if err != nil {
		return nil, err
	}
	defer dst.discard()
	options, err := d.terms.Options()
	if err != nil {
		return nil, err
	}
	w, err := plan.NewWriter(dst, recordfile.Header{Tool: tool(), Seed: seed, Options: options,
		Lineage: []recordfile.Stage{{Stage: "synth", Out: d.Arrivals}}})
	if err != nil {
		return nil, err
	}
	requests, err := sc.Requests(seed)
	if err != nil {
		return nil, err
	}
	var a plan.Arrival
	for r := range requests {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		a = plan.Arrival{At: r.At, Method: r.Method, Target: r.Target, Endpoint: r.Endpoint, User: r.User, Header: r.Header, Type: r.Type, Body: r.Body}
		if err := w.Write(&a); err != nil {
			return nil, err
		}
	}
	details, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if d.PlanSHA256, err = w.Close(recordfile.Trailer{Details: details}); err != nil {
		return nil, err
	}
	return d, dst.commit()
}

// scenarioTerms counts the requests of a scenario and describes it.
func scenarioTerms(sc synth.Scenario, seed uint64) (*diagnosis, error) {
	requests, err := sc.Requests(seed)
	if err != nil {
		return nil, err
	}
	meter := arrival.NewMeter()
	for r := range requests {
		meter.Add(r.At)
	}
	length := sc.DurationSeconds + sc.RecoveryWindowSeconds
	d := &diagnosis{Model: sc.Arrival, Seed: seed, Shape: meter.Shape(time.Duration(length * float64(time.Second)))}
	d.terms = plan.Terms{Source: sc.Name, RecoveryWindowSeconds: sc.RecoveryWindowSeconds, Writes: sc.Mix.Order > 0, WarmupSeconds: sc.WarmupSeconds, TimeoutMS: sc.TimeoutMS,
		DataSet: fmt.Sprintf("products=%d users=%d", sc.Products, sc.Users),
		Terms:   arrival.Terms{Model: sc.Arrival, Method: arrival.MeanRate, Speed: 1, Rate: sc.PeakRate(), DurationSeconds: sc.DurationSeconds}}
	d.terms.Describe(d.Shape)
	return d, nil
}

// writeData writes the data set into a new folder, which appears when it is whole.
func (s *shell) writeData(ctx context.Context, sc synth.Scenario, seed uint64, dir string) error {
	if dir == "" || dir == "-" {
		return usage("NO-OUTPUT", "the data set needs a folder", "add -o DIR")
	}
	if err := absent(dir, false); err != nil {
		return err
	}
	files, err := sc.Data(seed)
	if err != nil {
		return err
	}
	partial, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".*.partial")
	if err != nil {
		return unwritable(dir, err)
	}
	defer os.RemoveAll(partial)
	if err := os.Chmod(partial, 0o755); err != nil { // MkdirTemp keeps others out
		return unwritable(dir, err)
	}
	for _, f := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out, err := create(filepath.Join(partial, f.Name), false, nil)
		if err != nil {
			return err
		}
		defer out.discard()
		if err := f.Write(out); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
		if err := out.commit(); err != nil {
			return err
		}
	}
	if err := os.Rename(partial, dir); err != nil {
		return unwritable(dir, err)
	}
	for _, f := range files {
		fmt.Fprintln(s.err, plain(filepath.Join(dir, f.Name)))
	}
	return nil
}
