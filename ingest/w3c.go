package ingest

import (
	"bytes"
	"slices"
	"strings"
)

// w3c is the W3C extended log file format (https://www.w3.org/TR/WD-logfile.html), whose "#Fields:" line
// names the columns and may come again, changed, in mid-file. Servers differ in what the draft leaves open:
//
//   - Columns stand apart by spaces (IIS) or tabs (CloudFront): what follows the first column of a line
//     decides. A "#Fields:" line uses either.
//   - date and time are UTC and the end of the request. A file without a date column has its day in
//     "#Date:", and midnight is where the clock jumps back.
//   - time-taken is milliseconds (IIS, Blue Coat), but seconds where CloudFront's x-edge columns stand
//     beside it or where it has a decimal point, as in the draft. A server that logs whole seconds there
//     cannot be told from IIS.
//   - IIS writes "+" for a space. In the agent, the user and the address list it becomes a space again; in
//     the target and the referer, where a space cannot stand and a plus can, it stays, and so in cookies but
//     behind a semicolon.
//   - CloudFront percent-encodes what it logs, percent signs too: a client's "%20" is "%2520". One layer
//     is undone. In the target only escapes of bytes that a client can have sent raw are: an escape of a
//     space, a control, "#" or a byte above 7F is the client's own (for some weeks of 2013 CloudFront
//     logged those as they came). Agents were at times encoded twice, and are decoded twice.
//   - Other servers put text in quotes and double the quotes in it.
//   - Raw spaces in a cookie or an agent make more columns than names; the columns before it are then
//     counted from the left and those after it from the right.
//
// IIS logs the path after it decoded it, so escapes of the client are lost there: bytes are kept as logged.
type w3c struct {
	name    string
	stamp   Stamp
	edge    bool // only the columns of CloudFront
	assume  bool // IIS's default columns until a "#Fields:" line comes
	header  []byte
	layout  *w3cLayout // nil before a "#Fields:" line
	clock   w3cClock
	scratch []byte // the target while its parts are moved together
}

// w3cFormats are the formats whose columns a "#Fields:" line names.
var w3cFormats = []known{
	{"cloudfront", "CloudFront standard log", StampEnd, func(o FormatOptions) Format { return openW3C("cloudfront", o) }},
	{"w3c", "W3C extended, as IIS writes it", StampEnd, func(o FormatOptions) Format { return openW3C("w3c", o) }},
	{"iis", "IIS W3C without its #Fields line", StampEnd, func(o FormatOptions) Format { return openW3C("iis", o) }},
}

func openW3C(name string, o FormatOptions) Format {
	return &w3c{name: name, stamp: o.Stamp.or(StampEnd), edge: name == "cloudfront", assume: name == "iis"}
}

// w3cColumn is what a column holds.
type w3cColumn uint8

const (
	w3cSkip w3cColumn = iota
	w3cDate
	w3cTime
	w3cSeconds // since the Unix epoch
	w3cMillis
	w3cClient
	w3cForwarded
	w3cUser
	w3cMethod
	w3cURI // stem and query in one
	w3cStem
	w3cQuery
	w3cHost
	w3cProtocol
	w3cStatus
	w3cBytes
	w3cTaken
	w3cReferer
	w3cAgent
	w3cCookie
	w3cRequestID
	w3cHeaders // the first of so many other headers

	w3cColumns = w3cHeaders + maxW3CHeaders // how many there are
)

// w3cName is a column's name, in lower case.
type w3cName struct {
	name   string
	column w3cColumn
	rank   uint8 // where several names mean one thing, the lowest rank counts
}

// w3cNames are the names that IIS (IIS logging fields), CloudFront (standard logging reference) and the
// W3C draft give to what a Record holds. CloudFront's cs(Host) is the name of the distribution, and
// x-host-header what the client sent.
var w3cNames = []w3cName{
	{"date", w3cDate, 0}, {"time", w3cTime, 0}, {"timestamp", w3cSeconds, 0}, {"timestamp(ms)", w3cMillis, 0},
	{"c-ip", w3cClient, 0}, {"x-forwarded-for", w3cForwarded, 0}, {"cs(x-forwarded-for)", w3cForwarded, 1},
	{"cs-username", w3cUser, 0}, {"cs-method", w3cMethod, 0},
	{"cs-uri", w3cURI, 0}, {"cs-uri-stem", w3cStem, 0}, {"cs-uri-query", w3cQuery, 0},
	{"x-host-header", w3cHost, 0}, {"cs(host)", w3cHost, 1}, {"cs-host", w3cHost, 2},
	{"cs-version", w3cProtocol, 0}, {"cs-protocol-version", w3cProtocol, 1},
	{"sc-status", w3cStatus, 0}, {"sc-bytes", w3cBytes, 0}, {"time-taken", w3cTaken, 0},
	{"cs(referer)", w3cReferer, 0}, {"cs(referrer)", w3cReferer, 1}, {"cs(user-agent)", w3cAgent, 0},
	{"cs(cookie)", w3cCookie, 0}, {"x-edge-request-id", w3cRequestID, 0},
}

// maxW3CHeaders bounds the request headers without a field of their own that are kept.
const maxW3CHeaders = 8

// maxW3CColumns bounds what a hostile "#Fields:" line can make of a file.
const maxW3CColumns = 512

// w3cLayout is what a "#Fields:" line says.
type w3cLayout struct {
	columns []w3cColumn
	has     [w3cColumns]bool
	headers []headerName // of the columns from w3cHeaders on
	edge    bool         // CloudFront's encoding
	quotes  bool         // quotes are syntax, and no text as with IIS
	unit    int64        // nanoseconds of a time-taken without a decimal point
}

// newW3CLayout reads the names of the columns.
func newW3CLayout(names []byte) *w3cLayout {
	l := &w3cLayout{quotes: true, unit: 1e6}
	var rank [w3cColumns]uint8
	var place [w3cColumns]int
	for field := range bytes.FieldsSeq(names) {
		if len(l.columns) == maxW3CColumns {
			return nil
		}
		name := string(bytes.ToLower(field))
		switch {
		case len(name) > 7 && name[:7] == "x-edge-":
			l.edge, l.quotes, l.unit = true, false, 1e9
		case name == "sc-win32-status", name == "sc-substatus", name == "s-sitename":
			l.quotes = false
		}
		i := slices.IndexFunc(w3cNames, func(n w3cName) bool { return n.name == name })
		if i < 0 {
			l.columns = append(l.columns, l.header(name))
			continue
		}
		n := &w3cNames[i]
		column := n.column
		if l.has[column] {
			if n.rank < rank[column] {
				l.columns[place[column]] = w3cSkip
			} else {
				column = w3cSkip
			}
		}
		if column != w3cSkip {
			l.has[column], rank[column], place[column] = true, n.rank, len(l.columns)
		}
		l.columns = append(l.columns, column)
	}
	return l
}

// header returns the column of a request header, cs(Name), that has no field of its own; w3cSkip for another name.
func (l *w3cLayout) header(name string) w3cColumn {
	name, found := strings.CutPrefix(name, "cs(")
	name, closed := strings.CutSuffix(name, ")")
	header, ok := newHeaderName(name)
	if !found || !closed || !ok || len(l.headers) == maxW3CHeaders || slices.Contains(l.headers, header) {
		return w3cSkip
	}
	column := w3cHeaders + w3cColumn(len(l.headers))
	l.headers = append(l.headers, header)
	l.has[column] = true
	return column
}

// iisDefaults are the columns that IIS logs by default: 8 and later, 7, and 6.
var iisDefaults = []*w3cLayout{
	newW3CLayout([]byte("date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken")),
	newW3CLayout([]byte("date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken")),
	newW3CLayout([]byte("date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status")),
}

// Name implements Format.
func (f *w3c) Name() string { return f.name }

// directive implements framed. A name that the format does not use is passed over.
func (f *w3c) directive(line []byte) {
	name, value, found := bytes.Cut(bytes.TrimPrefix(line, []byte{'#'}), []byte{':'})
	if !found {
		return
	}
	switch {
	case bytes.EqualFold(name, []byte("fields")):
		if f.layout == nil || !bytes.Equal(value, f.header) { // IIS repeats it after every idle stop
			f.header = append(f.header[:0], value...)
			f.layout = newW3CLayout(value)
		}
	case bytes.EqualFold(name, []byte("date")):
		f.clock.setDay(bytes.TrimSpace(value))
	}
}
