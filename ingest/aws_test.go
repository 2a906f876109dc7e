package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

const (
	albHead = `h2 2025-03-12T08:14:03.831000Z app/lb/50dc 203.0.113.7:5123 10.0.0.5:80 0.001 0.170 0.000 200 200 34 366 `
	albTail = ` "curl/8.5" TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:x "Root=1-58" "shop.example" "arn:aws:y" 0 2025-03-12T08:14:03.660000Z "forward" "-" "-" "10.0.0.5:80" "200" "-" "-" TID_37ac`
	elbHead = `2025-03-12T08:14:03.660000Z my-lb 203.0.113.7:5123 10.0.0.5:80 0.000073 0.001048 0.000057 200 200 0 29 `
)

func TestALB(t *testing.T) {
	r := mustParse(t, "alb", albHead+`"GET https://ex.example:443/a?b=1 HTTP/2.0"`+albTail)
	equal(t, "start", r.Start, start+660e6)
	equal(t, "origin", r.Origin, ingest.OriginLogged)
	equal(t, "precision", r.Precision, ingest.PrecisionMicrosecond)
	equal(t, "duration", r.Duration, 171e6)
	equal(t, "upstream", string(r.Upstream), "0.170")
	equal(t, "upstream times", r.UpstreamTimes(nil)[0], 170e6)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "host", string(r.Host), "ex.example")
	equal(t, "method", string(r.Method), "GET")
	equal(t, "target", string(r.Target), "/a?b=1")
	equal(t, "protocol", string(r.Protocol), "HTTP/2.0")
	equal(t, "status", r.Status, 200)
	equal(t, "bytes", r.Bytes, 366)
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders)
	equal(t, "agent", string(r.Agent), "curl/8.5")
	equal(t, "id", string(r.RequestID), "Root=1-58")

	// A line of 2016 ends with the trace, and its only time is the end.
	old := albHead + `"GET https://ex.example:443/ HTTP/1.1" "ua" - - arn:aws:x "Root=1-58"`
	r = mustParse(t, "alb", old)
	equal(t, "start", r.Start, start+831e6-171e6)
	equal(t, "origin", r.Origin, ingest.OriginDerived)
	f, err := ingest.NewFormat("alb", ingest.FormatOptions{Stamp: ingest.StampStart})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "declared start", accepted(t, f, old).Start, start+831e6)

	// The balancer gave up: -1. The duration is what lies between both times.
	r = mustParse(t, "alb", strings.Replace(albHead, "0.001 0.170 0.000 200 200", "-1 -1 -1 504 -", 1)+`"POST https://[2001:db8::1]:443/a HTTP/1.1"`+albTail)
	equal(t, "status", r.Status, 504)
	equal(t, "duration", r.Duration, 171e6)
	equal(t, "start", r.Start, start+660e6)
	equal(t, "upstream", len(r.Upstream), 0)
	equal(t, "host", string(r.Host), "2001:db8::1")
	r = mustParse(t, "alb", strings.Replace(old, "0.001 0.170 0.000 200 200", "0.001 -1 -1 - -", 1))
	equal(t, "status", r.Status, 0)
	equal(t, "duration", r.Duration, ingest.Unknown)

	for client, want := range map[string]string{"[2001:db8::7]:5123": "2001:db8::7", "2001:db8::7:5123": "2001:db8::7", "-": ""} {
		r = mustParse(t, "alb", strings.Replace(albHead, "203.0.113.7:5123", client, 1)+`"GET https://ex.example:443/ HTTP/1.1"`+albTail)
		equal(t, "client", string(r.Client), want)
	}
	wantVerdict(t, "alb", "Enable AccessLog for ELB: app/lb/50dc at 2025-03-12T08:14:03.831Z", ingest.Skip)
}

func TestBalancerRejects(t *testing.T) {
	f := func(format, line string, want ingest.Reason, column int) {
		t.Helper()
		if _, v := parse(t, format, line); v.Reason != want || v.Column != column {
			t.Errorf("%s at column %d, want %s at %d: %s", v.Reason, v.Column, want, column, line)
		}
	}
	request := `"GET https://ex.example:443/ HTTP/1.1"`
	f("alb", "", ingest.BadColumns, 1)
	f("alb", "h2", ingest.BadTime, 3)
	f("alb", strings.Replace(albHead, "03.831", "63.831", 1)+request+albTail, ingest.BadTime, 4)
	f("alb", strings.Replace(albHead, "03.831000Z", "03.831000Zx", 1)+request+albTail, ingest.BadTime, 4)
	f("alb", strings.Replace(albHead, " 0.170", " fast", 1)+request+albTail, ingest.BadDuration, 79)
	f("alb", strings.Replace(albHead, " 0.170", " 99999999999", 1)+request+albTail, ingest.BadDuration, 79)
	f("alb", strings.Replace(albHead, "200 200", "2OO 200", 1)+request+albTail, ingest.BadStatus, 91)
	f("alb", strings.Replace(albHead, "34 366", "34 3.6", 1)+request+albTail, ingest.BadSize, 102)
	f("alb", albHead+`"GET https://ex.ex`, ingest.BadQuote, 107)
	f("alb", albHead+request+` "ua`, ingest.BadQuote, 146)
	f("alb", albHead, ingest.BadColumns, 106)
	f("alb", albHead[:70], ingest.BadColumns, 71)
	f("alb", albHead+`"G[T https://ex.example:443/ HTTP/1.1"`+albTail, ingest.BadRequestLine, 107)
	f("alb", elbHead+request, ingest.BadColumns, 1)
	f("elb", albHead+request, ingest.BadTime, 1)
}

func TestELB(t *testing.T) {
	r := mustParse(t, "elb", elbHead+`"GET http://ex.example:80/a?b HTTP/1.1" "curl/7.38.0" - -`)
	equal(t, "start", r.Start, start+660e6)
	equal(t, "origin", r.Origin, ingest.OriginLogged)
	equal(t, "duration", r.Duration, 1178e3)
	equal(t, "upstream", r.UpstreamTimes(nil)[0], 1048e3)
	equal(t, "host", string(r.Host), "ex.example")
	equal(t, "target", string(r.Target), "/a?b")
	equal(t, "bytes", r.Bytes, 29)
	equal(t, "flags", r.Flags, 0)
	equal(t, "agent", string(r.Agent), "curl/7.38.0")
	equal(t, "without agent", string(mustParse(t, "elb", elbHead+`"GET http://ex.example:80/a HTTP/1.1"`).Target), "/a")
	tcp := strings.Replace(elbHead, "200 200", "- -", 1)
	for _, request := range []string{`"- - - "`, `"-"`, `""`} {
		wantVerdict(t, "elb", tcp+request+` "-" - -`, ingest.NoRequest)
	}
	wantVerdict(t, "elb", "Enable AccessLog for ELB: my-lb at 2025-03-12T08:14:03.831Z", ingest.Skip)
}

func TestTrap06NoStatus(t *testing.T) {
	request := `"GET http://ex.example:80/ HTTP/1.1" "ua" - -`
	for status, want := range map[string]int{"-": 0, "000": 0, "460": 460, "561": 561} {
		equal(t, status, mustParse(t, "elb", strings.Replace(elbHead, "200 200", status+" -", 1)+request).Status, want)
		equal(t, status, mustParse(t, "s3", s3Head+`"GET / HTTP/1.1" `+status+` - 1 1 1 1 "-" "-"`).Status, want)
		equal(t, status, accepted(t, described(t, "w3c", ingest.FormatOptions{}, edgeFields), edgeLine("/", status, "-", "-", "-", "0.001", "-")).Status, want)
	}
}

// What the client sent stands behind scheme, host and port.
func TestTrap26TargetsOfBalancers(t *testing.T) {
	f := func(request, host, target string) {
		t.Helper()
		r := mustParse(t, "alb", albHead+`"`+request+`"`+albTail)
		equal(t, "host", string(r.Host), host)
		equal(t, "target", string(r.Target), target)
	}
	f("GET https://ex.example:443 HTTP/1.1", "ex.example", "/")
	f("GET https://ex.example:443?a=1 HTTP/1.1", "ex.example", "/?a=1")
	f("GET https://ex.example?u=http://x/ HTTP/1.1", "ex.example", "/?u=http://x/")
	f("GET https://ex.example:443//a//b?c=/d HTTP/1.1", "ex.example", "//a//b?c=/d")
	f("GET https://ex.example:443/a b HTTP/1.1", "ex.example", "/a b")
	f("GET wss://ex.example:443/s HTTP/1.1", "ex.example", "/s")
	f("GET https://:443/a HTTP/1.1", ":443", "/a")
	f("GET /a?u=http://x/ HTTP/1.1", "shop.example", "/a?u=http://x/")
	f("OPTIONS * HTTP/1.1", "shop.example", "*")
	f("CONNECT ex.example:443 HTTP/1.1", "shop.example", "ex.example:443")
	r := mustParse(t, "alb", albHead+`"GET https://ex.example:443/\x22a\" HTTP/1.1" "a \"b\" \xE9" - -`)
	equal(t, "target", string(r.Target), `/"a"`)
	equal(t, "agent", string(r.Agent), "a \"b\" \xe9")
	equal(t, "flags", r.Flags, ingest.FlagWithHeaders|ingest.FlagDecoded)
}

func TestTrap31ALB(t *testing.T) {
	wantVerdict(t, "alb", strings.Replace(albHead, "10.0.0.5:80", "-", 1)+`"- http://ex.example:80- -"`+albTail, ingest.NoRequest)
	r, _ := parse(t, "alb", albHead+`"- http://ex.example:80- -"`+albTail)
	equal(t, "start", r.Start, start+660e6)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "status", r.Status, 200)
	r = mustParse(t, "alb", albHead+`"GET https://ex.example:443/ "`+albTail)
	equal(t, "target", string(r.Target), "/")
	equal(t, "protocol", string(r.Protocol), "HTTP/1.0")
	// Each column that the balancer may write behind those that are read, and what it will add next.
	full := albHead + `"GET https://ex.example:443/ HTTP/2.0"` + albTail
	for _, more := range []string{"", ` "-"`, ` "-" "-" "-"`, ` new "one more" 0.5 "un`} {
		equal(t, "start", mustParse(t, "alb", full+more).Start, start+660e6)
	}
	for end := strings.Index(full, " TLS_"); end >= 0 && end < len(full); end++ {
		if full[end] == ' ' {
			mustParse(t, "alb", full[:end])
		}
	}
}
