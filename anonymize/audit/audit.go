package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"

	"reprise/anonymize"
	"reprise/anonymize/endpoint"
	"reprise/anonymize/recordfile"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// Options say what an audit looks at. Trace and Rules are needed; what else is missing leaves out the checks that need it.
type Options struct {
	// Trace opens the trace file, from its start each time.
	Trace func() (io.Reader, error)
	// Logs opens the raw logs, from their start each time; nil = there are none. The reader must hash its files.
	Logs func(context.Context) (*ingest.Reader, error)
	// Rules are those that the trace was made with.
	Rules *rules.Rules
	// Endpoints are the templates that the trace was made with; needed with Logs.
	Endpoints *endpoint.Set
	// Key makes the trace again, to be compared; nil = it is not made.
	Key *anonymize.Key
	// Canaries are planted values; nil for none.
	Canaries *Canaries
	// K is the least number of users of a group, from 2 to MaxK; 0 = DefaultK, and small groups are a note only.
	K int
	// Progress is told the records of the log or of the trace that a pass has gone over; nil = nobody is.
	Progress func(pass string, records int64)
}

// DefaultK is the least number of users of a group that is not small.
const DefaultK = 5

func (o *Options) validate() error {
	switch {
	case o.Trace == nil || o.Rules == nil:
		return errors.New("an audit needs a trace and rules")
	case o.Logs != nil && o.Endpoints == nil:
		return errors.New("an audit against logs needs the endpoints")
	case o.K < 0 || o.K == 1 || o.K > MaxK:
		return fmt.Errorf("k: %d is not from 2 to %d", o.K, MaxK)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64) {}
	}
	return nil
}

// auditor holds the checks while they go over the records.
type auditor struct {
	o         Options
	walker    *walker
	survivors *survivors // nil without logs
	canaries  canaryCheck
	residual  residual
	groups    *grouping
	allowed   allowed
	sums      sums
	before    histogram // of the logs
	after     histogram // of the trace
	header    recordfile.Header
	trailer   recordfile.Trailer
	logs      ingest.Report
	known     map[string]bool // patterns of the templates
	foreign   int64           // records with another pattern
	records   int64
	line      []byte
}

// Run audits a trace. The error says that something could not be read; what was found wrong is in the report.
func Run(ctx context.Context, o Options) (*Report, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	set := o.Endpoints
	if set == nil {
		set = endpoint.NewLearner().Set()
	}
	a := &auditor{o: o, walker: newWalker(set, o.Rules), canaries: canaryCheck{canaries: o.Canaries}, residual: newResidual(o.Rules),
		groups:  newGrouping(cmp.Or(o.K, DefaultK)),
		allowed: allowed{rules: o.Rules, uses: make(map[useKey]*use)}, sums: sums{seed: maphash.MakeSeed()}}
	a.known = map[string]bool{"{unmatched}": true}
	for _, t := range set.Templates() {
		a.known[t.Pattern] = true
	}
	if o.Logs != nil {
		a.survivors = newSurvivors(a.walker)
		if err := a.readLogs(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.readTrace(ctx); err != nil {
		return nil, err
	}
	r := &Report{Records: a.records, Checks: a.checks()}
	a.survivors = nil // its room is that of the next pass
	repeated, err := a.repeated(ctx)
	if err != nil {
		return nil, err
	}
	r.Checks = append(r.Checks, repeated...)
	r.Green = len(r.Failed()) == 0
	return r, nil
}

// step is the number of records after which progress is told and the context is looked at.
const step = 1 << 12

func (a *auditor) readLogs(ctx context.Context) error {
	r, err := a.o.Logs(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	n := int64(0)
	for rec, err := range r.Records(ctx) {
		if err != nil {
			return err
		}
		if n++; n%step == 0 {
			a.o.Progress("log", n)
		}
		a.survivors.record(a.walker, rec, &a.before)
	}
	a.logs = r.Report()
	return nil
}

func (a *auditor) readTrace(ctx context.Context) error {
	in, err := a.o.Trace()
	if err != nil {
		return err
	}
	r, err := trace.NewReader(in)
	if err != nil {
		return err
	}
	defer r.Close()
	a.header = r.Header()
	for rec, err := range r.Records(ctx) {
		if err != nil {
			return err
		}
		if a.records++; a.records%step == 0 {
			a.o.Progress("trace", a.records)
		}
		a.record(rec)
	}
	a.trailer = r.Trailer()
	return nil
}

// record looks at one record of the trace.
func (a *auditor) record(r *trace.Record) {
	a.walker.kept = a.allowed.kept
	a.walker.visit = func(f field, raw []byte) {
		a.after.add(f, raw)
		if f != inSecret { // noise has the layout of what it stands for
			a.residual.mail(a.records, f, raw)
		}
		if a.survivors != nil {
			a.survivors.look(a.records, f, raw)
		}
	}
	a.walker.record(r)
	a.residual.record(a.records, r)
	a.groups.record(r)
	if !a.known[r.Endpoint] {
		a.foreign++
	}
	a.sums.add(r)
	if a.canaries.canaries != nil {
		a.line = append(a.line[:0], r.Client...)
		for _, s := range [][]byte{[]byte(r.Method), r.Target, []byte(r.Endpoint), []byte(r.Host), []byte(r.Agent), []byte(r.User.String()), r.Header} {
			a.line = append(append(a.line, '\n'), s...)
		}
		a.canaries.look(a.records, a.line)
	}
}

// record goes over a record of a trace.
func (w *walker) record(r *trace.Record) {
	if len(r.Client) > 0 {
		w.visit(inClient, r.Client)
	}
	if user := r.User.String(); user != "" {
		w.visit(inUser, []byte(user))
	}
	w.host([]byte(r.Host))
	if !methods[r.Method] {
		w.visit(inMethod, []byte(r.Method))
	}
	w.agent(r.Agent)
	w.target(r.Method, r.Endpoint, r.Target)
	w.lines(r.Header)
}

// methods are those of the IANA registry of HTTP methods, and PURGE.
var methods = words(`GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH
	MKACTIVITY CHECKOUT MERGE BIND REBIND UNBIND ACL LINK UNLINK LABEL PRI PURGE QUERY UPDATE BASELINE-CONTROL
	VERSION-CONTROL UNCHECKOUT CHECKIN MKWORKSPACE MKCALENDAR ORDERPATCH MKREDIRECTREF UPDATEREDIRECTREF`)

const (
	needsLogs = "needs --against LOG"
	needsKey  = "needs --against LOG and --key-file K"
)

// checks are the checks of one pass, in the order of the report.
func (a *auditor) checks() []Check {
	skipped := func(name string) Check { return Check{Name: name, Status: Skipped, Summary: needsLogs} }
	survivors, secrets, inputs, drift := skipped("survivors"), skipped("secrets"), skipped("inputs"), skipped("drift")
	if a.survivors != nil {
		survivors, secrets = a.survivors.check(), a.survivors.secretCheck()
		inputs, drift = inputsCheck(a.header, a.logs), driftCheck(&a.before, &a.after)
	}
	return []Check{inputs, a.contract(), survivors, a.residual.check(a.o.Logs != nil), a.canaries.check(), secrets,
		a.groups.check(a.records, a.o.K > 0), a.allowed.check(a.trailer), drift}
}

// repeated are the checks that need the trace to be made again.
func (a *auditor) repeated(ctx context.Context) ([]Check, error) {
	if a.o.Key == nil || a.o.Logs == nil {
		return []Check{{Name: "reproduction", Status: Skipped, Summary: needsKey}, {Name: "collisions", Status: Skipped, Summary: needsKey}}, nil
	}
	reproduction, collisions, err := a.repeat(ctx)
	return []Check{reproduction, collisions}, err
}
