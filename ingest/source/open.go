package source

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"sync/atomic"
	"syscall"
)

// Stdin is the name that stands for the standard input.
const Stdin = "-"

// Options says how an input is read. The zero value hashes nothing and takes "-" as os.Stdin.
type Options struct {
	Hash  bool      // compute SHA-256 over the raw bytes while reading
	Stdin io.Reader // what "-" means; nil = os.Stdin
}

// Input is one open input. It is not safe for concurrent use, except for Interrupt.
type Input struct {
	name  string
	once  bool
	raw   *rawBytes
	dec   *decoder
	text  io.Reader
	ahead *readAhead
	joint []byte   // where Extend puts together what fits in no block
	file  *os.File // nil for the standard input, which is the caller's to close
	size  int64    // of the file when it was opened; 0 for what can be read only once
	err   error    // what Read returned last, io.EOF included

	interrupted atomic.Bool
}

// Open opens the path or Stdin, looks at its first bytes and prepares the decoder. Opening a FIFO waits for its
// writer. Errors, which name the input, are those of the file system, ErrCodec for a compression that is not read
// here, ErrWindow for data that need too much memory, and those of a damaged beginning.
func Open(name string, o Options) (*Input, error) {
	in := &Input{name: name}
	var r io.Reader
	switch {
	case name != Stdin:
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			err = &os.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
		}
		if err != nil {
			_ = f.Close() // the first error is the one to tell
			return nil, err
		}
		in.file, r, in.once = f, f, !info.Mode().IsRegular()
		if !in.once {
			in.size = info.Size()
		}
	case o.Stdin != nil:
		r, in.once = o.Stdin, true
	default:
		r, in.once = os.Stdin, true
	}
	if err := in.start(r, o); err != nil {
		_ = in.closeFile() // the first error is the one to tell
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return in, nil
}

func (in *Input) start(r io.Reader, o Options) error {
	in.raw = &rawBytes{r: r}
	if o.Hash {
		in.raw.sum = sha256.New()
	}
	buffered := bufio.NewReaderSize(in.raw, 128<<10)
	head, err := buffered.Peek(sniffSize)
	if err != nil && err != io.EOF {
		return err
	}
	in.dec, err = newDecoder(detectCodec(head), in.raw, buffered)
	if err != nil {
		return err
	}
	var text io.Reader
	if in.dec.codec == Plain {
		text, err = skipMark(buffered)
		in.dec.r = text
	} else {
		text, err = skipMark(bufio.NewReaderSize(in.dec, 64<<10))
	}
	if err != nil {
		in.dec.close()
		return err
	}
	in.text = &drained{text: text, raw: in.raw}
	return nil
}

// ReadAhead moves reading and decompression into a goroutine of its own, which runs at most 1 MiB ahead of
// Read and which Close joins. It may follow some Reads, but only once.
func (in *Input) ReadAhead() {
	if in.ahead == nil && in.err == nil {
		in.ahead = newReadAhead(in.text)
		in.text = in.ahead
	}
}

// Read implements io.Reader over the text.
func (in *Input) Read(p []byte) (int, error) {
	if in.interrupted.Load() {
		return 0, in.note(ErrInterrupted)
	}
	n, err := in.text.Read(p)
	return n, in.note(err)
}

// note keeps an error of the text and adds the name.
func (in *Input) note(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF && in.err != io.EOF {
		in.checkSize()
	}
	in.err = err
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("%s: %w", in.name, err)
}

// checkSize warns of a file that had more bytes when it was opened than could be read, or has fewer now.
func (in *Input) checkSize() {
	if in.size == 0 || in.raw.err != io.EOF || len(in.dec.warn) > 0 { // the files of /proc have size 0
		return
	}
	if info, err := in.file.Stat(); in.raw.read < in.size || err == nil && info.Size() < in.raw.read {
		in.dec.warn = append(in.dec.warn, Warning{Kind: Shortened, Codec: in.dec.codec, Bytes: in.raw.read})
	}
}

// Extend returns kept and the bytes that follow what was read last behind it. kept is the unread end of what Extend
// returned last, or empty. The result is the caller's, who may change it, until the next Extend or Read. It saves
// copying all the text: with a read-ahead only kept moves. With an error, which is as Read's, kept comes back.
func (in *Input) Extend(kept []byte) ([]byte, error) {
	if in.ahead != nil && len(in.ahead.rest) == 0 && len(kept) <= aheadRoom {
		text, err := in.ahead.extend(kept)
		return text, in.note(err)
	}
	if len(kept)+aheadBlock > len(in.joint) {
		joint := make([]byte, max(2*len(in.joint), len(kept)+aheadBlock))
		copy(joint, kept)
		in.joint = joint
	} else {
		copy(in.joint, kept)
	}
	n, err := in.Read(in.joint[len(kept):])
	return in.joint[:len(kept)+n], err
}

// Interrupt ends all later Reads with ErrInterrupted and, after ReadAhead, one that waits. It may be called from any
// goroutine and more than once.
func (in *Input) Interrupt() {
	in.interrupted.Store(true)
	if in.ahead != nil {
		in.ahead.interrupt()
	}
}

// Close ends the read-ahead, joins its goroutine and closes the file. Only a goroutine that waits for the
// standard input cannot be joined, since nothing interrupts such a read: it ends with the next byte.
func (in *Input) Close() error {
	in.Interrupt()
	err := in.closeFile()
	if in.ahead != nil {
		if in.file == nil && in.err != io.EOF {
			go func() { <-in.ahead.done; in.dec.close() }()
			return err
		}
		<-in.ahead.done
	}
	in.dec.close()
	return err
}

func (in *Input) closeFile() error {
	if in.file == nil {
		return nil
	}
	return in.file.Close()
}

// Name returns the name as given to Open.
func (in *Input) Name() string { return in.name }

// Size returns the number of bytes that the file had when it was opened, 0 for what can be read only once.
func (in *Input) Size() int64 { return in.size }

// Once tells whether the input can be read only once: the standard input, a FIFO, a device.
func (in *Input) Once() bool { return in.once }

// Codec tells how the input is compressed.
func (in *Input) Codec() Codec { return in.dec.codec }

// Warnings returns the damage met. It is complete once Read has returned io.EOF, and empty before.
func (in *Input) Warnings() []Warning {
	if in.err != io.EOF {
		return nil
	}
	return in.dec.warn
}

// SHA256 returns the lower-case hex digest of the raw bytes, damaged tail included. It is empty before
// Read has returned io.EOF and without Options.Hash.
func (in *Input) SHA256() string {
	if in.err != io.EOF || in.raw.sum == nil {
		return ""
	}
	return hex.EncodeToString(in.raw.sum.Sum(nil))
}

// rawBytes counts into the digest what the decoder takes from the file.
type rawBytes struct {
	r    io.Reader
	sum  hash.Hash
	read int64
	err  error // what r returned last
}

func (b *rawBytes) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	b.read += int64(n)
	if b.sum != nil {
		b.sum.Write(p[:n])
	}
	b.err = err
	return n, err
}

// drained reads the raw bytes that a decoder left behind its last member, so that the digest covers the
// whole file.
type drained struct {
	text io.Reader
	raw  *rawBytes
}

func (d *drained) Read(p []byte) (int, error) {
	n, err := d.text.Read(p)
	if err == io.EOF && d.raw.sum != nil {
		if _, fail := io.Copy(io.Discard, d.raw); fail != nil {
			return n, fail
		}
	}
	return n, err
}
