package inspect_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"reprise/ingest"
	"reprise/ingest/inspect"
)

// variedLog makes about n bytes of a busy shop's log: 260 bytes a line, 20,000 clients and 300 user agents of which some
// come often, 100,000 products with a few words of their own, and pictures.
func variedLog(n int) []byte {
	draw := rand.New(rand.NewPCG(1, 2))
	clients, agents, products := rand.NewZipf(draw, 1.1, 20, 20_000), rand.NewZipf(draw, 1.2, 5, 300), rand.NewZipf(draw, 1.1, 50, 100_000)
	at := time.Date(2025, 11, 28, 18, 0, 0, 0, time.UTC)
	var b bytes.Buffer
	for b.Len() < n {
		at = at.Add(time.Duration(draw.IntN(10)) * time.Millisecond)
		c, p := clients.Uint64(), products.Uint64()
		target := fmt.Sprintf("/products/%d?ref=list&page=%d", p, draw.IntN(9))
		switch draw.IntN(6) {
		case 0:
			target = fmt.Sprintf("/category/c%d/items", p%40)
		case 1:
			target = fmt.Sprintf("/static/img/p%d-200x150.jpg", p)
		case 2:
			target = "/api/cart"
		}
		fmt.Fprintf(&b, "203.0.%d.%d - - [%s] \"GET %s HTTP/1.1\" %d %d \"https://shop.example/category/c%d/items?page=%d\" "+
			"\"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.6261.94 Safari/537.36\"\n",
			c>>8, c&255, at.Format("02/Jan/2006:15:04:05 -0700"), target, 200+draw.IntN(2)*104, draw.IntN(90_000), p%40, draw.IntN(9), agents.Uint64()+60)
	}
	return b.Bytes()
}

// parse returns the records of a log in the combined format.
func parse(t testing.TB, text []byte) (records []ingest.Record) {
	format, err := ingest.NewFormat("combined", ingest.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r ingest.Record
		if format.Parse(bytes.TrimSuffix(line, []byte("\n")), &r).OK() {
			records = append(records, r)
		}
	}
	return records
}

func BenchmarkAdd(b *testing.B) {
	text := variedLog(50 << 20)
	records := parse(b, text)
	b.SetBytes(int64(len(text) / len(records)))
	b.ReportAllocs()
	i := inspect.New(inspect.Options{})
	for k := 0; b.Loop(); k++ {
		i.Add(&records[k%len(records)])
	}
}

// BenchmarkRead parses and inspects a log that is in memory.
func BenchmarkRead(b *testing.B) {
	text := variedLog(100 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		r, err := ingest.Open(b.Context(), []string{"-"}, ingest.Options{Stdin: bytes.NewReader(text), SkipHash: true})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := inspect.Read(b.Context(), r, inspect.Options{}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
