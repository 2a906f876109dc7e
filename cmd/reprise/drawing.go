package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
	"reprise/replay/bind"
	"reprise/replay/plan"
	"reprise/sample"
)

// schedule makes the plan file of a sample file.
func (s *shell) schedule(ctx context.Context, name, out string, force bool, o scheduleOptions) (*diagnosis, error) {
	dst, err := create(out, force, s.out, name)
	if err != nil {
		return nil, err
	}
	defer dst.discard()
	h, err := s.hold(ctx, name, o.tmp)
	if err != nil {
		return nil, err
	}
	file, err := readSample(h)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), h.Close())
	}
	defer file.Close()
	if file.table.Profile.Total() == 0 {
		return nil, &failure{code: codeEmpty, exit: exitInput, what: name + " holds no request", fix: "reprise inspect LOG says what the log holds"}
	}
	drawing, d, err := draw(ctx, file, o)
	if err != nil {
		return nil, err
	}
	binder, digest, err := o.binder(ctx)
	if err != nil {
		return nil, err
	}
	if err := survey(drawing, binder, d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.terms.DataSet = digest
	d.terms.Describe(d.Shape)
	return d, writePlan(dst, file, drawing, binder, d)
}

// sampleFile is a sample that can be read again and again.
type sampleFile struct {
	*held
	digest string
	header recordfile.Header
	table  *sample.Table
	err    error // of the last reading
}

func readSample(h *held) (*sampleFile, error) {
	f := &sampleFile{held: h}
	return f, f.read()
}

// read takes the digest, the header and the table.
func (f *sampleFile) read() error {
	sum := sha256.New()
	if _, err := io.Copy(sum, f.fromStart()); err != nil {
		return err
	}
	r, err := sample.NewReader(f.fromStart())
	if err != nil {
		return err
	}
	defer r.Close()
	f.digest, f.header, f.table = hex.EncodeToString(sum.Sum(nil)), r.Header(), r.Table()
	return nil
}

// records reads the records from the start; plain gives each the weight 1, as its own stamp needs it.
func (f *sampleFile) records(ctx context.Context, plain bool) iter.Seq2[*sample.Record, error] {
	return func(yield func(*sample.Record, error) bool) {
		r, err := sample.NewReader(f.fromStart())
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		for rec, err := range r.Records(ctx) {
			if plain && err == nil {
				rec.Weight = 1
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// stamps are the records' own times; a reading error ends them and stands in f.err.
func (f *sampleFile) stamps(ctx context.Context) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		f.err = nil
		for rec, err := range f.records(ctx, true) {
			if err != nil {
				f.err = err
				return
			}
			if !yield(rec.Start) {
				return
			}
		}
	}
}

// draw prepares the schedule and the drawing of its content.
func draw(ctx context.Context, f *sampleFile, o scheduleOptions) (*plan.Drawing, *diagnosis, error) {
	profile := f.table.Profile
	from, to, note, err := o.window.resolve(profile)
	if err != nil {
		return nil, nil, err
	}
	o.arrival.From, o.arrival.To = from, to
	var schedule *arrival.Schedule
	if o.kind == arrival.Logged {
		schedule, err = arrival.NewLogged(f.stamps(ctx), o.arrival)
		if f.err != nil {
			return nil, nil, f.err
		}
	} else {
		schedule, err = arrival.New(o.kind, profile, o.arrival)
	}
	if err != nil {
		return nil, nil, usage("SCHEDULE", err.Error(), "reprise help schedule")
	}
	t := plan.Terms{Terms: schedule.Terms(), Source: "trace"}
	d := &diagnosis{Model: o.kind, Seed: o.seed, terms: t, note: note}
	if fit, err := arrival.FitWindow(profile, t.From, t.To); err == nil {
		d.Log = &fit
	}
	logged := o.kind == arrival.Logged
	first, last := profile.Span()
	return &plan.Drawing{Schedule: schedule, Seed: o.seed, Tmp: o.tmp, From: t.From, To: t.To, LogFrom: first, LogTo: last, AllowWrites: o.allowWrites,
		Records: func() iter.Seq2[*sample.Record, error] { return f.records(ctx, logged) }}, d, nil
}

// survey looks at all arrivals once, before the first is written: their number stands in the header, and
// ids are bound by how hot they are in the whole plan.
func survey(drawing *plan.Drawing, binder *bind.Binder, d *diagnosis) error {
	meter := arrival.NewMeter()
	for a, err := range drawing.Arrivals() {
		if err != nil {
			return err
		}
		meter.Add(a.At)
		if a.Withheld == plan.Sent && !plan.Safe(a.Method) {
			d.terms.Writes = true
		}
		if binder != nil {
			binder.Learn(a)
		}
	}
	if binder != nil {
		binder.Settle()
	}
	d.Shape = meter.Shape(drawing.Schedule.Duration())
	return nil
}

func writePlan(dst *output, f *sampleFile, drawing *plan.Drawing, binder *bind.Binder, d *diagnosis) error {
	options, err := d.terms.Options()
	if err != nil {
		return err
	}
	h := recordfile.Header{Tool: tool(), Seed: d.Seed, KeyID: f.header.KeyID, Options: options,
		Inputs:  []recordfile.Input{{Name: f.base, SHA256: f.digest}},
		Lineage: append(f.header.Lineage, recordfile.Stage{Stage: "schedule", In: f.table.Totals().Sample, Out: d.Arrivals})}
	w, err := plan.NewWriter(dst, h)
	if err != nil {
		return err
	}
	for a, err := range drawing.Arrivals() {
		if err != nil {
			return err
		}
		if binder != nil {
			binder.Apply(a)
		}
		if err := w.Write(a); err != nil {
			return err
		}
	}
	stats := drawing.Stats()
	d.Draw = &stats
	if binder != nil {
		report := binder.Report()
		d.Bind = &report
	}
	details, err := json.Marshal(d)
	if err != nil {
		return err
	}
	if d.PlanSHA256, err = w.Close(recordfile.Trailer{Details: details}); err != nil {
		return err
	}
	return dst.commit()
}
