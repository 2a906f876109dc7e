package ingest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"reprise/ingest"
)

const browser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0 Safari/537.36"

// columnLogs are formats and how they write request number i of a busy server; the columns of the first two
// are named in fields.
var columnLogs = []struct {
	name, format, fields string
	write                func(i int) string
}{
	{"iis", "w3c", iisFields, func(i int) string {
		return fmt.Sprintf("2025-03-12 09:%02d:%02d 10.0.0.4 GET /products/%d page=%d 443 - 203.0.113.%d %s https://shop.example/list 200 0 0 %d",
			i/20/60%60, i/20%60, i%997, i%7, i%250, strings.ReplaceAll(browser, " ", "+"), i%900)
	}},
	{"cloudfront", "cloudfront", edgeFields, func(i int) string {
		s := edgeLine(fmt.Sprintf("/products/%d", i%997), "200", "https://shop.example/list", strings.ReplaceAll(browser, " ", "%20"), fmt.Sprintf("page=%d", i%7), fmt.Sprintf("0.%03d", i%900), "-")
		return fmt.Sprintf("2025-03-12\t09:%02d:%02d%s", i/20/60%60, i/20%60, s[19:])
	}},
	{"alb", "alb", "", func(i int) string {
		at := fmt.Sprintf("2025-03-12T09:%02d:%02d.831000Z", i/20/60%60, i/20%60)
		return fmt.Sprintf(`h2 %s app/lb/50dc 203.0.113.%d:5123 10.0.0.5:80 0.001 0.%03d 0.000 200 200 34 %d "GET https://shop.example:443/products/%d?page=%d HTTP/2.0" "%s" `+
			`TLS_AES_128_GCM_SHA256 TLSv1.3 arn:aws:x "Root=1-58" "shop.example" "arn:aws:y" 0 %s "forward" "-" "-" "10.0.0.5:80" "200" "-" "-" TID_37ac`,
			at, i%250, i%900, i*31%50000, i%997, i%7, browser, at)
	}},
	{"elb", "elb", "", func(i int) string {
		return fmt.Sprintf(`2025-03-12T09:%02d:%02d.831000Z my-lb 203.0.113.%d:5123 10.0.0.5:80 0.000073 0.%06d 0.000057 200 200 0 %d "GET http://shop.example:80/products/%d?page=%d HTTP/1.1" "%s" - -`,
			i/20/60%60, i/20%60, i%250, i%900, i*31%50000, i%997, i%7, browser)
	}},
	{"s3", "s3", "", func(i int) string {
		return fmt.Sprintf(`79a5 bkt [12/Mar/2025:09:%02d:%02d +0000] 203.0.113.%d - 3E57 REST.GET.OBJECT %d.png "GET /products/%d.png?page=%d HTTP/1.1" 200 - %d 512 %d 16 "https://shop.example/list" "%s" - hid= SigV4 - - shop.example -`,
			i/20/60%60, i/20%60, i%250, i%997, i%997, i%7, i*31%50000, i%900, browser)
	}},
}

// columnLog opens the format of the log at index i, and writes n lines of it.
func columnLog(t testing.TB, i, n int) (ingest.Format, []byte) {
	t.Helper()
	l := &columnLogs[i]
	var directives []string
	if l.fields != "" {
		directives = []string{l.fields}
	}
	var b bytes.Buffer
	for i := range n {
		b.WriteString(l.write(i))
		b.WriteByte('\n')
	}
	return described(t, l.format, ingest.FormatOptions{}, directives...), b.Bytes()
}

// parseAll parses the lines of text in line, which gets a copy of each, since parsing changes it.
func parseAll(t testing.TB, f ingest.Format, text, line []byte, r *ingest.Record) {
	for rest := text; len(rest) > 0; {
		n := bytes.IndexByte(rest, '\n')
		line = append(line[:0], rest[:n]...)
		if v := f.Parse(line, r); !v.OK() {
			t.Fatalf("%s at column %d: %s", v.Reason, v.Column, rest[:n])
		}
		rest = rest[n+1:]
	}
}

func TestColumnFormatsAllocateNothing(t *testing.T) {
	for i := range columnLogs {
		f, text := columnLog(t, i, 50)
		line, r := make([]byte, 0, 4096), new(ingest.Record)
		if n := testing.AllocsPerRun(10, func() { parseAll(t, f, text, line, r) }); n != 0 {
			t.Errorf("%s: %g allocations for 50 lines", columnLogs[i].name, n)
		}
	}
}

func BenchmarkParseColumns(b *testing.B) {
	for i := range columnLogs {
		b.Run(columnLogs[i].name, func(b *testing.B) {
			f, text := columnLog(b, i, 10_000)
			line, r := make([]byte, 0, 4096), new(ingest.Record)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				parseAll(b, f, text, line, r)
			}
		})
	}
}
