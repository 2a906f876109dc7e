package recordfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/recordfile"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

var head = recordfile.Header{Kind: "trace", Version: 1, Tool: "reprise test", Seed: 7, KeyID: "01020304",
	Inputs: []recordfile.Input{{Name: "a.log", SHA256: "00"}}, Lineage: []recordfile.Stage{{Stage: "anonymize", In: 3}}}

// write makes a file of the given record lines.
func write(t testing.TB, h recordfile.Header, lines ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := recordfile.NewWriter(&b, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if err := w.WriteLine([]byte(l)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read returns all lines, or the error.
func read(b []byte, kinds ...string) (lines []string, r *recordfile.Reader, err error) {
	r, err = recordfile.NewReader(bytes.NewReader(b), kinds...)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return lines, r, nil
		}
		if err != nil {
			return lines, r, err
		}
		lines = append(lines, string(line))
	}
}

// pack compresses text that no Writer would write.
func pack(t testing.TB, text string) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return enc.EncodeAll([]byte(text), nil)
}

func unpack(t testing.TB, b []byte) string {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 3*recordfile.FrameLines).Draw(rt, "lines")
		long := rapid.IntRange(0, 200_000).Draw(rt, "long")
		lines := make([]string, n)
		for i := range lines {
			lines[i] = fmt.Sprintf(`{"n":%d}`, i)
		}
		if n > 0 {
			lines[n/2] = `{"s":"` + strings.Repeat("x", long) + `"}`
		}
		b := write(t, head, lines...)
		got, r, err := read(b, "trace")
		if err != nil {
			rt.Fatal(err)
		}
		if strings.Join(got, "\n") != strings.Join(lines, "\n") {
			rt.Fatal("lines differ")
		}
		if h := r.Header(); h.Tool != head.Tool || h.Seed != 7 || h.Inputs[0] != head.Inputs[0] || h.Lineage[0] != head.Lineage[0] {
			rt.Fatalf("header is %+v", h)
		}
		if r.Trailer().Records != int64(n) {
			rt.Fatalf("trailer counts %d records, want %d", r.Trailer().Records, n)
		}
		if again := write(t, head, lines...); !bytes.Equal(b, again) {
			rt.Fatal("equal records gave other bytes")
		}
	})
}

func TestFramesAreIndependentAndBounded(t *testing.T) {
	lines := make([]string, recordfile.FrameLines+10)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"n":%d}`, i)
	}
	b := write(t, head, lines...)
	magic := []byte{0x28, 0xb5, 0x2f, 0xfd}
	var counts []int
	for _, part := range bytes.Split(b, magic)[1:] {
		text := unpack(t, append(bytes.Clone(magic), part...))
		if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}\n") {
			t.Errorf("frame %d holds no whole lines", len(counts))
		}
		counts = append(counts, strings.Count(text, "\n"))
	}
	if want := []int{1, recordfile.FrameLines, 10, 1}; !slices.Equal(counts, want) {
		t.Errorf("frames of %d lines, want %d", counts, want)
	}
}

// Cut anywhere, a file is an error, and never a short file.
func TestTruncationAtEveryByte(t *testing.T) {
	lines := make([]string, recordfile.FrameLines+5)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"n":%d}`, i%7)
	}
	for _, b := range [][]byte{write(t, head), write(t, head, `{"n":1}`, `{"n":2}`), write(t, head, lines...)} {
		for n := range b {
			if _, _, err := read(b[:n], "trace"); err == nil {
				t.Fatalf("%d of %d bytes were read without an error", n, len(b))
			}
		}
	}
}

// A cut between frames is the one that zstd cannot notice.
func TestTruncationBetweenFrames(t *testing.T) {
	lines := make([]string, recordfile.FrameLines)
	for i := range lines {
		lines[i] = `{"n":1}`
	}
	b := write(t, head, lines...)
	_, _, err := read(b[:bytes.LastIndex(b, []byte{0x28, 0xb5, 0x2f, 0xfd})], "trace")
	if !errors.Is(err, recordfile.ErrTruncated) {
		t.Errorf("error is %v, want ErrTruncated", err)
	}
}

func TestDamagedByte(t *testing.T) {
	b := write(t, head, `{"n":1}`, `{"n":2}`)
	for i := range b {
		for _, bit := range []byte{1, 0x80} {
			damaged := bytes.Clone(b)
			damaged[i] ^= bit
			if lines, _, err := read(damaged, "trace"); err == nil {
				if same := unpack(t, damaged) == unpack(t, b); !same {
					t.Fatalf("byte %d changed, %d lines read without an error", i, len(lines))
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	f := func(name string, b []byte, want string) {
		t.Helper()
		_, _, err := read(b, "trace", "sample")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v, want %q", name, err, want)
		}
	}
	ok := unpack(t, write(t, head, `{"n":1}`))
	plan := head
	plan.Kind = "plan"
	f("foreign kind", write(t, plan), "this is a plan file, not a trace file")
	later := head
	later.Version = 2
	f("later version", write(t, later), "format version 2; this tool reads version 1")
	f("joined", append(write(t, head), write(t, head)...), "two files were joined")
	f("garbage behind", append(write(t, head), "garbage"...), "two files were joined")
	f("line behind", append(write(t, head), pack(t, "{}\n")...), "two files were joined")
	f("empty", nil, "trailer is missing")
	f("plain text", []byte(ok), "not a record file")
	f("foreign zstd", pack(t, "hello\n"), "not a record file")
	f("no header", pack(t, `{"n":1}`+"\n"), "no header record")
	f("changed line", pack(t, strings.Replace(ok, `{"n":1}`, `{"n":2}`, 1)), "checksum differs")
	f("lost line", pack(t, strings.Replace(ok, `{"n":1}`+"\n", "", 1)), "checksum differs")
	f("no trailer", pack(t, ok[:strings.LastIndex(ok, `{"records`)]), "trailer is missing")
	f("bad trailer", pack(t, ok[:strings.LastIndex(ok, `{"records`)]+`{"records":x}`+"\n"), "trailer is no JSON object")
	f("endless line", pack(t, ok[:strings.Index(ok, "\n")+1]+strings.Repeat("a", 2*recordfile.MaxLine)), "over the limit")
}

func TestErrorsAreFinal(t *testing.T) {
	ok := unpack(t, write(t, head, `{"n":1}`))
	r, err := recordfile.NewReader(bytes.NewReader(pack(t, strings.Replace(ok, `{"n":1}`, `{"n":2}`, 1))), "trace")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		if _, err = r.Next(); err == nil && r.Line() != 2 {
			t.Fatal("no error on the trailer")
		}
	}
	if _, again := r.Next(); !errors.Is(again, recordfile.ErrChecksum) || again != err {
		t.Errorf("the error was %v and then %v", err, again)
	}
	if r.Trailer().SHA256 != "" {
		t.Error("a trailer that was not verified is shown")
	}
}

func TestLineErrorsHaveThePlace(t *testing.T) {
	b := append(write(t, head, `{"n":1}`), write(t, head)...)
	_, _, err := read(b, "trace")
	var at *recordfile.LineError
	if !errors.As(err, &at) || at.Line != 4 {
		t.Errorf("error is %v, want one on line 4", err)
	}
}

func TestWriterRefusesWhatNoReaderCouldRead(t *testing.T) {
	w, err := recordfile.NewWriter(io.Discard, head)
	if err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{"trailer": `{"records":1}`, "newline": "{\n}", "long": strings.Repeat("a", recordfile.MaxLine+1)} {
		if err := w.WriteLine([]byte(line)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := w.Close(recordfile.Trailer{}); err != nil {
		t.Fatal(err)
	}
	if err := w.WriteLine([]byte(`{}`)); err == nil {
		t.Error("a line was taken after Close")
	}
}

type full struct{ room int }

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

func TestFullDiskIsReported(t *testing.T) {
	if _, err := recordfile.NewWriter(&full{room: 10}, head); err == nil {
		t.Error("a disk without room for the header was not reported")
	}
	w, err := recordfile.NewWriter(&full{room: 300}, head)
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	for i := 0; i < 2*recordfile.FrameLines && failed == nil; i++ {
		failed = w.WriteLine(fmt.Appendf(nil, `{"n":%d}`, i*i))
	}
	if failed == nil || w.Close(recordfile.Trailer{}) == nil {
		t.Errorf("a full disk was not reported: %v", failed)
	}
}

// The plain tools must read a file: zstd and jq where they are installed.
func TestPlainToolsReadIt(t *testing.T) {
	for _, tool := range []string{"zstd", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	lines := make([]string, recordfile.FrameLines+100)
	for i := range lines {
		lines[i] = `{"n":1}`
	}
	b := write(t, head, lines...)
	unzip := exec.Command("zstd", "-dc")
	unzip.Stdin = bytes.NewReader(b)
	text, err := unzip.Output()
	if err != nil {
		t.Fatalf("zstd: %v", err)
	}
	if string(text) != unpack(t, b) {
		t.Error("zstd and we read different text")
	}
	sum := exec.Command("jq", "-n", "[inputs | .n // empty] | add")
	sum.Stdin = bytes.NewReader(text)
	out, err := sum.Output()
	if err != nil || strings.TrimSpace(string(out)) != fmt.Sprint(len(lines)) {
		t.Errorf("jq: %v, sum %s, want %d", err, out, len(lines))
	}
}

func FuzzReader(f *testing.F) {
	f.Add(write(f, head, `{"n":1}`), true)
	f.Add([]byte(unpack(f, write(f, head, `{"n":1}`))), false)
	f.Add([]byte(`{"kind":"trace","version":1}`+"\n"+`{"records":0,"sha256":""}`+"\n"), false)
	f.Fuzz(func(t *testing.T, b []byte, packed bool) {
		if !packed {
			b = pack(t, string(b))
		}
		lines, r, err := read(b)
		if err == nil && r.Trailer().Records != int64(len(lines)) {
			t.Fatalf("%d lines, trailer says %d", len(lines), r.Trailer().Records)
		}
	})
}

func BenchmarkWriter(b *testing.B) {
	line := []byte(`{"t":1331829283000000,"user":"5f4dcc3b5aa765d61d8327deb882cf99","client":"250.57.211.220","method":"GET","target":"/p/8813?page=2"}`)
	w, err := recordfile.NewWriter(io.Discard, head)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if err := w.WriteLine(line); err != nil {
			b.Fatal(err)
		}
	}
}
