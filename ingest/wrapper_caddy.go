package ingest

import "bytes"

// caddyConsole parses what Caddy's console encoder writes, the level with or without colours:
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
	if len(line) < caddyTime+1 || line[4] != '/' || line[7] != '/' || line[10] != ' ' || line[caddyTime] != '\t' {
		return reject(BadTime, 0)
	}
	open := bytes.Index(line, []byte("\t{"))
	if open < 0 || !bytes.HasSuffix(line[:open], []byte("\thandled request")) {
		return Verdict{Reason: Skip}
	}
	// The time moves into the object as its first member, over the message, which is longer than what that adds.
	const before, after = `{"ts":"`, `",`
	from := open + 2 - len(before) - caddyTime - len(after)
	object := line[from:]
	copy(object[len(before):], line[:caddyTime])
	copy(object, before)
	copy(object[len(before)+caddyTime:], after)
	v := f.json.Parse(object, r)
	if v.Rejected() {
		v.Column += from
	}
	return v
}
