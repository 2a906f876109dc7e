package ingest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"reprise/ingest"
)

// headersOf writes the headers of a record as lines, in order.
func headersOf(r *ingest.Record) string {
	var lines []string
	for _, h := range r.Headers {
		name := h.Name
		if h.Cookie != "" {
			name += "[" + h.Cookie + "]"
		}
		lines = append(lines, fmt.Sprintf("%s: %s", name, h.Value))
	}
	return strings.Join(lines, " | ")
}

func TestHeadersOfFormatStrings(t *testing.T) {
	f := func(spec, line, want string) {
		t.Helper()
		equal(t, line, headersOf(parseWith(t, spec, line, ingest.FormatOptions{})), want)
	}
	const nginx = `$msec "$request" "$http_referer" "$http_x_user_id" "$http_cookie" $cookie_uid "$http_user_agent" $cookie_x`
	f(nginx, `1741767243.5 "GET / HTTP/1.1" "-" "4711" "uid=7; a=\x22b\x22" 7 "agent" 1`, `X-User-Id: 4711 | Cookie: uid=7; a="b" | Cookie[uid]: 7 | Cookie[x]: 1`)
	f(nginx, `1741767243.5 "GET / HTTP/1.1" "-" "-" "-" - "agent" -`, ``)
	f(nginx, `1741767243.5 "GET / HTTP/1.1" "-" "" "" - "agent" x y`, `Cookie[x]: x y`)
	f(`$msec "$request" $http_x_forwarded_for $http_host $http_x_request_id $sent_http_x_a $http_`, `1741767243.5 "GET / HTTP/1.1" 203.0.113.7 a.example id b c`, ``)
	const apache = `%t "%r" "%{Referer}i" "%{x-user-ID}i" "%{Cookie}i" %{uid}C "%{User-Agent}i" "%{a b}i" "%{X-Y}o"`
	f(apache, `[12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" "-" "4711" "uid=7; a=\"b\"" 7 "agent" "none" "out"`, `X-User-Id: 4711 | Cookie: uid=7; a="b" | Cookie[uid]: 7`)
	f(apache, `[12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" "-" "-" "-" - "agent" "-" "-"`, ``)
}

func TestHeadersOfW3C(t *testing.T) {
	const fields = "#Fields: date time cs-method cs-uri-stem cs(Cookie) cs(X-User-Id) cs(Accept-Language) cs(x-user-id) cs(bad name) sc-status"
	iis := described(t, "w3c", ingest.FormatOptions{}, strings.Replace(fields, "cs(bad name) ", "sc(Set-Cookie) sc-win32-status ", 1))
	f := func(format ingest.Format, line, want string) {
		t.Helper()
		equal(t, line, headersOf(accepted(t, format, line)), want)
	}
	f(iis, "2025-03-12 08:14:03 GET /a uid=7;+sid=a+b== 4711 en,+de;q=0.5 - - 0 200", "Cookie: uid=7; sid=a+b== | X-User-Id: 4711 | Accept-Language: en, de;q=0.5")
	f(iis, "2025-03-12 08:14:03 GET /a - - - - - 0 200", "")
	f(iis, "2025-03-12 08:14:03 GET /a uid=7; sid=8 4711 - - - 0 200", "Cookie: uid=7; sid=8 | X-User-Id: 4711")

	apart := described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-method cs-uri-query cs(Cookie) cs(X-A) cs-uri-stem cs(X-B) sc-win32-status")
	f(apart, "2025-03-12 08:14:03 GET q=1 uid=7;+x=y a+b /stem c 0", "Cookie: uid=7; x=y | X-A: a b | X-B: c")
	equal(t, "target", string(accepted(t, apart, "2025-03-12 08:14:03 GET q=1 uid=7;+x=y a+b /stem c 0").Target), "/stem?q=1")

	edge := described(t, "cloudfront", ingest.FormatOptions{}, edgeFields)
	line := func(cookie string) string {
		columns := strings.Split(edgeLine("/a", "200", "-", "agent", "-", "0.1", "-"), "\t")
		at := slices.Index(strings.Fields(edgeFields)[1:], "cs(Cookie)")
		columns[at] = cookie
		return strings.Join(columns, "\t")
	}
	f(edge, line("uid=7;%20sid=a%2520b%22+"), `Cookie: uid=7; sid=a%20b"+`)
	f(edge, line("-"), "")

	quoted := described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-method cs-uri cs(Cookie) sc-status")
	f(quoted, `2025-03-12 08:14:03 GET /a "a=""b"";+c=d; e" 200`, `Cookie: a="b";+c=d; e`)

	wide := "#Fields: date time cs-method cs-uri sc-status"
	values := "2025-03-12 08:14:03 GET /a 200"
	for k := range 20 {
		wide += fmt.Sprintf(" cs(X-%d)", k)
		values += fmt.Sprintf(" %d", k)
	}
	f(described(t, "w3c", ingest.FormatOptions{}, wide), values, "X-0: 0 | X-1: 1 | X-2: 2 | X-3: 3 | X-4: 4 | X-5: 5 | X-6: 6 | X-7: 7")
}

func TestHeadersOfJSON(t *testing.T) {
	f := func(spec, line, want string) {
		t.Helper()
		equal(t, line, headersOf(mustParse(t, spec, line)), want)
	}
	const mapping = "json:time=ts,request=r,header.x-user-id=h.User,header.x-user-id=uid,cookie=c,cookie.uid=u,header.Referer=ref"
	f(mapping, `{"ts":1741767243,"r":"GET / HTTP/1.1","u":7,"uid":"2","h":{"User":"a\"b"},"c":"uid=7; x=\u00e4","ref":"/b"}`, "X-User-Id: a\"b | Cookie: uid=7; x=ä | Cookie[uid]: 7")
	f(mapping, `{"ts":1741767243,"r":"GET / HTTP/1.1","u":null,"uid":"2","h":{"User":"-"},"c":""}`, "X-User-Id: 2")
	f(mapping, `{"ts":1741767243,"r":"GET / HTTP/1.1"}`, "")
	equal(t, "referer", string(mustParse(t, mapping, `{"ts":1741767243,"r":"GET / HTTP/1.1","ref":"/b"}`).Referer), "/b")
	f("json:time=ts,method=m,path=p,query=q,cookie=c", `{"c":"a=b","q":"x=1","ts":1741767243,"m":"GET","p":"/"}`, "Cookie: a=b")
	f("json:time=ts,method=m,path=p,query=q,cookie=c", `{"q":"x=1","c":"a=b","ts":1741767243,"m":"GET","p":"/"}`, "Cookie: a=b")
	f(`escape=json {"t":"$time_iso8601","r":"$request","c":"$http_cookie","u":"$cookie_uid","x":{"l":"$http_accept_language"}}`,
		`{"t":"2025-03-12T09:14:03+01:00","r":"GET / HTTP/1.1","c":"uid=7","u":"7","x":{"l":"de"}}`, "Cookie: uid=7 | Cookie[uid]: 7 | Accept-Language: de")
	caddy := strings.Replace(jsonExamples["caddy"], `"headers":{`, `"headers":{"Cookie":["%s"],"Accept-Language":["de","en"],`, 1)
	f("caddy", fmt.Sprintf(caddy, "uid=7"), "Cookie: uid=7 | Accept-Language: de")
	f("caddy", fmt.Sprintf(caddy, "REDACTED"), "Accept-Language: de")
	f("nginx_json", `{"ts":1741767243,"request":"GET / HTTP/1.1","http_cookie":"uid=7"}`, "Cookie: uid=7")
}

func TestHeaderMappingErrors(t *testing.T) {
	f := func(column string, fields ...string) {
		t.Helper()
		_, err := ingest.NewFormat("json:time=ts,request=r,"+strings.Join(fields, ","), ingest.FormatOptions{})
		if err == nil || !strings.Contains(err.Error(), column) {
			t.Errorf("%v: %v", fields, err)
		}
	}
	f("is no field", "header.=x")
	f("is no field", "header.a b=x")
	f("is no field", "cookie.a;b=x")
	f("is no kind", "cookie=x:unix")
	many := make([]string, 33)
	for k := range many {
		many[k] = fmt.Sprintf("header.X-%d=x%d", k, k)
	}
	f("more than 32 headers", many...)
	if _, err := ingest.NewFormat("json:time=ts,request=r,"+strings.Join(many[:32], ","), ingest.FormatOptions{}); err != nil {
		t.Error(err)
	}
}

// A record's headers are its own line's, their memory is used again, and copies share nothing.
func TestHeadersAreReusedAndCopied(t *testing.T) {
	format, err := ingest.NewFormat(`$msec "$request" "$http_cookie" "$http_x_a"`, ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{`1741767243.5 "GET / HTTP/1.1" "a=1" "x"`, `1741767243.5 "GET / HTTP/1.1" "-" "-"`, `1741767243.5 "GET / HTTP/1.1" "b=2" "-"`}
	var record ingest.Record
	var batch ingest.Batch
	var clones []*ingest.Record
	line := make([]byte, 0, 100)
	parseAll := func(keep bool) {
		for _, text := range lines {
			line = append(line[:0], text...)
			if v := format.Parse(line, &record); !v.OK() {
				t.Fatal(v)
			}
			if keep {
				batch.Add(&record)
				clones = append(clones, record.Clone())
			}
		}
	}
	parseAll(true)
	clear(line)
	clear(record.Headers[:cap(record.Headers)])
	for i, want := range []string{"Cookie: a=1 | X-A: x", "", "Cookie: b=2"} {
		equal(t, "copy in a batch", headersOf(&batch.Records()[i]), want)
		equal(t, "clone", headersOf(clones[i]), want)
	}
	if n := testing.AllocsPerRun(100, func() { parseAll(false) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
