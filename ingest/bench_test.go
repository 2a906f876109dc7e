package ingest_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"testing"

	"reprise/ingest"
)

// combinedLines makes n lines of the combined format with changing seconds, as a busy server writes them.
func combinedLines(n int) []byte {
	return logLines(n, "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0 Safari/537.36")
}

func logLines(n int, agent string) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "203.0.113.%d - - [12/Mar/2025:09:%02d:%02d +0100] \"GET /products/%d?page=%d HTTP/1.1\" 200 %d \"https://shop.example/list\" "+
			"\"%s\"\n", i%250, i/20/60%60, i/20%60, i%997, i%7, i*31%50000, agent)
	}
	return b.Bytes()
}

// benchmarkFormat parses data as a reader does: block by block from a buffer that each block overwrites, so
// that what Parse changed in place is new again.
func benchmarkFormat(b *testing.B, spec string, data []byte) {
	f, err := ingest.NewFormat(spec, ingest.FormatOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	buf := make([]byte, 256<<10)
	var r ingest.Record
	for b.Loop() {
		for rest := data; len(rest) > 0; {
			block := buf[:copy(buf, rest)]
			block = block[:bytes.LastIndexByte(block, '\n')+1]
			rest = rest[len(block):]
			for len(block) > 0 {
				n := bytes.IndexByte(block, '\n')
				if v := f.Parse(block[:n], &r); v.Reason == ingest.BadColumns {
					b.Fatal(v)
				}
				block = block[n+1:]
			}
		}
	}
	b.ReportMetric(float64(b.N)*float64(bytes.Count(data, []byte{'\n'}))/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

// Lines of 105 bytes as well as of 260: costs by the line count in the one, costs by the byte in the other.
func BenchmarkParse(b *testing.B) {
	const custom = `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`
	short := logLines(10_000, "-")
	long := logLines(10_000, "Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/122.0.6261.64 Mobile Safari/537.36")
	b.Run("combined/short", func(b *testing.B) { benchmarkFormat(b, "combined", short) })
	b.Run("combined/long", func(b *testing.B) { benchmarkFormat(b, "combined", long) })
	b.Run("custom/short", func(b *testing.B) { benchmarkFormat(b, custom, short) })
	b.Run("custom/long", func(b *testing.B) { benchmarkFormat(b, custom, long) })
	b.Run("ingress", func(b *testing.B) {
		benchmarkFormat(b, "ingress", bytes.ReplaceAll(long, []byte("\"\n"), []byte("\" 331 0.043 [ns-web-80] [] 10.0.0.5:80 512 0.040 200 3f9c\n")))
	})
	b.Run("apache", func(b *testing.B) {
		benchmarkFormat(b, `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %D`, bytes.ReplaceAll(long, []byte("\"\n"), []byte("\" 43112\n")))
	})
}

// Lines as they are in production: half of them without a request.
func BenchmarkParseBlog(b *testing.B) {
	f, err := os.Open(realLog(b, "nginx-blog-2012.log.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkFormat(b, "combined", data)
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
