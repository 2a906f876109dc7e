package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

const (
	s3Head = `79a5 bkt [12/Mar/2025:09:14:03 +0100] 203.0.113.7 arn:aws:iam::1:user/ann 3E57 REST.GET.OBJECT a%2520b.png `
	s3Tail = ` - hid= SigV4 TLS_AES AuthHeader shop.example TLSv1.3`
)

func TestS3(t *testing.T) {
	r := mustParse(t, "s3", s3Head+`"GET /a%20b.png HTTP/1.1" 200 - 512 4096 17 16 "https://ex.example/" "ua (x)"`+s3Tail)
	equal(t, "start", r.Start, start)
	equal(t, "offset", r.Offset, 3600)
	equal(t, "origin", r.Origin, ingest.OriginLogged)
	equal(t, "duration", r.Duration, 17e6)
	equal(t, "client", string(r.Client), "203.0.113.7")
	equal(t, "user", string(r.User), "arn:aws:iam::1:user/ann")
	equal(t, "id", string(r.RequestID), "3E57")
	equal(t, "target", string(r.Target), "/a%20b.png")
	equal(t, "status", r.Status, 200)
	equal(t, "bytes", r.Bytes, 512)
	equal(t, "referer", string(r.Referer), "https://ex.example/")
	equal(t, "agent", string(r.Agent), "ua (x)")
	equal(t, "host", string(r.Host), "shop.example")
	equal(t, "flags", r.Flags, 0)

	// Quotes are not escaped.
	r = mustParse(t, "s3", s3Head+`"GET /?q="x" y HTTP/1.1" 400 InvalidURI 243 - 1 - "say "hi"" "a "b" c"`+s3Tail)
	equal(t, "target", string(r.Target), `/?q="x" y`)
	equal(t, "referer", string(r.Referer), `say "hi"`)
	equal(t, "agent", string(r.Agent), `a "b" c`)
	equal(t, "host", string(r.Host), "shop.example")
	r = mustParse(t, "s3", s3Head+`"GET /a\x20\" HTTP/1.1" 200 - 5 5 1 1 - -`+s3Tail)
	equal(t, "target", string(r.Target), `/a\x20\"`)
	equal(t, "agent", string(r.Agent), "")
	equal(t, "host", string(r.Host), "shop.example")

	// Columns that came later may be missing, and more will come.
	line := s3Head + `"GET /a HTTP/1.1" 200 - 512 4096 17 16 "-" "ua"`
	for _, tail := range []string{"", " -", s3Tail, s3Tail + " arn Yes us-east-1 new"} {
		equal(t, "agent", string(mustParse(t, "s3", line+tail).Agent), "ua")
	}
}

// What S3 did by itself has no request.
func TestS3NoRequest(t *testing.T) {
	for _, request := range []string{`"-"`, "-", `""`} {
		r, v := parse(t, "s3", `79a5 bkt [12/Mar/2025:09:14:03 +0100] - AmazonS3 3E57 S3.EXPIRE.OBJECT a%2520b.png `+request+` - - - 512 - - "-" "-" - hid= - - - - - -`)
		equal(t, "reason", v.Reason, ingest.NoRequest)
		equal(t, "start", r.Start, start)
		equal(t, "status", r.Status, 0)
		equal(t, "duration", r.Duration, ingest.Unknown)
	}
}

func TestTrap29SizesOfS3(t *testing.T) {
	equal(t, "none", mustParse(t, "s3", s3Head+`"GET /a HTTP/1.1" 304 - - 4096 17 16 "-" "-"`).Bytes, 0)
	equal(t, "large", mustParse(t, "s3", s3Head+`"GET /a HTTP/1.1" 200 - 5368709120 - 17 16 "-" "-"`).Bytes, 5<<30)
}

func TestS3Rejects(t *testing.T) {
	f := func(line string, want ingest.Reason, column int) {
		t.Helper()
		if _, v := parse(t, "s3", line); v.Reason != want || v.Column != column {
			t.Errorf("%s at column %d, want %s at %d: %s", v.Reason, v.Column, want, column, line)
		}
	}
	f("", ingest.BadColumns, 1)
	f("79a5 bkt", ingest.BadTime, 9)
	f("79a5 bkt [", ingest.BadTime, 11)
	f(strings.Replace(s3Head, "12/Mar", "12/Mrz", 1), ingest.BadTime, 11)
	f(strings.Replace(s3Head, "] ", "]", 1), ingest.BadColumns, 37)
	f(s3Head, ingest.BadColumns, 108)
	f(s3Head+`word 200`, ingest.BadColumns, 108)
	f(s3Head+`"GET /a HTTP/1.1" 2000 - 1`, ingest.BadQuote, 109)
	f(s3Head+`"GET /a HTTP/1.1" 200`, ingest.BadQuote, 109)
	f(s3Head+`"GET /a HTTP/1.1" 200 - x 4096 17 16 "-" "ua"`, ingest.BadSize, 132)
	f(s3Head+`"GET /a HTTP/1.1" 200 - 1 4096 x 16 "-" "ua"`, ingest.BadDuration, 139)
	f(s3Head+`"GET /a HTTP/1.1" 200 - 1 4096 17`, ingest.BadColumns, 141)
	f(s3Head+`"GET /a HTTP/1.1" 200 - 1 4096 17 16`, ingest.BadColumns, 144)
	f(s3Head+`"GET /a HTTP/1.1" 200 - 1 4096 17 16 "-" "ua`, ingest.BadQuote, 146)
	f(s3Head+`"GET HTTP/1.1" 200 - 1 4096 17 16 "-" "ua"`, ingest.BadRequestLine, 109)
}
