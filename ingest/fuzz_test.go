package ingest_test

import (
	"bytes"
	"strings"
	"testing"

	"reprise/ingest"
)

// checkRecord tests what must hold for every record that a parser lets through.
func checkRecord(t *testing.T, line []byte, r *ingest.Record, v ingest.Verdict) {
	t.Helper()
	if v.Column < 0 || v.Rejected() != (v.Column > 0) {
		t.Fatalf("verdict %+v for %q", v, line)
	}
	if !v.OK() {
		return
	}
	if len(r.Method) == 0 || len(r.Target) == 0 || len(r.Protocol) == 0 || r.Status < 0 || r.Bytes < ingest.Unknown || r.Duration < ingest.Unknown {
		t.Fatalf("record %+v for %q", r, line)
	}
	if bytes.ContainsAny(r.Target, "\r\n\x00") || bytes.ContainsAny(r.Method, " \r\n\x00") {
		t.Fatalf("target %q, method %q", r.Target, r.Method)
	}
	for _, h := range r.Headers {
		if len(h.Value) == 0 || h.Name == "" || h.Cookie != "" && h.Name != "Cookie" {
			t.Fatalf("header %+v for %q", h, line)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		line("/"), head + `"-" 400 0 "-" "-"`, head + `"GET /\x2 HTTP/1.1" 200 1 "\" "\\"`, `"` + line("/x") + `"`,
		`203.0.113.7, 10.0.0.2 - [x] - u [12/Mar/2025:09:14:03 +0100] "G / HTTP/1.1" - - "-" "" "-"`, `[12/Mar/2025:09:14:03 +0100] "`,
		`"[12/Mar/2025:09:14:03 +0100] ""`, "shop.example:443 " + line("/") + ` 1 0.1 [x]`,
	} {
		f.Add([]byte(seed))
	}
	var formats []ingest.Format
	for _, name := range ingest.Names() {
		format, err := ingest.NewFormat(name, ingest.FormatOptions{})
		if err != nil {
			f.Fatal(err)
		}
		formats = append(formats, format)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range formats {
			var r ingest.Record
			v := format.Parse(bytes.Clone(line), &r)
			checkRecord(t, line, &r, v)
		}
	})
}

func FuzzNewFormat(f *testing.F) {
	for _, seed := range []string{
		`$remote_addr - $remote_user [$time_local] "$request" $status`, `%h %l %u %t \"%r\" %>s %b`, `%{%Y%m%d %T}t %m %U%q`,
		`$msec$request`, `%{end:usec}t %{begin:%s}t "%r"`, `${`, `%^ti %t %r`, `%%%t`, `$time_iso8601|$host$request_uri|$request_method`,
		`$http_x_a "$cookie_b" [$time_local] "$request" $http_cookie`, `%t "%r" %{x-y}i "%{Cookie}i" %{z}C`, "json:time=t,request=r,cookie.a=b,header.X-Y=c,cookie=d",
	} {
		f.Add(seed, line("/"))
	}
	f.Fuzz(func(t *testing.T, spec, line string) {
		format, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		if err != nil {
			return
		}
		var r ingest.Record
		v := format.Parse([]byte(line), &r)
		checkRecord(t, []byte(line), &r, v)
	})
}

func FuzzStamp(f *testing.F) {
	for _, seed := range []string{"2025-03-12T09:14:03.5+01:00", "2016-12-31 23:59:60Z", "1741767243.512", "12/Mar/2025:09:14:03 +0100"} {
		f.Add(seed)
	}
	var formats []ingest.Format
	for _, spec := range []string{`$time_iso8601 "$request"`, `$msec "$request"`, `%{%d/%b/%y:%T %z}t "%r"`, `[$time_local] "$request"`} {
		format, err := ingest.NewFormat(spec, ingest.FormatOptions{})
		if err != nil {
			f.Fatal(err)
		}
		formats = append(formats, format)
	}
	f.Fuzz(func(t *testing.T, stamp string) {
		for _, format := range formats {
			line := []byte(stamp + ` "GET / HTTP/1.1"`)
			var a, b ingest.Record
			va, vb := format.Parse(bytes.Clone(line), &a), format.Parse(bytes.Clone(line), &b)
			if va != vb || a.Start != b.Start { // the remembered second must not change the answer
				t.Fatalf("%q: %v %d, then %v %d", stamp, va, a.Start, vb, b.Start)
			}
			checkRecord(t, line, &a, va)
		}
	})
}

// Whatever the bytes, every line is accounted for, and as many lines come out as go in.
func FuzzReader(f *testing.F) {
	f.Add([]byte(line("/1") + "\r\n\x00\x00" + line("/2") + "\n\n#x\n\xff\n" + head))
	f.Add([]byte(line("/1") + "\r\n" + line("/2") + "\n\n#x\n\xff\n" + head))
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.IndexByte(data, '\n') < 0 || bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) || bytes.IndexByte(data, 0) >= 0 {
			return // other line ends, other encodings and holes are counted otherwise
		}
		r, err := ingest.Open(t.Context(), []string{"-"}, ingest.Options{Format: "combined", Stdin: bytes.NewReader(data), SkipHash: true})
		if err != nil {
			return // compressed by its first bytes, and damaged there
		}
		for _, err := range r.Records(t.Context()) {
			if err != nil {
				return // compressed by its first bytes, and damaged further on
			}
		}
		rep := r.Report().Files[0]
		checkBalance(t, rep)
		text := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
		want := int64(strings.Count(text, "\n"))
		if !strings.HasSuffix(text, "\n") {
			want++
		}
		if rep.Codec == "plain" && rep.Lines != want {
			t.Fatalf("%d lines of %d", rep.Lines, want)
		}
	})
}
