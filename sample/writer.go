package sample

import (
	"encoding/json"
	"fmt"
	"io"

	"reprise/anonymize/recordfile"
)

// Kind names sample files in their header record.
const Kind = "sample"

// Write writes the sample file: header, profile, endpoints, strata, then the records in start order. Of h
// the caller gives Tool, KeyID, Inputs and the Lineage of the trace; kind, version, seed, options and the
// stage's own entry in the lineage are set here. It does not close w and may be called again.
func (v *Selection) Write(w io.Writer, h recordfile.Header) error {
	totals := v.Totals()
	h.Kind, h.Version, h.Seed, h.Options = Kind, recordfile.Version, v.options.Seed, v.options.header()
	h.Lineage = append(h.Lineage[:len(h.Lineage):len(h.Lineage)],
		recordfile.Stage{Stage: Kind, In: totals.Population, Out: totals.Sample})
	file, err := recordfile.NewWriter(w, h)
	if err != nil {
		return err
	}
	if err := v.writeTable(file); err != nil {
		return err
	}
	var line []byte
	err = v.each(func(members []byte, stratum int32) error {
		line = appendWeight(append(line[:0], members...), stratum, v.Strata[stratum].Weight)
		return file.WriteLine(line)
	})
	if err != nil {
		return err
	}
	details, err := json.Marshal(totals)
	if err != nil {
		return fmt.Errorf("trailer: %w", err)
	}
	return file.Close(recordfile.Trailer{Details: details})
}

// writeTable writes the lines before the records.
func (t *Table) writeTable(file *recordfile.Writer) error {
	var line []byte
	for b := range t.Profile.Blocks() {
		counts, err := json.Marshal(b.Counts)
		if err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		line = recordfile.AppendString(line[:0], profileKey, profileAll)
		line = recordfile.AppendInt(line, "start", b.Start)
		line = append(append(recordfile.AppendKey(line, "counts"), counts...), '}')
		if err := file.WriteLine(line); err != nil {
			return err
		}
	}
	for _, e := range t.Endpoints {
		line = recordfile.AppendInt(line[:0], endpointKey, e.Requests)
		line = append(recordfile.AppendString(line, "endpoint", e.Template), '}')
		if err := file.WriteLine(line); err != nil {
			return err
		}
	}
	for i, a := range t.Strata {
		line = appendStratum(line[:0], i, a)
		if err := file.WriteLine(line); err != nil {
			return err
		}
	}
	return nil
}
