package audit

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
	"reprise/ingest"
)

// chance is the probability below which findings of one class are no chance.
const chance = 1e-6

// unlikely is the probability below which findings that may be chance are shown, to be looked at.
const unlikely = 1e-3

// hashNoise is the number of hashes, as bits, that a token can have.
const hashNoise = 1 << (64 - classBits)

// secretLength is the length in bytes from which a token under a secret key is looked for by itself, and secretPower that
// power of ten of a whole value of several runs.
const (
	secretLength = 12
	secretPower  = 14
)

// isLong tells whether a token is too long to be met by chance.
func isLong(c class) bool {
	switch k := c.kind(); k {
	case ofDigits, ofLetters, ofHex, ofMixed:
		return c.size() >= secretLength
	case ofParts:
		return c.size() >= secretPower
	default:
		return k == ofUUID || k == ofMail
	}
}

// survivors looks for raw values in the trace.
type survivors struct {
	tokens           tokenizer
	raw, clean, hits *hashSet
	seen             *recent  // raw values
	looked           *recent  // values of the trace
	secrets          *hashSet // raw tokens under secret keys; their hits are findings of the check of secrets
	found            []finding
	secretHits       []finding
}

// finding is a raw token in the trace.
type finding struct {
	record int64
	field  field
	token  token
}

// maxFindings is the number of findings that are kept to be shown.
const maxFindings = 4096

func newSurvivors(w *walker) *survivors {
	return &survivors{tokens: tokenizer{seed: maphash.MakeSeed(), keeps: w.keepsKey, stays: w.stays}, raw: newHashSet(setLimit), clean: newHashSet(setLimit),
		hits: newHashSet(setLimit), secrets: newHashSet(1 << 18),
		seen: newRecent(), looked: newRecent()}
}

// collect keeps the hashes of a raw value.
func (s *survivors) collect(f field, value []byte) {
	if s.seen.saw(byte(f), value) {
		return
	}
	s.tokens.yield = func(t token) {
		s.raw.add(uint64(t))
		if f == inSecret && isLong(t.class()) {
			s.secrets.add(uint64(t))
		}
	}
	s.tokens.value(value)
}

// record keeps the hashes of all of a raw record where nothing may stay, and counts the layouts of what becomes part of the
// trace.
func (s *survivors) record(w *walker, r *ingest.Record, h *histogram) {
	w.visit = func(f field, value []byte) {
		h.add(f, value)
		s.collect(f, value)
	}
	if len(r.Target) > 0 {
		pattern := w.set.Match(endpoint.Path(r.Target)).Pattern
		w.target(string(r.Method), pattern, r.Target)
	}
	if !methods[string(r.Method)] {
		s.collect(inMethod, r.Method)
	}
	for _, v := range []struct {
		f     field
		value []byte
	}{{inClient, r.Client}, {inUser, r.User}, {inHost, r.Host}, {inClient, r.Forwarded}, {inReferer, r.Referer}, {inAgent, r.Agent}, {inHeader, r.RequestID}} {
		if len(v.value) > 0 {
			h.add(v.f, v.value)
			s.collect(v.f, v.value)
		}
	}
	s.headers(w, r, h)
}

// headers keeps the hashes of raw headers. Only what becomes part of the trace is counted by its layout.
func (s *survivors) headers(w *walker, r *ingest.Record, h *histogram) {
	if w.rules.Referer == rules.SameRules && len(r.Referer) > 0 {
		w.visit = h.add
		w.referer(r.Referer)
	}
	for _, header := range r.Headers {
		if header.Cookie != "" {
			s.collect(inCookie, header.Value)
			continue
		}
		travels := w.travels(header.Name)
		w.visit = func(f field, value []byte) {
			if travels {
				h.add(f, value)
			}
			s.collect(f, value)
		}
		w.header(header.Name, header.Value)
	}
}

// look looks for the tokens of a value of the trace.
func (s *survivors) look(record int64, f field, value []byte) {
	if s.looked.saw(byte(f), value) {
		return
	}
	s.tokens.yield = func(t token) {
		h := uint64(t)
		if s.secrets.has(h) && len(s.secretHits) < maxFindings {
			s.secretHits = append(s.secretHits, finding{record, f, t})
		}
		if s.clean.add(h) && s.raw.has(h) {
			s.hits.add(h)
			if len(s.found) < maxFindings {
				s.found = append(s.found, finding{record, f, t})
			}
		}
	}
	s.tokens.value(value)
}

// tally are the numbers of one class.
type tally struct {
	class            class
	raw, clean, hits int64
	expected, tail   float64
}

func (t *tally) red() bool { return t.hits > 0 && t.tail < chance }

// judge compares the findings of each class with chance.
func (s *survivors) judge() []tally {
	level := max(s.raw.level, s.clean.level)
	for _, set := range []*hashSet{s.raw, s.clean, s.hits} {
		set.thin(level)
	}
	counts := make(map[class]*tally)
	count := func(set *hashSet, into func(*tally) *int64) {
		set.each(func(h uint64) {
			c := token(h).class()
			if counts[c] == nil {
				counts[c] = &tally{class: c}
			}
			*into(counts[c])++
		})
	}
	count(s.raw, func(t *tally) *int64 { return &t.raw })
	count(s.clean, func(t *tally) *int64 { return &t.clean })
	count(s.hits, func(t *tally) *int64 { return &t.hits })
	var all []tally
	for _, t := range counts {
		pairs := float64(t.raw) * float64(t.clean) / s.clean.rate()
		t.expected = pairs/max(t.class.domain(), 1) + pairs/hashNoise
		t.tail = tail(t.hits, t.expected)
		if k := t.class.kind(); k == ofV4 || k == ofV6 {
			t.tail = addressTail(t)
		}
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b tally) int { return int(a.class) - int(b.class) })
	return all
}

// addressTail is the tail for addresses. Prefix preservation makes them come together: what one chance puts into the place
// of another network brings its neighbours along. So several findings count as one, unless they are most of all addresses.
func addressTail(t *tally) float64 {
	const together = 256 // addresses of a network of 24 bits
	switch {
	case t.hits == 0:
		return 1
	case t.hits >= 3 && 2*t.hits >= t.raw && t.expected < 1 && t.class.domain() >= together/chance:
		return 0
	}
	return min(tail((t.hits+together-1)/together, t.expected), tail(t.hits, t.expected*together))
}

// check is the check of survivors.
func (s *survivors) check() Check {
	c := Check{Name: "survivors", Status: OK}
	var raw, clean, hits, expected, short0 int64
	var worst float64
	var doubt []string
	for _, t := range s.judge() {
		raw, clean, hits = raw+t.raw, clean+t.clean, hits+t.hits
		switch {
		case t.class.domain() < short:
			short0 += t.hits
			continue
		case t.red():
			c.red("do not hand the trace on; find what lets the value stay: a rule, a template or a key of the query",
				"values of the log stand in the trace: %d of %s, %.2g are chance", t.hits, t.class, t.expected)
			s.show(&c, t.class)
		case t.hits > 0:
			c.detail("%d of %d %s are also in the log, %.2g are chance", t.hits, t.clean, t.class, t.expected)
			if t.tail < unlikely {
				s.show(&c, t.class)
				doubt = append(doubt, fmt.Sprintf("%d of %s", t.hits, t.class))
			}
		}
		worst += t.expected
	}
	expected = int64(worst + 0.5)
	c.number("raw", raw)
	c.number("trace", clean)
	c.number("hits", hits)
	c.number("expected", expected)
	c.number("short", short0)
	if c.Status == OK {
		c.Summary = fmt.Sprintf("no value of the log is in the trace beyond chance: %d values of the log, %d of the trace, %d equal, %d of them too short to judge",
			raw, clean, hits, short0)
	}
	if c.Status == OK && len(doubt) > 0 {
		c.Status = Note
		c.Summary = "few values of the log are in the trace, which chance seldom does: " + strings.Join(doubt, ", ") + "; look at the records named, or see what --key-file says"
	}
	if rate := s.clean.rate(); rate < 1 {
		c.detail("a sample of 1 in %.0f values was compared", 1/rate)
	}
	return c
}

// show adds where findings of a class stand.
func (s *survivors) show(c *Check, of class) {
	n := 0
	for _, f := range s.found {
		if f.token.class() == of && n < 3 {
			c.detail("record %d, %s: %s", f.record, f.field, of)
			n++
		}
	}
}

// secretCheck is the check of secrets that would still work.
func (s *survivors) secretCheck() Check {
	c := Check{Name: "secrets", Status: OK, Summary: fmt.Sprintf("none of %d secrets of the log is in the trace", s.secrets.n)}
	for i, f := range s.secretHits {
		if i == 0 {
			c.red("revoke the tokens, and do not hand the trace on", "secrets of the log stand in the trace")
		}
		c.detail("record %d, %s: %s", f.record, f.field, f.token.class())
	}
	c.number("secrets", int64(s.secrets.n))
	return c
}
