package ingest_test

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"reprise/ingest"
)

// sameRecords parses a line with and without one more column that holds a backslash and names nothing: the
// scanner then goes other ways, and must say the same.
func sameRecords(t interface{ Fatalf(string, ...any) }, format ingest.Format, line []byte) {
	var a, b ingest.Record
	va := format.Parse(bytes.Clone(line), &a)
	vb := format.Parse(append(bytes.Clone(line), ` \x`...), &b)
	if va.Reason != vb.Reason || va.OK() && fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", b) {
		t.Fatalf("%q: %s, %+v\nwith a column more %s, %+v", line, va.Reason, a, vb.Reason, b)
	}
}

// The short ways of the scanner, for usual lines, and the long ways, for all others, give the same records.
func TestShortWaysAgree(t *testing.T) {
	var formats []ingest.Format
	for _, name := range []string{"combined", "vhost_combined", "common", "vhost_common"} {
		format, err := ingest.NewFormat(name, ingest.FormatOptions{})
		if err != nil {
			t.Fatal(err)
		}
		formats = append(formats, format)
	}
	pick := func(t *rapid.T, label string, values ...string) string {
		return rapid.SampledFrom(values).Draw(t, label)
	}
	rapid.Check(t, func(t *rapid.T) {
		prefix := pick(t, "host", "", "", "shop.example ", "shop.example:443 ", "- ", "a\"b ", "[2001:db8::1]:80 ", ":80 ") +
			pick(t, "client", "203.0.113.7", "203.0.113.7", "2001:db8::7", "203.0.113.7:5123", "-", "host-1.example", "unix:", "fe80::1%eth0", "a,b", "a, b", "", "x_y") +
			pick(t, "user", " - - ", " - - ", " - ann ", " - - - ", " -  - ", " - J D ", ` - "" `, " - [x] - - ", " ")
		request := pick(t, "request", "-", "", "GET", "\t\x01", "x y") // or a request line
		if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
			request = pick(t, "method", "GET", "POST", "get", "M-S", "G\"", "G\x16", "", "(") + pick(t, "space", " ", " ", "  ", "") +
				pick(t, "target", "/", "/a?b=c", "/a b", "*", "http://ex.example:80/a", "", "/long/long/long/long/\x7f/long/long", "/l\x01ng", "/caf\xe9-caf\xe9", "/12345678\x1f") +
				pick(t, "protocol", " HTTP/1.1", " HTTP/1.1", " HTTP/2.0", " HTTP/2", " HTTP/1.10", " HTTP/x.y", "", " http/1.1", "HTTP/1.1", " HTTP/1.1 ")
		}
		line := prefix + pick(t, "time", "[12/Mar/2025:09:14:03 +0100]", "[12/Mar/2025:09:14:03 +0100]", "[30/Feb/2025:09:14:03 +0100]", "[12/Mar/2025]", "[12/Mar/2025:09:14:03+0100]") +
			` "` + request + `"` + pick(t, "status", " 200", " 499", " 0", " -", " 20", " 2000", " 2x0") +
			pick(t, "size", " 0", " 512", " -", " 999999999999999999", " 9223372036854775807", " 9223372036854775808", " 1x", " +5", " ") +
			pick(t, "tail", ` "-" "ua"`, ` "-" "-"`, ` "https://ex.example/" "Mozilla (X)" "extra"`, ` "-`, ` - ua`, ` "-"x "-"`, ` "" ""`, ``, ` "-" "-" `)
		for _, format := range formats {
			sameRecords(t, format, []byte(line))
		}
	})
}
