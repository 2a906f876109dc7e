package ingest_test

import (
	"bytes"
	"slices"
	"testing"

	"reprise/ingest"
)

// checkParse parses a line and tests what must hold for every record that comes out of it.
func checkParse(t *testing.T, f ingest.Format, line []byte) {
	t.Helper()
	text := slices.Grow(bytes.Clone(line), 1)
	behind := text[:len(text)+1]
	behind[len(text)] = '!'
	var r, again ingest.Record
	v := f.Parse(text, &r)
	checkRecord(t, line, &r, v)
	if behind[len(text)] != '!' {
		t.Fatalf("wrote behind %q", line)
	}
	if w := f.Parse(bytes.Clone(line), &again); v != w || v.OK() && (r.Start != again.Start || !bytes.Equal(r.Target, again.Target)) {
		t.Fatalf("%q: %v %d, then %v %d", line, v, r.Start, w, again.Start)
	}
	if v.Rejected() || v.Reason == ingest.Skip {
		return
	}
	if v.OK() && (bytes.ContainsFunc(r.Method, func(c rune) bool { return c <= ' ' || c >= 0x7f }) || bytes.ContainsFunc(r.Target, func(c rune) bool { return c < ' ' || c == 0x7f })) {
		t.Fatalf("method %q, target %q", r.Method, r.Target)
	}
	// A slice that points into the line changes with it.
	for i := range text {
		text[i] = 0xff
	}
	for _, s := range [][]byte{r.Client, r.Forwarded, r.User, r.Host, r.Method, r.Target, r.Protocol, r.Referer, r.Agent, r.RequestID, r.Upstream} {
		if len(bytes.Trim(s, "\xff")) > 0 && string(s) != "HTTP/1.0" {
			t.Fatalf("%q lies outside of %q", s, line)
		}
	}
}

func fuzzFormat(f *testing.F, name string) {
	format, err := ingest.NewFormat(name, ingest.FormatOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, line []byte) { checkParse(t, format, line) })
}

func FuzzALB(f *testing.F) {
	for _, request := range []string{"GET https://ex.example:443/a?b=1 HTTP/2.0", "- http://ex.example:80- -", "GET https://ex.example:443/ ", `GET x://?\x22 HTTP/1.1`, "G a://b"} {
		f.Add([]byte(albHead + `"` + request + `"` + albTail))
	}
	f.Add([]byte(`h2 2025-03-12T08:14:03Z a - - -1 -1 -1 - - - - "" "" `))
	fuzzFormat(f, "alb")
}

func FuzzELB(f *testing.F) {
	for _, request := range []string{"GET http://ex.example:80/a?b=1 HTTP/1.1", "- - - ", "G s://x? ", `\x16`} {
		f.Add([]byte(elbHead + `"` + request + `" "ua" - -`))
	}
	fuzzFormat(f, "elb")
}

func FuzzS3(f *testing.F) {
	for _, request := range []string{`"GET /a%20b.png HTTP/1.1"`, `"-"`, `-`, `"GET /?q="x" y HTTP/1.1"`} {
		f.Add([]byte(s3Head + request + ` 200 - 512 - 17 16 "-" "a "b" c"` + s3Tail))
	}
	f.Add([]byte(s3Head + `"GET / HTTP/1.1" - - - - - - - - -`))
	fuzzFormat(f, "s3")
}

func FuzzW3C(f *testing.F) {
	f.Add([]byte(iisFields), []byte(`2025-03-12 08:14:03 10.0.0.4 GET /a.aspx b=1+2 443 EX\ann 203.0.113.7 Mozilla/5.0+(X11) - 200 0 0 31`))
	f.Add([]byte(edgeFields), []byte(edgeLine("/a%2520", "000", "-", "Mozilla%2520(X11)", "b=%5B", "0.001", "198.51.100.1")))
	f.Add([]byte("#Fields: time cs-uri-query c-ip cs-uri-stem cs(Cookie) cs-method time-taken"), []byte(`08:14:03 q 203.0.113.7 /a a=1; b "G" 1.5`))
	f.Add([]byte("#Fields: cs-method cs-uri timestamp cs(user-agent)"), []byte("GET /a 1741767243.5 \"a \"\"b\"\"\" "))
	names := []string{"date", "time", "cs-method", "cs-uri-stem", "cs-uri-query", "c-ip", "cs(User-Agent)", "cs(Cookie)", "cs(Referer)", "time-taken", "sc-status", "sc-bytes",
		"x-edge-request-id", "sc-substatus", "cs-uri", "x-forwarded-for", "cs(Host)", "cs-username", "s-port", "timestamp(ms)"}
	f.Add([]byte{0, 1, 2, 4, 3, 7, 6}, []byte("2025-03-12\t08:14:03\tGET\tb\t/a\ta\tb\tc"))
	f.Add([]byte{1, 3, 5, 4, 2, 12, 15, 7, 9}, []byte(`08:14:03 "/a""b" 203.0.113.7 "b" GET - 1,+2 a b 3`))
	f.Fuzz(func(t *testing.T, fields, line []byte) {
		if !bytes.HasPrefix(fields, []byte("#")) { // columns by number
			chosen := []byte("#Fields:")
			for _, c := range fields {
				chosen = append(append(chosen, ' '), names[int(c)%len(names)]...)
			}
			fields = chosen
		}
		for _, name := range []string{"w3c", "iis"} {
			format, err := ingest.NewFormat(name, ingest.FormatOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var r ingest.Record
			format.Parse([]byte("#Date: 2025-03-12 08:00:00"), &r)
			format.Parse(fields, &r)
			checkParse(t, format, line)
		}
	})
}
