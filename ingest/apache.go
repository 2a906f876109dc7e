package ingest

import (
	"errors"
	"strings"
)

// apacheFields maps directives of mod_log_config without an argument to columns. %O, of mod_logio, counts
// the header too; %L is the id that the error log names the request by.
var apacheFields = map[byte]step{
	'a': {field: fieldClient}, 'h': {field: fieldClient}, 'u': {field: fieldUser},
	'v': {field: fieldHost, weak: true}, 'V': {field: fieldHost, weak: true},
	'r': {field: fieldRequest}, 'm': {field: fieldMethod}, 'U': {field: fieldTarget, weak: true}, 'q': {field: fieldQuery}, 'H': {field: fieldProtocol},
	's': {field: fieldStatus}, 'b': {field: fieldSizeZero}, 'B': {field: fieldSizeZero}, 'O': {field: fieldSizeZero, weak: true, headers: true},
	'D': {field: fieldDuration, unit: 1e3}, 'T': {field: fieldDuration, unit: 1e9, weak: true},
	'L': {field: fieldRequestID, weak: true},
}

// apacheHeaders maps request headers, %{Name}i, to columns; names in lower case.
var apacheHeaders = map[string]step{
	"referer": {field: fieldReferer}, "user-agent": {field: fieldAgent}, "host": {field: fieldHost}, "x-forwarded-for": {field: fieldForwarded},
	"x-real-ip": {field: fieldClient, weak: true}, "x-request-id": {field: fieldRequestID},
}

// apacheDirective reads the %directive at the start of s: modifiers (status list, "<", ">"), an argument
// in braces, one letter, or "^" and two letters. A directive that tells nothing here is a skipped column.
func apacheDirective(s string) (v variable, size int, err error) {
	if strings.HasPrefix(s, "%U%q") { // the path, then "?" and the query or nothing: together the target
		return variable{step: step{field: fieldTarget, whole: true}}, 4, nil
	}
	i := 1
	for i < len(s) && strings.IndexByte("!<>,0123456789", s[i]) >= 0 {
		i++
	}
	arg, braced := "", false
	if i < len(s) && s[i] == '{' {
		end := strings.IndexByte(s[i:], '}')
		if end < 0 {
			return v, 0, errors.New("the brace after % is not closed")
		}
		arg, braced = s[i+1:i+end], true
		i += end + 1
	}
	if i+2 < len(s) && s[i] == '^' {
		return variable{}, i + 3, nil
	}
	if i >= len(s) || s[i]|0x20 < 'a' || s[i]|0x20 > 'z' {
		return v, 0, errors.New("a % without a directive letter")
	}
	letter := s[i]
	size = i + 1
	switch {
	case letter == 't':
		v, err = apacheTime(arg)
	case !braced:
		v.step = apacheFields[letter]
		// Of a request that was redirected inside the server, the last status is what the client got.
		v.weak = v.weak || letter == 's' && !strings.Contains(s[:i], ">")
	case letter == 'i':
		v.step = apacheHeader(arg)
	case letter == 'C':
		if name, ok := newCookieName(arg); ok {
			v.step = step{field: fieldHeader, header: name}
		}
	case (letter == 'e' || letter == 'n') && arg == "UNIQUE_ID", letter == 'o' && strings.EqualFold(arg, "X-Request-Id"):
		v.step = step{field: fieldRequestID, weak: letter == 'o'}
	case letter == 'T':
		v.step, err = apacheDuration(arg)
	case letter == 'a' && arg == "c", letter == 'p', letter == 'P': // the peer of the connection; ports
	case letter == 'h', letter == 'r', letter == 's':
		v.step = apacheFields[letter]
	}
	return v, size, err
}

// apacheHeader returns the column of a request header.
func apacheHeader(name string) step {
	if s, ok := apacheHeaders[strings.ToLower(name)]; ok {
		return s
	}
	if header, ok := newHeaderName(name); ok {
		return step{field: fieldHeader, header: header}
	}
	return step{}
}

func apacheDuration(unit string) (step, error) {
	units := map[string]int64{"s": 1e9, "ms": 1e6, "us": 1e3}
	n, ok := units[unit]
	if !ok {
		return step{}, errors.New("the unit of %{unit}T must be s, ms or us")
	}
	return step{field: fieldDuration, unit: n, weak: unit == "s"}, nil
}

// apacheTime reads the argument of %{format}t: strftime, or one of the words below, after "begin:" (the
// default) or "end:". Without an argument the time stands in brackets.
func apacheTime(arg string) (v variable, err error) {
	format, end := strings.CutPrefix(arg, "end:")
	format = strings.TrimPrefix(format, "begin:")
	v.end = end
	switch format {
	case "":
		v.step = step{field: fieldTimeCLF, end: end}
		v.before, v.after = "[", "]"
	case "sec":
		v.step = step{field: fieldTimeEpoch, unit: 1e9, end: end}
	case "msec":
		v.step = step{field: fieldTimeEpoch, unit: 1e6, end: end}
	case "usec":
		v.step = step{field: fieldTimeEpoch, unit: 1e3, end: end}
	case "msec_frac", "usec_frac":
		v.step = step{field: fieldTimeFraction, end: end}
	default:
		layout, ok := compileLayout(format)
		if !ok {
			return v, errors.New("a conversion of this time format is not supported")
		}
		v.step = step{field: fieldTimeLayout, layout: layout, end: end}
	}
	return v, nil
}
