package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/urfave/cli/v2"

	"reprise/anonymize"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/trace"
)

const (
	flagAppend = "append"
	codeAppend = "ANON-APPEND"
)

func appendFlag() *cli.StringFlag {
	return text(flagAppend, "", "add the records to this trace instead; needs --endpoints")
}

// appendOf tells whether a trace is extended.
func appendOf(c *cli.Context) (bool, error) {
	switch {
	case c.String(flagAppend) == "":
		return false, nil
	case c.String("output") != "":
		return false, usage("USAGE", "--append and --output both say where the records go", "--append replaces the trace by the extended one; leave -o out")
	case c.String("endpoints") == "":
		return false, usage("USAGE", "--append needs the path templates that the trace was made with", "--endpoints endpoints.yaml; reprise endpoints learn LOG -o endpoints.yaml, then the trace with both")
	}
	return true, nil
}

// appendTarget is the trace that the records of more logs are added to. It is read whole and written anew.
type appendTarget struct {
	name string
	in   *input
	info fs.FileInfo
	r    *trace.Reader
}

// openAppendTarget opens a trace that was made as h says, with the key and all else that pseudonyms depend on.
func (s *shell) openAppendTarget(ctx context.Context, name string, h recordfile.Header) (*appendTarget, error) {
	if name == "-" {
		return nil, usage("USAGE", "--append: a trace on stdin cannot be replaced", "--append T.trace.zst")
	}
	in, err := openInput(ctx, name, s.in)
	if err != nil {
		return nil, err
	}
	t := &appendTarget{name: name, in: in}
	if t.info, err = in.file.Stat(); err == nil {
		t.r, err = trace.NewReader(in)
	}
	if err != nil {
		in.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := t.fits(h); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *appendTarget) close() {
	_ = t.r.Close()
	t.in.close()
}

// fits refuses what would make two pseudonyms of one value.
func (t *appendTarget) fits(h recordfile.Header) error {
	refuse := func(what, fix string) error {
		return &failure{code: codeAppend, exit: exitUsage, what: t.name + " " + what, fix: fix,
			why: "one user would have two pseudonyms in one trace"}
	}
	old := t.r.Header()
	if old.KeyID != h.KeyID {
		return refuse(fmt.Sprintf("was made with key %s, and not with key %s", old.KeyID, h.KeyID), "--key-file with the key of ID "+old.KeyID)
	}
	// Numbers have one type after a round trip through JSON.
	have, want := plainOptions(old.Options), plainOptions(h.Options)
	for _, name := range slices.Sorted(maps.Keys(mergedKeys(have, want))) {
		if reflect.DeepEqual(have[name], want[name]) {
			continue
		}
		what := map[string]string{"endpoints": "path templates", "rules": "rules"}[name]
		if what == "" {
			return refuse(fmt.Sprintf("was made with %s = %v, and not %v", name, have[name], want[name]), "anonymize all logs again into a new trace")
		}
		return refuse(fmt.Sprintf("was made with other %s (digest %v, and not %v)", what, have[name], want[name]), "--"+name+" with the file that the trace was made with")
	}
	if old.Tool != h.Tool {
		return refuse(fmt.Sprintf("was made by %s, and this is %s", old.Tool, h.Tool), "anonymize all logs again into a new trace, or use that version")
	}
	if len(old.Lineage) != 1 {
		return refuse("is no trace that anonymize made", "reprise anonymize LOG --key-file K -o T.trace.zst")
	}
	return nil
}

func plainOptions(o map[string]any) (plain map[string]any) {
	text, err := json.Marshal(o)
	if err != nil || json.Unmarshal(text, &plain) != nil {
		return nil
	}
	return plain
}

func mergedKeys(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	if all == nil {
		all = make(map[string]any)
	}
	maps.Copy(all, b)
	return all
}

// records adds those of the trace to a sorter, to its end, where the trace proves to be whole. Without a trace, here and
// below, there is nothing to do.
func (t *appendTarget) records(ctx context.Context, sorter *trace.Sorter) error {
	if t == nil {
		return nil
	}
	for rec, err := range t.r.Records(ctx) {
		if err == nil {
			err = sorter.Add(rec)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	return nil
}

// extend makes the header and the account of the logs that were added those of all logs. It refuses a log that the trace
// has already.
func (t *appendTarget) extend(h *recordfile.Header, d *traceDetails) error {
	if t == nil {
		return nil
	}
	old := t.r.Header()
	for _, in := range h.Inputs {
		for _, before := range old.Inputs {
			if in.SHA256 != "" && in.SHA256 == before.SHA256 {
				return &failure{code: codeAppend, exit: exitUsage, what: fmt.Sprintf("%s has the records of %s already, from %s", t.name, in.Name, before.Name),
					why: "its SHA-256 is the same; every request would be counted twice", fix: "leave it out"}
			}
		}
	}
	h.Inputs = append(slices.Clone(old.Inputs), h.Inputs...)
	h.Lineage[0].In += old.Lineage[0].In
	var was traceDetails
	if err := json.Unmarshal(t.r.Trailer().Details, &was); err != nil {
		return &failure{code: "FILE-RECORD", exit: exitInput, what: t.name + ": the account in its trailer cannot be read", fix: "anonymize all logs again into a new trace"}
	}
	for name, n := range was.Lines {
		d.Lines[name] += n
	}
	return added(&d.Replaced, was.Replaced)
}

// unchanged refuses to replace a trace that was replaced meanwhile, by another append.
func (t *appendTarget) unchanged() error {
	if t == nil {
		return nil
	}
	now, err := os.Stat(t.name)
	if err != nil {
		return missing(err)
	}
	if !os.SameFile(now, t.info) || now.Size() != t.info.Size() || !now.ModTime().Equal(t.info.ModTime()) {
		return &failure{code: codeAppend, exit: exitUsage, what: t.name + " has changed while logs were added to it", fix: "append again, one at a time"}
	}
	return nil
}

// added adds the counts of o to s, whatever counts there are.
func added(s *anonymize.Stats, o anonymize.Stats) error {
	var sums [2]any
	for i, v := range []anonymize.Stats{*s, o} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&sums[i]); err != nil {
			return err
		}
	}
	text, err := json.Marshal(sumOf(sums[0], sums[1]))
	if err != nil {
		return err
	}
	var sum anonymize.Stats
	err = json.Unmarshal(text, &sum)
	*s = sum
	return err
}

// sumOf adds numbers, and those of objects by name. What only one side has stays.
func sumOf(a, b any) any {
	switch a := a.(type) {
	case json.Number:
		if b, ok := b.(json.Number); ok {
			x, errX := a.Int64()
			y, errY := b.Int64()
			if errX == nil && errY == nil {
				return x + y
			}
		}
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			for name, v := range b {
				a[name] = sumOf(a[name], v)
			}
		}
	case nil:
		return b
	}
	return a
}
