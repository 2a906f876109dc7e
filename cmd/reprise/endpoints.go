package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/urfave/cli/v2"

	"reprise/anonymize/endpoint"
	"reprise/ingest"
)

func (s *shell) endpointsCommand() *cli.Command {
	return &cli.Command{
		Name:  "endpoints",
		Usage: "path templates, which anonymize learns by itself from plain files",
		Subcommands: []*cli.Command{{
			Name:      "learn",
			Usage:     "learn the path templates of logs into a file to review and to give back with --endpoints",
			ArgsUsage: "LOG...",
			Description: `Words in paths stay readable in a trace only where a template keeps them. Learned templates keep a word that
many clients asked for, and values of query parameters for which --rules have top(N); the file can be edited. An
OpenAPI or Swagger description can be given in its place.

   reprise endpoints learn access.log.gz -o endpoints.yaml
   zcat access.log.gz | reprise anonymize - --endpoints endpoints.yaml --key-file K -o T.trace.zst` + formatHelp,
			OnUsageError: usageError,
			Flags:        append([]cli.Flag{outFlag("the templates to this file, - for stdout"), forceFlag(), rulesFlag()}, logFlags()...),
			Action: func(c *cli.Context) error {
				o, err := s.logOptionsOf(c)
				if err != nil {
					return err
				}
				r, err := s.rulesOf(c)
				if err != nil {
					return err
				}
				o.watch = r.TopKeys()
				finish, err := o.rejectsTo(c.Bool("force"))
				if err != nil {
					return err
				}
				return finish(s.writeEndpoints(c.Context, o, c.String("output"), c.Bool("force")))
			},
		}},
	}
}

func (s *shell) writeEndpoints(ctx context.Context, o logOptions, name string, force bool) error {
	out, err := create(name, force, s.out, o.inputs()...)
	if err != nil {
		return err
	}
	defer out.discard()
	set, report, err := s.learn(ctx, o)
	if err != nil {
		return err
	}
	s.announce(report)
	if err := o.check(report); err != nil {
		return err
	}
	if err := set.WriteYAML(out); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "endpoints: %d templates\n", len(set.Templates()))
	return errors.Join(out.commit(), unreadable(report))
}

// learn reads the logs once and learns their path templates. It leaves it to the caller to check the report.
func (s *shell) learn(ctx context.Context, o logOptions) (*endpoint.Set, ingest.Report, error) {
	o.ingest.SkipHash = true
	r, err := o.open(ctx)
	if err != nil {
		return nil, ingest.Report{}, err
	}
	defer r.Close()
	l := &learners{watch: o.watch, of: make([]*endpoint.Learner, len(o.names))}
	visit := func(file int) func(*ingest.Record) error {
		learner := l.take(file)
		return func(rec *ingest.Record) error {
			learner.AddTarget(rec.Target, endpoint.ClientHash(rec.Client), rec.Status)
			return nil
		}
	}
	if err := r.Each(ctx, 0, visit, l.give); err != nil {
		return nil, r.Report(), inputFailure(err)
	}
	return l.merged().Set(), r.Report(), nil
}

// learners are the learners of files that are read at the same time; what they learn does not depend on the order.
type learners struct {
	watch map[string]int
	of    []*endpoint.Learner // the file's, by number

	mu   sync.Mutex
	free []*endpoint.Learner
}

func (l *learners) take(file int) *endpoint.Learner {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.free); n > 0 {
		l.of[file], l.free = l.free[n-1], l.free[:n-1]
	} else {
		l.of[file] = endpoint.NewLearner()
		l.of[file].WatchValues(l.watch)
	}
	return l.of[file]
}

// give gives back the learner of a file that has ended.
func (l *learners) give(file int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free = append(l.free, l.of[file])
}

// merged is what all of them learned, after the last file has ended.
func (l *learners) merged() *endpoint.Learner {
	all := l.take(0)
	for _, o := range l.free {
		all.Merge(o)
	}
	return all
}

// templates are the given ones, or learned from the logs.
func (s *shell) templates(ctx context.Context, given string, o logOptions) (*endpoint.Set, error) {
	if given != "" {
		f, err := os.Open(given)
		if err != nil {
			return nil, usage("ENDPOINTS", err.Error(), "reprise endpoints learn LOG -o endpoints.yaml")
		}
		defer f.Close()
		set, merged, err := endpoint.Read(f)
		if err != nil {
			between := ": "
			if e, ok := errors.AsType[*endpoint.FileError](err); ok && e.Line > 0 {
				between = ":"
			}
			return nil, usage("ENDPOINTS", given+between+err.Error(), "reprise endpoints learn LOG -o endpoints.yaml")
		}
		if merged > 0 {
			fmt.Fprintf(s.err, "endpoints: %d paths of %s fit the same requests as others and are one with them\n", merged, given)
		}
		return set, nil
	}
	for _, n := range o.names {
		if n == "-" {
			return nil, usage("ENDPOINTS", "path templates cannot be learned from stdin, which is read only once", "reprise endpoints learn LOG -o endpoints.yaml, then --endpoints endpoints.yaml")
		}
	}
	// Rejects are told by the second pass, which reads the same lines.
	o.ingest.Reject = nil
	set, _, err := s.learn(ctx, o)
	return set, err
}
