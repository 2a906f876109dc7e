package source_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"reprise/ingest/source"
)

// repeated reads data n times.
func repeated(data []byte, n int) io.Reader {
	readers := make([]io.Reader, n)
	for i := range readers {
		readers[i] = bytes.NewReader(data)
	}
	return io.MultiReader(readers...)
}

// A few bytes may stand for gigabytes of text: they are streamed, and what that allocates has a bound, which
// is little for one window of the usual size.
func TestBombsAreStreamed(t *testing.T) {
	const size, most = 32 << 20, 24 << 20
	text := string(bytes.Repeat([]byte("x"), size))
	f := func(data []byte, times int) {
		t.Helper()
		packed := repeated(data, times)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in, err := source.Open(source.Stdin, source.Options{Stdin: packed})
		if err != nil {
			t.Fatal(err)
		}
		in.ReadAhead()
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, in, make([]byte, 64<<10))
		runtime.ReadMemStats(&after)
		if err != nil || n != int64(times)*size || len(in.Warnings()) != 0 {
			t.Errorf("%s: %d bytes, %v, %v", in.Codec(), n, err, in.Warnings())
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > most {
			t.Errorf("%s: %d MiB were allocated for %d MiB of text", in.Codec(), used>>20, n>>20)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
	f(gzipped(t, text), 8)
	z, err := zstd.NewWriter(nil, zstd.WithSingleSegment(false), zstd.WithWindowSize(8<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f(z.EncodeAll([]byte(text), nil), 8)
	var b bytes.Buffer
	x, err := xz.WriterConfig{DictCap: 8 << 20}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(x, text); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	f(b.Bytes(), 1)
}
