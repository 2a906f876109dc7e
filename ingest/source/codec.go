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

// The codecs that a first look tells apart. LZ4 and Zip are recognised only to be refused by name.
const (
	Plain Codec = "plain"
	Gzip  Codec = "gzip"
	Zstd  Codec = "zstd"
	Bzip2 Codec = "bzip2"
	XZ    Codec = "xz"
	LZ4   Codec = "lz4"
	Zip   Codec = "zip"
)

// ErrCodec is the error for an input whose compression is recognised but not read here.
var ErrCodec = errors.New("compression is not supported, decompress it first")

// ErrWindow is the error for data that can only be decompressed with more memory than is given here.
var ErrWindow = errors.New("the compression window is over 128 MiB, decompress it first")

// maxWindow bounds the memory that a zstd frame or an xz block may ask for. It is what `zstd -d` accepts without
// being told, `zstd --long` writes, and twice what `xz -9` writes. The memory is touched only as far as data fill
// it; the usual levels of both ask for 8 MiB at most.
const maxWindow = 128 << 20

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
	case bytes.HasPrefix(head, xzMagic):
		return XZ
	case bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}), bytes.HasPrefix(head, []byte{0x02, 0x21, 0x4c, 0x18}): // LZ4 frame format, also legacy
		return LZ4
	case bytes.HasPrefix(head, []byte{'P', 'K', 3, 4}):
		return Zip
	}
	return Plain
}

// decoder delivers uncompressed bytes and keeps the damage it survived.
type decoder struct {
	codec Codec
	raw   *rawBytes // its own failure is no damage
	r     io.Reader
	close func()
	read  int64
	warn  []Warning
	ended bool
}

func newDecoder(codec Codec, raw *rawBytes, in *bufio.Reader) (*decoder, error) {
	d := &decoder{codec: codec, raw: raw, close: func() {}}
	switch codec {
	case Plain:
		d.r = in
	case Gzip:
		d.r = &gzipMembers{in: in}
	case Zstd:
		// One goroutine, which the read-ahead gives, decodes faster than the two that hand blocks to each other.
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		d.r, d.close = z, z.Close
	case Bzip2:
		d.r = bzip2.NewReader(in)
	case XZ:
		d.r = &xzStreams{in: &xzInput{Reader: in}}
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
	switch {
	case err == io.EOF || d.codec == Plain:
		return n, err
	case d.raw.err != nil && d.raw.err != io.EOF:
		return n, d.raw.err
	case errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return n, fmt.Errorf("%s: %w", d.codec, ErrWindow)
	}
	kind, ok := d.damage(err)
	if !ok {
		return n, fmt.Errorf("%s: %w", d.codec, err)
	}
	d.warn = append(d.warn, Warning{Kind: kind, Codec: d.codec, Bytes: d.read})
	return n, io.EOF
}

// damage tells whether err is damage that leaves data before it, and which.
func (d *decoder) damage(err error) (Kind, bool) {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Truncated, true
	case d.read == 0, errors.Is(err, ErrCodec), errors.Is(err, ErrWindow), errors.Is(err, zstd.ErrUnknownDictionary):
		return "", false
	case errors.Is(err, errTrailing), errors.Is(err, zstd.ErrMagicMismatch):
		return Trailing, true
	}
	// bzip2 checks a continuation's magic only after the stream before it was whole, and says so in words.
	if s, ok := errors.AsType[bzip2.StructuralError](err); ok && s == "bad magic value in continuation file" {
		return Trailing, true
	}
	return Damaged, true
}
