package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

// jsonLine makes a line of the mapping "json:time=t,request=r,..." from further members.
func jsonLine(members string) string {
	return `{"t":1741767243,"r":"GET /a HTTP/1.1"` + members + `}`
}

func TestTrap23NotationsOfDurations(t *testing.T) {
	f := func(kind, value string, want int64) {
		t.Helper()
		r := mustParse(t, "json:time=t,request=r,duration=d"+kind, jsonLine(`,"d":`+value))
		equal(t, value, r.Duration, want)
	}
	f("", `"0,043"`, 43e6)
	f("", `0.043`, 43e6)
	f("", `"0.043"`, 43e6)
	f("", `"0.043s"`, 43e6)
	f("", `"43ms"`, 43e6)
	f("", `"43 ms"`, 43e6)
	f(":ms", `"0.058927s"`, 58927e3)
	f(":ms", `43`, 43e6)
	f(":us", `43.5`, 43500)
	f(":ns", `9007199254740993`, 9007199254740993)
	f("", `2.1e-05`, 21000)
	f("", `"1m2.5s"`, 62500e6)
	f("", `"1h0m0.5s"`, 3600e9+500e6)
	f("", `"350µs"`, 350e3)
	f("", `"120ns"`, 120)
	f("", `0`, 0)
	f("", `"-"`, ingest.Unknown)
	f("", `""`, ingest.Unknown)
	f("", `null`, ingest.Unknown)
	f("", `-1`, ingest.Unknown)
	f(":text", `12`, ingest.Unknown) // of what?
	f(":text", `"12ms"`, 12e6)
	f(":float", `0.0021`, 2100e3)
	f(":float", `2100345`, 2100345)
	for _, bad := range []string{`"soon"`, `"5 apples"`, `"0.1, 0.2"`, `1e300`, `9223372036855`, `"9223372036s9223372036s"`} {
		wantVerdict(t, "json:time=t,request=r,duration=d", jsonLine(`,"d":`+bad), ingest.BadDuration)
	}
	r := mustParse(t, "json:time=t,request=r,upstream=u", jsonLine(`,"u":"0.040, 0.002 : -"`))
	times := r.UpstreamTimes(nil)
	if len(times) != 3 || times[0] != 40e6 || times[1] != 2e6 || times[2] != ingest.Unknown {
		t.Errorf("upstream times %d", times)
	}
}

func TestTrap24JSONBytesAreNotText(t *testing.T) {
	r := mustParse(t, "json:time=t,request=r", "{\"t\":1741767243,\"r\":\"GET /caf\xe9?q=\xff\xfe HTTP/1.1\"}")
	equal(t, "target", string(r.Target), "/caf\xe9?q=\xff\xfe")
	equal(t, "flags", r.Flags, ingest.Flags(0))
	r = mustParse(t, "json:time=t,method=m,target=p", "{\"t\":1741767243,\"m\":\"GET\",\"p\":\"/caf\xe9\\u00e9\"}")
	equal(t, "target", string(r.Target), "/caf\xe9é")
	equal(t, "flags", r.Flags, ingest.FlagDecoded)
}

func TestTrap25EscapesThatAreNoJSON(t *testing.T) {
	f := func(escaped, want string) {
		t.Helper()
		r := mustParse(t, "json:time=t,request=r,agent=a", jsonLine(`,"a":"`+escaped+`"`))
		equal(t, escaped, string(r.Agent), want)
	}
	f(`Dalvik (\xC3\xA3)`, "Dalvik (\xc3\xa3)")
	f(`\x22x\x5C`, `"x\`)
	f(`\"\\\/\b\f\n\r\t`, "\"\\/\b\f\n\r\t")
	f(`\u0041\u00e9\u20AC\ud83d\ude00`, "Aé€😀")
	f(`\ud83dx\ude00\ud83d\u0041`, "�x��A") // halves of a pair
	f(`\u12\u12G4\xZZ\q`, `\u12\u12G4\xZZ\q`)
	f(`\\u0041\\`, `\u0041\`)
	r := mustParse(t, "nginx_json", `escape=json{"time_local":"12/Mar/2025:09:14:03 +0100","request":"GET /a?x=\"\u0026 HTTP/1.1","status":200}`)
	equal(t, "target", string(r.Target), `/a?x="&`)
	equal(t, "start", r.Start, start)
	wantVerdict(t, "nginx_json", `escape=none{"time_local":"12/Mar/2025:09:14:03 +0100","request":"GET / HTTP/1.1"}`, ingest.BadColumns)
	// A key can be escaped as well.
	equal(t, "status", mustParse(t, "json:time=t,request=r,status=s", jsonLine(`,"\u0073":404`)).Status, 404)
}

func TestTrap26AbsoluteURLs(t *testing.T) {
	f := func(url, host, target string) {
		t.Helper()
		r := mustParse(t, "gcp", `{"httpRequest":{"requestMethod":"GET","requestUrl":"`+url+`","status":200},"timestamp":"2025-03-12T08:14:03Z"}`)
		equal(t, url+" host", string(r.Host), host)
		equal(t, url+" target", string(r.Target), target)
	}
	f("https://ex.example/a?b=%zz", "ex.example", "/a?b=%zz")
	f("https://ex.example:443/", "ex.example", "/")
	f("https://ex.example", "ex.example", "/")
	f("https://ex.example?b=1", "ex.example", "/?b=1")
	f("http://u:p@[2001:db8::7]:80/a@b", "2001:db8::7", "/a@b")
	f("/a", "", "/a")
	// Where the server logs what was sent, an absolute target is a request to a proxy and stays one.
	r := mustParse(t, "json:time=t,request=r", `{"t":1741767243,"r":"GET http://ex.example/a HTTP/1.1"}`)
	equal(t, "target", string(r.Target), "http://ex.example/a")
	equal(t, "host", string(r.Host), "ex.example")
	r = mustParse(t, "envoy_json", `{"start_time":"2025-03-12T08:14:03.655Z","method":"CONNECT","path":null,"response_code":200,"authority":"ex.example:443"}`)
	equal(t, "target", string(r.Target), "ex.example:443")
	equal(t, "host", string(r.Host), "ex.example")
}

func TestTrap28FieldsTwice(t *testing.T) {
	equal(t, "status", mustParse(t, "json:time=t,request=r,status=s", jsonLine(`,"s":200,"s":404`)).Status, 404)
	equal(t, "status", mustParse(t, "json:time=t,request=r,status=s", jsonLine(`,"s":404,"s":null`)).Status, 404)
	for _, line := range []string{jsonLine(`,"a":"1","b":"2"`), jsonLine(`,"b":"2","a":"1"`)} { // the mapping's order counts, not the line's
		equal(t, "client", string(mustParse(t, "json:time=t,request=r,client=a,client=b", line).Client), "1")
	}
	equal(t, "client", string(mustParse(t, "json:time=t,request=r,client=a,client=b", jsonLine(`,"a":"-","b":"2"`)).Client), "2")
	r := mustParse(t, "traefik_json", jsonExamples["traefik_json"])
	equal(t, "status", r.Status, 200) // what the client got, not what the backend said
	r = mustParse(t, "caddy", jsonExamples["caddy"])
	equal(t, "client", string(r.Client), "203.0.113.7") // client_ip, not the proxy's remote_ip
	// Old logs have the address and port in one key.
	r = mustParse(t, "caddy", strings.NewReplacer(`"remote_ip":"198.51.100.1","remote_port":"5123","client_ip":"203.0.113.7"`, `"remote_addr":"203.0.113.7:5123"`).Replace(jsonExamples["caddy"]))
	equal(t, "client", string(r.Client), "203.0.113.7")
}

func TestTrap29SizesAndLargeNumbers(t *testing.T) {
	f := func(value string, want int64) {
		t.Helper()
		equal(t, value, mustParse(t, "json:time=t,request=r,bytes=b", jsonLine(`,"b":`+value)).Bytes, want)
	}
	f(`5368709120`, 5368709120)
	f(`"5368709120"`, 5368709120)
	f(`9007199254740993`, 9007199254740993) // 2^53 + 1 is no float64
	f(`9223372036854775807`, 9223372036854775807)
	f(`1.048576e+06`, 1048576)
	f(`512.0`, 512)
	f(`"-"`, ingest.Unknown)
	f(`-1`, ingest.Unknown)
	f(`null`, ingest.Unknown)
	for _, bad := range []string{`9223372036854775808`, `1e300`, `"12kB"`, `"1 2"`} {
		wantVerdict(t, "json:time=t,request=r,bytes=b", jsonLine(`,"b":`+bad), ingest.BadSize)
	}
	r := mustParse(t, "caddy", strings.Replace(jsonExamples["caddy"], "1741767243.51", "1741767243.5100002", 1))
	equal(t, "start", r.Start, start+510e6-2100e3)
	r = mustParse(t, "cloudflare", strings.Replace(jsonExamples["cloudflare"], "1741767243655000000", "1741767243655000001", 1))
	equal(t, "start", r.Start, start+655000001)
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
	r = mustParse(t, "cloudflare", strings.NewReplacer("1741767243655000000", "1741767243", "1741767243670000000", `"2025-03-12T08:14:03Z"`).Replace(jsonExamples["cloudflare"]))
	equal(t, "start", r.Start, start)
	equal(t, "duration", r.Duration, ingest.Unknown)
}
