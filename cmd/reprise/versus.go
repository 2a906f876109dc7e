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
func (s *shell) versus(ctx context.Context, o runOptions, p prepared, d *diagnosis, runs []*archived) (*compare.Comparison, error) {
	var vary compare.Vary
	if strings.EqualFold(o.vs, "P1") {
		vary, o.replay.name = compare.Traffic, "P1"
		sc := synth.P1()
		sc.Rate, sc.DurationSeconds = d.Rate, d.DurationSeconds
		s.step("synth", "P1 at the same mean rate")
		made, err := s.synth(ctx, sc, o.schedule.seed, p.synthetic, true)
		if err != nil {
			return nil, err
		}
		s.printSchedule(made)
	} else {
		vary = compare.Arrivals
		o.schedule.kind = arrival.Constant
		s.step("schedule", "the same requests at a constant rate")
		made, err := s.schedule(ctx, p.sample, p.synthetic, true, o.schedule)
		if err != nil {
			return nil, err
		}
		s.printSchedule(made)
	}
	s.step("replay", o.replay.target.URL)
	others, err := s.replay(ctx, p.synthetic, o.replay)
	if err != nil {
		return nil, err
	}
	page := filepath.Join(runs[len(runs)-1].dir, "compare.html")
	return s.contrast(runs, others, vary, page)
}

// contrast compares two lots of runs, prints the result and writes the page.
func (s *shell) contrast(a, b []*archived, vary compare.Vary, page string) (*compare.Comparison, error) {
	c, err := compare.Runs(summaries(a), summaries(b), compare.Options{Vary: vary})
	if err != nil {
		return nil, err
	}
	s.step("compare", fmt.Sprintf("--vary %s", vary))
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
