package ingest

import "bytes"

// extent is the place of a column in its line.
type extent struct{ from, to int }

func (e extent) of(line []byte) []byte { return line[e.from:e.to] }

// w3cPlaces are the places of the columns that count; of those that a file lacks, empty ones.
type w3cPlaces [w3cColumns]extent

// w3cFreeText are the columns in which raw separators stand at times, likeliest first. They do not in a target:
// a line with more columns than names that has no such text is one of another layout.
var w3cFreeText = [...]w3cColumn{w3cCookie, w3cAgent, w3cReferer, w3cUser}

// Parse implements Format. A "#" line is taken as the directive that it is, and skipped.
func (f *w3c) Parse(line []byte, r *Record) Verdict {
	r.reset()
	if len(line) > 0 && line[0] == '#' {
		f.directive(line)
		return Verdict{Reason: Skip}
	}
	sep := w3cSeparator(line)
	fields := bytes.Count(line, []byte{sep}) + 1
	layout := f.layout
	if layout == nil && f.assume {
		for _, l := range iisDefaults {
			if len(l.columns) == fields {
				layout = l
			}
		}
	}
	if layout == nil || f.edge && !layout.edge || !layout.has[w3cMethod] || !layout.has[w3cStem] && !layout.has[w3cURI] {
		return reject(BadColumns, 0)
	}
	var at w3cPlaces
	var t w3cInstant
	if v := f.align(layout, line, sep, fields, &at, &t, r); v.Reason != Accepted {
		return v
	}
	f.clock.accept(&t)
	return f.fill(layout, line, sep, &at, r)
}

// w3cSeparator returns what stands after the first column.
func w3cSeparator(line []byte) byte {
	first := 0
	for _, sep := range []byte(" \t") {
		if end := w3cQuoteEnd(line, 0, sep); end >= 0 && (first == 0 || end < first) {
			first = end
		}
	}
	for _, c := range line[first:] {
		if c == '\t' || c == ' ' {
			return c
		}
	}
	return ' '
}

// align finds the columns and reads times and numbers, which prove that it found them.
func (f *w3c) align(l *w3cLayout, line []byte, sep byte, fields int, at *w3cPlaces, t *w3cInstant, r *Record) Verdict {
	want := len(l.columns)
	if l.quotes && bytes.IndexByte(line, '"') >= 0 && l.splitQuoted(line, sep, at) {
		if v := f.measure(l, line, at, t, r); v.Reason == Accepted {
			at.undouble(line)
			return v
		}
	}
	if fields == want+1 && line[len(line)-1] == sep {
		line, fields = line[:len(line)-1], want
	}
	if fields < want {
		return reject(BadColumns, len(line))
	}
	if fields == want {
		l.split(line, sep, w3cSkip, 0, at)
		return f.measure(l, line, at, t, r)
	}
	for _, c := range w3cFreeText {
		if !l.has[c] {
			continue
		}
		l.split(line, sep, c, fields-want, at)
		if isToken(at[w3cMethod].of(line)) && f.measure(l, line, at, t, r).Reason == Accepted {
			return Verdict{}
		}
	}
	return reject(BadColumns, nthColumn(line, sep, want))
}

// nthColumn returns where the column of index n begins.
func nthColumn(line []byte, sep byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		at += bytes.IndexByte(line[at:], sep) + 1
	}
	return at
}

// split cuts a line at its separators. The column free takes extra ones along.
func (l *w3cLayout) split(line []byte, sep byte, free w3cColumn, extra int, at *w3cPlaces) {
	from := 0
	for _, c := range l.columns {
		more := 0
		if c == free && c != w3cSkip {
			more = extra
		}
		end := columnEnd(line, from, sep)
		for ; more > 0; more-- {
			end = columnEnd(line, end+1, sep)
		}
		at[c] = extent{from, end}
		from = min(end+1, len(line))
	}
	at[w3cSkip] = extent{}
}

// splitQuoted cuts a line at the separators outside quotes, and tells whether the columns are as many as
// their names. After a quote that nothing closes, quotes are text.
func (l *w3cLayout) splitQuoted(line []byte, sep byte, at *w3cPlaces) bool {
	from, text := 0, false
	for _, c := range l.columns {
		if from > len(line) {
			return false
		}
		if from < len(line) && line[from] == '"' && !text {
			if end := w3cQuoteEnd(line, from, sep); end >= 0 {
				at[c], from = extent{from + 1, end}, end+2
				continue
			}
			text = true
		}
		end := columnEnd(line, from, sep)
		at[c] = extent{from, end}
		from = end + 1
	}
	at[w3cSkip] = extent{}
	return from == len(line)+1
}

// undouble makes one quote of each two in the columns that stand in quotes.
func (at *w3cPlaces) undouble(line []byte) {
	for c := range at {
		if e := &at[c]; e.from > 0 && line[e.from-1] == '"' {
			e.to = e.from + len(undouble(e.of(line)))
		}
	}
}

// w3cQuoteEnd returns the index of the quote that ends the column which begins with one at line[from], or
// -1. A quote in the text is doubled.
func w3cQuoteEnd(line []byte, from int, sep byte) int {
	if from >= len(line) || line[from] != '"' {
		return -1
	}
	for i := from + 1; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		if i+1 == len(line) || line[i+1] == sep {
			return i
		}
		if line[i+1] == '"' {
			i++
		}
	}
	return -1
}

// measure reads the columns that are times and numbers.
func (f *w3c) measure(l *w3cLayout, line []byte, at *w3cPlaces, t *w3cInstant, r *Record) Verdict {
	r.Status, r.Bytes, r.Flags = 0, Unknown, 0
	var ok bool
	if *t, ok = f.instant(l, line, at); !ok {
		return reject(BadTime, max(at[w3cDate].from, at[w3cTime].from))
	}
	if s := at[w3cStatus].of(line); len(s) > 0 {
		if r.Status, ok = parseStatus(s); !ok {
			return reject(BadStatus, at[w3cStatus].from)
		}
	}
	if s := at[w3cBytes].of(line); !isAbsent(s) {
		if r.Bytes, ok = parseCount(s); !ok {
			return reject(BadSize, at[w3cBytes].from)
		}
		r.Flags |= FlagWithHeaders
	}
	taken, unit := at[w3cTaken].of(line), l.unit
	if unit != 1e9 && bytes.IndexByte(taken, '.') >= 0 {
		unit = 1e9
	}
	if r.Duration, ok = parseDuration(taken, unit); !ok {
		return reject(BadDuration, at[w3cTaken].from)
	}
	r.Precision = t.precision
	r.setTime(t.ns, f.stamp)
	return Verdict{}
}

// instant reads the time of a line.
func (f *w3c) instant(l *w3cLayout, line []byte, at *w3cPlaces) (w3cInstant, bool) {
	if l.has[w3cMillis] || l.has[w3cSeconds] && !l.has[w3cTime] {
		place, unit := at[w3cMillis], int64(1e6)
		if !l.has[w3cMillis] {
			place, unit = at[w3cSeconds], 1e9
		}
		var c calendar
		size := parseEpoch(place.of(line), unit, &c)
		return w3cInstant{ns: c.epoch*1e9 + c.nanos, precision: precisionOf(c.digits), day: f.clock.day, second: f.clock.second}, size > 0 && size == place.to-place.from
	}
	if !l.has[w3cDate] {
		return f.clock.next(at[w3cTime].of(line))
	}
	return f.clock.on(at[w3cDate].of(line), at[w3cTime].of(line))
}

// fill reads the columns that are text.
func (f *w3c) fill(l *w3cLayout, line []byte, sep byte, at *w3cPlaces, r *Record) Verdict {
	target := f.join(l, line, at)
	if l.edge {
		target = unquoteTarget(target, r)
	}
	plus := sep == ' ' && !l.edge
	r.Method, r.Target = w3cText(line, at[w3cMethod]), target
	r.Protocol, r.Host = w3cText(line, at[w3cProtocol]), stripPort(w3cText(line, at[w3cHost]))
	r.Client, r.RequestID = stripPort(w3cText(line, at[w3cClient])), w3cText(line, at[w3cRequestID])
	r.User = l.decode(line, at[w3cUser], plus)
	r.Referer = l.decode(line, at[w3cReferer], false)
	r.Agent = l.decode(line, at[w3cAgent], plus)
	if l.edge && bytes.IndexByte(r.Agent, ' ') < 0 && bytes.Contains(r.Agent, []byte("%20")) {
		r.Agent = unquote(r.Agent)
	}
	r.Forwarded = l.decode(line, at[w3cForwarded], plus)
	l.fillHeaders(line, at, plus, r)
	if r.Client == nil && r.Forwarded != nil {
		first, _, _ := bytes.Cut(r.Forwarded, []byte{','})
		r.Client = stripPort(bytes.Trim(first, " "))
	}
	if r.Method == nil {
		return Verdict{Reason: NoRequest}
	}
	outcome := splitRequest(r)
	if outcome > NoRequest {
		return reject(outcome, at[w3cMethod].from)
	}
	if outcome == Accepted && r.Host == nil && r.Target[0] != '/' {
		r.Host = authority(r.Target)
	}
	return Verdict{Reason: outcome}
}

// w3cText returns a column's text, nil when it is absent.
func w3cText(line []byte, e extent) []byte {
	s := e.of(line)
	if isAbsent(s) {
		return nil
	}
	return s
}

// decode returns a column's text without what its server did to it.
func (l *w3cLayout) decode(line []byte, e extent, plus bool) []byte {
	s := w3cText(line, e)
	switch {
	case s == nil:
	case l.edge:
		s = unquote(s)
	case plus && l.encodes(line, e):
		spaces(s)
	}
	return s
}

// fillHeaders reads the columns that are request headers without a field of their own.
func (l *w3cLayout) fillHeaders(line []byte, at *w3cPlaces, plus bool, r *Record) {
	if l.has[w3cCookie] {
		e := at[w3cCookie]
		s := l.decode(line, e, false)
		if plus && l.encodes(line, e) {
			cookieSpaces(s)
		}
		r.addHeader(headerName{header: cookieHeader}, s)
	}
	for i, name := range l.headers {
		r.addHeader(name, l.decode(line, at[w3cHeaders+w3cColumn(i)], plus))
	}
}

// encodes tells whether a plus sign in a column can stand for a space: not where it stands in quotes.
func (l *w3cLayout) encodes(line []byte, e extent) bool {
	return e.from == 0 || line[e.from-1] != '"' || !l.quotes
}

// join returns the target. Where a query is logged apart from its stem, the bytes of the line are moved so
// that both stand together, and the places of the columns between them with them.
func (f *w3c) join(l *w3cLayout, line []byte, at *w3cPlaces) []byte {
	if !l.has[w3cStem] {
		return w3cText(line, at[w3cURI])
	}
	stem, query := at[w3cStem], at[w3cQuery]
	if isAbsent(query.of(line)) {
		return w3cText(line, stem)
	}
	if s := stem.of(line); isAbsent(s) || l.edge && bytes.IndexByte(s, '?') >= 0 {
		return w3cText(line, stem) // in 2012 CloudFront logged the query at the stem, too
	}
	if query.from == stem.to+1 {
		line[stem.to] = '?'
		return line[stem.from:query.to]
	}
	low, high := stem, query
	if query.from < stem.from {
		low, high = query, stem
	}
	f.scratch = append(append(append(f.scratch[:0], stem.of(line)...), '?'), query.of(line)...)
	shift := high.to - high.from + 1
	copy(line[low.to+shift:high.to], line[low.to:high.from-1]) // with the separator before it
	copy(line[low.from:], f.scratch)
	for c := range at {
		if at[c].from > low.to && at[c].to < high.from {
			at[c].from += shift
			at[c].to += shift
		}
	}
	return line[low.from : low.from+len(f.scratch)]
}
