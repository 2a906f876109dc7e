package ingest_test

import (
	"slices"
	"testing"

	"reprise/ingest"
)

func TestNginxVariables(t *testing.T) {
	f := func(spec, line string, check func(r *ingest.Record)) {
		t.Helper()
		check(parseWith(t, spec, line, ingest.FormatOptions{}))
	}
	f(`$time_iso8601 "$request" $status $bytes_sent urt="$upstream_response_time" $scheme $request_id`,
		`2025-03-12T09:14:03+01:00 "GET / HTTP/1.1" 200 900 urt="0.040, 0.002 : 1.5, -" https 9c5f4a1b more`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "id", string(r.RequestID), "9c5f4a1b")
			equal(t, "upstream", string(r.Upstream), "0.040, 0.002 : 1.5, -")
			if times := r.UpstreamTimes(nil); !slices.Equal(times, []int64{40e6, 2e6, 1.5e9, ingest.Unknown}) {
				t.Errorf("upstream times %v", times)
			}
			equal(t, "bytes", r.Bytes, 900)
			equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
		})
	f(`$bytes_sent $body_bytes_sent $msec $server_name $http_host "$request" $http_x_request_id $req_id $realip_remote_addr $remote_addr`,
		`900 512 1741767243.5 a.example b.example:8443 "GET /\x22 HTTP/1.1" one two 10.0.0.1 203.0.113.7`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "bytes of the body", r.Bytes, 512)
			equal(t, "flags", r.Flags, ingest.FlagDecoded)
			equal(t, "host", string(r.Host), "b.example")
			equal(t, "id", string(r.RequestID), "two")
			equal(t, "client", string(r.Client), "203.0.113.7")
		})
	f(`$msec $realip_remote_addr "$request"`, `1741767243.5 10.0.0.1 "GET / HTTP/1.1"`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "client", string(r.Client), "10.0.0.1")
	})
}

func TestApacheDirectives(t *testing.T) {
	f := func(spec, line string, check func(r *ingest.Record)) {
		t.Helper()
		check(parseWith(t, spec, line, ingest.FormatOptions{}))
	}
	const stamp = `[12/Mar/2025:09:14:03 +0100] `
	f(`%t "%r" %s %>s %I %O %b %L %{UNIQUE_ID}e %X %p %{c}a %a %{remote}p`,
		stamp+`"GET /a HTTP/1.1" 301 200 120 900 512 log-id unique + 443 10.0.0.1 203.0.113.7 5123`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "status", r.Status, 200)
			equal(t, "bytes", r.Bytes, 512)
			equal(t, "flags", r.Flags, 0)
			equal(t, "id", string(r.RequestID), "unique")
			equal(t, "client", string(r.Client), "203.0.113.7")
		})
	f(`%t "%r" %O %L "%{X-Request-ID}i" %{x}C %{y}o`, stamp+`"GET /a\"b HTTP/1.1" 900 - "from the proxy" - -`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "bytes", r.Bytes, 900)
		equal(t, "flags", r.Flags, ingest.FlagWithHeaders|ingest.FlagDecoded)
		equal(t, "id", string(r.RequestID), "from the proxy")
	})
	f(`%t %m %<s %400,501{User-agent}i %!200,304{Referer}i %U%q %H`, stamp+`GET 200 - - /a?b HTTP/2.0`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "agent", string(r.Agent), "")
		equal(t, "status", r.Status, 200)
		equal(t, "target", string(r.Target), "/a?b")
	})
	f(`%{begin:%d/%b/%Y %H:%M:%S}t.%{begin:msec_frac}t%{%z}t "%r" %{us}T %T`, `12/Mar/2025 09:14:03.512+0100 "GET / HTTP/1.1" 1500 0`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "start", r.Start, start+512e6)
		equal(t, "duration", r.Duration, 1500e3)
	})
}

// Path and query that stand in columns of their own are one target.
func TestSplitTargets(t *testing.T) {
	f := func(spec, line, want string) {
		t.Helper()
		equal(t, line, string(parseWith(t, spec, line, ingest.FormatOptions{}).Target), want)
	}
	f(`$msec $request_method $uri $args $status`, `1741767243.5 GET /a/b q=1&r=2 200`, "/a/b?q=1&r=2")
	f(`$msec $request_method $uri $args $status`, `1741767243.5 GET /a/b - 200`, "/a/b")
	f(`$msec $request_method "$uri" "$args" $status`, `1741767243.5 GET "/a b\x5C" "q=\x22" 200`, `/a b\?q="`)
	f(`$msec $request_method $uri?$args`, `1741767243.5 GET /a?q=1`, "/a?q=1")
	f(`$msec $request_method $uri?$query_string`, `1741767243.5 GET /a?-`, "/a")
	f(`$msec $request_method $args $request_uri`, `1741767243.5 GET q=1 /a?q=1`, "/a?q=1")
	f(`$msec "$request" $uri - $args`, `1741767243.5 "GET /x HTTP/1.1" /a - q=1`, "/x")
	f(`%{sec}t %m %U %q %>s`, `1741767243 GET /a ?q=1 200`, "/a?q=1")
	f(`%{sec}t %m %U %q %>s`, `1741767243 GET /a  200`, "/a")
	r := parseWith(t, `$msec $request_method "$uri" "$args"`, `1741767243.5 GET "/a" "q=\x22"`, ingest.FormatOptions{})
	equal(t, "flags", r.Flags, ingest.FlagDecoded)
	if _, err := ingest.NewFormat(`$msec $request_method $uri $status $args`, ingest.FormatOptions{}); err == nil {
		t.Error("a query apart from its path was taken")
	}
}

const jsonLog = `escape=json {"time":"$time_iso8601","req":{"method":"$request_method","uri":"$request_uri","host":"$http_host"},` +
	`"status":$status,"bytes":"$bytes_sent","took":$request_time,"upstream":"$upstream_response_time","client":"$remote_addr","ua":["$http_user_agent"],` +
	`"id":"$request_id","x.y":"$http_x_forwarded_for","fixed":"x$status","path":"$uri","args":"$args","n":1}`

// A log_format that writes JSON is read as JSON: with its escapes, in any order of the keys.
func TestNginxJSON(t *testing.T) {
	line := `{"time":"2025-03-12T09:14:03+01:00","req":{"method":"GET","uri":"/a?x=\"\\\u001F` + "\xe9" + `","host":"shop.example:8443"},` +
		`"status":200,"bytes":"900","took":0.500,"upstream":"0.3, 0.1","client":"203.0.113.7","ua":["a \"b\""],"id":"9c5f","x.y":"203.0.113.7, 10.0.0.1","fixed":"x200","path":"/","args":"","n":1}`
	_, v := parse(t, jsonLog, line)
	equal(t, "a control byte in the target", v.Reason, ingest.BadRequestLine)
	line = `{"status":200,"took":0.500,"req":{"uri":"/a?x=\"\\` + "\xe9" + `","method":"GET","host":"shop.example:8443"},"time":"2025-03-12T09:14:03+01:00",` +
		`"bytes":"900","upstream":"0.3, 0.1","client":"203.0.113.7","ua":["a \"b\""],"id":"9c5f","x.y":"203.0.113.7, 10.0.0.1","fixed":"x200","path":"/","args":"","n":1}`
	r := mustParse(t, jsonLog, line)
	equal(t, "start", r.Start, start-500e6)
	equal(t, "origin", r.Origin, ingest.OriginDerived)
	equal(t, "target", string(r.Target), "/a?x=\"\\\xe9")
	equal(t, "host", string(r.Host), "shop.example")
	equal(t, "agent", string(r.Agent), `a "b"`)
	equal(t, "list", string(r.Forwarded), "203.0.113.7, 10.0.0.1")
	equal(t, "id", string(r.RequestID), "9c5f")
	equal(t, "bytes", r.Bytes, 900)
	equal(t, "flags", r.Flags&ingest.FlagWithHeaders, ingest.FlagWithHeaders)
	equal(t, "upstream", len(r.UpstreamTimes(nil)), 2)

	r = mustParse(t, `{"t":$msec,"r":"$request","s":"$status","p":"$uri"}`, `{"t":1741767243.250,"r":"GET /\x22 HTTP/2.0","s":"304","p":"/"}`)
	equal(t, "start", r.Start, start+250e6)
	equal(t, "target", string(r.Target), `/"`)
	r = mustParse(t, `{\"t\":\"$time_local\",\"u\":\"$scheme://$host$request_uri\",\"m\":\"$request_method\"}`, `{"t":"12/Mar/2025:09:14:03 +0100","u":"https://ex.example/a?b","m":"PUT"}`)
	equal(t, "target", string(r.Target), "/a?b")
	equal(t, "host", string(r.Host), "ex.example")
	r = mustParse(t, `{"t":"$msec","p":"$uri","q":"$args","m":"$request_method"}`, `{"t":"1741767243","p":"/a","q":"b=1","m":"GET"}`)
	equal(t, "target", string(r.Target), "/a?b=1")
	// What is no JSON by a comma is read column by column.
	r = mustParse(t, `{"t":"$msec","r":"$request",}`, `{"t":"1741767243.000","r":"GET /a HTTP/1.1",}`)
	equal(t, "target", string(r.Target), "/a")
	if _, err := ingest.NewFormat(`{"t":"$msec"}`, ingest.FormatOptions{}); err == nil {
		t.Error("JSON without a request was taken")
	}
	if _, err := ingest.NewFormat(`escape=xml $msec "$request"`, ingest.FormatOptions{}); err == nil {
		t.Error("an unknown escape was taken")
	}
}

func TestEscapeModes(t *testing.T) {
	r := mustParse(t, `escape=json $msec "$request" "$http_user_agent"`, `1741767243.000 "GET /a?\"q\"\\ HTTP/1.1" "a\tb\u001fc\u0041"`)
	equal(t, "agent", string(r.Agent), "a\tb\x1fc\\u0041") // nginx writes control bytes so, and no others
	equal(t, "target", string(r.Target), `/a?"q"\`)
}

func TestTrap34RawLines(t *testing.T) {
	const raw = `escape=none $remote_addr [$time_local] "$request" $status "$http_user_agent"`
	r := mustParse(t, raw, `203.0.113.7 [12/Mar/2025:09:14:03 +0100] "GET /a"b\x22 HTTP/1.1" 200 "say "hi""`)
	equal(t, "target", string(r.Target), `/a"b\x22`) // nothing is an escape
	equal(t, "agent", string(r.Agent), `say "hi"`)
	// A line end that a client smuggled in makes two lines; neither becomes a record of what was never asked.
	wantVerdict(t, raw, `203.0.113.7 [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 "agent`, ingest.BadQuote)
	wantVerdict(t, raw, `second half" and more`, ingest.BadColumns)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 200 5 "-" "agent`, ingest.BadQuote)
	// An encoded one is text.
	equal(t, "target", string(mustParse(t, "combined", head+`"GET /a%0ab HTTP/1.1" 200 5 "-" "-"`).Target), "/a%0ab")
}

// Servers log one duration in many notations.
func TestTrap23DurationColumns(t *testing.T) {
	f := func(logged string, want ...int64) {
		t.Helper()
		r := parseWith(t, `$time_iso8601 "$request" "$upstream_response_time" $request_time`, `2025-03-12T09:14:03+01:00 "GET / HTTP/1.1" "`+logged+`" 0,043`, ingest.FormatOptions{})
		equal(t, "duration", r.Duration, 43e6)
		if times := r.UpstreamTimes(nil); !slices.Equal(times, want) {
			t.Errorf("%s: %v, want %v", logged, times, want)
		}
	}
	f("0.000, 0.016", 0, 16e6)
	f("0.004 : 0.012", 4e6, 12e6)
	f("0.040", 40e6)
	f("0.001, -", 1e6, ingest.Unknown)
	f("-")
}
