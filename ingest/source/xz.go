package source

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"slices"

	"github.com/ulikunitz/xz/lzma"
)

// The container is read here and only the LZMA2 data in it by the library, whose own reader of the container
// allocates whatever dictionary a header asks for, up to 4 GiB. Sections are those of The .xz File Format 1.2.1.

var (
	xzMagic       = []byte{0xfd, '7', 'z', 'X', 'Z', 0} // 2.1.1.1
	xzFooterMagic = []byte{'Y', 'Z'}                    // 2.1.2.4

	errXZHeader = errors.New("damaged header")
	errXZIndex  = errors.New("damaged index")
	errXZSum    = errors.New("wrong checksum")
)

const (
	xzHeaderSize = 12   // of a stream header, and of a footer
	xzLZMA2      = 0x21 // the filter's id, 5.3.1
)

// xzStreams reads the streams of an xz file, and the padding between them, one after the other.
type xzStreams struct {
	in      *xzInput
	flags   [2]byte // of the stream
	started bool    // the first stream
	open    bool    // between a stream's header and its index
	blocks  uint64  // of the stream
	block   xzBlock
}

// xzBlock is the block being read.
type xzBlock struct {
	data io.Reader // nil between blocks
	size int64     // declared size of the data, -1 when it is not declared
	got  int64
	sum  hash.Hash // nil when the stream has no checksums, or some that are unknown here
}

// Read implements io.Reader over the concatenated streams (section 2).
func (x *xzStreams) Read(p []byte) (int, error) {
	for {
		b := &x.block
		if b.data == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
			continue
		}
		n, err := b.data.Read(p)
		b.got += int64(n)
		if b.sum != nil {
			b.sum.Write(p[:n])
		}
		if err == io.EOF {
			b.data = nil
			err = x.endBlock()
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// next goes on to the next block, through indexes and headers.
func (x *xzStreams) next() error {
	if !x.open {
		return x.startStream()
	}
	x.in.taken = 0
	size, err := x.in.ReadByte()
	if err != nil {
		return unexpected(err)
	}
	if size == 0 {
		x.open = false
		return x.endStream()
	}
	return x.startBlock(size)
}

// startStream skips padding and reads a stream header (2.1.1): io.EOF when there is none, errTrailing when what
// follows is something else.
func (x *xzStreams) startStream() error {
	for x.started {
		head, _ := x.in.Peek(4) // what is short shows below
		if len(head) < 4 || !isZero(head) {
			break
		}
		_, _ = x.in.Discard(4) // just peeked: cannot fail
	}
	head, err := x.in.Peek(xzHeaderSize)
	switch {
	case len(head) == 0:
		return err // io.EOF, or the input's own failure
	case !bytes.HasPrefix(head, xzMagic[:min(len(head), len(xzMagic))]):
		return errTrailing
	case len(head) < xzHeaderSize:
		return unexpected(err)
	case crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) || head[6] != 0 || head[7] > 15:
		return errXZHeader
	}
	x.flags = [2]byte(head[6:8])
	x.started, x.open, x.blocks = true, true, 0
	_, _ = x.in.Discard(xzHeaderSize) // just peeked: cannot fail
	return nil
}

// startBlock reads a block header (3.1).
func (x *xzStreams) startBlock(size byte) error {
	var space [1024]byte
	head := space[:4*(int(size)+1)]
	head[0] = size
	if _, err := io.ReadFull(x.in, head[1:]); err != nil {
		return unexpected(err)
	}
	head, sum := head[:len(head)-4], binary.LittleEndian.Uint32(head[len(head)-4:])
	flags := head[1]
	if crc32.ChecksumIEEE(head) != sum || flags&0x3c != 0 {
		return errXZHeader
	}
	fields := xzFields(head[2:])
	if flags&0x40 != 0 {
		fields.number() // compressed size: the data tell
	}
	x.block.size, x.block.got = -1, 0
	if flags&0x80 != 0 {
		x.block.size = int64(fields.number())
	}
	if flags&3 != 0 || fields.number() != xzLZMA2 {
		return fmt.Errorf("filters other than LZMA2: %w", ErrCodec)
	}
	if fields.number() != 1 || len(fields) == 0 {
		return errXZHeader
	}
	dictionary, err := lzma.DecodeDictCap(fields[0])
	if err != nil {
		return errXZHeader
	}
	if x.block.size >= 0 {
		dictionary = min(dictionary, max(x.block.size, lzma.MinDictCap))
	}
	if dictionary > maxWindow {
		return fmt.Errorf("%w: the dictionary has %d MiB", ErrWindow, dictionary>>20)
	}
	x.block.sum = xzSum(x.flags[1])
	x.in.taken = 0
	x.block.data, err = lzma.Reader2Config{DictCap: int(dictionary)}.NewReader2(x.in)
	return err
}

// endBlock checks what follows a block's data: padding and checksum (3.3, 3.4).
func (x *xzStreams) endBlock() error {
	b := &x.block
	x.blocks++
	if b.size >= 0 && b.got != b.size {
		return errXZHeader
	}
	var space [3 + 64]byte
	padding := int(-x.in.taken & 3)
	tail := space[:padding+xzSumSizes[x.flags[1]]]
	if _, err := io.ReadFull(x.in, tail); err != nil {
		return unexpected(err)
	}
	if b.sum == nil {
		return nil
	}
	sum := b.sum.Sum(nil)
	if len(sum) < sha256.Size {
		slices.Reverse(sum) // a CRC is little-endian, 3.4
	}
	if !isZero(tail[:padding]) || !bytes.Equal(tail[padding:], sum) {
		return errXZSum
	}
	return nil
}

// endStream reads the index behind its first byte and the footer (4, 2.1.2).
func (x *xzStreams) endStream() error {
	sum := crc32.NewIEEE()
	sum.Write([]byte{0})
	index := xzIndex{in: x.in, sum: sum}
	blocks, err := binary.ReadUvarint(&index)
	for i := uint64(0); i < 2*x.blocks && err == nil; i++ {
		_, err = binary.ReadUvarint(&index) // the sizes of a block, which the data told
	}
	for x.in.taken&3 != 0 && err == nil {
		_, err = index.ReadByte()
	}
	size := x.in.taken
	var tail [4 + xzHeaderSize]byte
	if err == nil {
		_, err = io.ReadFull(x.in, tail[:])
	}
	footer := tail[4:]
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case err != nil:
		return err
	case blocks != x.blocks || sum.Sum32() != binary.LittleEndian.Uint32(tail[:]),
		crc32.ChecksumIEEE(footer[4:10]) != binary.LittleEndian.Uint32(footer),
		int64(binary.LittleEndian.Uint32(footer[4:])) != size/4, // (size + the checksum's 4) / 4 - 1
		!bytes.Equal(footer[8:10], x.flags[:]) || !bytes.Equal(footer[10:], xzFooterMagic):
		return errXZIndex
	}
	return nil
}

// xzSumSizes are the sizes of the checksums by their id in the stream's flags (2.1.1.2).
var xzSumSizes = [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}

var xzCRC64 = crc64.MakeTable(crc64.ECMA)

func xzSum(id byte) hash.Hash {
	switch id {
	case 1:
		return crc32.NewIEEE()
	case 4:
		return crc64.New(xzCRC64)
	case 10:
		return sha256.New()
	}
	return nil
}

// xzFields is the rest of a block header.
type xzFields []byte

// number takes a multibyte integer (1.2), 0 when there is none.
func (f *xzFields) number() uint64 {
	v, n := binary.Uvarint(*f)
	*f = (*f)[max(n, 0):]
	return v
}

// xzInput counts what is taken from it since the start of a block or an index.
type xzInput struct {
	*bufio.Reader
	taken int64
}

// Read implements io.Reader.
func (in *xzInput) Read(p []byte) (int, error) {
	n, err := in.Reader.Read(p)
	in.taken += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader.
func (in *xzInput) ReadByte() (byte, error) {
	c, err := in.Reader.ReadByte()
	if err == nil {
		in.taken++
	}
	return c, err
}

// xzIndex adds the bytes of an index to its checksum.
type xzIndex struct {
	in  *xzInput
	sum hash.Hash
}

// ReadByte implements io.ByteReader.
func (x *xzIndex) ReadByte() (byte, error) {
	c, err := x.in.ReadByte()
	if err == nil {
		x.sum.Write([]byte{c})
	}
	return c, err
}

func isZero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
