package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"reprise/replay/report"
)

func (s *shell) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "render a run archive again",
		ArgsUsage: "RUN...",
		Description: `   reprise report runs/2026-11-27-trace-open                     the table and the summary line
   reprise report runs/2026-11-27-trace-open --format html -o report.html
   reprise report runs/2026-11-27-trace-open --format md >> "$GITHUB_STEP_SUMMARY"`,
		OnUsageError: usageError,
		Flags: []cli.Flag{
			text("format", "text", "text, line, json, md or html"),
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to this file, - for stdout"},
			forceFlag(),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usage("USAGE", "no run was named", "reprise report runs/2026-11-27-trace-open")
			}
			return writePage(c.String("output"), c.Bool("force"), s.out, func(w io.Writer) error {
				for _, name := range c.Args().Slice() {
					if err := render(w, name, c.String("format")); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

func render(w io.Writer, name, format string) error {
	r, err := loadRun(name)
	if err != nil {
		return err
	}
	switch format {
	case "text":
		if err := report.Text(w, r.Summary); err != nil {
			return err
		}
		fallthrough
	case "line":
		_, err = fmt.Fprintln(w, report.Line(r.Summary))
		return err
	case "json":
		return report.JSON(w, r.Summary)
	case "md":
		return report.Markdown(w, r.Summary)
	case "html":
		return report.HTML(w, report.Run{Summary: r.Summary, Command: r.Command})
	}
	return usage("USAGE", fmt.Sprintf("--format: %q is unknown", format), "--format text|line|json|md|html")
}
