package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
)

func (s *shell) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "set run B against run A, if everything but the declared factor is equal",
		ArgsUsage: "A B",
		Description: `A and B are run archives, or several joined by commas: A1,A2,A3. Below 5 pairs the verdict is INCONCLUSIVE.

   reprise compare runs/2026-11-27-replay-open runs/2026-11-27-P1-open --vary traffic
   reprise compare A1,A2,A3,A4,A5 B1,B2,B3,B4,B5 --vary target --html compare.html

Exit codes: 0 PASS, 5 INVALID, 6 NOT COMPARABLE, 7 INCONCLUSIVE, 10 FAIL.`,
		OnUsageError: usageError,
		Flags: []cli.Flag{
			text("vary", "", "the one declared difference: traffic, arrivals, target or mode"),
			number("tolerance", 0.1, "how much worse B's p95 and p99 may be; the median gets half"),
			text("html", "", "write the comparison to this HTML file"),
			&cli.BoolFlag{Name: "force", Usage: "show the numbers of runs that are not comparable, and replace an HTML file that exists"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 2 {
				return usage("USAGE", fmt.Sprintf("compare takes two arguments, got %d", c.NArg()), "reprise compare A B --vary traffic")
			}
			a, err := loadRuns(c.Args().Get(0))
			if err != nil {
				return err
			}
			b, err := loadRuns(c.Args().Get(1))
			if err != nil {
				return err
			}
			if x := c.Float64("tolerance"); !(x > 0 && x <= 10) {
				return usage("USAGE", fmt.Sprintf("--tolerance: %v is not above 0 and at most 10", x), "--tolerance 0.1")
			}
			cmp, err := compare.Runs(a, b, compare.Options{Vary: compare.Vary(c.String("vary")), Force: c.Bool("force"), Tolerance: c.Float64("tolerance")})
			if err != nil {
				return usage("USAGE", err.Error(), "reprise help compare")
			}
			if err := s.printComparison(cmp); err != nil {
				return err
			}
			if name := c.String("html"); name != "" {
				if err := writePage(name, c.Bool("force"), s.out, func(w io.Writer) error { return report.CompareHTML(w, cmp) }); err != nil {
					return err
				}
				fmt.Fprintln(s.err, "page", plain(name))
			}
			return comparisonExit(cmp)
		},
	}
}

// loadRuns reads one or more archives, joined by commas.
func loadRuns(names string) ([]*result.Summary, error) {
	var runs []*result.Summary
	for name := range strings.SplitSeq(names, ",") {
		r, err := loadRun(name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r.Summary)
	}
	return runs, nil
}

func loadRun(name string) (*result.Run, error) {
	r, err := result.Load(name)
	switch {
	case errors.Is(err, result.ErrPartial):
		return nil, &failure{code: "RUN-PARTIAL", exit: exitInput, what: name + " was cut before it was whole; it has no summary", fix: "run it again"}
	case errors.Is(err, fs.ErrNotExist):
		fix := "name the folder of a run, such as runs/2026-11-27-trace-open"
		if below, _ := filepath.Glob(filepath.Join(name, "*", result.SummaryFile)); len(below) > 0 {
			fix = fmt.Sprintf("%s holds %d runs; name one, such as %s", name, len(below), filepath.Dir(below[0]))
		}
		return nil, usage("RUN", err.Error(), fix)
	case err != nil:
		return nil, &failure{code: "RUN", exit: exitInput, what: err.Error(), fix: "name the folder of a run, such as runs/2026-11-27-trace-open"}
	}
	return r, nil
}

func (s *shell) printComparison(c *compare.Comparison) error {
	if err := report.CompareText(s.err, c); err != nil {
		return err
	}
	_, err := fmt.Fprintln(s.out, plain(c.Conclusion))
	return err
}

func comparisonExit(c *compare.Comparison) error {
	codes := map[compare.Verdict]int{compare.Pass: exitOK, compare.Fail: exitFailed, compare.Inconclusive: exitInconclusive,
		compare.NotComparable: exitNotComparable, compare.Invalid: exitInvalid}
	if code := codes[c.Verdict]; code != exitOK {
		return verdict{code}
	}
	return nil
}

// writePage writes an output that write fills.
func writePage(name string, force bool, stdout io.Writer, write func(io.Writer) error) error {
	out, err := create(name, force, stdout)
	if err != nil {
		return err
	}
	defer out.discard()
	if err := write(out); err != nil {
		return err
	}
	return out.commit()
}
