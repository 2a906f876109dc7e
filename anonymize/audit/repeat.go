package audit

import (
	"context"
	"fmt"
	"hash/maphash"
	"strings"

	"reprise/anonymize"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
)

// columns are the parts of a record that are summed apart.
var columns = [...]string{"record", "start", "user", "client", "method", "target", "endpoint", "host", "agent", "header"}

// sums are hashes of all records, added up: equal for equal sets of records in any order.
type sums struct {
	seed    maphash.Seed
	columns [len(columns)]uint64
	records int64
	line    []byte
}

func (s *sums) add(r *trace.Record) {
	s.records++
	s.line = r.AppendJSON(s.line[:0])
	s.columns[0] += maphash.Bytes(s.seed, s.line)
	s.columns[1] += maphash.Comparable(s.seed, r.Start)
	s.columns[2] += maphash.Comparable(s.seed, r.User)
	for i, v := range [...][]byte{r.Client, []byte(r.Method), r.Target, []byte(r.Endpoint), []byte(r.Host), []byte(r.Agent), r.Header} {
		s.columns[3+i] += maphash.Bytes(s.seed, v)
	}
}

// differ names the columns that differ.
func (s *sums) differ(o *sums) (names []string) {
	for i, name := range columns {
		if s.columns[i] != o.columns[i] {
			names = append(names, name)
		}
	}
	return names
}

// repeat makes the trace again, and counts what the pseudonyms merge.
func (a *auditor) repeat(ctx context.Context) (reproduction, collisions Check, err error) {
	m := newMerges()
	if a.o.Rules.IP.Mode == rules.Docs {
		m.lossy[ofV4], m.lossy[ofV6] = true, true
	}
	an, err := anonymize.New(a.o.Key, a.o.Endpoints, anonymize.Options{Rules: a.o.Rules, Observe: m.observe})
	if err != nil {
		return reproduction, collisions, err
	}
	r, err := a.o.Logs(ctx)
	if err != nil {
		return reproduction, collisions, err
	}
	defer r.Close()
	again := sums{seed: a.sums.seed}
	var out trace.Record
	n := int64(0)
	for rec, err := range r.Records(ctx) {
		if err != nil {
			return reproduction, collisions, err
		}
		if n++; n%step == 0 {
			a.o.Progress("again", n)
		}
		if an.Record(rec, &out) != nil {
			continue
		}
		again.add(&out)
		if addr, ok := addressIn(rec.Client); ok && !addr.IsLoopback() && !a.walker.stays(addr) {
			m.observe("client", addr.AppendTo(nil), out.Client)
		}
	}
	return a.reproduced(&again), m.check(), nil
}

// reproduced compares the trace with the one that was made again.
func (a *auditor) reproduced(again *sums) Check {
	c := Check{Name: "reproduction", Status: OK, Summary: fmt.Sprintf("key, logs, rules and templates give this trace: %d records", a.sums.records)}
	c.number("records", a.sums.records)
	c.number("again", again.records)
	if id := a.o.Key.ID(); id != a.header.KeyID {
		c.red("give the key of the trace with --key-file", "the trace has the key %s, not %s", a.header.KeyID, id)
		return c
	}
	if again.records != a.sums.records {
		c.red("give the logs, the flags and the rules that the trace was made with", "the logs give %d records, the trace holds %d", again.records, a.sums.records)
		return c
	}
	if names := a.sums.differ(again); names != nil {
		c.red("give the rules and the endpoints of the trace; where contract is ok, it was changed or made by another version: make it again from the logs", "the records are not those that the logs give: they differ in %s", strings.Join(names, ", "))
	}
	return c
}
