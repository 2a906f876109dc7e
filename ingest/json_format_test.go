package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

func TestJSONOwnMessagesAreSkipped(t *testing.T) {
	f := func(format, line string, want ingest.Reason) {
		t.Helper()
		wantVerdict(t, format, line, want)
	}
	f("caddy", `{"level":"info","ts":1741767243.5,"msg":"using config from file","file":"/etc/caddy/Caddyfile"}`, ingest.Skip)
	f("caddy", `{"level":"info","ts":1741767243.5,"logger":"admin","msg":"admin endpoint started","origins":["//a","//b"]}`, ingest.Skip)
	// An error has an access line of its own as well: it is not a second request.
	f("caddy", strings.Replace(jsonExamples["caddy"], "handled request", "dial tcp: refused", 1), ingest.Skip)
	f("caddy", `{"ts":1741767243.5,"message":"x"}`, ingest.BadColumns)
	f("traefik_json", `{"level":"info","msg":"Configuration loaded","time":"2025-03-12T08:14:03Z"}`, ingest.Skip)
	f("traefik_json", `{"level":"info","message":"Configuration loaded","time":"2025-03-12T08:14:03Z"}`, ingest.Skip)
	f("traefik_json", jsonExamples["caddy"], ingest.BadColumns)
	f("gcp", `{"textPayload":"up","timestamp":"2025-03-12T08:14:03Z"}`, ingest.Skip)
	f("nginx_json", `{"level":"info","msg":"reload","time":"2025-03-12T08:14:03Z"}`, ingest.Skip)
	f("nginx_json", `{"time":"2025-03-12T08:14:03Z","user":"ann"}`, ingest.BadColumns)
	f("json:time=ts,request=r", `{"level":"info","msg":"reload","ts":1}`, ingest.Skip)
	f("json:time=ts,request=r", `[`, ingest.Skip)
	f("json:time=ts,request=r", ` ]`, ingest.Skip)
}

func TestJSONNoRequest(t *testing.T) {
	f := func(format, members string, want ingest.Reason) {
		t.Helper()
		r, v := parse(t, format, `{"ts":1741767243,"remote_addr":"203.0.113.7:99","status":"400",`+members+`}`)
		equal(t, members, v.Reason, want)
		if want == ingest.NoRequest {
			equal(t, "start", r.Start, start)
			equal(t, "client", string(r.Client), "203.0.113.7")
			equal(t, "status", r.Status, 400)
		}
	}
	f("nginx_json", `"request":""`, ingest.NoRequest)
	f("nginx_json", `"request":"-"`, ingest.NoRequest)
	f("nginx_json", `"request":"\u0016\u0003\u0001"`, ingest.NoRequest)
	f("nginx_json", `"request":"\x16\x03\x01 \x00"`, ingest.NoRequest)
	f("nginx_json", `"request_method":"","request_uri":""`, ingest.NoRequest)
	f("nginx_json", `"request":"HTTP/1.1 200 OK"`, ingest.BadRequestLine)
	f("nginx_json", `"request":"GET /a\u0000b HTTP/1.1"`, ingest.BadRequestLine)
	f("nginx_json", `"request_method":"G T","request_uri":"/"`, ingest.BadRequestLine)
	f("nginx_json", `"request_method":"GET","request_uri":"/a\nb"`, ingest.BadRequestLine)
	f("nginx_json", `"request_method":"GET","request_uri":"/","status":"OK"`, ingest.BadStatus)
}

func TestJSONRequests(t *testing.T) {
	f := func(spec, members, method, host, target, protocol string) {
		t.Helper()
		r := mustParse(t, spec, `{"ts":1741767243,`+members+`}`)
		equal(t, members, string(r.Method)+" "+string(r.Target)+" "+string(r.Protocol)+" "+string(r.Host), method+" "+target+" "+protocol+" "+host)
	}
	f("nginx_json", `"request_method":"POST","request_uri":"/a b?c","server_protocol":"HTTP/2.0","host":"ex.example"`, "POST", "ex.example", "/a b?c", "HTTP/2.0")
	f("nginx_json", `"uri":"/index.php","request":"GET /a?b HTTP/1.1","request_method":"GET"`, "GET", "", "/a?b", "HTTP/1.1")
	f("nginx_json", `"verb":"GET","request":"/a?b","httpversion":"1.1"`, "GET", "", "/a?b", "HTTP/1.1")
	f("nginx_json", `"method":"GET","path":"/a","query":"b=1","proto":"2"`, "GET", "", "/a?b=1", "HTTP/2.0")
	f("nginx_json", `"query":"b=1","status":200,"method":"GET","path":"/a"`, "GET", "", "/a?b=1", "HTTP/1.0")
	f("nginx_json", `"args":"","method":"GET","uri":"/a"`, "GET", "", "/a", "HTTP/1.0")
	f("nginx_json", `"http":{"request":{"method":"GET"}},"url":{"path":"/a","query":"?b=1"}`, "GET", "", "/a?b=1", "HTTP/1.0")
	f("nginx_json", `"http.request.method":"GET","url.original":"/a?b"`, "GET", "", "/a?b", "HTTP/1.0")
	f("json:time=ts,method=m,path=p,query=q", `"q":7,"m":"GET","p":"\u002fa"`, "GET", "", "/a?7", "HTTP/1.0")
	f("json:time=ts,method=m,path=p,query=q,host=h,protocol=v", `"p":"/a","h":"ex.example","m":"GET","v":"HTTP/3","q":"b=1&c"`, "GET", "ex.example", "/a?b=1&c", "HTTP/3")
	f("json:time=ts,method=m,path=p,query=q,host=h,protocol=v", `"q":"b=1&c","p":"/a?d","h":"ex.example","m":"GET","v":"HTTP/3"`, "GET", "ex.example", "/a?d", "HTTP/3")
	f("json:time=ts,url=u", `"u":"GET /x HTTP/1.1"`, "GET", "", "/x", "HTTP/1.1")
	f("json:time=ts,method=m,url=u", `"m":"GET","u":"https://ex.example/x y"`, "GET", "ex.example", "/x y", "HTTP/1.0")
	f(`json:time=ts,method=req\.method,target=req.list[0].url,host=headers.HOST`, `"req.method":"GET","req":{"list":[{"url":"/x"},{"url":"/y"}]},"headers":{"Host":["ex.example"]}`, "GET", "ex.example", "/x", "HTTP/1.0")
}

// Where a line stops being JSON is told by its column.
func TestJSONSyntax(t *testing.T) {
	f := func(line string, want ingest.Reason, column int) {
		t.Helper()
		_, v := parse(t, "json:time=ts,request=r.q", line)
		if v.Reason != want || v.Column != column {
			t.Errorf("%s: %s at column %d, want %s at %d", line, v.Reason, v.Column, want, column)
		}
	}
	const ok = `{"ts":1741767243,"r":{"q":"GET / HTTP/1.1"}`
	f(ok+`}`, ingest.Accepted, 0)
	f(" \t"+ok+" } ", ingest.Accepted, 0)
	f(`[`+ok+`},`, ingest.Accepted, 0)
	f(`,`+ok+`}]`, ingest.Accepted, 0)
	f(strings.NewReplacer(":", " : ", ",", " , ", "{", "{ ").Replace(ok)+"\t}", ingest.Accepted, 0)
	f(ok+`,"e":{},"a":[],"n":null,"x":[[1,{"q":[2]}],-1.5e3,true],"r":[],"r":{},"r":[[1],2]}`, ingest.Accepted, 0)
	f(ok+`}x`, ingest.BadColumns, 45)
	f(ok+`}{}`, ingest.BadColumns, 45)
	f(ok, ingest.BadColumns, 44)
	f(ok+`,`, ingest.BadColumns, 45)
	f(ok+`,}`, ingest.BadColumns, 45)
	f(ok+`,"x"}`, ingest.BadColumns, 48)
	f(ok+`,"x":}`, ingest.BadColumns, 49)
	f(ok+`,"x":1 "y":2}`, ingest.BadColumns, 51)
	f(ok+`,"x":"1\"}`, ingest.BadQuote, 49)
	f(ok+`,"x`, ingest.BadQuote, 45)
	f(ok+`,"x":[{"a":"}`, ingest.BadQuote, 55)
	f(ok+`,"x":[1`, ingest.BadColumns, 51)
	f(ok+`,"r":"x`, ingest.BadQuote, 49)
	f(ok+`,"r":`, ingest.BadColumns, 49)
	f(ok+`,"ts":[1`, ingest.BadColumns, 52)
	f(``, ingest.BadColumns, 1)
	f(`203.0.113.7 - -`, ingest.BadColumns, 1)
	f(`"x"`, ingest.BadColumns, 1)
	f(ok+`,"x":`+strings.Repeat("[", 64)+strings.Repeat("]", 64)+`}`, ingest.Accepted, 0)
	f(ok+`,"x":`+strings.Repeat("[", 65)+strings.Repeat("]", 65)+`}`, ingest.BadColumns, 48+65)
	f(ok+`,"ts":`+strings.Repeat("[", 99), ingest.BadColumns, 49+65)
	f(ok+`,"r":`+strings.Repeat(`[{"q":`, 99), ingest.BadColumns, 248) // two levels lie on the path
}

func TestJSONAllocatesNothing(t *testing.T) {
	lines := map[string]string{
		"json:time=ts,method=m,path=p,query=q,duration=d": `{"q":"b=1","ts":"12/Mar/2025:09:14:03 +0100","m":"GET","p":"\/a","d":"1m2.5s"}`,
		"json:time=ts,request=r":                          `{"ts":17,`,
	}
	for name, line := range jsonExamples {
		lines[name] = line
	}
	for spec, line := range lines {
		f, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, len(line))
		var r ingest.Record
		if n := testing.AllocsPerRun(100, func() {
			copy(buf, line)
			f.Parse(buf, &r)
		}); n != 0 {
			t.Errorf("%s: %g allocations a line", spec, n)
		}
	}
}

func BenchmarkJSON(b *testing.B) {
	for _, name := range ingest.Names() {
		example, ok := jsonExamples[name]
		if !ok {
			continue
		}
		b.Run(name, func(b *testing.B) {
			f, err := ingest.NewFormat(name, ingest.FormatOptions{})
			if err != nil {
				b.Fatal(err)
			}
			line := []byte(example)
			b.SetBytes(int64(len(line)) + 1)
			b.ReportAllocs()
			var r ingest.Record
			for b.Loop() {
				copy(line, example)
				if v := f.Parse(line, &r); !v.OK() {
					b.Fatal(v)
				}
			}
		})
	}
}

// The JSON log format that ingress-nginx documents keeps path and query apart.
func TestJSONQueryKeys(t *testing.T) {
	r := mustParse(t, "nginx_json", `{"time":"2025-03-12T09:14:03+01:00","remote_addr":"203.0.113.7","request_time":0.015,"status":200,"vhost":"ex.example",`+
		`"path":"/a","request_query":"b=1","duration":0.015,"method":"GET"}`)
	equal(t, "target", string(r.Target), "/a?b=1")
	equal(t, "duration", r.Duration, 15e6)
}
