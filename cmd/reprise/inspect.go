package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"reprise/ingest"
	"reprise/ingest/inspect"
)

func (s *shell) inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "say what a log holds and what of it can be replayed; writes nothing",
		ArgsUsage: "LOG...",
		Description: `Logs are files, folders, globs or - for stdin; plain, gzip, zstd, bzip2 or xz by content.

   reprise inspect /var/log/nginx/access.log*
   reprise inspect --json access.log.gz | jq .peak_second` + formatHelp,
		OnUsageError: usageError,
		Flags:        append([]cli.Flag{yes("json", "print the summary as JSON"), forceFlag()}, logFlags()...),
		Action: func(c *cli.Context) error {
			o, err := s.logOptionsOf(c)
			if err != nil {
				return err
			}
			o.ingest.SkipHash = true
			finish, err := o.rejectsTo(c.Bool("force"))
			if err != nil {
				return err
			}
			return finish(s.inspect(c, o))
		},
	}
}

// inspectMemory is the memory in bytes within which inspect keeps its garbage; what is in use takes about half.
const inspectMemory = 40 << 20

func (s *shell) inspect(c *cli.Context, o logOptions) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(inspectMemory))
	r, err := o.open(c.Context)
	if err != nil {
		return err
	}
	defer r.Close()
	summary, err := s.examine(c.Context, r)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = json.NewEncoder(s.out).Encode(summary)
	} else {
		err = summary.WriteText(s.out)
	}
	if err != nil {
		return err
	}
	return cmp.Or(o.check(r.Report()), unreadable(r.Report()))
}

// examine reads all records.
func (s *shell) examine(ctx context.Context, r *ingest.Reader) (inspect.Summary, error) {
	var seen atomic.Int64
	p := s.watch(func() string { return fmt.Sprintf("inspect: %d records", seen.Load()) })
	defer p.done()
	summary, err := inspect.Read(ctx, r, inspect.Options{}, func(n int64) { seen.Add(n) })
	if err != nil {
		return summary, inputFailure(err)
	}
	return summary, nil
}
