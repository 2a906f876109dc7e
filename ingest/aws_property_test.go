package ingest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/ingest"
)

// drawn is a request as a server saw it.
type drawn struct {
	end                                              time.Time
	took                                             time.Duration
	client, method, target, protocol, referer, agent string
	status                                           int
	size                                             int64
}

// drawRequest draws a request whose time and duration are whole units. Targets are bytes of targetBytes, texts
// may hold any byte but line ends.
func drawRequest(t *rapid.T, unit time.Duration, targetBytes *rapid.Generator[byte]) drawn {
	d := drawn{
		took:     time.Duration(rapid.Int64Range(0, int64(10*time.Minute/unit)).Draw(t, "took")) * unit,
		client:   rapid.SampledFrom([]string{"203.0.113.7", "2001:db8::7", "::ffff:192.0.2.1"}).Draw(t, "client"),
		method:   rapid.StringMatching(`[A-Z][A-Za-z_.-]{0,12}`).Draw(t, "method"),
		target:   "/" + string(rapid.SliceOfN(targetBytes, 0, 60).Draw(t, "target")),
		protocol: rapid.SampledFrom([]string{"HTTP/1.0", "HTTP/1.1", "HTTP/2.0"}).Draw(t, "protocol"),
		referer:  drawText(t, "referer"),
		agent:    drawText(t, "agent"),
		status:   rapid.IntRange(0, 999).Draw(t, "status"),
		size:     rapid.Int64Min(0).Draw(t, "size"),
	}
	second := rapid.Int64Range(86400, 4e9).Draw(t, "second")
	d.end = time.Unix(second, rapid.Int64Range(0, int64(time.Second/unit)-1).Draw(t, "part")*int64(unit)).UTC()
	return d
}

// drawText draws a header's text: none of the ways in which servers write that there was no header.
func drawText(t *rapid.T, name string) string {
	s := string(rapid.SliceOfN(rapid.Byte(), 0, 40).Filter(func(s []byte) bool { return !bytes.ContainsAny(s, "\r\n") }).Draw(t, name))
	if s == "-" || s == `""` {
		return ""
	}
	return s
}

// check compares a line's record with the request that it is about. A field that is nil is not in the format.
func (d *drawn) check(t *rapid.T, f ingest.Format, line string) *ingest.Record {
	t.Helper()
	var r ingest.Record
	if v := f.Parse([]byte(line), &r); !v.OK() {
		t.Fatalf("%s at column %d: %q", v.Reason, v.Column, line)
	}
	if r.Start != d.end.Add(-d.took).UnixNano() || r.Duration != int64(d.took) || r.Status != d.status || r.Bytes != d.size || string(r.Client) != d.client ||
		string(r.Method) != d.method || string(r.Target) != d.target || string(r.Protocol) != d.protocol || string(r.Agent) != d.agent {
		t.Fatalf("%q became %+v", line, r)
	}
	return &r
}

func TestBalancerRoundTrip(t *testing.T) {
	alb := described(t, "alb", ingest.FormatOptions{})
	elb := described(t, "elb", ingest.FormatOptions{})
	const iso = "2006-01-02T15:04:05.000000Z"
	escape := func(s string) string { return orDash(escapeLike(false, []byte(s))) }
	rapid.Check(t, func(t *rapid.T) {
		d := drawRequest(t, time.Microsecond, rapid.ByteRange('!', 0xff).Filter(func(c byte) bool { return c != 0x7f }))
		host := rapid.SampledFrom([]string{"shop.example", "2001:db8::1", "127.0.0.1"}).Draw(t, "host")
		authority := endpointOf([]byte(host), "443")
		first := time.Duration(rapid.Int64Range(0, int64(d.took/time.Microsecond)).Draw(t, "first")) * time.Microsecond
		rest := fmt.Sprintf(` %s 10.0.0.5:80 %.6f %.6f 0.000000 %03d 200 0 %d "%s https://%s%s %s" "%s" - -`, endpointOf([]byte(d.client), "5123"),
			first.Seconds(), (d.took - first).Seconds(), d.status, d.size, d.method, authority, escape(d.target), d.protocol, escape(d.agent))
		start, end := d.end.Add(-d.took).Format(iso), d.end.Format(iso)
		whole := fmt.Sprintf(`h2 %s app/lb%s arn "Root=1-58" "-" "-" 0 %s "forward"`, end, rest, start)
		if r := d.check(t, alb, whole); string(r.Host) != host || r.Origin != ingest.OriginLogged || string(r.RequestID) != "Root=1-58" {
			t.Fatalf("%q became %+v", whole, r)
		}
		d.check(t, alb, fmt.Sprintf(`https %s app/lb%s`, end, rest))
		d.check(t, elb, start+" lb"+rest)
	})
}

func TestS3RoundTrip(t *testing.T) {
	f := described(t, "s3", ingest.FormatOptions{})
	rapid.Check(t, func(t *rapid.T) {
		d := drawRequest(t, time.Millisecond, rapid.ByteRange('!', 0xff).Filter(func(c byte) bool { return c != 0x7f }))
		d.referer, d.agent = strings.ReplaceAll(d.referer, `" "`, ""), strings.ReplaceAll(d.agent, `" "`, "")
		d.end = d.end.Truncate(time.Second).Add(d.took) // the start has whole seconds
		line := fmt.Sprintf(`79a5 bkt [%s] %s ann 3E57 REST.GET.OBJECT a%%2520b "%s %s %s" %03d - %d - %d 1 "%s" "%s" - hid= - - - %s - - -`, d.end.Add(-d.took).Format(clfTime), d.client,
			d.method, d.target, d.protocol, d.status, d.size, d.took.Milliseconds(), orDash(d.referer), orDash(d.agent), "shop.example:443")
		if r := d.check(t, f, line); string(r.Referer) != d.referer || string(r.Host) != "shop.example" || string(r.User) != "ann" {
			t.Fatalf("%q became %+v", line, r)
		}
	})
}

// w3cValue writes a value as a server does that puts text in quotes, and as CloudFront does.
func w3cValue(s string, edge bool) string {
	if !edge {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return orDash(string(cloudFront([]byte(s))))
}

// Columns in any order, with others between them, give the same record.
func TestW3CRoundTrip(t *testing.T) {
	// CloudFront writes "#", spaces and bytes beyond ASCII of a target as escapes, which read back as the client's.
	visible := rapid.ByteRange('!', '~').Filter(func(c byte) bool { return c != '#' && c != '?' })
	rapid.Check(t, func(t *rapid.T) {
		edge := rapid.Bool().Draw(t, "edge")
		d := drawRequest(t, time.Millisecond, visible)
		if edge && strings.Contains(d.agent, "%20") && !strings.Contains(d.agent, " ") {
			d.agent = "" // looks encoded twice
		}
		query := string(rapid.SliceOfN(visible, 0, 20).Draw(t, "query"))
		if query == "-" || query == `""` {
			query = ""
		}
		columns := [][2]string{
			{"date", d.end.Format("2006-01-02")}, {"time", d.end.Format("15:04:05.000")}, {"c-ip", d.client}, {"cs-method", d.method}, {"cs-uri-stem", w3cValue(d.target, edge)},
			{"cs-uri-query", w3cValue(query, edge)}, {"cs-version", d.protocol}, {"cs(User-Agent)", w3cValue(d.agent, edge)}, {"cs(Referer)", w3cValue(d.referer, edge)},
			{"sc-status", fmt.Sprintf("%03d", d.status)}, {"sc-bytes", fmt.Sprint(d.size)}, {"time-taken", fmt.Sprintf("%.3f", d.took.Seconds())}, {"s-port", "443"}, {"x-any", "-"},
		}
		sep := " "
		if edge {
			columns, sep = append(columns, [2]string{"x-edge-request-id", "id=="}), "\t"
		}
		if query != "" {
			d.target += "?" + query
		}
		columns = rapid.Permutation(columns).Draw(t, "columns")
		var names, values []string
		for _, c := range columns {
			names, values = append(names, c[0]), append(values, c[1])
		}
		f, err := ingest.NewFormat("w3c", ingest.FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		f.Parse([]byte("#Fields: "+strings.Join(names, " ")), new(ingest.Record))
		if r := d.check(t, f, strings.Join(values, sep)); string(r.Referer) != d.referer || edge && string(r.RequestID) != "id==" {
			t.Fatalf("%q became %+v", values, r)
		}
	})
}
