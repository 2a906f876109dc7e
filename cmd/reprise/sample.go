package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
	"reprise/sample"
)

func (s *shell) sampleCommand() *cli.Command {
	return &cli.Command{
		Name:      "sample",
		Usage:     "keep a part of a trace with its mix by hour and endpoint",
		ArgsUsage: "TRACE",
		Description: `Keeps whole users with --fraction, or a number of requests from every stratum with --per-stratum. The
sample carries the per-second counts of the whole trace, so the schedule keeps every burst.

   reprise sample T.trace.zst --fraction 0.1 -o S.sample.zst
   reprise sample T.trace.zst --per-stratum 50 --by hour,endpoint -o S.sample.zst`,
		OnUsageError: usageError,
		Flags: []cli.Flag{
			outFlag("the sample to this file, - for stdout"), forceFlag(), seedFlag(),
			whole("per-stratum", 0, "requests to keep of every stratum"),
			number("fraction", 0, "part of the units to keep, above 0 and at most 1"),
			text("unit", "", "what is kept as a whole: user (with --fraction) or request"),
			text("by", "hour,endpoint", "strata: hour or hourofday, endpoint, method, status"),
			text("memory", "192MB", "memory for kept lines; beyond it they go to --tmp"),
			text("tmp", "", "folder for temporary files; default: the system's"),
			whole("rows", 20, "rows of the allocation table to print"),
		},
		Action: func(c *cli.Context) error {
			name, err := oneArg(c, "TRACE")
			if err != nil {
				return err
			}
			o, err := sampleOptions(c)
			if err != nil {
				return err
			}
			v, err := s.sample(c.Context, name, c.String("output"), c.Bool("force"), o)
			if err != nil {
				return err
			}
			s.printAllocation(v, c.Int("rows"))
			return nil
		},
	}
}

func sampleOptions(c *cli.Context) (sample.Options, error) {
	memory, err := memoryOf(c)
	if err != nil {
		return sample.Options{}, err
	}
	tmp, err := tmpOf(c)
	if err != nil {
		return sample.Options{}, err
	}
	if err := positive(c, "per-stratum", "rows"); err != nil {
		return sample.Options{}, err
	}
	o := sample.Options{PerStratum: c.Int("per-stratum"), Fraction: c.Float64("fraction"), Unit: sample.Unit(c.String("unit")),
		Seed: c.Uint64("seed"), Memory: memory, Tmp: tmp}
	if c.IsSet("fraction") {
		if err := sample.CheckFraction(o.Fraction); err != nil {
			return o, usage("USAGE", err.Error(), "--fraction 0.1")
		}
	}
	for d := range strings.SplitSeq(c.String("by"), ",") {
		o.By = append(o.By, sample.Dimension(strings.TrimSpace(d)))
	}
	return o, nil
}

// sample samples a trace file into a sample file.
func (s *shell) sample(ctx context.Context, name, out string, force bool, o sample.Options) (*sample.Table, error) {
	sampler, err := sample.New(o)
	if err != nil {
		return nil, usage("USAGE", err.Error(), "reprise help sample")
	}
	defer sampler.Close()
	in, err := openInput(ctx, name, s.in)
	if err != nil {
		return nil, err
	}
	defer in.close()
	dst, err := create(out, force, s.out, name)
	if err != nil {
		return nil, err
	}
	defer dst.discard()
	r, err := trace.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	for rec, err := range r.Records(ctx) {
		if err == nil {
			err = sampler.Add(rec)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	digest, err := in.sha256()
	if err != nil {
		return nil, err
	}
	v, err := sampler.Finish()
	if err != nil {
		return nil, err
	}
	defer v.Close()
	if v.Totals().Population == 0 {
		return nil, &failure{code: codeEmpty, exit: exitInput, what: name + " holds no record", fix: "reprise inspect LOG says what the log holds"}
	}
	h := r.Header()
	err = v.Write(dst, recordfile.Header{Tool: tool(), KeyID: h.KeyID, Lineage: h.Lineage,
		Inputs: []recordfile.Input{{Name: in.name, SHA256: digest}}})
	if err != nil {
		return nil, err
	}
	return &v.Table, dst.commit()
}

// printAllocation shows what became of the strata, the largest first.
func (s *shell) printAllocation(t *sample.Table, rows int) {
	totals := t.Totals()
	fmt.Fprintf(s.err, "sample: %d of %d records in %d strata; %d strata lost (%.2f %% of the traffic); largest share error %+.2f points, chi-square %.0f\n",
		totals.Sample, totals.Population, totals.Strata, totals.Lost, 100*totals.LostShare, 100*totals.MaxShareError, totals.ChiSquare)
	if totals.LostShare > 0.05 {
		fmt.Fprintf(s.err, "warning: %.0f %% of the traffic has no request in the sample; keep more with --fraction, or every stratum with --per-stratum\n", 100*totals.LostShare)
	}
	largest := topStrata(t.Strata, rows)
	if len(largest) == 0 || totals.Sample == totals.Population {
		return
	}
	fmt.Fprintf(s.err, "%-17s %10s %8s %9s %8s  %s\n", "hour (UTC)", "population", "sample", "weight", "error", "endpoint")
	for _, a := range largest {
		fmt.Fprintf(s.err, "%-17s %10d %8d %9.2f %+7.2f%%  %s\n", hourName(a.Hour), a.Population, a.Sample, a.Weight, 100*a.ShareError(totals), plain(a.Endpoint))
	}
	if n := len(t.Strata) - len(largest); n > 0 {
		fmt.Fprintf(s.err, "and %d smaller strata (--rows shows more)\n", n)
	}
}

func hourName(h int64) string {
	switch {
	case h == sample.NoHour:
		return "all"
	case h < 24:
		return fmt.Sprintf("%02d:00", h)
	}
	return time.Unix(h*3600, 0).UTC().Format("2006-01-02 15:00")
}
