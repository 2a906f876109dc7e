package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

func (s *shell) anonymizeCommand() *cli.Command {
	return &cli.Command{
		Name:      "anonymize",
		Usage:     "turn access logs into a trace of keyed pseudonyms",
		ArgsUsage: "LOG...",
		Description: `Raw values stay in memory: what is not proven harmless is replaced, and one user stays one user. The trace
is pseudonymised personal data, not anonymous: keep the key away from it. What stays is said by rules and by path
templates, which can be written out, reviewed and given back; reprise audit looks for what is left nevertheless.

   reprise keygen -o ~/reprise.key
   reprise anonymize access.log* --key-file ~/reprise.key -o T.trace.zst
   reprise anonymize access.log* --init-rules -o rules.yaml
   reprise anonymize access.log* --rules rules.yaml --key-file ~/reprise.key -o T.trace.zst
   reprise audit T.trace.zst --against access.log --key-file ~/reprise.key

--append adds the records of more logs to a trace that was made with the same key, rules and templates; the trace is
replaced when the new one is whole, and is the one that all logs together would have given.

   reprise endpoints learn access.log.1 -o E.yaml
   reprise anonymize access.log.1 --key-file ~/reprise.key --endpoints E.yaml -o T.trace.zst
   reprise anonymize access.log --key-file ~/reprise.key --endpoints E.yaml --append T.trace.zst` + formatHelp,
		OnUsageError: usageError,
		Flags: slices.Concat(keyFlags(), []cli.Flag{outFlag("the trace to this file, - for stdout"), forceFlag(), appendFlag(), rulesFlag(), initRulesFlag(),
			text("endpoints", "", "path templates, or an OpenAPI or Swagger description; default: learned in a first pass over the logs"),
			whole("workers", runtime.GOMAXPROCS(0), "goroutines; the trace does not depend on them"),
			text("memory", "192MB", "memory for sorting; beyond it pseudonymised runs go to --tmp"),
			text("tmp", "", "folder for temporary files; default: the system's")}, logFlags()),
		Action: func(c *cli.Context) error {
			logs, err := s.logOptionsOf(c)
			if err != nil {
				return err
			}
			o := anonymizeOptions{logs: logs, endpoints: c.String("endpoints"), workers: c.Int("workers")}
			if c.Bool("init-rules") {
				return s.initRules(c.Context, o, c.String("output"), c.Bool("force"))
			}
			if o.key, err = keySourceOf(c); err != nil {
				return err
			}
			if o.rules, err = s.rulesOf(c); err != nil {
				return err
			}
			if o.workers < 1 || o.workers > 1024 {
				return usage("USAGE", fmt.Sprintf("--workers: %d is not between 1 and 1024", o.workers), "--workers 2")
			}
			if o.tmp, err = tmpOf(c); err != nil {
				return err
			}
			if o.memory, err = memoryOf(c); err != nil {
				return err
			}
			out, force := c.String("output"), c.Bool("force")
			if o.extend, err = appendOf(c); err != nil {
				return err
			}
			if o.extend {
				out, force = c.String(flagAppend), true
			}
			return s.anonymize(c.Context, o, out, force)
		},
	}
}

// anonymizeOptions say how logs become a trace.
type anonymizeOptions struct {
	logs      logOptions
	key       keySource
	rules     *rules.Rules
	endpoints string
	workers   int
	memory    int
	tmp       string
	extend    bool // the output exists and keeps its records
}

// anonymize writes the trace of logs. The failure with codeUnreadable comes after the trace was written.
func (s *shell) anonymize(ctx context.Context, o anonymizeOptions, out string, force bool) (err error) {
	key, err := o.key.load()
	if err != nil {
		return err
	}
	s.warnBeside(o.key, out)
	dst, err := create(out, force, s.out, o.logs.inputs()...)
	if err != nil {
		return err
	}
	defer dst.discard()
	finish, err := o.logs.rejectsTo(force && !o.extend)
	if err != nil {
		return err
	}
	defer func() { err = finish(err) }()
	if o.rules != nil {
		o.logs.watch = o.rules.TopKeys()
	}
	set, err := s.templates(ctx, o.endpoints, o.logs)
	if err != nil {
		return err
	}
	an, err := anonymize.New(key, set, anonymize.Options{Refuse: o.logs.refuse, Rules: o.rules})
	if err != nil {
		return err
	}
	h := recordfile.Header{Tool: tool(), KeyID: key.ID(), Options: an.Described()}
	var old *appendTarget
	if o.extend {
		if old, err = s.openAppendTarget(ctx, out, h); err != nil {
			return err
		}
		defer old.close()
	}
	r, err := o.logs.open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	s.announce(r.Report())
	sorter, err := trace.NewSorter(trace.SorterOptions{Memory: o.memory, Tmp: o.tmp, Workers: o.workers})
	if err != nil {
		return err
	}
	defer sorter.Close()
	if err = old.records(ctx, sorter); err != nil {
		return err
	}
	before := sorter.Len()
	if err = s.fillSorter(ctx, an, r, sorter, o.workers); err != nil {
		return err
	}
	report := r.Report()
	s.printReport(report)
	if err = s.judge(o, report, sorter.Len()-before, an); err != nil {
		return err
	}
	if err = writeTrace(ctx, dst, sorter, report, h, an, old); err != nil {
		return err
	}
	return unreadable(report)
}

// judge says whether the account of the logs allows a trace. clean is the number of their records that have a clean form.
func (s *shell) judge(o anonymizeOptions, report ingest.Report, clean int64, an *anonymize.Anonymizer) error {
	if err := o.logs.check(report); err != nil {
		return err
	}
	records := report.Total().Records
	if refused := records - clean; refused > 0 {
		by := an.Stats().Refused
		fmt.Fprintf(s.err, "  %d of the records have no clean form and are left out: %s\n", refused, reasons(by))
		if err := o.logs.checkRefused(records, refused, by); err != nil {
			return err
		}
	}
	if o.extend { // the whole log, copied again, would be added to the part of it that came
		return unreadable(report)
	}
	return nil
}

// fillSorter pseudonymises all records; only the results reach the sorter, and with it the disk.
func (s *shell) fillSorter(ctx context.Context, an *anonymize.Anonymizer, r *ingest.Reader, sorter *trace.Sorter, workers int) error {
	var n atomic.Int64
	p := s.watch(func() string { return fmt.Sprintf("anonymize: %d records", n.Load()) })
	defer p.done()
	for lines, err := range an.Stream(ctx, r.Records(ctx), workers) {
		if err != nil {
			return inputFailure(err)
		}
		if err := sorter.AddLines(lines); err != nil {
			return err
		}
		n.Add(int64(lines.Len()))
	}
	return nil
}

// traceDetails are the details of a trace's trailer.
type traceDetails struct {
	Lines    map[string]int64 `json:"lines"`
	Replaced anonymize.Stats  `json:"replaced"`
}

// writeTrace writes the trace with the header h, in which the inputs are still missing. old is the trace that is extended,
// or nil.
func writeTrace(ctx context.Context, dst *output, sorter *trace.Sorter, report ingest.Report, h recordfile.Header, an *anonymize.Anonymizer, old *appendTarget) error {
	h.Lineage = []recordfile.Stage{{Stage: "anonymize", In: report.Total().Records, Out: sorter.Len()}}
	for _, f := range report.Files {
		h.Inputs = append(h.Inputs, recordfile.Input{Name: filepath.Base(f.Name), SHA256: f.SHA256})
	}
	d := traceDetails{Lines: counts(report), Replaced: an.Stats()}
	if err := old.extend(&h, &d); err != nil {
		return err
	}
	details, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if err := sorter.Write(ctx, dst, h, recordfile.Trailer{Details: details}); err != nil {
		return err
	}
	if err := old.unchanged(); err != nil {
		return err
	}
	return dst.commit()
}

// counts is the account of the lines as a trailer holds it.
func counts(r ingest.Report) map[string]int64 {
	t := r.Total()
	return map[string]int64{"lines": t.Lines, "records": t.Records, "no_request": t.NoRequest, "rejected": t.Rejected, "skipped": t.Skipped}
}
