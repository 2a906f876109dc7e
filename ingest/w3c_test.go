package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

const (
	iisFields = "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken"
	// edgeFields are CloudFront's columns, of which it has 33 since 2019 and 12 in 2011.
	edgeFields = "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) " +
		"x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version"
)

// described opens a format and gives it the lines that describe a file.
func described(t testing.TB, name string, o ingest.FormatOptions, directives ...string) ingest.Format {
	t.Helper()
	f, err := ingest.NewFormat(name, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range directives {
		var r ingest.Record
		if v := f.Parse([]byte(d), &r); v.Reason != ingest.Skip {
			t.Fatalf("%s: %s", v.Reason, d)
		}
	}
	return f
}

func accepted(t testing.TB, f ingest.Format, line string) *ingest.Record {
	t.Helper()
	var r ingest.Record
	if v := f.Parse([]byte(line), &r); !v.OK() {
		t.Fatalf("%s at column %d: %q", v.Reason, v.Column, line)
	}
	return r.Clone()
}

func verdict(t testing.TB, f ingest.Format, line string, want ingest.Reason, column int) {
	t.Helper()
	var r ingest.Record
	if v := f.Parse([]byte(line), &r); v.Reason != want || v.Column != column {
		t.Errorf("%s at column %d, want %s at %d: %q", v.Reason, v.Column, want, column, line)
	}
}

// edgeLine writes the columns of edgeFields.
func edgeLine(stem, status, referer, agent, query, taken, forwarded string) string {
	return strings.Join([]string{"2025-03-12", "08:14:03", "FRA56-C1", "390", "203.0.113.7", "GET", "d1.cloudfront.example", stem, status, referer, agent, query, "-",
		"Miss", "id_1==", "shop.example", "https", "23", taken, forwarded, "TLSv1.3", "TLS_AES_128_GCM_SHA256", "Miss", "HTTP/2.0"}, "\t")
}

func TestIIS(t *testing.T) {
	f := described(t, "w3c", ingest.FormatOptions{}, "#Software: Microsoft Internet Information Services 10.0", "#Version: 1.0", "#Date: 2025-03-12 08:14:03", iisFields)
	r := accepted(t, f, `2025-03-12 08:14:03 10.0.0.4 GET /a.aspx b=1+2 443 EX\ann 203.0.113.7 Mozilla/5.0+(X11) https://ex.example/?q=a+b 200 0 0 31`)
	equal(t, "start", r.Start, start-31e6)
	equal(t, "origin", r.Origin, ingest.OriginDerived)
	equal(t, "precision", r.Precision, ingest.PrecisionSecond)
	equal(t, "duration", r.Duration, 31e6)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "user", string(r.User), `EX\ann`)
	equal(t, "target", string(r.Target), "/a.aspx?b=1+2")
	equal(t, "protocol", string(r.Protocol), "HTTP/1.0")
	equal(t, "agent", string(r.Agent), "Mozilla/5.0 (X11)")
	equal(t, "referer", string(r.Referer), "https://ex.example/?q=a+b")
	equal(t, "bytes", r.Bytes, ingest.Unknown)
	equal(t, "flags", r.Flags, 0)

	r = accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 POST /My+Folder/a - 443 - 2001:db8::7 - - 500 0 64 1352530 ")
	equal(t, "target", string(r.Target), "/My+Folder/a")
	equal(t, "duration", r.Duration, 1352530e6)
	equal(t, "client", string(r.Client), "2001:db8::7")

	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 - - - 443 - 203.0.113.7 - - 400 0 0 31", ingest.NoRequest, 0)
	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 -", ingest.BadColumns, 44)
	verdict(t, f, "2025-03-32 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 31", ingest.BadTime, 12)
	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 2x0 0 0 31", ingest.BadStatus, 61)
	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 3,x", ingest.BadDuration, 69)
	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 G[T /a - 443 - 203.0.113.7 - - 200 0 0 31", ingest.BadRequestLine, 30)
	verdict(t, f, "", ingest.BadColumns, 1)

	// A stamp that is declared to be the start stays.
	f = described(t, "w3c", ingest.FormatOptions{Stamp: ingest.StampStart}, iisFields)
	equal(t, "start", accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 31").Start, start)
}

// Without a "#Fields:" line only "iis" knows the columns, and a line that fits none of its defaults is rejected.
func TestIISWithoutFields(t *testing.T) {
	line := "2025-03-12 08:14:03 10.0.0.4 GET /a.aspx b=1 443 - 203.0.113.7 Mozilla/5.0+(X11) - 200 0 0 31"
	verdict(t, described(t, "w3c", ingest.FormatOptions{}), line, ingest.BadColumns, 1)
	f := described(t, "iis", ingest.FormatOptions{})
	equal(t, "target", string(accepted(t, f, line).Target), "/a.aspx?b=1")
	equal(t, "duration", accepted(t, f, strings.Replace(line, " - 200", " 200", 1)).Duration, 31e6)
	r := accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a.aspx b=1 443 - 203.0.113.7 Mozilla/5.0+(X11) 404 0 2")
	equal(t, "status", r.Status, 404)
	equal(t, "duration", r.Duration, ingest.Unknown)
	equal(t, "origin", r.Origin, ingest.OriginLogged)
	verdict(t, f, line+" more", ingest.BadColumns, 1)
	verdict(t, f, head+`"GET / HTTP/1.1" 200 1 "-" "a"`, ingest.BadColumns, 1)
	f = described(t, "iis", ingest.FormatOptions{}, "#Fields: date time cs-method cs-uri-stem")
	equal(t, "target", string(accepted(t, f, "2025-03-12 08:14:03 GET /b").Target), "/b")
}

// The day of a file without a date column stands in "#Date:"; the clock's jumps tell the rest.
func TestW3CTimeWithoutDate(t *testing.T) {
	f := described(t, "w3c", ingest.FormatOptions{}, "#Fields: time cs-method cs-uri-stem")
	verdict(t, f, "08:14:03 GET /", ingest.BadTime, 1)
	f = described(t, "w3c", ingest.FormatOptions{}, "#Date: 2025-03-11 23:59:58", "#Fields: time cs-method cs-uri-stem")
	const day = int64(86400e9)
	midnight := int64(1741737600e9) // 2025-03-12, from `date -ud 2025-03-12 +%s`
	equal(t, "before", accepted(t, f, "23:59:59 GET /").Start, midnight-1e9)
	equal(t, "after", accepted(t, f, "00:00:01 GET /").Start, midnight+1e9)
	equal(t, "late", accepted(t, f, "23:59:59.5 GET /").Start, midnight-5e8)
	equal(t, "no seconds", accepted(t, f, "00:02 GET /").Start, midnight+120e9)
	equal(t, "noon", accepted(t, f, "11:00:00 GET /").Start, midnight+11*3600e9)
	equal(t, "evening", accepted(t, f, "22:00:00 GET /").Start, midnight+22*3600e9)
	equal(t, "next day", accepted(t, f, "01:00:00 GET /").Start, midnight+day+3600e9)
	f = described(t, "w3c", ingest.FormatOptions{}, "#Date: 2025-03-12", "#Fields: time cs-method cs-uri-stem")
	equal(t, "day only", accepted(t, f, "23:59:59 GET /").Start, midnight+day-1e9)
	for _, clock := range []string{"24:00:00", "08:60:00", "08:00:61", "8:00:00", "08:00:0", "08:00:00.", "08:00:00.x", "08-00:00", "-"} {
		verdict(t, f, clock+" GET /", ingest.BadTime, 1)
	}
}

// Servers that follow the draft put text in quotes and log seconds.
func TestW3CDraft(t *testing.T) {
	f := described(t, "w3c", ingest.FormatOptions{}, "#fields:\tDate Time\ttime-taken C-IP CS-Method cs-uri cs(user-agent) SC-Status bytes")
	r := accepted(t, f, `2025-03-12 08:14:03.250 0.125 203.0.113.7 GET http://ex.example/a?b "Mozilla ""5.0"" (X11)" 200 17`)
	equal(t, "start", r.Start, start+125e6)
	equal(t, "precision", r.Precision, ingest.PrecisionMillisecond)
	equal(t, "agent", string(r.Agent), `Mozilla "5.0" (X11)`)
	equal(t, "target", string(r.Target), "http://ex.example/a?b")
	equal(t, "host", string(r.Host), "ex.example")
	equal(t, "quote is text", string(accepted(t, f, `2025-03-12 08:14:03 1 203.0.113.7 GET /a "quo"te 200 17`).Agent), `"quo"te`)
	equal(t, "plus is text", string(accepted(t, f, `2025-03-12 08:14:03 1 203.0.113.7 GET /a "a+b" 200 17`).Agent), `a+b`)
	equal(t, "absent", string(accepted(t, f, `2025-03-12 08:14:03 1 203.0.113.7 GET /a "" 200 17`).Agent), "")
	// Where the query stands before its stem, and in quotes, the target is still in order.
	f = described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-uri-query c-ip cs(Referer) cs-uri-stem cs-method")
	for _, line := range []string{
		"2025-03-12 08:14:03 q=1 203.0.113.7 https://ex.example/ /stem GET",
		`2025-03-12 08:14:03 "q=1" 203.0.113.7 "https://ex.example/" "/stem" GET`,
	} {
		r = accepted(t, f, line)
		equal(t, "target", string(r.Target), "/stem?q=1")
		equal(t, "client", string(r.Client), "203.0.113.7")
		equal(t, "referer", string(r.Referer), "https://ex.example/")
		equal(t, "method", string(r.Method), "GET")
	}
	f = described(t, "w3c", ingest.FormatOptions{}, "#Fields: cs-method cs-uri-query cs-uri-stem timestamp(ms)")
	r = accepted(t, f, "GET q=1 /stem 1741767243655")
	equal(t, "target", string(r.Target), "/stem?q=1")
	equal(t, "start", r.Start, start+655e6)
	verdict(t, f, "GET q=1 /stem 1741767243655x", ingest.BadTime, 1)
	// Files of other protocols have no requests, and columns beyond all bounds are none.
	verdict(t, described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time c-ip"), "2025-03-12 08:14:03 203.0.113.7", ingest.BadColumns, 1)
	verdict(t, described(t, "w3c", ingest.FormatOptions{}, "#Fields: "+strings.Repeat("x ", 1000)), strings.Repeat("x ", 999)+"x", ingest.BadColumns, 1)
}

func TestCloudFront(t *testing.T) {
	for _, name := range []string{"w3c", "cloudfront"} {
		f := described(t, name, ingest.FormatOptions{}, "#Version: 1.0", edgeFields)
		r := accepted(t, f, edgeLine("/a", "200", "https://ex.example/a%2520b", "curl/8.5%20(x)", "b=1", "0.250", "198.51.100.1,%20203.0.113.7"))
		equal(t, "start", r.Start, start-250e6)
		equal(t, "duration", r.Duration, 250e6)
		equal(t, "target", string(r.Target), "/a?b=1")
		equal(t, "host", string(r.Host), "shop.example")
		equal(t, "protocol", string(r.Protocol), "HTTP/2.0")
		equal(t, "id", string(r.RequestID), "id_1==")
		equal(t, "list", string(r.Forwarded), "198.51.100.1, 203.0.113.7")
		equal(t, "client", string(r.Client), "203.0.113.7")
		equal(t, "agent", string(r.Agent), "curl/8.5 (x)")
		equal(t, "referer", string(r.Referer), "https://ex.example/a%20b")
		equal(t, "bytes", r.Bytes, 390)
		equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
		equal(t, "whole seconds", accepted(t, f, edgeLine("/a", "200", "-", "-", "-", "2", "-")).Duration, 2e9)
		equal(t, "query at the stem", string(accepted(t, f, edgeLine("/a?b=1", "200", "-", "-", "b=1", "2", "-")).Target), "/a?b=1")
		r = accepted(t, f, edgeLine("/a", "000", "-", "Mozilla/5.0%2520(X11)", "-", "0.001", "-"))
		equal(t, "status", r.Status, 0)
		equal(t, "agent", string(r.Agent), "Mozilla/5.0 (X11)")
	}
	verdict(t, described(t, "cloudfront", ingest.FormatOptions{}, iisFields), "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 31", ingest.BadColumns, 1)
}

func TestTrap19W3CFiles(t *testing.T) {
	text := "\ufeff#Software: Microsoft Internet Information Services 10.0\r\n" + iisFields + "\r\n" +
		"2025-03-12 08:14:03 10.0.0.4 GET /1 - 443 - 203.0.113.7 - - 200 0 0 31\r\n\r\n2025-03-12 08:14:03 10.0.0.4 GET /2 - 443 - 203.0.113.7 - - 200 0 0 31"
	targets, rep := readText(t, text, ingest.Options{Format: "w3c"})
	equal(t, "targets", strings.Join(targets, " "), "/1 /2")
	equal(t, "skipped", rep.Skipped, 3)
}

func TestTrap29SizesOfW3C(t *testing.T) {
	f := described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-method cs-uri-stem sc-bytes")
	equal(t, "absent", accepted(t, f, "2025-03-12 08:14:03 GET / -").Bytes, ingest.Unknown)
	r := accepted(t, f, "2025-03-12 08:14:03 GET / 4294967296")
	equal(t, "large", r.Bytes, 1<<32)
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
	verdict(t, f, "2025-03-12 08:14:03 GET / 99999999999999999999", ingest.BadSize, 27)
}

func TestTrap30Columns(t *testing.T) {
	// Columns change in mid-file, and c-ip is missing.
	f := described(t, "w3c", ingest.FormatOptions{}, iisFields)
	accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 31")
	var r ingest.Record
	if v := f.Parse([]byte("#Fields: date time s-sitename cs-method cs-uri-stem cs-uri-query x-forwarded-for sc-status sc-bytes"), &r); v.Reason != ingest.Skip {
		t.Fatal(v)
	}
	got := accepted(t, f, "2025-03-12 08:14:04 W3SVC1 GET /b q 198.51.100.1,+10.0.0.2 404 77")
	equal(t, "target", string(got.Target), "/b?q")
	equal(t, "list", string(got.Forwarded), "198.51.100.1, 10.0.0.2")
	equal(t, "client", string(got.Client), "198.51.100.1")
	equal(t, "bytes", got.Bytes, 77)
	verdict(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 - - 200 0 0 31", ingest.BadColumns, 57)

	// An agent with "#" is text.
	f = described(t, "w3c", ingest.FormatOptions{}, iisFields)
	equal(t, "agent", string(accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 sqlmap/1.8#stable - 200 0 0 31").Agent), "sqlmap/1.8#stable")
	equal(t, "agent", string(accepted(t, f, "2025-03-12 08:14:03 10.0.0.4 GET /a - 443 - 203.0.113.7 Mozilla 5.0 (X11) - 200 0 0 31").Agent), "Mozilla 5.0 (X11)")

	// A cookie with spaces, before and after other free text.
	for _, fields := range []string{"cs(Cookie) cs(User-Agent)", "cs(User-Agent) cs(Cookie)"} {
		f = described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-method cs-uri-stem "+fields+" sc-status sc-bytes time-taken")
		texts := "a=1;+b=2; c=3; d=4 ua"
		if strings.HasSuffix(fields, "(Cookie)") {
			texts = "ua a=1;+b=2; c=3; d=4"
		}
		got = accepted(t, f, "2025-03-12 08:14:03 GET /a "+texts+" 200 5 31")
		equal(t, "agent", string(got.Agent), "ua")
		equal(t, "status", got.Status, 200)
		equal(t, "duration", got.Duration, 31e6)
	}
	verdict(t, described(t, "w3c", ingest.FormatOptions{}, "#Fields: date time cs-method sc-status cs-uri-stem"), "2025-03-12 08:14:03 GET 200 /a b", ingest.BadColumns, 32)
}

// CloudFront encodes what it logs once more. What a client can have sent raw is decoded in the target, what it
// cannot have sent raw is its own escape.
func TestTrap30CloudFrontEncoding(t *testing.T) {
	f := described(t, "cloudfront", ingest.FormatOptions{}, edgeFields)
	g := func(stem, query, want string, flags ingest.Flags) {
		t.Helper()
		r := accepted(t, f, edgeLine(stem, "200", "-", "-", query, "0.001", "-"))
		equal(t, "target", string(r.Target), want)
		equal(t, "flags", r.Flags, ingest.FlagWithHeaders|flags)
	}
	g("/a%2520b", "c=%252C", "/a%20b?c=%2C", ingest.FlagDecoded)
	g("/caf%25C3%25A9", "-", "/caf%C3%A9", ingest.FlagDecoded)
	g("/a", "ids%5B%5D=1&j=%7B%22k%22:1%7D", `/a?ids[]=1&j={"k":1}`, ingest.FlagDecoded)
	g("/a%20b", "c=%C3%A9%00%0A%23%2C", "/a%20b?c=%C3%A9%00%0A%23%2C", 0)
	g("/a%2525", "%25zz&%2", "/a%25?%zz&%2", ingest.FlagDecoded)
}

// The numbers of requests come from `zcat NAME | grep -vc '^#'`.
func TestRealW3CLogs(t *testing.T) {
	f := func(name string, lines, records int64) {
		t.Helper()
		rep := readAll(t, ingest.Options{Format: "w3c"}, realLog(t, name+".log.gz")).Files[0]
		checkBalance(t, rep)
		if rep.Lines != lines || rep.Records != records || rep.Rejected != 0 || rep.NoRequest != 0 {
			t.Errorf("%s: %+v", name, rep)
		}
	}
	f("iis-w3c-2009", 24781, 14093)
	f("iis85-w3c-2015", 254, 210)
	f("cloudfront-w3c-2011", 102, 100)
}
