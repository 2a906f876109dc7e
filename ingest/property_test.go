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

// escapeLike writes a text as the servers do: nginx with \xHH, Apache with \", \\ and \xhh.
func escapeLike(apache bool, s []byte) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case apache && (c == '"' || c == '\\'):
			b.WriteByte('\\')
			b.WriteByte(c)
		case apache && c == '\t':
			b.WriteString(`\t`)
		case apache && (c < ' ' || c >= 0x7f):
			fmt.Fprintf(&b, `\x%02x`, c)
		case c == '"' || c == '\\' || c < ' ' || c > 0x7e:
			fmt.Fprintf(&b, `\x%02X`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// Whatever a server writes about a record comes back as the same record.
func TestRoundTrip(t *testing.T) {
	visible := rapid.SliceOfN(rapid.ByteRange(' ', 0xff), 0, 40)
	format, err := ingest.NewFormat("combined", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		apache := rapid.Bool().Draw(t, "apache")
		zone := rapid.IntRange(-14*60, 14*60).Draw(t, "zone") * 60
		at := time.Unix(rapid.Int64Range(86400, 4e9).Draw(t, "at"), 0).In(time.FixedZone("", zone))
		target := "/" + string(bytes.ReplaceAll(rapid.SliceOfN(rapid.ByteRange('!', 0xff), 0, 60).Draw(t, "target"), []byte{0x7f}, nil))
		method := rapid.StringMatching(`[A-Z_-]{1,12}`).Draw(t, "method")
		referer := strings.Trim(string(visible.Draw(t, "referer")), "-")
		agent := strings.Trim(string(visible.Draw(t, "agent")), "-")
		referer, agent = strings.ReplaceAll(referer, `""`, ""), strings.ReplaceAll(agent, `""`, "")
		client := rapid.SampledFrom([]string{"203.0.113.7", "2001:db8::7", "host.example.net", ""}).Draw(t, "client")
		user := rapid.SampledFrom([]string{"", "ann", "John Doe", "ann@ex.example"}).Draw(t, "user")
		status, size := rapid.IntRange(0, 999).Draw(t, "status"), rapid.Int64Min(0).Draw(t, "size")
		line := fmt.Sprintf(`%s - %s [%s] "%s %s HTTP/1.1" %03d %d "%s" "%s"`, orDash(client), orDash(user), at.Format("02/Jan/2006:15:04:05 -0700"),
			method, escapeLike(apache, []byte(target)), status, size, orDash(escapeLike(apache, []byte(referer))), orDash(escapeLike(apache, []byte(agent))))
		var r ingest.Record
		if v := format.Parse([]byte(line), &r); !v.OK() {
			t.Fatalf("%s at column %d: %q", v.Reason, v.Column, line)
		}
		if r.Start != at.Unix()*1e9 || int(r.Offset) != zone || r.Status != status || r.Bytes != size ||
			string(r.Client) != client || string(r.User) != user || string(r.Method) != method || string(r.Target) != target ||
			string(r.Referer) != referer || string(r.Agent) != agent || string(r.Protocol) != "HTTP/1.1" {
			t.Fatalf("%q became %+v", line, r)
		}
	})
}

// A compiled format and the hand-written scanner agree on lines that both accept.
func TestScannerAgreesWithProgram(t *testing.T) {
	spec := `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	scanner, err := ingest.NewFormat("combined", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	program, err := ingest.NewFormat(spec, ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range bytes.Split(combinedLines(5000), []byte{'\n'}) {
		var a, b ingest.Record
		va, vb := scanner.Parse(bytes.Clone(l), &a), program.Parse(bytes.Clone(l), &b)
		if va.OK() != vb.OK() || fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) && va.OK() {
			t.Fatalf("scanner %v %+v\nprogram %v %+v", va, a, vb, b)
		}
	}
}

// The clock is checked against package time, second by second at random and over the ends of months.
func TestClockAgreesWithTime(t *testing.T) {
	format, err := ingest.NewFormat("common", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		stamp := fmt.Sprintf("%02d/%s/%04d:%02d:%02d:%02d %c%02d%02d", rapid.IntRange(0, 32).Draw(t, "day"),
			time.Month(rapid.IntRange(1, 12).Draw(t, "month")).String()[:3], rapid.IntRange(1960, 2270).Draw(t, "year"),
			rapid.IntRange(0, 25).Draw(t, "hour"), rapid.IntRange(0, 61).Draw(t, "minute"), rapid.IntRange(0, 59).Draw(t, "second"),
			rapid.SampledFrom([]rune{'+', '-'}).Draw(t, "sign"), rapid.IntRange(0, 23).Draw(t, "zone hour"), rapid.IntRange(0, 59).Draw(t, "zone minute"))
		want, err := time.Parse("02/Jan/2006:15:04:05 -0700", stamp)
		var r ingest.Record
		v := format.Parse([]byte(`h - - [`+stamp+`] "GET / HTTP/1.1" 200 1`), &r)
		year := stamp[7:11]
		if v.OK() != (err == nil && year >= "1970" && year <= "2261") {
			t.Fatalf("%s: %v, but time.Parse says %v", stamp, v, err)
		}
		if v.OK() && r.Start != want.UnixNano() {
			t.Fatalf("%s: %d, but time.Parse says %d", stamp, r.Start, want.UnixNano())
		}
	})
}
