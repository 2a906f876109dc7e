package source_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"reprise/ingest/source"
)

// accessLines is text of the kind and the compressibility of a log: about 10:1.
func accessLines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "203.0.113.%d - - [12/Mar/2025:09:%02d:%02d +0100] \"GET /products/%d?page=%d HTTP/1.1\" 200 %d \"https://shop.example/list\" \"Mozilla/5.0 (X11)\"\n",
			i*i%251, i/1200%60, i/20%60, i*7919%9973, i%7, i*31337%50000)
	}
	return b.String()
}

func BenchmarkInput(b *testing.B) {
	text := accessLines(200_000)
	f := func(name string, data []byte) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				in, err := source.Open(source.Stdin, source.Options{Stdin: bytes.NewReader(data)})
				if err != nil {
					b.Fatal(err)
				}
				in.ReadAhead()
				for err == nil {
					_, err = in.Extend(nil)
				}
				if closing := in.Close(); err != io.EOF || closing != nil {
					b.Fatal(err, closing)
				}
			}
		})
	}
	f("plain", []byte(text))
	f("gzip", gzipped(b, text))
	f("zstd", zstded(b, text))
	var packed bytes.Buffer
	x, err := xz.NewWriter(&packed)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := io.WriteString(x, text); err != nil {
		b.Fatal(err)
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
	f("xz", packed.Bytes())
}

// Reading on allocates nothing, however much it reads.
func TestReadDoesNotAllocate(t *testing.T) {
	text := accessLines(160_000)
	for _, data := range [][]byte{[]byte(text), gzipped(t, text), zstded(t, text)} {
		in, err := source.Open(source.Stdin, source.Options{Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		in.ReadAhead()
		buf := make([]byte, 64<<10)
		read := func() {
			if _, err := io.ReadFull(in, buf); err != nil {
				t.Fatal(err)
			}
		}
		for range 100 { // a decoder's buffers grow to the size of its window
			read()
		}
		if n := testing.AllocsPerRun(150, read); n != 0 {
			t.Errorf("%s: %g allocations for each %d bytes", in.Codec(), n, len(buf))
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}
