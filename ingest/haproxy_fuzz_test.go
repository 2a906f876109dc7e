package ingest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/ingest"
)

func FuzzHAProxy(f *testing.F) {
	for _, rest := range []string{`"GET /a?b=1 HTTP/1.1"`, `{a|b} {} "GET https://ex.example/#2#2f HTTP/2.0" 0/0`, `"GET /a HTT`, `"<BADREQ>"`, `{a#22`, `"GET x://`} {
		f.Add([]byte(proxyHead + rest))
		f.Add([]byte("Mar 12 09:14:03 lb1 haproxy[71]: " + proxyHead + rest))
	}
	f.Add([]byte("[WARNING] (77) : x"))
	f.Add([]byte("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] mysql mysql/db1 1/0/5007 212 -- 0/0/0/0/3 0/0"))
	f.Add([]byte("203.0.113.7:5123 [12/Mar/2025:09:14:03.655] web/1: SSL handshake failure"))
	f.Add([]byte("x [12/Mar/2025:09:14:60.9999999999] a b/ -1/-1/-1/-1/+99999999999 -1 +0 a b c ---- //// / \"A \xff"))
	fuzzFormat(f, "haproxy")
}

func FuzzEnvoy(f *testing.F) {
	for _, l := range []string{envoyHead + envoyTail, envoyHead + `via_upstream - "a b" ` + envoyTail + istioTail, envoyHead + `1 2 - - "" "" "" "" ""`, `[2025-03-12 09:14:03Z] "G x://" 0 - 1 2 3 4 "," "" "" "" " "`} {
		f.Add([]byte(l))
	}
	fuzzFormat(f, "envoy")
}

func FuzzTraefik(f *testing.F) {
	for _, l := range []string{line("/a") + traefikTail, head + `"- - -" - - - - - - - 0ms`, head + `"G x://?" 0 1 "" "" 3 "" "" 99999999999999ms`, head + `"" 0 1 - "`} {
		f.Add([]byte(l))
	}
	fuzzFormat(f, "traefik")
}

// Any pair of lines in any frame: nothing is written outside, and what is joined is joined the same way twice.
func FuzzWrapper(f *testing.F) {
	text := line("/a")
	for _, l := range []string{
		inDocker(text+"\n", "stdout"), inDocker(text, "stderr"), `{"log":"\u00","stream":"stdout"}`, `{"MESSAGE":[1,2],"__REALTIME_TIMESTAMP":"1"}`, criTime + "stdout P " + text[:40],
		criTime + "stdout F " + text[40:], "<134>Mar 12 09:14:03 nginx: " + text, `<134>1 - - - - - [a x="\]"]` + text, "nginx-1  | " + text, "\x1b[36mnginx-1 |\x1b[0m", "[pod/a] " + text,
		"2025/03/12 09:14:03.824\tINFO\thandled request\t{}",
	} {
		f.Add([]byte(l), []byte(criTime+"stdout F "+text[40:]))
	}
	specs := []string{"docker+combined", "journal+haproxy", "cri+combined", "syslog+haproxy", "compose+docker+combined", "kubectl+traefik", "caddy_console"}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, spec := range specs {
			var verdicts [2]string
			for i := range verdicts {
				format := described(t, spec, ingest.FormatOptions{})
				var a, b ingest.Record
				va, vb := format.Parse(bytes.Clone(first), &a), format.Parse(bytes.Clone(second), &b)
				if va.Reason != ingest.Skip {
					checkRecord(t, first, &a, va)
				}
				if vb.Reason != ingest.Skip {
					checkRecord(t, second, &b, vb)
				}
				verdicts[i] = fmt.Sprint(va, vb, string(a.Target), string(b.Target))
			}
			if verdicts[0] != verdicts[1] {
				t.Fatalf("%s, then %s", verdicts[0], verdicts[1])
			}
		}
	})
}

// Whatever HAProxy writes of a request comes back as the same request.
func TestHAProxyRoundTrip(t *testing.T) {
	format := described(t, "haproxy", ingest.FormatOptions{})
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "at")).UTC()
		target := "/" + strings.ReplaceAll(string(rapid.SliceOfN(rapid.ByteRange('!', 0xff), 0, 60).Draw(t, "target")), "\x7f", "")
		client := rapid.SampledFrom([]string{"203.0.113.7", "2001:db8::7", "::1", "::ffff:203.0.113.7"}).Draw(t, "client")
		method := rapid.StringMatching(`[A-Z_-]{1,12}`).Draw(t, "method")
		status, size, took := rapid.IntRange(-1, 999).Draw(t, "status"), rapid.Int64Min(0).Draw(t, "size"), rapid.Int64Range(0, 1e9).Draw(t, "took")
		captured := rapid.SampledFrom([]string{"", "{ex.example|} ", "{|} {} ", "{a}b|c} {d} "}).Draw(t, "captured")
		text := fmt.Sprintf("%s:%d [%s] web~ be/s1 0/0/0/%d/%d %d %d - - ---- 1/1/1/1/0 0/0 %s\"%s %s HTTP/1.1\"", client, rapid.IntRange(1, 65535).Draw(t, "port"),
			at.Format("02/Jan/2006:15:04:05.000"), took, took, status, size, captured, method, hex([]byte(target), "#", `"#`))
		var r ingest.Record
		if v := format.Parse([]byte(text), &r); !v.OK() {
			t.Fatalf("%s at column %d: %q", v.Reason, v.Column, text)
		}
		if r.Start != at.UnixNano() || string(r.Client) != client || string(r.Method) != method || string(r.Target) != target || r.Status != max(status, 0) || r.Bytes != size || r.Duration != took*1e6 {
			t.Fatalf("%q became %+v", text, r)
		}
		// Cut anywhere, it is rejected or marked.
		cut := rapid.IntRange(0, len(text)-1).Draw(t, "cut")
		v := format.Parse([]byte(text[:cut]), &r)
		if v.OK() && r.Flags&ingest.FlagTruncated == 0 {
			t.Fatalf("%q became %+v", text[:cut], r)
		}
	})
}

// The clock is checked against package time, in a zone with two offsets too.
func TestHAProxyClockAgreesWithTime(t *testing.T) {
	loc, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, zone := range []*time.Location{nil, time.UTC, loc, time.FixedZone("", -3600)} {
		format := described(t, "haproxy", ingest.FormatOptions{Location: zone})
		in := zone
		if in == nil {
			in = time.UTC
		}
		rapid.Check(t, func(t *rapid.T) {
			at := time.UnixMilli(rapid.Int64Range(1e12, 2e12).Draw(t, "at")).In(in)
			var r ingest.Record
			v := format.Parse([]byte("203.0.113.7:1 ["+at.Format("02/Jan/2006:15:04:05.000")+`] web be/s1 0/0/0/0/0 200 1 - - ---- 1/1/1/1/0 0/0 "GET / HTTP/1.1"`), &r)
			if got := time.Unix(0, r.Start).In(in); !v.OK() || got.Format(time.StampMilli) != at.Format(time.StampMilli) || !got.Equal(at) && got.Sub(at).Abs() != time.Hour {
				t.Fatalf("%v is read as %v: %s", at, got, v.Reason)
			}
		})
	}
}

// Docker's frame gives back any text of at most one line.
func TestDockerRoundTrip(t *testing.T) {
	format := described(t, "docker+combined", ingest.FormatOptions{})
	rapid.Check(t, func(t *rapid.T) {
		target := "/" + rapid.String().Draw(t, "target")
		target = strings.Map(func(c rune) rune {
			if c <= ' ' || c == '"' || c == '\\' || c == 0x7f {
				return -1
			}
			return c
		}, target)
		var r ingest.Record
		text := inDocker(line(target)+"\n", "stdout")
		if v := format.Parse([]byte(text), &r); !v.OK() || string(r.Target) != target {
			t.Fatalf("%s at column %d, target %q, want %q: %q", v.Reason, v.Column, r.Target, target, text)
		}
		var back struct{ Log string }
		if err := json.Unmarshal([]byte(text), &back); err != nil || back.Log != line(target)+"\n" {
			t.Fatalf("%v: %q", err, back.Log)
		}
	})
}
