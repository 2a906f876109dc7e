package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"reprise/arrival"
	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
	"reprise/sample/synth"
)

// versus replays a synthetic load of the same mean rate and length, and compares: what does it hide?
func (s *shell) versus(ctx context.Context, o runOptions, p prepared, d *diagnosis, runs []*archived) error {
	other, vary, err := s.synthetic(ctx, o, p, d)
	if err != nil {
		return err
	}
	rivals, err := s.replay(ctx, p.synthetic, other)
	if err != nil {
		return err
	}
	c, err := s.contrast(runs, rivals, compare.Options{Vary: vary}, filepath.Join(runs[len(runs)-1].dir, "compare.html"))
	if err != nil {
		return err
	}
	return comparisonExit(c)
}

// synthetic makes the plan to compare with, of the same mean rate and length: P1, or the same requests sent
// evenly.
func (s *shell) synthetic(ctx context.Context, o runOptions, p prepared, d *diagnosis) (replayOptions, compare.Vary, error) {
	var made *diagnosis
	var err error
	vary := compare.Arrivals
	if strings.EqualFold(o.vs, "P1") {
		vary, o.replay.name = compare.Traffic, "P1"
		sc := synth.P1()
		sc.Rate, sc.DurationSeconds = d.Rate, d.DurationSeconds
		s.step("synth", "P1 at the same mean rate")
		made, err = s.synth(ctx, sc, o.schedule.seed, p.synthetic, true)
	} else {
		o.schedule.kind, o.replay.label = arrival.Constant, o.replay.name+"-constant"
		s.step("schedule", "the same requests at a constant rate")
		made, err = s.schedule(ctx, p.sample, p.synthetic, true, o.schedule)
	}
	if err != nil {
		return o.replay, vary, err
	}
	s.printSchedule(made)
	s.step("replay", o.replay.target.URL)
	return o.replay, vary, nil
}

// contrast compares two lots of runs, prints the result and writes the page.
func (s *shell) contrast(a, b []*archived, o compare.Options, page string) (*compare.Comparison, error) {
	c, err := compare.Runs(summaries(a), summaries(b), o)
	if err != nil {
		return nil, err
	}
	s.step("compare", "--vary "+string(o.Vary))
	if err := s.printComparison(c); err != nil {
		return nil, err
	}
	if err := writePage(page, true, s.out, func(w io.Writer) error { return report.CompareHTML(w, c) }); err != nil {
		return nil, err
	}
	fmt.Fprintf(s.err, "page %s\n", plain(page))
	return c, nil
}

func summaries(runs []*archived) []*result.Summary {
	list := make([]*result.Summary, len(runs))
	for i, r := range runs {
		list[i] = r.summary
	}
	return list
}
