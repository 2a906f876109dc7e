package ingest_test

import (
	"strings"
	"testing"
	"time"

	"reprise/ingest"
)

const (
	proxyHead = "203.0.113.7:5123 [12/Mar/2025:09:14:03.655] https~ be/s1 0/0/1/14/15 200 2750 - - ---- 1/1/0/0/0 0/0 "
	// proxyStart is the instant of proxyHead's time stamp, from `date -ud '2025-03-12 09:14:03' +%s`.
	proxyStart = 1741770843655 * int64(1e6)
)

func TestHAProxy(t *testing.T) {
	for _, prefix := range []string{
		"", "haproxy[71]: ", "Mar 12 09:14:03 lb1 haproxy[71]: ", "<134>Mar 12 09:14:03 haproxy[71]: ", "Feb  2 04:05:24 127.0.0.1 haproxy[9883]: ",
		"2025-03-12T09:14:03.7+00:00 lb1 haproxy[71]: ",
	} {
		r := mustParse(t, "haproxy", prefix+proxyHead+`{ex.example|curl/8.5} {} "GET /a?b=1 HTTP/1.1"`)
		equal(t, "start", r.Start, proxyStart)
		equal(t, "precision", r.Precision, ingest.PrecisionMillisecond)
		equal(t, "origin", r.Origin, ingest.OriginLogged)
		equal(t, "client", string(r.Client), "203.0.113.7")
		equal(t, "method", string(r.Method), "GET")
		equal(t, "target", string(r.Target), "/a?b=1")
		equal(t, "protocol", string(r.Protocol), "HTTP/1.1")
		equal(t, "status", r.Status, 200)
		equal(t, "bytes", r.Bytes, 2750)
		equal(t, "duration", r.Duration, 15e6)
		equal(t, "upstream", r.UpstreamTimes(nil)[0], 14e6)
		equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
		equal(t, "what the captured headers are is not guessed", string(r.Host)+string(r.Agent), "")
	}
}

func TestHAProxyClients(t *testing.T) {
	f := func(logged, want string) {
		t.Helper()
		r := mustParse(t, "haproxy", strings.Replace(proxyHead, "203.0.113.7:5123", logged, 1)+`"GET / HTTP/1.1"`)
		equal(t, logged, string(r.Client), want)
	}
	f("203.0.113.7:5123", "203.0.113.7")
	f("2001:db8::7:5123", "2001:db8::7")
	f("::ffff:203.0.113.7:5123", "::ffff:203.0.113.7")
	f("[2001:db8::7]:5123", "2001:db8::7")
	f("unix:1", "unix")
	f("-", "-")
}

// The columns of other versions and options.
func TestHAProxyVariants(t *testing.T) {
	f := func(columns string, duration int64, status int, bytes int64) {
		t.Helper()
		r := mustParse(t, "haproxy", "203.0.113.7:5123 [12/Mar/2025:09:14:03.655] "+columns)
		if r.Duration != duration || r.Status != status || r.Bytes != bytes || string(r.Target) != "/a" {
			t.Errorf("%s: %d ns, status %d, %d bytes, target %s", columns, r.Duration, r.Status, r.Bytes, r.Target)
		}
	}
	f(`web web/s1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /a HTTP/1.1"`, 109e6, 200, 2750)
	f(`web web/<NOSRV> -1/-1/-1/-1/12 401 262 - - PR-- 0/0/0/0/0 0/0 "GET /a HTTP/1.1"`, 12e6, 401, 262)
	f(`web web/s1 0/0/1/-1/9 -1 0 - - CD-- 0/0/0/0/0 0/0 "GET /a HTTP/1.1"`, 9e6, 0, 0)
	f(`web web/s1 9/0/7/147/723 200 243 - - ---- 5/3/3/1/+2 0/0 "GET /a HTTP/1.1"`, 723e6, 200, 243) // redispatched
	f(`web web/s1 9/0/7/147/723 200 243 - - ---- 5/3/3/1/0 0/0 {||} "GET /a HTTP/1.1" 0/0000000000000000/0/0/0 ex.example/TLSv1.3/TLS_AES_128_GCM_SHA256`, 723e6, 200, 243)
	f(`web web/s1 9/0/7/147/723 200 243 SID=a b="c" - --VN 5/3/3/1/0 0/0 "GET /a HTTP/1.1"`, 723e6, 200, 243) // a raw cookie
	f(`web web/s1 9/0/7/147/723 200 6294967296 - - ---- 5/3/3/1/0 0/0 "GET /a HTTP/1.1"`, 723e6, 200, 6294967296)
	f(`web web/s1 9/0/7/147/723 200 243 - - ---- 5/3/3/1/0 0/0 "GET /a"`, 723e6, 200, 243)
}

// HTTP/2 has authority and path apart; HAProxy writes them as one.
func TestHAProxyAbsoluteTargets(t *testing.T) {
	f := func(request, host, target string) {
		t.Helper()
		r := mustParse(t, "haproxy", proxyHead+`"`+request+`"`)
		equal(t, request, string(r.Host), host)
		equal(t, request, string(r.Target), target)
	}
	f("GET https://ex.example/a?b=1 HTTP/2.0", "ex.example", "/a?b=1")
	f("GET https://ex.example:8443/ HTTP/3.0", "ex.example", "/")
	f("GET http://ex.example/a HTTP/1.1", "ex.example", "http://ex.example/a")
	f("GET https://ex.example HTTP/2.0", "ex.example", "/")
	f("OPTIONS * HTTP/2.0", "", "*")
	f("CONNECT ex.example:443 HTTP/1.1", "", "ex.example:443")
}

func TestHAProxyRejects(t *testing.T) {
	f := func(line string, want ingest.Reason, column int) {
		t.Helper()
		format := described(t, "haproxy", ingest.FormatOptions{})
		verdict(t, format, line, want, column)
	}
	f("", ingest.BadTime, 1)
	f("203.0.113.7:5123 [12/Mar/2025:09:14", ingest.BadTime, 1)
	f("203.0.113.7:5123 [32/Mar/2025:09:14:03.655] web", ingest.BadTime, 19)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.] web", ingest.BadTime, 19)
	f("no prefix 203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web", ingest.BadColumns, 1)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655]", ingest.BadColumns, 44)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be 0/0/1/14/15", ingest.BadColumns, 51)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 0/x/1/14/15 200", ingest.BadDuration, 55)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 0/1/14/15 200", ingest.BadDuration, 55)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 0/0/1/14/15 2x0 1", ingest.BadStatus, 67)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 0/0/1/14/15 200 1k ", ingest.BadSize, 71)
	f("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 0/0/1/14/15 200 1 - - ----", ingest.BadColumns, 72)
	f(proxyHead+"{a|b", ingest.BadColumns, len(proxyHead)+5)
	f(proxyHead+`"GET  HTTP/1.1"`, ingest.BadRequestLine, len(proxyHead)+2)
	f(proxyHead+`"GET /a#0Ab HTTP/1.1"`, ingest.BadRequestLine, len(proxyHead)+2)
}

func TestTrap32HAProxyEscapes(t *testing.T) {
	r := mustParse(t, "haproxy", proxyHead+`{a#22b|}x{} {c} "GET /caf#C3#A9?q=#22x#22#23y#2 HTTP/1.1"`)
	equal(t, "target", string(r.Target), "/caf\xc3\xa9?q=\"x\"#y#2")
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders|ingest.FlagDecoded)
	r = mustParse(t, "haproxy", proxyHead+`{a|b}c|d} "GET /a?b={x}|y HTTP/1.1"`)
	equal(t, "target", string(r.Target), "/a?b={x}|y")
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
}

func TestTrap32HAProxyTruncated(t *testing.T) {
	f := func(request, target, protocol string) {
		t.Helper()
		r := mustParse(t, "haproxy", proxyHead+request)
		equal(t, request, string(r.Target), target)
		equal(t, request, string(r.Protocol), protocol)
		equal(t, "flags of "+request, r.Flags&ingest.FlagTruncated, ingest.FlagTruncated)
	}
	long := "/a?" + strings.Repeat("b=1&", 250)
	f(`"GET `+long, long, "HTTP/1.0")
	f(`"GET /a#2`, "/a", "HTTP/1.0")
	f(`"GET /a#`, "/a", "HTTP/1.0")
	f(`"GET /a#22`, `/a"`, "HTTP/1.0")
	f(`"GET /a `, "/a", "HTTP/1.0")
	f(`"GET /a HTT`, "/a", "HTTP/1.0")
	f(`"GET /a HTTP/1.`, "/a", "HTTP/1.0")
	f(`"GET /a HTTP/1.1`, "/a", "HTTP/1.1")
	for _, cut := range []string{`"GET`, `"GET `, `"`, `"<BADR`} {
		wantVerdict(t, "haproxy", proxyHead+cut, ingest.BadQuote)
	}
}

func TestTrap32HAProxyWithoutRequest(t *testing.T) {
	f := func(columns string, status int) {
		t.Helper()
		r, v := parse(t, "haproxy", "203.0.113.7:5123 [12/Mar/2025:09:14:03.655] "+columns)
		if v.Reason != ingest.NoRequest || r.Start != proxyStart || string(r.Client) != "203.0.113.7" || r.Status != status {
			t.Errorf("%s: %s, start %d, client %s, status %d", columns, v.Reason, r.Start, r.Client, r.Status)
		}
	}
	f(`web web/<NOSRV> -1/-1/-1/-1/5001 408 212 - - cR-- 0/0/0/0/0 0/0 "<BADREQ>"`, 408)
	f(`web/1: SSL handshake failure`, 0)
	f(`https/*:443: Connection closed during SSL handshake`, 0)
	f(`mysql mysql/db1 1/0/5007 212 -- 0/0/0/0/3 0/0`, 0) // option tcplog
}

func TestTrap32HAProxyOwnMessages(t *testing.T) {
	for _, l := range []string{
		"[WARNING] (77) : Server be/s1 is DOWN, reason: Layer4 timeout.", "[NOTICE]   (1) : New worker (77) forked", "[WARNING] 334/091403 (77) : Exiting Master process...",
		"Mar 12 09:14:03 lb1 haproxy[71]: Proxy web started.", "<133>Mar 12 09:14:03 haproxy[71]: Server be/s1 is UP, reason: Layer7 check passed.",
		"haproxy[71]: backend be has no server available!", "Proxy web stopped (FE: 4 conns, BE: 0 conns).", "haproxy[71]: Connect from 203.0.113.7:5123 to 198.51.100.1:80 (web/HTTP)",
	} {
		wantVerdict(t, "haproxy", l, ingest.Skip)
	}
	for _, l := range []string{"[WARNING] something else", "haproxy[71]: 203.0.113.7:51", "[info] (x) : y", "[", "]", "("} {
		wantVerdict(t, "haproxy", l, ingest.BadTime)
	}
}

func TestTrap29HAProxyBytesSoFar(t *testing.T) {
	r := mustParse(t, "haproxy", `203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web be/s1 7/0/7/147/+723 200 +2750 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`)
	equal(t, "bytes", r.Bytes, 2750)
	equal(t, "duration", r.Duration, 723e6)
}

// HAProxy's times name no zone. In the hour that clocks show twice, the order of the ends tells which it is.
func TestTrap14HAProxyWithoutZone(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	format := described(t, "haproxy", ingest.FormatOptions{Location: loc})
	f := func(wall, millis, want string) {
		t.Helper()
		r := accepted(t, format, "203.0.113.7:5123 ["+wall+".250] web be/s1 0/0/0/0/"+millis+` 200 1 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`)
		equal(t, wall, time.Unix(0, r.Start).UTC().Format("2006-01-02 15:04:05.000"), want+".250")
		equal(t, "offset at "+wall, time.Unix(0, r.Start).In(loc).Format("02/Jan/2006:15:04:05"), wall)
		_, offset := time.Unix(0, r.Start).In(loc).Zone()
		equal(t, "offset at "+wall, int(r.Offset), offset)
	}
	f("01/Jul/2025:12:00:00", "1", "2025-07-01 10:00:00")
	f("01/Jan/2025:12:00:00", "1", "2025-01-01 11:00:00")
	f("26/Oct/2025:02:10:00", "1", "2025-10-26 00:10:00")
	f("26/Oct/2025:02:59:59", "1", "2025-10-26 00:59:59")
	f("26/Oct/2025:02:10:00", "1", "2025-10-26 01:10:00")
	f("26/Oct/2025:02:10:01", "1", "2025-10-26 01:10:01")
	f("26/Oct/2025:02:50:00", "1", "2025-10-26 01:50:00")
	f("26/Oct/2025:02:10:00", "6000000", "2025-10-26 00:10:00") // a long one from the first pass ends now
	f("26/Oct/2025:03:00:00", "1", "2025-10-26 02:00:00")
}

func TestHAProxyLeapSecond(t *testing.T) {
	r := mustParse(t, "haproxy", strings.Replace(proxyHead, "12/Mar/2025:09:14:03.655", "31/Dec/2016:23:59:60.500", 1)+`"GET / HTTP/1.1"`)
	equal(t, "start", time.Unix(0, r.Start).UTC().Format(time.RFC3339Nano), "2017-01-01T00:00:00.5Z")
}

func TestHAProxyStampGiven(t *testing.T) {
	r := parseWith(t, "haproxy", proxyHead+`"GET / HTTP/1.1"`, ingest.FormatOptions{Stamp: ingest.StampEnd})
	equal(t, "start", r.Start, proxyStart-15e6)
	equal(t, "origin", r.Origin, ingest.OriginDerived)
}
