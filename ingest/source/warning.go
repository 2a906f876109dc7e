package source

import "fmt"

// Kind names what a Warning is about.
type Kind string

const (
	// Truncated says that the compressed data end in the middle. Everything before that point was delivered.
	Truncated Kind = "truncated"
	// Trailing says that bytes that are no further member follow the last whole one. They were skipped.
	Trailing Kind = "trailing"
	// Damaged says that the compressed data are not what was written: a checksum or the structure is wrong.
	// Everything before that point was delivered, nothing behind it, and what was delivered last may be wrong.
	Damaged Kind = "damaged"
	// Shortened says that the file lost bytes while it was read, as in a rotation that truncates. What was read before
	// was delivered.
	Shortened Kind = "shortened"
)

// Warning is damage that did not stop the read. After Truncated, Damaged and Shortened data are missing;
// Trailing loses nothing.
type Warning struct {
	Kind  Kind
	Codec Codec
	Bytes int64 // uncompressed bytes delivered before the damage; of Shortened, bytes of the file
}

// String says what happened and what was kept, without any content of the file.
func (w Warning) String() string {
	switch w.Kind {
	case Truncated:
		return fmt.Sprintf("%s data end in the middle of a member: kept the %d bytes before it", w.Codec, w.Bytes)
	case Damaged:
		return fmt.Sprintf("%s data are damaged: kept the %d bytes before it, of which the last may be wrong", w.Codec, w.Bytes)
	case Shortened:
		return fmt.Sprintf("the file was shortened while it was read: kept the %d bytes that were read before", w.Bytes)
	default:
		return fmt.Sprintf("bytes after the last %s member are no further member: skipped after %d bytes of data", w.Codec, w.Bytes)
	}
}
