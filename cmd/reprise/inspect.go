package main

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"reprise/ingest/inspect"
)

func (s *shell) inspectCommand() *cli.Command {
	return &cli.Command{
		Name:      "inspect",
		Usage:     "say what a log holds and what of it can be replayed; writes nothing",
		ArgsUsage: "LOG...",
		Description: `Logs are files, folders, globs or - for stdin; plain, gzip, zstd or bzip2 by content.

   reprise inspect /var/log/nginx/access.log*
   reprise inspect --json access.log.gz | jq .peak_second`,
		OnUsageError: usageError,
		Flags:        append([]cli.Flag{yes("json", "print the summary as JSON"), forceFlag()}, logFlags()...),
		Action: func(c *cli.Context) error {
			o, err := s.logOptionsOf(c)
			if err != nil {
				return err
			}
			o.ingest.SkipHash = true
			finish, err := o.rejectsTo(s.out, c.Bool("force"))
			if err != nil {
				return err
			}
			return finish(s.inspect(c, o))
		},
	}
}

func (s *shell) inspect(c *cli.Context, o logOptions) error {
	r, err := o.open(c.Context)
	if err != nil {
		return err
	}
	defer r.Close()
	in := inspect.New(inspect.Options{})
	var n atomic.Int64
	p := s.watch(func() string { return fmt.Sprintf("inspect: %d records", n.Load()) })
	records := int64(0)
	for rec, err := range r.Records(c.Context) {
		if err != nil {
			p.done()
			return inputFailure(err)
		}
		in.Add(rec)
		if records++; records%4096 == 0 {
			n.Store(records)
		}
	}
	p.done()
	summary := in.Finish(r.Report())
	if c.Bool("json") {
		err = json.NewEncoder(s.out).Encode(summary)
	} else {
		err = summary.WriteText(s.out)
	}
	if err != nil {
		return err
	}
	return o.check(r.Report())
}
