package ingest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"reprise/ingest"
)

// BenchmarkRead compares the ways to read one file in order, and two files that overlap, of 50 MB in all.
func BenchmarkRead(b *testing.B) {
	data := orderedLines(220_000)
	one := filepath.Join(b.TempDir(), "log")
	if err := os.WriteFile(one, data, 0o644); err != nil {
		b.Fatal(err)
	}
	half := orderedLines(110_000)
	dir := b.TempDir()
	var two []string
	for i := range 2 {
		two = append(two, filepath.Join(dir, fmt.Sprint(i)))
		if err := os.WriteFile(two[i], half, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	open := func(b *testing.B, names ...string) *ingest.Reader {
		r, err := ingest.Open(b.Context(), names, ingest.Options{SkipHash: true})
		if err != nil {
			b.Fatal(err)
		}
		return r
	}
	f := func(name string, names ...string) {
		b.Run(name+"/records", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				for _, err := range open(b, names...).Records(b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				if n != 220_000 {
					b.Fatal(n)
				}
			}
		})
		b.Run(name+"/each", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				n := make([]int, len(names))
				err := open(b, names...).Each(b.Context(), 0, func(file int) func(*ingest.Record) error {
					return func(*ingest.Record) error { n[file]++; return nil }
				}, nil)
				if err != nil || n[0] != 220_000/len(names) {
					b.Fatal(n, err)
				}
			}
		})
	}
	f("one", one)
	f("two", two...)
}

// orderedLines makes n lines of the combined format in the order of their seconds.
func orderedLines(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "203.0.113.%d - - [%02d/Mar/2025:%02d:%02d:%02d +0100] \"GET /products/%d?page=%d HTTP/1.1\" 200 %d \"https://shop.example/list\" "+
			"\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0 Safari/537.36\"\n",
			i%250, 12+i/20/86400, i/20/3600%24, i/20/60%60, i/20%60, i%997, i%7, i*31%50000)
	}
	return b.Bytes()
}
