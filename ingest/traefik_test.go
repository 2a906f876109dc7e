package ingest_test

import (
	"testing"

	"reprise/ingest"
)

const traefikTail = ` 17 "web@docker" "http://10.0.0.5:80" 3ms`

func TestTraefik(t *testing.T) {
	r := mustParse(t, "traefik", `203.0.113.7 - ann [12/Mar/2025:09:14:03 +0100] "GET /a HTTP/1.1" 200 44 "https://ex.example/" "ua 1"`+traefikTail)
	equal(t, "start", r.Start, start)
	equal(t, "offset", r.Offset, 3600)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "user", string(r.User), "ann")
	equal(t, "target", string(r.Target), "/a")
	equal(t, "protocol", string(r.Protocol), "HTTP/1.1")
	equal(t, "status", r.Status, 200)
	equal(t, "bytes", r.Bytes, 44)
	equal(t, "referer", string(r.Referer), "https://ex.example/")
	equal(t, "agent", string(r.Agent), "ua 1")
	equal(t, "duration", r.Duration, 3e6)
	equal(t, "origin", r.Origin, ingest.OriginLogged)
}

func TestTraefikTails(t *testing.T) {
	f := func(tail, referer, agent string) {
		t.Helper()
		r := mustParse(t, "traefik", head+`"GET /a HTTP/2.0" 404 19 `+tail)
		equal(t, tail, string(r.Referer), referer)
		equal(t, tail, string(r.Agent), agent)
		equal(t, tail, r.Duration, 7e6)
	}
	f(`"-" "a b" 3 "backend not found" "/" 7ms`, "", "a b")
	f(`"-" "-" 9 "Auth for frontend-x" - 7ms`, "", "")
	f(`"-" "a" - - - 7ms`, "", "a")
	f(`"r" "-" 1 - - 7ms`, "r", "")
	f(`- - 1 - - 7ms`, "", "")
	f(`- "a" 1 "r" "u" 7ms`, "", "a")
	f(`"r" - 1 "r" "u" 7ms`, "r", "")
}

func TestTraefikRequests(t *testing.T) {
	f := func(request string, want ingest.Reason) {
		t.Helper()
		r, v := parse(t, "traefik", head+`"`+request+`" 400 - "-" "-"`+traefikTail)
		equal(t, request, v.Reason, want)
		if v.Rejected() {
			return
		}
		equal(t, request, r.Status, 400)
		equal(t, request, r.Start, start)
		equal(t, request, r.Bytes, ingest.Unknown)
	}
	f("GET / HTTP/1.1", ingest.Accepted)
	f("- - -", ingest.NoRequest)
	f("-", ingest.NoRequest)
	f("GET  HTTP/1.1", ingest.BadRequestLine)
}

func TestTraefikRejects(t *testing.T) {
	f := func(line string, want ingest.Reason, column int) {
		t.Helper()
		verdict(t, described(t, "traefik", ingest.FormatOptions{}), line, want, column)
	}
	request := head + `"GET / HTTP/1.1" 200 1`
	f("", ingest.BadTime, 1)
	f(line("/"), ingest.BadColumns, len(request)+1)                             // combined
	f(line("/")+` 331 0.043 [ns-web-80] []`, ingest.BadColumns, len(request)+1) // ingress-nginx
	f(request+` "-" "-" 17 "r" "u" 3s`, ingest.BadColumns, len(request)+1)
	f(request+` "-" "-" 17 "r" "u" 3`, ingest.BadColumns, len(request)+1)
	f(request+` "-" "-" x "r" "u" 3ms`, ingest.BadColumns, len(request)+1)
	f(request+` "-" "-" "r" "u" 3ms`, ingest.BadColumns, len(request)+1)
	f(request+` "-" 17 "r" "u" 3ms`, ingest.BadColumns, len(request)+1)
	f(head+`"GET / HTTP/1.1 200 1 "-" "-"`+traefikTail, ingest.BadColumns, len(head)+2)
	f(head, ingest.BadColumns, len(head)-1)
}

// An agent with quotes can look like the columns after it.
func TestTrap33TraefikForgedColumns(t *testing.T) {
	for _, agent := range []string{`x" 200 1 "y`, `x" 99 "r" "u" 1ms`, `"`, `x" "y`, `" 200 1 "-" "`, `x" - - - 1ms "`} {
		r := mustParse(t, "traefik", head+`"GET /a HTTP/1.1" 404 44 "https://ex.example/" "`+agent+`"`+traefikTail)
		equal(t, "agent", string(r.Agent), agent)
		equal(t, "referer", string(r.Referer), "https://ex.example/")
		equal(t, "status", r.Status, 404)
		equal(t, "duration", r.Duration, 3e6)
	}
	r := mustParse(t, "traefik", head+`"GET /a?q="x" HTTP/1.1" 200 44 "http://x/?q="y" z" "a"`+traefikTail)
	equal(t, "target", string(r.Target), `/a?q="x"`)
	equal(t, "referer", string(r.Referer), `http://x/?q="y" z`)
	equal(t, "agent", string(r.Agent), "a")
}
