package ingest_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"reprise/ingest"
)

// benchFolder is where the benchmarks of whole logs keep them: 100 MB and more for each format, made on first
// use. make bench sets it; the other tools of the comparison read the same files.
func benchFolder(b *testing.B) string {
	dir := os.Getenv("REPRISE_BENCH_DIR")
	if dir == "" {
		b.Skip("REPRISE_BENCH_DIR is not set: it names the folder for logs of 100 MB and more")
	}
	return dir
}

// combinedSize makes the log for comparisons with other tools long enough that starting them costs nothing.
const benchSize, combinedSize = 100 << 20, 500 << 20

// benchLog returns the name of the log in the format of c, which it writes unless it is there.
func benchLog(b *testing.B, c *converter) string {
	name := filepath.Join(benchFolder(b), c.name+".log")
	if _, err := os.Stat(name); err == nil {
		return name
	}
	size := benchSize
	if c.name == "combined" {
		size = combinedSize
	}
	f, err := os.Create(name + ".partial")
	if err != nil {
		b.Fatal(err)
	}
	w := &counted{w: f}
	err = c.convert(w, func(yield func(*ingest.Record) bool) {
		for r := range shopTraffic() {
			if w.n >= size || !yield(r) {
				return
			}
		}
	})
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		b.Fatal(err)
	}
	return name
}

type counted struct {
	w io.Writer
	n int
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += n
	return n, err
}

// benchAgents are 300 agents of 80 to 190 bytes: five browsers and robots in many versions.
func benchAgents(d *rand.Rand) [][]byte {
	var agents [][]byte
	for range 60 {
		major, build, patch := 90+d.IntN(40), d.IntN(7000), d.IntN(200)
		for _, form := range []string{
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.%d.%d Safari/537.36",
			"Mozilla/5.0 (iPhone; CPU iPhone OS 17_3_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/%d.%d.%d Mobile/15E148 Safari/604.1",
			"Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/23.0 Chrome/%d.0.%d.%d Mobile Safari/537.36",
			"Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:%d.%d.%d) Gecko/20100101 Firefox/123.0",
			"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.%d.%d Mobile Safari/537.36 (compatible; Examplebot/2.1; +http://bot.example/)",
		} {
			agents = append(agents, fmt.Appendf(nil, form, major, build, patch))
		}
	}
	return agents
}

// shopTraffic yields the requests of a busy shop without end: a few hot pages, many products, session ids, and 400
// visitors at a time, who come from the network that RFC 2544 sets aside for benchmarks and leave after some 40
// requests. gzip makes a tenth of it, as of real logs: one that repeats itself more would flatter the tools that
// decompress.
func shopTraffic() iter.Seq[*ingest.Record] {
	pages := []string{"/", "/products", "/cart", "/search?q=blue+shoes&page=", "/static/app.3f9c1d.js", "/api/v1/stock?sku="}
	return func(yield func(*ingest.Record) bool) {
		d := rand.New(rand.NewPCG(2025, 12))
		agents := benchAgents(d)
		var visitors [400]struct{ client, agent []byte }
		r := ingest.Record{Start: time.Date(2025, 3, 12, 8, 0, 0, 0, time.UTC).UnixNano(), Host: []byte(site), Protocol: []byte("HTTP/1.1")}
		for n := 0; ; n++ {
			if n%25 == 0 {
				r.Start += 1e9
			}
			who := &visitors[d.IntN(len(visitors))]
			if who.client == nil || d.IntN(40) == 0 {
				who.client = fmt.Appendf(nil, "198.%d.%d.%d", 18+d.IntN(2), d.IntN(256), d.IntN(256))
				who.agent = agents[min(d.IntN(len(agents)), d.IntN(len(agents)), d.IntN(len(agents)))]
			}
			r.Client, r.Agent = who.client, who.agent
			r.Method, r.Status = []byte("GET"), 200
			if d.IntN(20) == 0 {
				r.Method, r.Status = []byte("POST"), 302
			}
			r.Target = append(r.Target[:0], pages[d.IntN(len(pages))]...)
			if last := r.Target[len(r.Target)-1]; last == '=' || d.IntN(2) == 0 {
				if last != '=' {
					r.Target = append(r.Target[:0], "/products/"...)
				}
				r.Target = fmt.Appendf(r.Target, "%06d", d.IntN(20_000))
			}
			r.Referer = fmt.Appendf(r.Referer[:0], "https://%s/products?page=%d", site, d.IntN(500))
			if d.IntN(4) == 0 {
				r.Referer = fmt.Appendf(r.Referer, "&session=%016x", d.Uint64())
			}
			r.Bytes = d.Int64N(60_000)
			r.Duration = d.Int64N(4_000) * 1e6
			if !yield(&r) {
				return
			}
		}
	}
}

// BenchmarkLog reads a whole log through a Reader, from the file to the record, as inspect does.
func BenchmarkLog(b *testing.B) {
	for i := range converters {
		c := &converters[i]
		b.Run(c.name, func(b *testing.B) { benchmarkLog(b, benchLog(b, c), c.name) })
	}
	combined := &converters[0]
	b.Run("log_format", func(b *testing.B) {
		benchmarkLog(b, benchLog(b, combined), `$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"`)
	})
	b.Run("LogFormat", func(b *testing.B) {
		benchmarkLog(b, benchLog(b, combined), `%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"`)
	})
}

func benchmarkLog(b *testing.B, name, format string) {
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		r, err := ingest.Open(b.Context(), []string{name}, ingest.Options{Format: format, SkipHash: true})
		if err != nil {
			b.Fatal(err)
		}
		err = r.Each(b.Context(), 1, func(int) func(*ingest.Record) error {
			return func(*ingest.Record) error { return nil }
		}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if f := r.Report().Files[0]; f.NoRequest+f.Rejected != 0 {
			b.Fatalf("%+v", f)
		}
	}
}

// BenchmarkLogParse reads the combined log in blocks and parses its lines: what the format alone costs.
func BenchmarkLogParse(b *testing.B) {
	name := benchLog(b, &converters[0])
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		format, err := ingest.NewFormat("combined", ingest.FormatOptions{})
		if err != nil {
			b.Fatal(err)
		}
		file, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		var record ingest.Record
		for r := bufio.NewReaderSize(file, 256<<10); ; {
			line, err := r.ReadSlice('\n')
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			if v := format.Parse(line[:len(line)-1], &record); !v.OK() {
				b.Fatalf("%s at column %d", v.Reason, v.Column)
			}
		}
		file.Close()
	}
}

// combinedRegexp is what a Go program would do without a parser of its own.
var combinedRegexp = regexp.MustCompile(`^(\S+) (\S+) (.*?) \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\S+) (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"`)

// BenchmarkLogRegexp finds the columns of the first 20 MB of the combined log, and reads nothing in them.
func BenchmarkLogRegexp(b *testing.B) {
	f, err := os.Open(benchLog(b, &converters[0]))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	data := make([]byte, 20<<20)
	if _, err := io.ReadFull(f, data); err != nil {
		b.Fatal(err)
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		for line := range bytes.Lines(data) {
			if combinedRegexp.FindSubmatchIndex(line) == nil {
				b.Fatal("no match")
			}
		}
	}
}
