package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

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
			format := c.String("format")
			switch {
			case !slices.Contains(formats, format):
				return usage("USAGE", fmt.Sprintf("--format: %q is unknown", format), "--format "+strings.Join(formats, "|"))
			case c.NArg() > 1 && (format == "html" || format == "json"):
				return usage("USAGE", fmt.Sprintf("--format %s renders one run, got %d", format, c.NArg()), "reprise compare A B --html FILE shows two")
			}
			return writePage(c.String("output"), c.Bool("force"), s.out, func(w io.Writer) error {
				for _, name := range c.Args().Slice() {
					if err := render(w, name, format); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

// formats are what render knows.
var formats = []string{"text", "line", "json", "md", "html"}

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
	return fmt.Errorf("the format %q has no renderer", format)
}
