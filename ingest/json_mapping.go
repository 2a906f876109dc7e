package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// jsonMapping is a compiled mapping. The language, with parts in brackets optional:
//
//	field=path[:kind],...
//	path   key.key.key   \. \, \: \[ and \\ are bytes of a key; [0] after a key is the first element of an array,
//	                     which is also taken without saying so; header names match in any case
//	start, end           the times of a request; time = the moment the line was written (FormatOptions.Stamp)
//	  kinds              unix unixms unixus unixns, float (any of them that went through a 64-bit float, as in zap:
//	                     microseconds), iso, clf, auto (without: told by form and size)
//	duration, upstream   kinds s (without) ms us ns; a unit in the value overrules them; upstream may be a list;
//	                     of a duration also text (a number without a unit counts for nothing) and float (seconds, or
//	                     nanoseconds where a whole number is too large for seconds)
//	request              a request line; or method, target, protocol; or method, path, query, protocol; or
//	url                  an absolute URL, of which host and target are taken, or a request line
//	client, forwarded, user, host, referer, agent, id, status
//	cookie, cookie.NAME  the Cookie header; the value of one cookie
//	header.NAME          another request header
//	bytes                kind total = with headers
//
// Where a field is named twice, the first path that has a value counts.
type jsonMapping struct {
	root    jsonNode
	need    uint64       // marks of a line of this format
	message []uint64     // marks of the server's own messages: a line with all of one, and not what is needed
	marked  uint         // marks given
	headers []headerName // of the fields from jsonHeaders on
	handled string       // what jsonMessage says in access lines
}

// jsonFieldNames are the words of the mapping language.
var jsonFieldNames = map[string]jsonField{
	"start": jsonStart, "time": jsonTime, "end": jsonEnd, "duration": jsonDuration, "dur": jsonDuration, "client": jsonClient,
	"forwarded": jsonForwarded, "user": jsonUser, "host": jsonHost, "request": jsonRequest, "method": jsonMethod, "target": jsonTarget,
	"path": jsonPath, "query": jsonQuery, "url": jsonURL, "protocol": jsonProtocol, "status": jsonStatus, "bytes": jsonBytes,
	"referer": jsonReferer, "agent": jsonAgent, "ua": jsonAgent, "id": jsonID, "upstream": jsonUpstream,
}

// ownHeaders are the headers that have a field of their own.
var ownHeaders = map[string]jsonField{
	"Referer": jsonReferer, "User-Agent": jsonAgent, "Host": jsonHost, "X-Forwarded-For": jsonForwarded, "X-Request-Id": jsonID,
}

// jsonUnits are the kinds of durations.
var jsonUnits = map[string]int64{"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}

// Sets of fields, as bits.
const (
	jsonTimes   = 1<<jsonStart | 1<<jsonTime | 1<<jsonEnd
	jsonTargets = 1<<jsonTarget | 1<<jsonPath | 1<<jsonURL
)

// openMapping compiles the mapping of a user, who wrote prefix before it.
func openMapping(prefix, spec string, o FormatOptions) (Format, error) {
	f := &jsonFormat{name: "custom", stamp: StampEnd}
	fields, err := f.compile(spec, len(prefix))
	if err != nil {
		return nil, err
	}
	end := len(prefix) + len(spec)
	if fields&jsonTimes == 0 {
		return nil, &FormatError{Column: end, Message: "no time: start, time or end is missing"}
	}
	if fields&(1<<jsonRequest|1<<jsonURL) == 0 && (fields&(1<<jsonMethod) == 0 || fields&jsonTargets == 0) {
		return nil, &FormatError{Column: end, Message: "no request: neither request nor url nor method and target or path"}
	}
	f.messages("level msg", "level message")
	f.settle(o)
	return f, nil
}

// settle applies the options and makes f ready to parse.
func (f *jsonFormat) settle(o FormatOptions) {
	f.zone = o.Location
	if o.Stamp != StampAuto {
		f.stamp, f.fixed = o.Stamp, true
	}
	f.root.index()
}

// compile adds the columns of spec, which begins at byte base of the user's string, and returns the set of their fields.
func (m *jsonMapping) compile(spec string, base int) (fields uint64, err error) {
	for from := 0; from <= len(spec); {
		end := from + unescapedByte(spec[from:], ',')
		c, path, at, err := m.parseColumn(spec[from:end])
		if err == nil {
			c.rank = uint8(min(strings.Count(spec[:from], ","), 255))
			var node *jsonNode
			if node, at, err = m.place(path, at); err == nil {
				node.columns = append(node.columns, c)
			}
		}
		if err != nil {
			return 0, &FormatError{Column: base + from + at + 1, Message: err.Error()}
		}
		fields |= 1 << c.field
		from = end + 1
	}
	return fields, nil
}

// unescapedByte returns the index of the first c in s that no backslash stands before, len(s) when there is none.
func unescapedByte(s string, c byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return len(s)
}

// parseColumn reads "field=path:kind". at is the byte where the path starts, or where err is.
func (m *jsonMapping) parseColumn(s string) (c jsonColumn, path string, at int, err error) {
	name, rest, found := strings.Cut(s, "=")
	field, err := m.field(name)
	switch {
	case err != nil:
		return c, "", 0, err
	case !found:
		return c, "", len(name), fmt.Errorf("= and a path are missing after %s", name)
	}
	c.field = field
	at = len(name) + 1
	end := unescapedByte(rest, ':')
	if end == 0 {
		return c, "", at, fmt.Errorf("the path of %s is missing", name)
	}
	if field == jsonDuration || field == jsonUpstream {
		c.unit = 1e9
	}
	if end < len(rest) && !c.setKind(rest[end+1:]) {
		return c, "", at + end + 1, fmt.Errorf("%q is no kind of %s", rest[end+1:], name)
	}
	return c, rest[:end], at, nil
}

// field returns the field of a name, and makes one for a header that has none of its own.
func (m *jsonMapping) field(name string) (jsonField, error) {
	if field, ok := jsonFieldNames[name]; ok {
		return field, nil
	}
	header, ok := headerName{header: cookieHeader}, name == "cookie"
	if rest, found := strings.CutPrefix(name, "cookie."); found {
		header, ok = newCookieName(rest)
	} else if rest, found := strings.CutPrefix(name, "header."); found {
		header, ok = newHeaderName(rest)
		if field, own := ownHeaders[header.header]; own {
			return field, nil
		}
	}
	if !ok {
		return 0, fmt.Errorf("%q is no field: %s, cookie, cookie.NAME, header.NAME", name, strings.Join(slices.Sorted(maps.Keys(jsonFieldNames)), ", "))
	}
	i := slices.Index(m.headers, header)
	if i < 0 {
		if i = len(m.headers); i == maxJSONHeaders {
			return 0, fmt.Errorf("more than %d headers", maxJSONHeaders)
		}
		m.headers = append(m.headers, header)
	}
	return jsonHeaders + jsonField(i), nil
}

// setKind takes the word after the colon.
func (c *jsonColumn) setKind(word string) bool {
	var ok bool
	switch c.field {
	case jsonStart, jsonTime, jsonEnd:
		c.kind, ok = timeKinds[word]
	case jsonDuration, jsonUpstream:
		c.unit, ok = jsonUnits[word]
		if c.field == jsonDuration && !ok {
			c.float, ok = word == "float", word == "float" || word == "text"
			if c.float {
				c.unit = 1e9
			}
		}
	case jsonBytes:
		c.total, ok = word == "total", word == "total" || word == "body"
	}
	return ok
}

// place returns the node at a path, which starts at byte at. On an error the index is where it is.
func (m *jsonMapping) place(path string, at int) (*jsonNode, int, error) {
	node := &m.root
	for first := true; first || path != ""; first = false {
		end := unescapedByte(path, '.')
		word := path[:end]
		bracket := unescapedByte(word, '[')
		if bracket < len(word) && word[bracket:] != "[0]" {
			return nil, at + bracket, fmt.Errorf("only the first element of an array, [0], can be read")
		}
		key := unquoteKey(word[:bracket])
		if key == "" || end+1 == len(path) {
			return nil, at + end, fmt.Errorf("a key of the path is empty")
		}
		if node = node.grow(key); node == nil {
			return nil, at, fmt.Errorf("more than %d keys in one object", maxKeys)
		}
		at += end + 1
		path = path[min(end+1, len(path)):]
	}
	return node, at, nil
}

// unquoteKey drops the backslashes of a path's key.
func unquoteKey(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// messages declares what the server's own messages have, each a list of keys.
func (m *jsonMapping) messages(lists ...string) {
	for _, list := range lists {
		m.message = append(m.message, m.markKeys(list))
	}
}

// markKeys returns the marks of the paths in a list.
func (m *jsonMapping) markKeys(list string) (marks uint64) {
	for path := range strings.FieldsSeq(list) {
		node, _, err := m.place(path, 0)
		if err != nil {
			panic("ingest: a known JSON path does not compile: " + err.Error())
		}
		if node.mark == 0 {
			m.marked++
			node.mark = 1 << m.marked
		}
		marks |= node.mark
	}
	return marks
}
