package ingest_test

import (
	"errors"
	"testing"
	"time"

	"reprise/ingest"
)

func parseWith(t testing.TB, spec, line string, o ingest.FormatOptions) *ingest.Record {
	t.Helper()
	f, err := ingest.NewFormat(spec, o)
	if err != nil {
		t.Fatal(err)
	}
	var r ingest.Record
	if v := f.Parse([]byte(line), &r); !v.OK() {
		t.Fatalf("%s at column %d\n%s\n%s", v.Reason, v.Column, spec, line)
	}
	return r.Clone()
}

func TestNginxFormats(t *testing.T) {
	f := func(spec, line string, check func(r *ingest.Record)) {
		t.Helper()
		check(parseWith(t, spec, line, ingest.FormatOptions{}))
	}
	f(`$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time uct="$upstream_connect_time" "$http_x_forwarded_for"`,
		head+`"GET /a?x=\x22 HTTP/1.1" 200 512 "-" "ua" rt=0.043 uct="0.001, 0.002" "198.51.100.1, 10.0.0.1"`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "target", string(r.Target), `/a?x="`)
			equal(t, "duration", r.Duration, 43e6)
			equal(t, "start", r.Start, start-43e6)
			equal(t, "origin", r.Origin, ingest.OriginDerived)
			equal(t, "list", string(r.Forwarded), "198.51.100.1, 10.0.0.1")
		})
	f(`$msec|$request_method|$host$request_uri|$server_protocol|$status|$remote_addr|$bytes_sent`,
		`1741767243.512|POST|shop.example/a/b?q=1|HTTP/2.0|201|2001:db8::7|-`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "start", r.Start, start+512e6)
			equal(t, "precision", r.Precision, ingest.PrecisionMillisecond)
			equal(t, "host", string(r.Host), "shop.example")
			equal(t, "target", string(r.Target), "/a/b?q=1")
			equal(t, "method", string(r.Method), "POST")
			equal(t, "client", string(r.Client), "2001:db8::7")
			equal(t, "bytes", r.Bytes, ingest.Unknown)
		})
	f(`${time_iso8601} $remote_addr \"$request\" $status $unknown_thing "$http_user_agent"`,
		`2025-03-12T09:14:03+01:00 203.0.113.7 "GET / HTTP/1.1" 200 whatever it is "a \"b\""`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "start", r.Start, start)
			equal(t, "offset", r.Offset, 3600)
			equal(t, "agent", string(r.Agent), `a "b"`)
			equal(t, "origin", r.Origin, ingest.OriginLogged)
		})
	f(`$time_iso8601 $request_method $uri$is_args$args $status`, `2025-03-12T08:14:03Z GET /a?b 200 and a later column`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "target", string(r.Target), "/a?b")
		equal(t, "status", r.Status, 200)
		equal(t, "protocol", string(r.Protocol), "HTTP/1.0")
	})
}

func TestApacheFormats(t *testing.T) {
	f := func(spec, line string, check func(r *ingest.Record)) {
		t.Helper()
		check(parseWith(t, spec, line, ingest.FormatOptions{}))
	}
	f(`%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\" %D`, head+`"GET /a HTTP/1.1" 200 - "-" "ua" 1500`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "start", r.Start, start) // Apache's time is the start: nothing to subtract
		equal(t, "origin", r.Origin, ingest.OriginLogged)
		equal(t, "duration", r.Duration, 1500e3)
		equal(t, "bytes", r.Bytes, 0)
	})
	f(`%{%Y-%m-%dT%H:%M:%S}t.%{usec_frac}t %{%z}t %V %a %m %U%q %H %s %{ms}T %O`,
		`2025-03-12T09:14:03.512345 +0100 shop.example 203.0.113.7 GET /a?b HTTP/1.1 404 17 900`, func(r *ingest.Record) {
			t.Helper()
			equal(t, "start", r.Start, start+512345e3)
			equal(t, "precision", r.Precision, ingest.PrecisionMicrosecond)
			equal(t, "target", string(r.Target), "/a?b")
			equal(t, "duration", r.Duration, 17e6)
			equal(t, "bytes", r.Bytes, 900)
			equal(t, "host", string(r.Host), "shop.example")
		})
	f(`%{end:msec}t %D %h "%r" %>s`, `1741767243512 12000 h "GET / HTTP/1.1" 200`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "start", r.Start, start+500e6)
		equal(t, "origin", r.Origin, ingest.OriginDerived)
	})
	f(`%{end:msec}t %{begin:usec}t %D %h "%r" %>s %{UNIQUE_ID}e 100%%`, `1741767243512 1741767243500001 12000 h "GET / HTTP/1.1" 200 id 100%`, func(r *ingest.Record) {
		t.Helper()
		equal(t, "start", r.Start, start+500001e3)
	})
}

func TestFormatErrors(t *testing.T) {
	f := func(spec string, column int) {
		t.Helper()
		_, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		e, ok := errors.AsType[*ingest.FormatError](err)
		if !ok || e.Column != column {
			t.Errorf("%s: %v, want an error at column %d", spec, err, column)
		}
	}
	f(`$remote_addr$status [$time_local] "$request"`, 13)
	f(`%h%>s %t "%r"`, 3)
	f(`$remote_addr "$request"`, 23)
	f(`$time_local $status`, 19)
	f(`$time_local ${`, 13)
	f(`$ $time_local`, 1)
	f(`%t %{Referer`, 4)
	f(`%t %r %`, 7)
	f(`%{%Q}t %r`, 1)
	f(`%t %r %{h}T`, 7)
	if _, err := ingest.NewFormat("combine", ingest.FormatOptions{}); err == nil {
		t.Error("a name that is none was taken")
	}
}

func TestStampOverride(t *testing.T) {
	spec := `%h %t "%r" %>s %D`
	line := `h [12/Mar/2025:09:14:03 +0100] "GET / HTTP/1.1" 200 1000000`
	equal(t, "start", parseWith(t, spec, line, ingest.FormatOptions{}).Start, start)
	equal(t, "end", parseWith(t, spec, line, ingest.FormatOptions{Stamp: ingest.StampEnd}).Start, start-1e9)
	nginx := `$time_iso8601 "$request" $request_time`
	equal(t, "start", parseWith(t, nginx, `2025-03-12T09:14:03+01:00 "GET / HTTP/1.1" 1.000`, ingest.FormatOptions{Stamp: ingest.StampStart}).Start, start)
}

// Where the clock shows an hour twice, the order of the lines is the only proof.
func TestTimesWithoutZone(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	format, err := ingest.NewFormat(`%{%Y-%m-%d %H:%M:%S}t "%r"`, ingest.FormatOptions{Location: loc})
	if err != nil {
		t.Fatal(err)
	}
	f := func(wall, want string) {
		t.Helper()
		var r ingest.Record
		if v := format.Parse([]byte(wall+` "GET / HTTP/1.1"`), &r); !v.OK() {
			t.Fatal(v)
		}
		equal(t, wall, time.Unix(0, r.Start).UTC().Format(time.DateTime), want)
	}
	f("2025-07-01 12:00:00", "2025-07-01 10:00:00")
	f("2025-10-26 01:59:00", "2025-10-25 23:59:00")
	f("2025-10-26 02:10:00", "2025-10-26 00:10:00")
	f("2025-10-26 02:59:00", "2025-10-26 00:59:00")
	f("2025-10-26 02:05:00", "2025-10-26 01:05:00") // went back: the second pass through the hour
	f("2025-10-26 03:00:00", "2025-10-26 02:00:00")
	f("2026-03-29 02:30:00", "2026-03-29 01:30:00") // no clock ever showed it
}

func TestDurations(t *testing.T) {
	f := func(logged string, want int64) {
		t.Helper()
		equal(t, logged, parseWith(t, `$time_iso8601 "$request" "$request_time"`, `2025-03-12T09:14:03+01:00 "GET / HTTP/1.1" "`+logged+`"`, ingest.FormatOptions{}).Duration, want)
	}
	f("0.043", 43e6)
	f("0,043", 43e6)
	f("43ms", 43e6)
	f("0.043s", 43e6)
	f("17us", 17e3)
	f("12", 12e9)
	f("-", ingest.Unknown)
	f("", ingest.Unknown)
}
