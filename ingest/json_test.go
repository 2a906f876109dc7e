package ingest_test

import (
	"errors"
	"strings"
	"testing"

	"reprise/ingest"
)

// One line as each server writes it, of the same request to /a?b=1.
var jsonExamples = map[string]string{
	"caddy": `{"level":"info","ts":1741767243.51,"logger":"http.log.access.log0","msg":"handled request","request":{"remote_ip":"198.51.100.1","remote_port":"5123","client_ip":"203.0.113.7",` +
		`"proto":"HTTP/2.0","method":"GET","host":"ex.example:443","uri":"/a?b=1","headers":{"User-Agent":["curl/8.5"],"Referer":["https://ex.example/"]},"tls":{"proto":"h2"}},"bytes_read":0,"user_id":"",` +
		`"duration":0.0021,"size":512,"status":200,"resp_headers":{"Etag":["\"x\""],"Server":["Caddy"]}}`,
	"traefik_json": `{"ClientAddr":"203.0.113.7:5123","ClientHost":"203.0.113.7","ClientUsername":"-","Duration":2100345,"OriginStatus":502,"OriginDuration":2000000,"RequestHost":"ex.example","RequestMethod":"GET",` +
		`"RequestPath":"/a?b=1","RequestProtocol":"HTTP/1.1","DownstreamStatus":200,"DownstreamContentSize":512,"StartUTC":"2025-03-12T08:14:03.510123456Z","level":"info","msg":"",` +
		`"request_User-Agent":"curl/8.5","request_Referer":"https://ex.example/","time":"2025-03-12T08:14:03Z"}`,
	"gcp": `{"httpRequest":{"requestMethod":"GET","requestUrl":"https://ex.example:443/a?b=1","requestSize":"75","status":200,"responseSize":"512","remoteIp":"203.0.113.7","latency":"0.058927s","userAgent":"curl/8.5",` +
		`"referer":"https://ex.example/"},"timestamp":"2025-03-12T08:14:03.655Z","receiveTimestamp":"2025-03-12T08:14:04Z","jsonPayload":{"statusDetails":"response_sent_by_backend"},"insertId":"k1"}`,
	"cloudflare": `{"ClientIP":"203.0.113.7","ClientRequestHost":"ex.example","ClientRequestMethod":"GET","ClientRequestURI":"/a?b=1","ClientRequestProtocol":"HTTP/2","ClientRequestUserAgent":"curl/8.5",` +
		`"ClientRequestReferer":"https://ex.example/","EdgeStartTimestamp":1741767243655000000,"EdgeEndTimestamp":1741767243670000000,"EdgeResponseStatus":200,"EdgeResponseBytes":512,"RayID":"87a"}`,
	"kong": `{"started_at":1741767243655,"latencies":{"request":15,"proxy":14,"kong":1},"client_ip":"203.0.113.7","request":{"method":"GET","uri":"/a?b=1","url":"http://ex.example:8000/a?b=1","size":"75",` +
		`"headers":{"host":"ex.example","user-agent":"curl/8.5","referer":"https://ex.example/"},"querystring":{"b":"1"}},"response":{"status":200,"size":"512","headers":{"x":"y"}}}`,
	"envoy_json": `{"start_time":"2025-03-12T08:14:03.655Z","method":"GET","path":"/a?b=1","protocol":"HTTP/2","response_code":200,"response_flags":"-","duration":15,"upstream_service_time":"14","bytes_received":0,"bytes_sent":512,` +
		`"authority":"ex.example","x_forwarded_for":"203.0.113.7,10.0.0.1","downstream_remote_address":"203.0.113.7:5123","user_agent":"curl/8.5","referer":"https://ex.example/","request_id":"9c5f"}`,
	"fastly": `{"timestamp":"2025-03-12T08:14:03+0000","time_elapsed":15000,"client_ip":"203.0.113.7","host":"ex.example","url":"/a?b=1","request_method":"GET","request_protocol":"HTTP/1.1",` +
		`"request_referer":"https://ex.example/","request_user_agent":"curl/8.5","response_status":200,"response_body_size":512}`,
	"nginx_json": `{"time_iso8601":"2025-03-12T09:14:03+01:00","msec":"1741767243.655","remote_addr":"203.0.113.7","remote_user":"","request":"GET /a?b=1 HTTP/1.1","status":"200","body_bytes_sent":"512",` +
		`"request_time":"0.015","upstream_response_time":"0.010, 0.004","http_host":"ex.example","http_referrer":"https://ex.example/","http_user_agent":"curl/8.5","request_id":"9c5f"}`,
}

func TestJSONExamples(t *testing.T) {
	f := func(name string, at, duration int64, origin ingest.Origin, precision ingest.Precision, protocol, id, upstream string) {
		t.Helper()
		r := mustParse(t, name, jsonExamples[name])
		equal(t, "start", r.Start, start+at)
		equal(t, "duration", r.Duration, duration)
		equal(t, "origin", r.Origin, origin)
		equal(t, "precision", r.Precision, precision)
		equal(t, "protocol", string(r.Protocol), protocol)
		equal(t, "id", string(r.RequestID), id)
		equal(t, "upstream", string(r.Upstream), upstream)
		for what, got := range map[string]string{"client": string(r.Client), "method": string(r.Method), "target": string(r.Target), "host": string(r.Host), "agent": string(r.Agent), "referer": string(r.Referer), "user": string(r.User)} {
			equal(t, name+" "+what, got, map[string]string{"client": "203.0.113.7", "method": "GET", "target": "/a?b=1", "host": "ex.example", "agent": "curl/8.5", "referer": "https://ex.example/"}[what])
		}
		equal(t, "status", r.Status, 200)
		equal(t, "bytes", r.Bytes, 512)
	}
	f("caddy", 510e6-2100e3, 2100e3, ingest.OriginDerived, ingest.PrecisionMicrosecond, "HTTP/2.0", "", "")
	f("traefik_json", 510123456, 2100345, ingest.OriginLogged, ingest.PrecisionNanosecond, "HTTP/1.1", "", "2000000")
	f("gcp", 655e6, 58927e3, ingest.OriginLogged, ingest.PrecisionMillisecond, "HTTP/1.0", "k1", "")
	f("cloudflare", 655e6, 15e6, ingest.OriginLogged, ingest.PrecisionNanosecond, "HTTP/2", "87a", "")
	f("kong", 655e6, 15e6, ingest.OriginLogged, ingest.PrecisionMillisecond, "HTTP/1.0", "", "14")
	f("envoy_json", 655e6, 15e6, ingest.OriginLogged, ingest.PrecisionMillisecond, "HTTP/2", "9c5f", "14")
	f("fastly", 0, 15e6, ingest.OriginLogged, ingest.PrecisionSecond, "HTTP/1.1", "", "")
	f("nginx_json", 640e6, 15e6, ingest.OriginDerived, ingest.PrecisionMillisecond, "HTTP/1.1", "9c5f", "0.010, 0.004")
}

// A line is one server's: only the catch-all of usual keys may read another's as well, and it stands last.
func TestJSONPresetsTellApart(t *testing.T) {
	names := ingest.Names()
	for name, line := range jsonExamples {
		var fits []string
		for _, other := range names {
			if _, v := parse(t, other, line); v.OK() {
				fits = append(fits, other)
			}
		}
		if len(fits) == 0 || fits[0] != name {
			t.Errorf("%s is read as %v", name, fits)
		}
		if n := len(fits); n > 2 || n == 2 && fits[1] != "nginx_json" {
			t.Errorf("%s is also read as %v", name, fits)
		}
	}
}

// wantStart parses a time with a mapping of its own.
func wantStart(t testing.TB, kind, value string, want int64, precision ingest.Precision) {
	t.Helper()
	r := mustParse(t, "json:start=t"+kind+",request=r", `{"t":`+value+`,"r":"GET / HTTP/1.1"}`)
	equal(t, value, r.Start, want)
	equal(t, value, r.Precision, precision)
}

func TestJSONTimes(t *testing.T) {
	const s, ms, us, ns = ingest.PrecisionSecond, ingest.PrecisionMillisecond, ingest.PrecisionMicrosecond, ingest.PrecisionNanosecond
	wantStart(t, "", `1741767243`, start, s)
	wantStart(t, "", `"1741767243.512"`, start+512e6, ms)
	wantStart(t, "", `1741767243512`, start+512e6, ms)
	wantStart(t, "", `1741767243512345`, start+512345e3, us)
	wantStart(t, "", `1741767243512345678`, start+512345678, ns)
	wantStart(t, "", `1.741767243e9`, start, s)
	wantStart(t, ":unix", `1741767243.512345678`, start+512345678, ns)
	wantStart(t, ":unix", `"1741767243,5"`, start+500e6, ms)
	wantStart(t, ":unixms", `1741767243512.25`, start+512250e3, us)
	wantStart(t, ":unixus", `1741767243512345`, start+512345e3, us)
	wantStart(t, ":unixns", `1741767243655000001`, start+655000001, ns)
	wantStart(t, ":float", `1741767243.5`, start+500e6, us)
	wantStart(t, ":float", `1741767243510.2`, start+510200e3, us)
	wantStart(t, "", `"2025-03-12T09:14:03.5+01:00"`, start+500e6, ms)
	wantStart(t, ":iso", `"2025-03-12 08:14:03Z"`, start, s)
	wantStart(t, "", `"2025-03-12T09:14:03+0100"`, start, s)
	wantStart(t, "", `"2025/03/12 08:14:03.824"`, start+824e6, ms)
	wantStart(t, "", `"2025-03-12 08:14:03.824 +0000 UTC"`, start+824e6, ms)
	wantStart(t, "", `"2025-03-12 08:14:03 UTC"`, start, s)
	wantStart(t, "", `"12/Mar/2025:09:14:03 +0100"`, start, s)
	wantStart(t, ":clf", `"[12/Mar/2025:09:14:03 +0100]"`, start, s)
	for _, bad := range []string{`"yesterday"`, `-5`, `99999999999999999999`, `"2025-13-12T09:14:03Z"`, `"2025-03-12T09:14:03Zx"`, `"2025-03-12T09:14:03 +0100 x"`, `"12/Mar/2025:09:14:03 +0100 "`, `"1741767243x"`, `null`, `""`} {
		wantVerdict(t, "json:start=t,request=r", `{"t":`+bad+`,"r":"GET / HTTP/1.1"}`, ingest.BadTime)
	}
	wantVerdict(t, "json:start=t:unix,request=r", `{"t":"2025-03-12T09:14:03Z","r":"GET / HTTP/1.1"}`, ingest.BadTime)
	wantVerdict(t, "json:start=t:iso,request=r", `{"t":1741767243,"r":"GET / HTTP/1.1"}`, ingest.BadTime)
}

func TestJSONStart(t *testing.T) {
	f := func(spec, values string, stamp ingest.Stamp, want, duration int64, origin ingest.Origin) {
		t.Helper()
		r := parseWith(t, spec, `{"r":"GET / HTTP/1.1",`+values+`}`, ingest.FormatOptions{Stamp: stamp})
		equal(t, "start", r.Start, want)
		equal(t, "duration", r.Duration, duration)
		equal(t, "origin", r.Origin, origin)
	}
	const spec = "json:request=r,time=t,start=a,end=b,duration=d:ms"
	f(spec, `"t":1741767243.512,"d":12`, ingest.StampAuto, start+500e6, 12e6, ingest.OriginDerived)
	f(spec, `"t":1741767243.512,"d":12`, ingest.StampStart, start+512e6, 12e6, ingest.OriginLogged)
	f(spec, `"t":1741767243.512,"d":null`, ingest.StampEnd, start+512e6, ingest.Unknown, ingest.OriginLogged)
	f(spec, `"b":1741767243.512,"d":12`, ingest.StampAuto, start+500e6, 12e6, ingest.OriginDerived)
	f(spec, `"a":1741767243.500,"t":1741767243.900,"d":12`, ingest.StampAuto, start+500e6, 12e6, ingest.OriginLogged)
	f(spec, `"a":1741767243.512,"d":12`, ingest.StampEnd, start+500e6, 12e6, ingest.OriginDerived)
	f(spec, `"a":1741767243.500,"b":1741767243.512`, ingest.StampAuto, start+500e6, 12e6, ingest.OriginLogged)
	f(spec, `"a":1741767243,"b":1741767244`, ingest.StampAuto, start, ingest.Unknown, ingest.OriginLogged)
	f(spec, `"a":1741767243.512,"b":1741767243.500`, ingest.StampAuto, start+512e6, ingest.Unknown, ingest.OriginLogged)
}

func TestJSONMappingErrors(t *testing.T) {
	f := func(spec string, column int) {
		t.Helper()
		_, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		e, ok := errors.AsType[*ingest.FormatError](err)
		if !ok || e.Column != column {
			t.Errorf("%s: %v, want an error at column %d", spec, err, column)
		}
	}
	f("json:", 6)
	f("json:when=ts", 6)
	f("json:request=r,time", 20)
	f("json:request=r,time=", 21)
	f("json:request=r,time=:unix", 21)
	f("json:request=r,time=ts:hours", 24)
	f("json:request=r,time=ts,duration=d:h", 35)
	f("json:request=r,time=a..b", 23)
	f("json:request=r,time=a.", 22)
	f("json:request=r,time=a[1]", 22)
	f("json:request=r", 14)
	f("json:time=ts,method=m", 21)
	f("json:time=ts,target=t", 21)
	f("json:request=r,,time=ts", 16)
	f("json:time=ts"+strings.Repeat(",request=r", 300)+",request=x:s", 5+7+3000+12)
}
