package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reprise/anonymize"
	"reprise/ingest"
)

// reject is a line of the rejects file: a place, a reason and the types of the line's words, never its text.
type reject struct {
	File   string `json:"file"`
	Line   int64  `json:"line"`
	Reason string `json:"reason"`
	Column int    `json:"column,omitempty"`
	Shape  string `json:"shape,omitempty"`
}

// rejectsTo writes rejected lines to the file of --rejects. The returned finish commits it, or discards it
// when the reading did not come to its end.
func (o *logOptions) rejectsTo(force bool) (finish func(error) error, err error) {
	if o.rejects == "" {
		return func(err error) error { return err }, nil
	}
	if o.rejects == "-" {
		return nil, usage("USAGE", "--rejects needs a file: stdout carries the result", "--rejects rejects.jsonl")
	}
	out, err := create(o.rejects, force, nil, o.inputs()...)
	if err != nil {
		return nil, err
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false) // shapes are full of <word>
	o.ingest.Reject = func(r ingest.Reject) error {
		return enc.Encode(reject{File: r.Pos.File, Line: r.Pos.Line, Reason: r.Reason.String(), Column: r.Column, Shape: r.Shape})
	}
	o.refuse = func(p ingest.Pos, r anonymize.Refusal) error {
		return enc.Encode(reject{File: p.File, Line: p.Line, Reason: "refused_" + r.String()})
	}
	return func(err error) error {
		defer out.discard()
		// Rejected lines are most wanted when there are too many of them, or nothing else; a reading that left a file out
		// is over.
		var f *failure
		if err == nil || errors.As(err, &f) && (f.code == codeRejects || f.code == codeUnreadable || f.code == codeEmpty) {
			return errors.Join(err, out.commit())
		}
		return err
	}, nil
}

// reasons lists counts by reason, the most frequent first.
func reasons(m map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if m[a] != m[b] {
			return int(min(max(m[b]-m[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf("%s %d", n, m[n])
	}
	return strings.Join(parts, ", ")
}
