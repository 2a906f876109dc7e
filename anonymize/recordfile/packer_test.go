package recordfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// packed makes a file with a Packer, the header being known last.
func packed(t interface {
	Helper()
	Fatal(...any)
}, workers int, lines []string) []byte {
	t.Helper()
	var body, out bytes.Buffer
	p, err := recordfile.NewPacker(workers, func(frame []byte) error {
		_, err := body.Write(frame)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, l := range lines {
		if err := p.WriteLine([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteFile(&out, head, recordfile.Trailer{}, &body); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPackerWritesWhatWriterDoes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 4*recordfile.FrameLines).Draw(rt, "lines")
		long := rapid.IntRange(0, recordfile.MaxLine-20).Draw(rt, "long")
		lines := make([]string, n)
		for i := range lines {
			lines[i] = fmt.Sprintf(`{"n":%d}`, i)
		}
		if n > 0 {
			lines[n/2] = `{"s":"` + strings.Repeat("x", long) + `"}`
		}
		want := write(t, head, lines...)
		for _, workers := range []int{0, 1, 2, 7} {
			if !bytes.Equal(packed(rt, workers, lines), want) {
				rt.Fatalf("%d workers: other bytes", workers)
			}
		}
	})
}

func TestPackerReportsFullDisk(t *testing.T) {
	enough := errors.New("no space left on device")
	for _, workers := range []int{0, 1, 3} {
		puts := 0
		p, err := recordfile.NewPacker(workers, func([]byte) error {
			puts++
			return enough
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 20*recordfile.FrameLines && err == nil; i++ {
			err = p.WriteLine([]byte(`{"n":1}`))
		}
		if !errors.Is(err, enough) || !errors.Is(p.Close(), enough) {
			t.Errorf("%d workers: error is %v", workers, err)
		}
		if err := p.WriteFile(io.Discard, head, recordfile.Trailer{}, &bytes.Buffer{}); !errors.Is(err, enough) {
			t.Errorf("%d workers: WriteFile after a failure gives %v", workers, err)
		}
		if puts != 1 {
			t.Errorf("%d workers: %d frames were put after an error", workers, puts-1)
		}
	}
}

func TestPackerIsClosedOnceAndWrittenAfter(t *testing.T) {
	p, err := recordfile.NewPacker(2, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.WriteFile(io.Discard, head, recordfile.Trailer{}, &bytes.Buffer{}); err == nil {
		t.Error("an open packer wrote its file")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteLine([]byte(`{}`)); err == nil {
		t.Error("a line was taken after Close")
	}
}

func BenchmarkPacker(b *testing.B) {
	for _, workers := range []int{0, 1, 2} {
		b.Run(fmt.Sprintf("%dworkers", workers), func(b *testing.B) {
			p, err := recordfile.NewPacker(workers, func([]byte) error { return nil })
			if err != nil {
				b.Fatal(err)
			}
			defer p.Close()
			line := []byte(nil)
			b.ReportAllocs()
			b.SetBytes(130)
			for i := 0; b.Loop(); i++ {
				line = fmt.Appendf(line[:0], `{"t":%d,"user":"%032x","client":"250.57.%d.220","method":"GET","target":"/p/%d?page=2"}`,
					1331829283000000+i*1000, uint64(i)*0x9e3779b97f4a7c15, i%256, i*7919%100_000)
				if err := p.WriteLine(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
