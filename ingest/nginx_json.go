package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// openCustom compiles a server's format string. An nginx log_format that writes a JSON object becomes a
// mapping, since its strings have JSON's escapes; any other string becomes a program.
func openCustom(spec string, o FormatOptions) (Format, error) {
	_, from, err := cutEscape(spec)
	if err == nil && isNginx(spec) {
		if mapping, ok := nginxMapping(spec[from:]); ok {
			f, err := openMapping("", mapping, o)
			if e, ok := errors.AsType[*FormatError](err); ok {
				return nil, &FormatError{Column: len(spec), Message: "as JSON: " + e.Message} // the column is one of the mapping
			}
			return f, err
		}
	}
	p, err := compile("custom", spec, o)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// nginxMapping returns the mapping of a log_format whose text is a JSON object, false for any other text.
func nginxMapping(text string) (mapping string, ok bool) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") {
		return "", false
	}
	if !strings.Contains(text, `":`) {
		text = strings.ReplaceAll(text, `\"`, `"`) // as inside the double quotes of a configuration file
	}
	w := mappingWriter{decoder: json.NewDecoder(strings.NewReader(quoteVariables(text)))}
	if token, err := w.decoder.Token(); err != nil || token != json.Delim('{') || w.object("") != nil || w.decoder.More() {
		return "", false
	}
	return w.join(), true
}

// quoteVariables puts the variables that stand outside of strings, as numbers do, into quotes.
func quoteVariables(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
		case c == '"':
			quoted = !quoted
		case c == '$' && !quoted:
			if _, size, err := nginxVariable(text[i:]); err == nil {
				b.WriteString(`"` + text[i:i+size] + `"`)
				i += size - 1
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// mappingWriter walks the object that a log_format writes.
type mappingWriter struct {
	decoder *json.Decoder
	strong  []string        // parts of the mapping, in order
	weak    []string        // those that count when the ones before have no value
	seen    map[string]bool // fields
}

// object reads the members of an object whose opening brace is read; path leads to it.
func (w *mappingWriter) object(path string) error {
	for w.decoder.More() {
		key, err := w.decoder.Token()
		if err != nil {
			return err
		}
		value, err := w.decoder.Token()
		if err != nil {
			return err
		}
		to := path + mappingKey(key.(string))
		switch value := value.(type) {
		case string:
			w.value(to, value)
		case json.Delim:
			if value == '{' {
				err = w.object(to + ".")
			} else {
				err = w.array(to)
			}
			if err != nil {
				return err
			}
		}
	}
	_, err := w.decoder.Token()
	return err
}

// array reads an array whose opening bracket is read. Its first element, when it is a string, counts.
func (w *mappingWriter) array(path string) error {
	depth := 1
	for i := 0; depth > 0; i++ {
		token, err := w.decoder.Token()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '[' || token == '{' {
				depth++
			} else {
				depth--
			}
		case string:
			if i == 0 {
				w.value(path+"[0]", token)
			}
		}
	}
	return nil
}

// mappingKey escapes the bytes of a key that mean something in a mapping.
func mappingKey(key string) string {
	return strings.NewReplacer(`\`, `\\`, ".", `\.`, ",", `\,`, ":", `\:`, "[", `\[`).Replace(key)
}

// nginxJoined are texts of several variables that together are one field.
var nginxJoined = map[string]string{
	"$request_method $request_uri $server_protocol": "request", "$request_method $request_uri": "request",
	"$scheme://$host$request_uri": "url", "$scheme://$http_host$request_uri": "url", "$scheme://$server_name$request_uri": "url",
}

// mappingFields are the words of the mapping language for what a variable holds.
var mappingFields = map[field]string{
	fieldClient: "client", fieldForwarded: "forwarded", fieldUser: "user", fieldHost: "host", fieldRequest: "request", fieldMethod: "method",
	fieldProtocol: "protocol", fieldStatus: "status", fieldSize: "bytes", fieldReferer: "referer", fieldAgent: "agent", fieldRequestID: "id",
	fieldDuration: "duration", fieldUpstream: "upstream", fieldQuery: "query", fieldTarget: "path",
	fieldTimeCLF: "time", fieldTimeISO: "time", fieldTimeEpoch: "time",
}

// mappingKinds are the kinds of fields that nginx always writes in one way.
var mappingKinds = map[field]string{fieldTimeCLF: ":clf", fieldTimeISO: ":iso", fieldTimeEpoch: ":unix", fieldDuration: ":s", fieldUpstream: ":s"}

// value maps what stands at path, if one variable or a known run of them makes up the whole text.
func (w *mappingWriter) value(path, text string) {
	if name, ok := nginxJoined[text]; ok {
		w.add(name, path, false)
		return
	}
	if !strings.HasPrefix(text, "$") {
		return
	}
	v, size, err := nginxVariable(text)
	if err != nil || size != len(text) {
		return
	}
	name, kind := mappingFields[v.field], mappingKinds[v.field]
	switch {
	case v.field == fieldHeader && v.header.cookie != "":
		name = "cookie." + v.header.cookie
	case v.field == fieldHeader:
		name = "header." + v.header.header
	case name == "":
		return
	case v.whole:
		name = "target"
	case v.headers:
		kind = ":total"
	}
	w.add(name, path+kind, v.weak)
}

func (w *mappingWriter) add(name, path string, weak bool) {
	part := fmt.Sprintf("%s=%s", name, path)
	if weak {
		w.weak = append(w.weak, part)
	} else {
		w.strong = append(w.strong, part)
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[name] = true
}

// join returns the mapping. A decoded path and its query give way to what the client sent.
func (w *mappingWriter) join() string {
	whole := w.seen["request"] || w.seen["target"] || w.seen["url"]
	var parts []string
	for _, part := range append(w.strong, w.weak...) {
		name, _, _ := strings.Cut(part, "=")
		switch {
		case whole && (name == "path" || name == "query"):
		case w.seen["request"] && (name == "method" || name == "target" || name == "url" || name == "protocol"):
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ",")
}
