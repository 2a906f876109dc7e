package source_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"reprise/ingest/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zstded(t testing.TB, text string) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll([]byte(text), nil)
}

const bzip2Base64 = "QlpoOTFBWSZTWYV0bkEAAALRAAAQQAACRKAAMMAEpphSDcKGF3JFOFCQhXRuQQ=="

// bzip2Hello is `printf 'hello hello\n' | bzip2`; the standard library has no compressor.
func bzip2Hello(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(bzip2Base64)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

// read opens data under a misleading name and reads all of it, with and without read-ahead.
func read(t testing.TB, data []byte) (string, *source.Input, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "access.log.xz")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := source.Open(path, source.Options{Hash: true})
	if err != nil {
		return "", nil, err
	}
	direct, err := io.ReadAll(in)
	if closing := in.Close(); closing != nil {
		t.Fatal(closing)
	}
	in, again := source.Open(path, source.Options{Hash: true})
	if again != nil {
		t.Fatal(again)
	}
	in.ReadAhead()
	ahead, again := io.ReadAll(in)
	if !bytes.Equal(direct, ahead) || (err == nil) != (again == nil) {
		t.Errorf("read-ahead gives %d bytes, %v; direct %d bytes, %v", len(ahead), again, len(direct), err)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err == nil {
		if want := fmt.Sprintf("%x", sha256.Sum256(data)); in.SHA256() != want {
			t.Errorf("sha256 %s, want %s", in.SHA256(), want)
		}
	}
	return string(direct), in, err
}

// wantText reads data, which must be of the codec and hold the text, with the damage that warnings name.
func wantText(t *testing.T, data []byte, codec source.Codec, want string, warnings ...source.Kind) {
	t.Helper()
	got, in, err := read(t, data)
	if err != nil {
		t.Error(err)
		return
	}
	var kinds []source.Kind
	for _, w := range in.Warnings() {
		kinds = append(kinds, w.Kind)
		if w.Bytes != int64(len(want)) {
			t.Errorf("%s: %d bytes kept, want %d", w, w.Bytes, len(want))
		}
	}
	if got != want || in.Codec() != codec || !slices.Equal(kinds, warnings) {
		t.Errorf("%s: %d bytes %.40q %v; want %s: %d %.40q %v", in.Codec(), len(got), got, kinds, codec, len(want), want, warnings)
	}
}

func TestContentTellsTheCodec(t *testing.T) {
	const a, b = "first line\n", "second line\n"
	skippable := []byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'}
	f := func(data []byte, codec source.Codec, want string, warnings ...source.Kind) {
		t.Helper()
		wantText(t, data, codec, want, warnings...)
	}
	f(nil, source.Plain, "")
	f([]byte(a), source.Plain, a)
	f([]byte{0x1f}, source.Plain, "\x1f")
	f([]byte("BZh9 is how this text begins"), source.Plain, "BZh9 is how this text begins")
	f(gzipped(t, a), source.Gzip, a)
	f(join(gzipped(t, a), gzipped(t, ""), gzipped(t, b)), source.Gzip, a+b)
	f(join(gzipped(t, a), make([]byte, 1)), source.Gzip, a, source.Trailing)
	f(join(gzipped(t, a), make([]byte, 3)), source.Gzip, a, source.Trailing)
	f(join(gzipped(t, a), make([]byte, 100_000)), source.Gzip, a, source.Trailing)
	f(join(gzipped(t, a), []byte("\x1f\x8bnot a member")), source.Gzip, a, source.Trailing)
	f(join(gzipped(t, a), gzipped(t, b)[:5]), source.Gzip, a, source.Truncated)
	f(gzipped(t, a)[:len(gzipped(t, a))-4], source.Gzip, a, source.Truncated)
	f(join(zstded(t, a), skippable, zstded(t, b)), source.Zstd, a+b)
	f(join(skippable, zstded(t, a)), source.Zstd, a)
	f(join(zstded(t, a), skippable), source.Zstd, a)
	f(skippable, source.Zstd, "")
	f(join(zstded(t, a), []byte("some garbage")), source.Zstd, a, source.Trailing)
	f(join(zstded(t, a), make([]byte, 100)), source.Zstd, a, source.Trailing)
	f(join(zstded(t, a), zstded(t, b)[:7]), source.Zstd, a, source.Truncated)
	f(join(zstded(t, a), skippable[:6]), source.Zstd, a, source.Truncated)
	f(bzip2Hello(t), source.Bzip2, "hello hello\n")
	f(join(bzip2Hello(t), bzip2Hello(t)), source.Bzip2, "hello hello\nhello hello\n")
	f(join(bzip2Hello(t), []byte("garbage")), source.Bzip2, "hello hello\n", source.Trailing)
	f(join(bzip2Hello(t), make([]byte, 100)), source.Bzip2, "hello hello\n", source.Trailing)
	f(join(bzip2Hello(t), bzip2Hello(t)[:20]), source.Bzip2, "hello hello\n", source.Truncated)
	f(bzip2Hello(t)[:20], source.Bzip2, "", source.Truncated)
}

func TestTruncationKeepsWholeBlocks(t *testing.T) {
	text := numbered(200_000)
	for _, data := range [][]byte{gzipped(t, text), zstded(t, text)} {
		got, in, err := read(t, data[:len(data)*3/4])
		if err != nil {
			t.Fatal(err)
		}
		if len(got) < len(text)/2 || !strings.HasPrefix(text, got) || len(in.Warnings()) != 1 || in.Warnings()[0].Kind != source.Truncated {
			t.Errorf("%s: kept %d of %d bytes, warnings %v", in.Codec(), len(got), len(text), in.Warnings())
		}
	}
}

func TestDamageThatIsAnError(t *testing.T) {
	f := func(data []byte, want error) {
		t.Helper()
		if _, _, err := read(t, data); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	f([]byte("PK\x03\x04 and so on"), source.ErrCodec)
	f([]byte("\x04\x22\x4d\x18 and so on"), source.ErrCodec)
	// A frame of one raw byte that wants a window of 256 MiB, as `zstd --long=28` does (RFC 8878 section 3.1.1),
	// behind a good frame too, and one that is a single segment of 4 GiB.
	long := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 18 << 3, 9, 0, 0, 'x'}
	f(long, source.ErrWindow)
	f(join(zstded(t, "text\n"), long), source.ErrWindow)
	f([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0xff, 9, 0, 0, 'x'}, source.ErrWindow)
}

// What a checksum or the structure shows to be wrong is damage: what came before it is kept. Damage before any text
// is an error.
func TestDamage(t *testing.T) {
	text := numbered(100_000)
	for _, whole := range [][]byte{gzipped(t, text), zstded(t, text)} {
		for _, at := range []int{len(whole) / 2, len(whole) - 3} { // the data, the checksum or its end
			broken := bytes.Clone(whole)
			broken[at] ^= 1
			got, in, err := read(t, broken)
			if err != nil {
				t.Fatal(err)
			}
			kept := len(text) * at / len(whole) * 3 / 4
			if w := in.Warnings(); len(w) != 1 || w[0].Kind != source.Damaged || w[0].Bytes != int64(len(got)) || len(got) < kept || got[:kept] != text[:kept] {
				t.Errorf("%s: kept %d of %d bytes, %v", in.Codec(), len(got), len(text), w)
			}
		}
		broken := bytes.Clone(whole)
		for i := range broken[12:] {
			broken[12+i] = 0xff
		}
		if got, in, err := read(t, broken); err == nil {
			t.Errorf("%s: %d bytes of text", in.Codec(), len(got))
		}
	}
	broken := join(bzip2Hello(t), bzip2Hello(t))
	broken[len(broken)-12] ^= 0x40
	if got, in, err := read(t, broken); err != nil || !strings.HasPrefix(got, "hello hello\n") || len(in.Warnings()) != 1 || in.Warnings()[0].Kind != source.Damaged {
		t.Errorf("bzip2: %q, %v", got, err)
	}
}

func TestByteOrderMarks(t *testing.T) {
	const text = "caf\u00e9 \U0001f600 \u4e2d\n"
	wide := func(order binary.ByteOrder, s string) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
			b = append(b, 0, 0)
			order.PutUint16(b[len(b)-2:], u)
		}
		return b
	}
	f := func(data []byte, want string) {
		t.Helper()
		if got, _, err := read(t, data); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	f([]byte("\xef\xbb\xbf"+text), text)
	f(gzipped(t, "\xef\xbb\xbf"+text), text)
	f([]byte("caf\xe9\n"), "caf\xe9\n") // neither a mark nor UTF-8: as it is
	f(wide(binary.LittleEndian, text), text)
	f(wide(binary.BigEndian, text), text)
	f(wide(binary.LittleEndian, strings.Repeat(text, 50_000)), strings.Repeat(text, 50_000))
	f([]byte{0xff, 0xfe, 'a', 0, 0x00, 0xd8, 'b', 0, 'c'}, "a\ufffdb\ufffd") // a lone surrogate, half a unit
	f([]byte{0xff, 0xfe, 'a', 0, 0x00, 0xd8}, "a\ufffd")
}

func TestStdin(t *testing.T) {
	in, err := source.Open(source.Stdin, source.Options{Stdin: bytes.NewReader(gzipped(t, "text\n")), Hash: true})
	if err != nil {
		t.Fatal(err)
	}
	in.ReadAhead()
	got, err := io.ReadAll(in)
	if err != nil || string(got) != "text\n" || !in.Once() || in.Codec() != source.Gzip || len(in.SHA256()) != 64 {
		t.Errorf("%q %v once=%v %s %s", got, err, in.Once(), in.Codec(), in.SHA256())
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// A reader that waits must not be waited for for ever, and a file that is left in the middle leaves no goroutine
// behind, which TestMain checks.
func TestInterrupt(t *testing.T) {
	silent, writer := io.Pipe()
	go io.WriteString(writer, "ten bytes.") // enough for the first look
	in, err := source.Open(source.Stdin, source.Options{Stdin: silent})
	if err != nil {
		t.Fatal(err)
	}
	in.ReadAhead()
	go in.Interrupt()
	if _, err := io.ReadAll(in); !errors.Is(err, source.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
	if err := writer.Close(); err != nil { // the silent input ends at last
		t.Error(err)
	}

	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, 8<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err = source.Open(path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in.ReadAhead()
	if _, err := io.ReadFull(in, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}

	// Without a read-ahead it ends what is read later.
	in, err = source.Open(path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Extend(nil); err != nil {
		t.Fatal(err)
	}
	in.Interrupt()
	if _, err := in.Extend(nil); !errors.Is(err, source.ErrInterrupted) {
		t.Errorf("got %v", err)
	}
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

// Extend gives the same text as Read, whatever part of it is kept each time, and in whatever order both are called.
func TestExtend(t *testing.T) {
	text := numbered(150_000)
	for _, ahead := range []bool{false, true} {
		for _, most := range []int{0, 100, 20_000, 700_000} { // of these some fit before a block
			in, err := source.Open(source.Stdin, source.Options{Stdin: iotest.HalfReader(strings.NewReader(text))})
			if err != nil {
				t.Fatal(err)
			}
			if ahead {
				in.ReadAhead()
			}
			first := make([]byte, 1000)
			if _, err := io.ReadFull(in, first); err != nil {
				t.Fatal(err)
			}
			got, kept := first, []byte(nil)
			for n := 0; ; n++ {
				before := string(kept)
				whole, err := in.Extend(kept)
				if string(whole[:len(before)]) != before {
					t.Fatalf("ahead=%v most=%d: what was kept came back changed", ahead, most)
				}
				if err == io.EOF {
					got = append(got, whole...)
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				cut := len(whole) - min(len(whole), most*(n%5)/4)
				got = append(got, whole[:cut]...)
				for i := range whole[:cut] {
					whole[i] = '!' // the caller's own
				}
				kept = whole[cut:]
			}
			if string(got) != text {
				t.Errorf("ahead=%v most=%d: %d bytes that differ from the %d of the text", ahead, most, len(got), len(text))
			}
			if kept, err := in.Extend([]byte("x")); err != io.EOF || string(kept) != "x" {
				t.Errorf("after the end: %q, %v", kept, err)
			}
			if err := in.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
