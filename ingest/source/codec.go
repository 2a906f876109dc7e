package source

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Codec is how the bytes of an input are compressed.
type Codec string

// The codecs that a first look tells apart. XZ and Zip are recognised only to be refused by name.
const (
	Plain Codec = "plain"
	Gzip  Codec = "gzip"
	Zstd  Codec = "zstd"
	Bzip2 Codec = "bzip2"
	XZ    Codec = "xz"
	Zip   Codec = "zip"
)

// ErrCodec is the error for an input whose compression is recognised but not read here.
var ErrCodec = errors.New("compression is not supported, decompress it first")

// maxZstdWindow bounds the memory that a zstd frame may ask for. 64 MiB is twice what `zstd -19` uses;
// `zstd --long=27` and above are refused by name.
const maxZstdWindow = 64 << 20

// sniffSize is how many bytes the magic numbers below need.
const sniffSize = 10

// detectCodec tells the codec by the magic number at the start of head.
func detectCodec(head []byte) Codec {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b, 0x08}): // RFC 1952 2.3.1
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}): // RFC 8878 3.1.1
		return Zstd
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // RFC 8878 3.1.2, skippable
		return Zstd
	case len(head) >= 10 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9' &&
		(bytes.Equal(head[4:10], []byte{0x31, 0x41, 0x59, 0x26, 0x53, 0x59}) || bytes.Equal(head[4:10], []byte{0x17, 0x72, 0x45, 0x38, 0x50, 0x90})):
		return Bzip2
	case bytes.HasPrefix(head, []byte{0xfd, '7', 'z', 'X', 'Z', 0}):
		return XZ
	case bytes.HasPrefix(head, []byte{'P', 'K', 3, 4}):
		return Zip
	}
	return Plain
}

// decoder delivers uncompressed bytes and keeps the damage it survived.
type decoder struct {
	codec Codec
	r     io.Reader
	close func()
	read  int64
	warn  []Warning
	ended bool
}

func newDecoder(codec Codec, in *bufio.Reader) (*decoder, error) {
	d := &decoder{codec: codec, close: func() {}}
	switch codec {
	case Plain:
		d.r = in
	case Gzip:
		d.r = &gzipMembers{in: in}
	case Zstd:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		d.r, d.close = z, z.Close
	case Bzip2:
		d.r = bzip2.NewReader(in)
	default:
		return nil, fmt.Errorf("%s: %w", codec, ErrCodec)
	}
	return d, nil
}

// Read implements io.Reader. Damage after good data becomes a Warning and io.EOF.
func (d *decoder) Read(p []byte) (int, error) {
	if d.ended {
		return 0, io.EOF
	}
	n, err := d.r.Read(p)
	d.read += int64(n)
	if err == nil {
		return n, nil
	}
	d.ended = true
	if err == io.EOF || d.codec == Plain {
		return n, err
	}
	kind, ok := d.damage(err)
	if !ok {
		return n, fmt.Errorf("%s: %w", d.codec, err)
	}
	d.warn = append(d.warn, Warning{Kind: kind, Codec: d.codec, Bytes: d.read})
	return n, io.EOF
}

// damage tells whether err is damage that leaves the data before it whole.
func (d *decoder) damage(err error) (Kind, bool) {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return Truncated, true
	}
	if d.read == 0 {
		return "", false
	}
	if errors.Is(err, errTrailing) || errors.Is(err, zstd.ErrMagicMismatch) {
		return Trailing, true
	}
	// bzip2 checks a continuation's magic only after the stream before it was whole, and says so in words.
	if s, ok := errors.AsType[bzip2.StructuralError](err); ok && (s == "bad magic value in continuation file") {
		return Trailing, true
	}
	return "", false
}
