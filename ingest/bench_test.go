package ingest_test

import (
	"bytes"
	"fmt"
	"testing"

	"reprise/ingest"
)

// combinedLines makes n lines of the combined format with changing seconds, as a busy server writes them.
func combinedLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "203.0.113.%d - - [12/Mar/2025:09:%02d:%02d +0100] \"GET /products/%d?page=%d HTTP/1.1\" 200 %d \"https://shop.example/list\" "+
			"\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0 Safari/537.36\"\n", i%250, i/20/60%60, i/20%60, i%997, i%7, i*31%50000)
	}
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"combined", "custom"} {
		b.Run(name, func(b *testing.B) {
			spec := name
			if name == "custom" {
				spec = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
			}
			f, err := ingest.NewFormat(spec, ingest.FormatOptions{})
			if err != nil {
				b.Fatal(err)
			}
			data := combinedLines(10_000)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var r ingest.Record
			for b.Loop() {
				for rest := data; len(rest) > 0; {
					n := bytes.IndexByte(rest, '\n')
					if v := f.Parse(rest[:n], &r); !v.OK() {
						b.Fatal(v)
					}
					rest = rest[n+1:]
				}
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	data := combinedLines(100_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r, err := ingest.Open(b.Context(), []string{"-"}, ingest.Options{Stdin: bytes.NewReader(data), SkipHash: true})
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, err := range r.Records(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 100_000 {
			b.Fatal(n)
		}
	}
}
