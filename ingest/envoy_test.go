package ingest_test

import (
	"testing"

	"reprise/ingest"
)

const (
	envoyHead = `[2025-03-12T09:14:03.655Z] "POST /api HTTP/2" 503 UF `
	envoyTail = `120 95 15 12 "203.0.113.7" "grpc-go/1.6" "9c5f-4a1b" "api.ex.example:8443" "10.0.0.5:8080"`
	istioTail = ` outbound|80||api 10.0.0.9:1 10.0.0.5:80 198.51.100.4:5123 api.ex.example default`
)

func TestEnvoy(t *testing.T) {
	for _, l := range []string{
		envoyHead + envoyTail,
		envoyHead + `via_upstream - "-" ` + envoyTail + istioTail,                                    // Istio
		envoyHead + `"-" "TLS error: 268435581:SSL routines:X" ` + envoyTail + istioTail,             // Istio to 1.5
		envoyHead + `upstream_reset{connection_failure} - "delayed connect error: 111" ` + envoyTail, // Istio, without the end
		envoyHead + envoyTail + ` "another column" 17`,
	} {
		r := mustParse(t, "envoy", l)
		equal(t, "start", r.Start, proxyStart)
		equal(t, "precision", r.Precision, ingest.PrecisionMillisecond)
		equal(t, "method", string(r.Method), "POST")
		equal(t, "target", string(r.Target), "/api")
		equal(t, "protocol", string(r.Protocol), "HTTP/2")
		equal(t, "status", r.Status, 503)
		equal(t, "bytes", r.Bytes, 95)
		equal(t, "duration", r.Duration, 15e6)
		equal(t, "upstream", r.UpstreamTimes(nil)[0], 12e6)
		equal(t, "client", string(r.Client), "203.0.113.7")
		equal(t, "agent", string(r.Agent), "grpc-go/1.6")
		equal(t, "id", string(r.RequestID), "9c5f-4a1b")
		equal(t, "host", string(r.Host), "api.ex.example")
		equal(t, "flags", r.Flags, 0)
	}
}

func TestEnvoyAbsent(t *testing.T) {
	r := mustParse(t, "envoy", `[2025-03-12T09:14:03.655123Z] "GET /a HTTP/1.1" 0 DC 0 0 - - "-" "-" "-" "-" "-"`)
	equal(t, "precision", r.Precision, ingest.PrecisionMicrosecond)
	equal(t, "start", r.Start, proxyStart+123e3)
	equal(t, "duration", r.Duration, ingest.Unknown)
	equal(t, "upstream", len(r.Upstream), 0)
	equal(t, "texts", string(r.Client)+string(r.Agent)+string(r.RequestID)+string(r.Host), "")
	equal(t, "status", r.Status, 0)
}

// The client is the first address of the list; without one it is the peer's, as Istio logs it.
func TestEnvoyClients(t *testing.T) {
	f := func(list, rest, client, forwarded string) {
		t.Helper()
		r := mustParse(t, "envoy", envoyHead+`1 2 3 4 "`+list+`" "a" "b" "c" "d"`+rest)
		equal(t, list, string(r.Client), client)
		equal(t, list, string(r.Forwarded), forwarded)
	}
	f("203.0.113.7", istioTail, "203.0.113.7", "")
	f("203.0.113.7,10.0.0.2", istioTail, "203.0.113.7", "203.0.113.7,10.0.0.2")
	f("203.0.113.7, 10.0.0.2", "", "203.0.113.7", "203.0.113.7, 10.0.0.2")
	f("-", istioTail, "198.51.100.4", "")
	f("-", ` c 10.0.0.9:1 10.0.0.5:80 2001:db8::7:5123 - -`, "2001:db8::7", "")
	f("-", ` c 10.0.0.9:1 10.0.0.5:80 - - -`, "", "")
	f("-", ` c 10.0.0.9:1 10.0.0.5:80`, "", "")
	f("-", "", "", "")
}

func TestEnvoyNoRequest(t *testing.T) {
	for _, request := range []string{"- - HTTP/1.1", "- - -", "-", ""} {
		r, v := parse(t, "envoy", `[2025-03-12T09:14:03.655Z] "`+request+`" 400 DPE 0 11 0 - "203.0.113.7" "-" "-" "-" "-"`)
		if v.Reason != ingest.NoRequest || r.Start != proxyStart || r.Status != 400 || string(r.Client) != "203.0.113.7" {
			t.Errorf("%q: %s, start %d, status %d, client %s", request, v.Reason, r.Start, r.Status, r.Client)
		}
	}
}

// Envoy escapes nothing: a quote is a column's end only where the next column can follow.
func TestTrap34EnvoyQuotes(t *testing.T) {
	f := func(target, agent string) {
		t.Helper()
		r := mustParse(t, "envoy", `[2025-03-12T09:14:03.655Z] "GET `+target+` HTTP/1.1" 200 - 0 7 3 2 "203.0.113.7" "`+agent+`" "9c5f" "ex.example" "10.0.0.5:80"`)
		equal(t, "target", string(r.Target), target)
		equal(t, "agent", string(r.Agent), agent)
		equal(t, "host", string(r.Host), "ex.example")
		equal(t, "status", r.Status, 200)
	}
	f(`/a?q="x"`, "a")
	f(`/a?q=" 404 X`, "a")
	f("/a", `x "y" z`)
	f("/a", `x" "y`)
	f("/a", `x" 0 1 2 3 "y`)
}

func TestEnvoyRejects(t *testing.T) {
	f := func(line string, want ingest.Reason, column int) {
		t.Helper()
		verdict(t, described(t, "envoy", ingest.FormatOptions{}), line, want, column)
	}
	f("", ingest.BadTime, 1)
	f(`[2025-03-12T09:14:03.655] "GET / HTTP/1.1" 200 - `+envoyTail, ingest.BadTime, 2)
	f(`[2025-13-12T09:14:03.655Z] "GET / HTTP/1.1" 200 - `+envoyTail, ingest.BadTime, 2)
	f(`[2025-03-12T09:14:03.655Z] GET / HTTP/1.1 200 - `+envoyTail, ingest.BadColumns, 26)
	f(`[2025-03-12T09:14:03.655Z] "GET / HTTP/1.1 200 - 1`, ingest.BadColumns, 29)
	f(envoyHead+"1 2 3", ingest.BadColumns, len(envoyHead))
	f(envoyHead+`1 2 3 4 "a" "b" "c" "d"`, ingest.BadQuote, len(envoyHead)+8)
	f(envoyHead+`1 2 3 4 "a" "b" "c" "d" "e`, ingest.BadQuote, len(envoyHead)+8)
	f(`[2025-03-12T09:14:03.655Z] "GET  HTTP/1.1" 200 - `+envoyTail, ingest.BadRequestLine, 29)
}
