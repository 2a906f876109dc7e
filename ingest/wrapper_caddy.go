package ingest

import "bytes"

// caddyConsole parses what Caddy's console encoder writes, with or without colours:
//
//	2025/03/12 09:14:03.824<TAB>INFO<TAB>http.log.access.log0<TAB>handled request<TAB>{"request":{...}}
//
// The object is that of Caddy's JSON lines, but for time, level and message, which stand before it. The time is
// UTC unless Caddy's time_local is set.
type caddyConsole struct {
	json Format
}

// caddyTime is the length of "2006/01/02 15:04:05.000", zap's wall_milli.
const caddyTime = 23

func openCaddyConsole(o FormatOptions) Format {
	for i := range jsonPresets {
		if p := &jsonPresets[i]; p.name == "caddy" {
			return &caddyConsole{json: p.open(o)}
		}
	}
	panic("ingest: the format of Caddy's JSON lines is not known")
}

// Name implements Format.
func (f *caddyConsole) Name() string { return "caddy_console" }

// Parse implements Format.
func (f *caddyConsole) Parse(line []byte, r *Record) Verdict {
	r.reset()
	at := afterColour(line, 0)
	if len(line) < at+caddyTime+1 || line[at+4] != '/' || line[at+7] != '/' || line[at+10] != ' ' || line[at+caddyTime] != '\t' {
		return reject(BadTime, at)
	}
	stamp := line[at : at+caddyTime]
	open := bytes.Index(line, []byte("\t{"))
	if open < at+caddyTime || !bytes.HasSuffix(line[:open], []byte("\thandled request")) {
		return Verdict{Reason: Skip}
	}
	// The time moves to the place of what stands before the object, as its first member. The message alone is longer
	// than what that adds.
	const before, after = `{"ts":"`, `",`
	from := open + 2 - len(before) - caddyTime - len(after)
	if from < at {
		return reject(BadColumns, open)
	}
	object := line[from:]
	copy(object[len(before):], stamp)
	copy(object, before)
	copy(object[len(before)+caddyTime:], after)
	v := f.json.Parse(object, r)
	if v.Rejected() {
		v.Column += from
	}
	return v
}
