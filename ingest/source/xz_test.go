package source_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"reprise/ingest/source"
)

// xzed writes blocks of 1,000 bytes.
func xzed(t testing.TB, text string, sum byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := xz.WriterConfig{BlockSize: 1000, CheckSum: sum, NoCheckSum: sum == 0, DictCap: 4096}.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// xzHello is `printf 'hello hello\n' | xz -T2`, whose block header declares both sizes.
const xzHello = "/Td6WFoAAATm1rRGBMAQDCEBFgAAAAAAAAAAAHuwVCgBAAtoZWxsbyBoZWxsbwoAZs4KzDGRI+8AASwMrpIBEB+2830BAAAAAARZWg=="

func numbered(lines int) string {
	var text strings.Builder
	for i := range lines {
		fmt.Fprintf(&text, "line %d %x\n", i, i*i)
	}
	return text.String()
}

func TestXZ(t *testing.T) {
	long := numbered(500)
	f := func(data []byte, want string, warnings ...source.Kind) {
		t.Helper()
		wantText(t, data, source.XZ, want, warnings...)
	}
	hello, err := base64.StdEncoding.DecodeString(xzHello)
	if err != nil {
		t.Fatal(err)
	}
	f(hello, "hello hello\n")
	for _, sum := range []byte{0, xz.CRC32, xz.CRC64, xz.SHA256} {
		f(xzed(t, long, sum), long)
	}
	a := xzed(t, "first\n", xz.CRC64)
	f(xzed(t, "", xz.CRC32), "")
	f(join(a, xzed(t, "", xz.CRC32), xzed(t, "second\n", xz.SHA256)), "first\nsecond\n")
	f(join(a, make([]byte, 8), a, make([]byte, 4)), "first\nfirst\n")
	f(join(a, make([]byte, 6)), "first\n", source.Trailing)
	f(join(a, []byte("some garbage")), "first\n", source.Trailing)
	f(join(a, a[:9]), "first\n", source.Truncated)
	f(join(a, a[:3]), "first\n", source.Truncated)
}

// Wherever a file is cut, what was read is a beginning of the text, and the cut is told.
func TestXZTruncated(t *testing.T) {
	text := numbered(300)
	whole := xzed(t, text, xz.CRC64)
	for n := 12; n < len(whole); n += 13 {
		got, in, err := read(t, whole[:n])
		if err != nil || !strings.HasPrefix(text, got) || len(in.Warnings()) != 1 || in.Warnings()[0].Kind != source.Truncated {
			t.Fatalf("%d of %d bytes: %d bytes of text, %v, %v", n, len(whole), len(got), err, in.Warnings())
		}
	}
}

// A changed bit is found wherever it changes the text, and loses nothing but the blocks from there on.
func TestXZDamaged(t *testing.T) {
	text := numbered(300)
	whole := xzed(t, text, xz.CRC64)
	for n := 12; n < len(whole); n += 17 {
		broken := bytes.Clone(whole)
		broken[n] ^= 0x10
		got, in, err := read(t, broken)
		kept := max(0, n*len(text)/len(whole)-2000)
		if err == nil && (len(in.Warnings()) != 1 && got != text || len(got) < kept || got[:kept] != text[:kept]) || err != nil && kept > 0 {
			t.Fatalf("byte %d of %d: %d bytes of text, %v, %v", n, len(whole), len(got), err, in)
		}
	}
}

func TestXZRefused(t *testing.T) {
	f := func(header []byte, want error) {
		t.Helper()
		header = join(header, make([]byte, 8-len(header)))
		data := join(xzed(t, "", xz.CRC32)[:12], header, binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE(header)), make([]byte, 100))
		if _, _, err := read(t, data); !errors.Is(err, want) {
			t.Errorf("%x: %v, want %v", header, err, want)
		}
	}
	f([]byte{2, 0, 0x21, 1, 31}, source.ErrWindow) // 192 MiB
	f([]byte{2, 0, 0x21, 1, 40}, source.ErrWindow)
	f([]byte{2, 0, 0x03, 1, 0}, source.ErrCodec)            // a delta filter
	f([]byte{2, 1, 0x03, 1, 0, 0x21, 1}, source.ErrCodec)   // and LZMA2 behind it
	f([]byte{2, 0x40, 0x21, 0x21, 1, 31}, source.ErrWindow) // a compressed size before the filter
}
