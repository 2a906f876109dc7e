package ingest

import (
	"errors"
	"strings"
)

// nginxFields maps the variables of nginx (ngx_http_core_module, ngx_http_log_module,
// ngx_http_upstream_module) and of ingress-nginx to columns. All times are the moment of the log write, so
// the end of the request. What names the client only on some sites is weak: $realip_remote_addr is the peer
// that $remote_addr replaced. $uri is decoded and rewritten, so a weak source of the target.
var nginxFields = map[string]step{
	"remote_addr": {field: fieldClient}, "the_real_ip": {field: fieldClient}, "realip_remote_addr": {field: fieldClient, weak: true},
	"proxy_protocol_addr": {field: fieldClient, weak: true}, "http_x_real_ip": {field: fieldClient, weak: true},
	"http_x_forwarded_for": {field: fieldForwarded}, "proxy_add_x_forwarded_for": {field: fieldForwarded, weak: true},
	"remote_user": {field: fieldUser},
	"host":        {field: fieldHost}, "http_host": {field: fieldHost}, "server_name": {field: fieldHost, weak: true},
	"request": {field: fieldRequest}, "request_method": {field: fieldMethod}, "server_protocol": {field: fieldProtocol},
	"request_uri": {field: fieldTarget, whole: true}, "uri": {field: fieldTarget, weak: true}, "document_uri": {field: fieldTarget, weak: true},
	"args": {field: fieldQuery}, "query_string": {field: fieldQuery},
	"status": {field: fieldStatus}, "body_bytes_sent": {field: fieldSize}, "bytes_sent": {field: fieldSize, weak: true, headers: true},
	"http_referer": {field: fieldReferer}, "http_user_agent": {field: fieldAgent},
	"request_id": {field: fieldRequestID}, "req_id": {field: fieldRequestID}, "http_x_request_id": {field: fieldRequestID, weak: true},
	"request_time": {field: fieldDuration, unit: 1e9}, "upstream_response_time": {field: fieldUpstream, unit: 1e9},
	"time_local": {field: fieldTimeCLF}, "time_iso8601": {field: fieldTimeISO}, "msec": {field: fieldTimeEpoch, unit: 1e9},
}

// nginxRuns are variables that are commonly written with nothing between and still can be told apart,
// or together are one thing.
var nginxRuns = []struct {
	text string
	step step
}{
	{"$uri$is_args$args", step{field: fieldTarget, weak: true, whole: true}},
	{"$uri$is_args$query_string", step{field: fieldTarget, weak: true, whole: true}},
	{"$http_host$request_uri", step{field: fieldHostTarget}},
	{"$host$request_uri", step{field: fieldHostTarget}},
	{"$server_name$request_uri", step{field: fieldHostTarget}},
}

// nginxVariable reads the $name or ${name} at the start of s. An unknown name is a skipped column.
func nginxVariable(s string) (v variable, size int, err error) {
	for _, run := range nginxRuns {
		if strings.HasPrefix(s, run.text) && !isNameByte(s, len(run.text)) {
			return variable{step: run.step}, len(run.text), nil
		}
	}
	var name string
	if strings.HasPrefix(s, "${") {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return v, 0, errors.New("the brace after $ is not closed")
		}
		name, size = s[2:end], end+1
	} else {
		size = 1
		for isNameByte(s, size) {
			size++
		}
		name = s[1:size]
	}
	if name == "" {
		return v, 0, errors.New("a $ without a variable name")
	}
	return variable{step: nginxStep(name)}, size, nil
}

// nginxStep returns the column of a variable. nginx makes $http_NAME of any request header, lower-cased and with dashes
// as underscores, and $cookie_NAME of any cookie.
func nginxStep(name string) step {
	if s, ok := nginxFields[name]; ok {
		return s
	}
	var header headerName
	ok := false
	if rest, found := strings.CutPrefix(name, "http_"); found {
		header, ok = newHeaderName(strings.ReplaceAll(rest, "_", "-"))
	} else if rest, found := strings.CutPrefix(name, "cookie_"); found {
		header, ok = newCookieName(rest)
	}
	if !ok {
		return step{}
	}
	return step{field: fieldHeader, header: header}
}

func isNameByte(s string, i int) bool {
	return i < len(s) && (s[i] == '_' || isDigit(s[i]) || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z')
}
