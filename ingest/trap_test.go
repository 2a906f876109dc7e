package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

const head = `203.0.113.7 - - [12/Mar/2025:09:14:03 +0100] `

// start is the instant of head's time stamp, from `date -d '2025-03-12 09:14:03 +0100' +%s`.
const start = 1741767243 * int64(1e9)

// parse parses one line in a format, and checks that what Parse got was a line of its own.
func parse(t testing.TB, format, line string) (*ingest.Record, ingest.Verdict) {
	t.Helper()
	f, err := ingest.NewFormat(format, ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var r ingest.Record
	v := f.Parse([]byte(line), &r)
	return r.Clone(), v
}

func mustParse(t testing.TB, format, line string) *ingest.Record {
	t.Helper()
	r, v := parse(t, format, line)
	if !v.OK() {
		t.Fatalf("%s: %s at column %d\n%s", format, v.Reason, v.Column, line)
	}
	return r
}

func wantVerdict(t testing.TB, format, line string, want ingest.Reason) {
	t.Helper()
	if _, v := parse(t, format, line); v.Reason != want {
		t.Errorf("%s (column %d), want %s:\n%s", v.Reason, v.Column, want, line)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestTrap01ApacheEscapedQuotes(t *testing.T) {
	r := mustParse(t, "combined", head+`"GET /s?q=\"x\" HTTP/1.1" 200 1 "-" "a \"b\" c"`)
	equal(t, "target", string(r.Target), `/s?q="x"`)
	equal(t, "agent", string(r.Agent), `a "b" c`)
	equal(t, "referer", string(r.Referer), "")
	r = mustParse(t, "combined", head+`"GET /a HTTP/1.1" 200 1 "-" "ends with a backslash\\"`)
	equal(t, "agent", string(r.Agent), `ends with a backslash\`)
}

func TestTrap02NginxHexEscapes(t *testing.T) {
	r := mustParse(t, "combined", head+`"GET /?s=\x22x\x22&t=\xC3\xa9\x5C HTTP/1.1" 400 150 "-" "-"`)
	equal(t, "target", string(r.Target), "/?s=\"x\"&t=\xc3\xa9\\")
	r = mustParse(t, "combined", head+`"GET /files/cropped-ABC_\x86bersicht.jpg HTTP/1.1" 200 1 "-" "-"`)
	equal(t, "target", string(r.Target), "/files/cropped-ABC_\x86bersicht.jpg")
}

func TestTrap03EscapesLeftToRight(t *testing.T) {
	r := mustParse(t, "combined", head+`"GET /index.php?s=/\\think\\app HTTP/1.1" 302 0 "-" "-"`)
	equal(t, "target", string(r.Target), `/index.php?s=/\think\app`)
	r = mustParse(t, "combined", head+`"GET /x\zy\x4 HTTP/1.1" 302 0 "-" "-"`) // neither server writes these: they stay
	equal(t, "target", string(r.Target), `/x\zy\x4`)
}

func TestTrap04BinaryIsNoRequest(t *testing.T) {
	for _, request := range []string{
		`\x16\x03\x01\x02\x00\x01`, `\x03\x00\x00/*\xE0\x00\x00\x00\x00\x00Cookie: mstshash=Administr`, `\n`, `Gh0st\xad`,
		`MGLNDD_198.51.100.7_443`, `<html>`, `\x16\x03\x01 \x01\"x`, `aa2`,
	} {
		wantVerdict(t, "combined", head+`"`+request+`" 400 0 "-" "-"`, ingest.NoRequest)
	}
}

func TestTrap05NoRequest(t *testing.T) {
	wantVerdict(t, "combined", head+`"-" 408 0 "-" "-"`, ingest.NoRequest)
	wantVerdict(t, "combined", head+`"-" 400 0 "-" "-"`, ingest.NoRequest)
	wantVerdict(t, "combined", head+`"" 400 0 "-" "-"`, ingest.NoRequest)
	wantVerdict(t, "combined", head+`"" 400 0 "-" "-" "-"`, ingest.NoRequest) // and one column more than the format has
	r, _ := parse(t, "combined", head+`"-" 408 0 "-" "-"`)
	equal(t, "start", r.Start, start)
}

func TestTrap06Statuses(t *testing.T) {
	f := func(status string, want int) {
		t.Helper()
		equal(t, status, mustParse(t, "combined", head+`"GET / HTTP/1.1" `+status+` 0 "-" "-"`).Status, want)
	}
	f("499", 499)
	f("444", 444)
	f("000", 0)
	f("0", 0)
	f("-1", 0)
	f("-", 0)
	f("999", 999)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 2x0 0 "-" "-"`, ingest.BadStatus)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 200 1k "-" "-"`, ingest.BadSize)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 200 9223372036854775808 "-" "-"`, ingest.BadSize)
	equal(t, "size", mustParse(t, "combined", head+`"GET / HTTP/1.1" 200 9223372036854775807 "-" "-"`).Bytes, 1<<63-1)
	equal(t, "absent size", mustParse(t, "combined", head+`"GET / HTTP/1.1" 200 - "-" "-"`).Bytes, 0)
	r := mustParse(t, "combined", head+`"GET /boot.iso HTTP/1.1" - 195933084 - "Wget/1.14"`) // referer without quotes
	equal(t, "agent", string(r.Agent), "Wget/1.14")
}

func TestTrap07RawSpaces(t *testing.T) {
	r := mustParse(t, "common", head+`"GET /a b.html HTTP/1.1" 200 1`)
	equal(t, "target", string(r.Target), "/a b.html")
	equal(t, "protocol", string(r.Protocol), "HTTP/1.1")
	r = mustParse(t, "common", head+`"GET /a b HTTP" 200 1`)
	equal(t, "target", string(r.Target), "/a b HTTP")
}

func TestTrap08Protocols(t *testing.T) {
	r := mustParse(t, "common", head+`"GET /ksc.html" 200 7280`)
	equal(t, "target", string(r.Target), "/ksc.html")
	equal(t, "protocol", string(r.Protocol), "HTTP/1.0")
	wantVerdict(t, "common", head+`"GET /x HTTP/1.1\n" 400 0`, ingest.BadRequestLine)
	wantVerdict(t, "common", head+`"HTTP/1.1 200 OK" 400 0`, ingest.BadRequestLine)
	wantVerdict(t, "common", head+`"GET  HTTP/1.1" 400 0`, ingest.BadRequestLine)
	wantVerdict(t, "common", head+`"GET HTTP/1.1" 400 0`, ingest.BadRequestLine)
}

func TestTrap09BadPercentEscapes(t *testing.T) {
	r := mustParse(t, "common", head+`"GET /50%-off?x=%zz HTTP/1.1" 200 1`)
	equal(t, "target", string(r.Target), "/50%-off?x=%zz")
}

func TestTrap10Clients(t *testing.T) {
	f := func(logged, want string) {
		t.Helper()
		r := mustParse(t, "common", logged+` - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`)
		equal(t, logged, string(r.Client), want)
	}
	f("2001:db8::7", "2001:db8::7")
	f("::ffff:203.0.113.7", "::ffff:203.0.113.7")
	f("fe80::1%eth0", "fe80::1%eth0")
	f("[2001:db8::7]:5123", "2001:db8::7")
	f("0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:1")
	f("unix:", "unix:")
	f("-", "")
	f("ns5.example.net", "ns5.example.net")
	f("203.0.113.7:42918", "203.0.113.7")
	r := mustParse(t, "vhost_common", `a.example.org:443 203.0.113.7:42918 - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`)
	equal(t, "host", string(r.Host), "a.example.org")
	equal(t, "client", string(r.Client), "203.0.113.7")
}

func TestTrap11ForwardedListFirst(t *testing.T) {
	r := mustParse(t, "common", `203.0.113.7, 10.0.0.2, 10.0.0.3 - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "list", string(r.Forwarded), "203.0.113.7, 10.0.0.2, 10.0.0.3")
	r = mustParse(t, "common", `203.0.113.7 - [203.0.113.7] - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "user", string(r.User), "")
}

func TestTrap12Users(t *testing.T) {
	f := func(logged, want string) {
		t.Helper()
		r := mustParse(t, "common", `203.0.113.7 - `+logged+` [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 401 381`)
		equal(t, logged, string(r.User), want)
	}
	f(`""`, "")
	f("-", "")
	f("John Doe", "John Doe")
	f("ann@ex.example", "ann@ex.example")
	f(`EX\ann`, `EX\ann`)
	f(`EX\\ann`, `EX\ann`)
	// A user who tries to bring a time of his own cannot write the bare quote after it.
	wantVerdict(t, "common", `203.0.113.7 - x [01/Jan/2001:00:00:00 +0000] \"GET [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 401 381`, ingest.BadColumns)
}

func TestTrap14OffsetsAcrossDST(t *testing.T) {
	a := mustParse(t, "common", `h - - [11/Mar/2012:01:59:59 -0800] "GET / HTTP/1.1" 200 1`)
	b := mustParse(t, "common", `h - - [11/Mar/2012:03:00:06 -0700] "GET / HTTP/1.1" 200 1`)
	equal(t, "distance", b.Start-a.Start, 7e9)
	equal(t, "offset", a.Offset, -8*3600)
	equal(t, "offset", b.Offset, -7*3600)
}

func TestTrap15LeapSecond(t *testing.T) {
	r := mustParse(t, "common", `h - - [31/Dec/2016:23:59:60 +0000] "GET / HTTP/1.1" 200 1`)
	equal(t, "start", r.Start, 1483228800e9) // 2017-01-01 00:00:00
	wantVerdict(t, "common", `h - - [31/Dec/2016:23:59:61 +0000] "GET / HTTP/1.1" 200 1`, ingest.BadTime)
	wantVerdict(t, "common", `h - - [31/Feb/2016:23:59:00 +0000] "GET / HTTP/1.1" 200 1`, ingest.BadTime)
}

func TestTrap16TornLines(t *testing.T) {
	wantVerdict(t, "common", head+`"GET /images/M`, ingest.BadQuote)
	wantVerdict(t, "common", `OSAIC.gif HTTP/1.0" 200 363`, ingest.BadTime)
	wantVerdict(t, "common", head, ingest.BadColumns)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 200 1 "-" "Mozilla`, ingest.BadQuote)
	wantVerdict(t, "combined", head+`"GET / HTTP/1.1" 200`, ingest.BadColumns)
	wantVerdict(t, "common", `203.0.113.7 - - [12/Mar/203.0.113.8 - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`, ingest.BadColumns)
	wantVerdict(t, "common", `203.0.113.7 - 203.0.113.8 - - [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1`, ingest.BadColumns)
}

func TestTrap24BytesAreNotText(t *testing.T) {
	r := mustParse(t, "common", head+"\"GET /caf\xe9 HTTP/1.1\" 200 1")
	equal(t, "target", string(r.Target), "/caf\xe9")
}

func TestTrap26OtherTargets(t *testing.T) {
	r := mustParse(t, "common", head+`"CONNECT ex.example:443 HTTP/1.1" 405 0`)
	equal(t, "target", string(r.Target), "ex.example:443")
	r = mustParse(t, "common", head+`"GET http://user@ex.example:8080/a HTTP/1.1" 404 0`)
	equal(t, "target", string(r.Target), "http://user@ex.example:8080/a")
	equal(t, "host", string(r.Host), "ex.example")
	equal(t, "target", string(mustParse(t, "common", head+`"OPTIONS * HTTP/1.1" 200 0`).Target), "*")
	r = mustParse(t, "common", head+`"GET /redirect?to=http://ex.example/ HTTP/1.1" 200 0`)
	equal(t, "host", string(r.Host), "")
}

func TestTrap27Methods(t *testing.T) {
	for _, method := range []string{"PROPFIND", "SSTP_DUPLEX_POST", "Get", "M-SEARCH"} {
		equal(t, "method", string(mustParse(t, "common", head+`"`+method+` /x HTTP/1.1" 200 0`).Method), method)
	}
	r := mustParse(t, "common", head+`"PRI * HTTP/2.0" 400 0`)
	equal(t, "protocol", string(r.Protocol), "HTTP/2.0")
	wantVerdict(t, "common", head+`"27;wget%20http://x/y -O HTTP/1.0" 400 0`, ingest.BadRequestLine)
}

// The lab logs of the scanners stand in one more pair of quotes.
func TestWholeLineInQuotes(t *testing.T) {
	r := mustParse(t, "combined", `"`+head+`"GET /a HTTP/1.1" 200 1 "-" "agent""`)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "agent", string(r.Agent), "agent")
}

func TestForwardedColumn(t *testing.T) {
	r := mustParse(t, "main", head+`"GET / HTTP/1.1" 200 1 "-" "a" "198.51.100.1, 10.0.0.1" extra "columns"`)
	equal(t, "list", string(r.Forwarded), "198.51.100.1, 10.0.0.1")
	equal(t, "client", string(r.Client), "203.0.113.7")
	wantVerdict(t, "main", head+`"GET / HTTP/1.1" 200 1 "-" "a" "web@docker"`, ingest.BadColumns)
}

func TestRecordFields(t *testing.T) {
	r := mustParse(t, "vhost_combined", `shop.example:443 203.0.113.7 - ann [12/Mar/2025:09:14:03 +0100] "GET /a/b?q=1 HTTP/1.1" 200 512 "https://ex.example/" "Mozilla/5.0 (X11)"`)
	equal(t, "start", r.Start, start)
	equal(t, "offset", r.Offset, 3600)
	equal(t, "duration", r.Duration, ingest.Unknown)
	equal(t, "bytes", r.Bytes, 512)
	got := strings.Join([]string{string(r.Host), string(r.Client), string(r.User), string(r.Method), string(r.Target), string(r.Protocol), string(r.Referer), string(r.Agent)}, "|")
	equal(t, "texts", got, "shop.example|203.0.113.7|ann|GET|/a/b?q=1|HTTP/1.1|https://ex.example/|Mozilla/5.0 (X11)")
}

func TestParseDoesNotAllocate(t *testing.T) {
	for _, spec := range []string{"combined", `$remote_addr - $remote_user [$time_iso8601] "$request" $status $body_bytes_sent $request_time`} {
		f, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		lines := []string{
			head + `"GET /a HTTP/1.1" 200 1 "-" "x \"y\""`, head + `"-" 400 0 "-" "-"`, head + `"GET`, "no log line",
			`203.0.113.7 - - [2025-03-12T09:14:03+01:00] "GET /a HTTP/1.1" 200 1 0.043`,
		}
		var r ingest.Record
		buf := make([]byte, 256)
		for _, line := range lines {
			if n := testing.AllocsPerRun(100, func() { f.Parse(buf[:copy(buf, line)], &r) }); n != 0 {
				t.Errorf("%s: %g allocations for %s", spec, n, line)
			}
		}
	}
}
