// Package source turns the name of an input into its bytes.
//
// A name is a path or "-" for the standard input. What it holds is told by its first bytes and never by
// its name: gzip (RFC 1952, any number of members), zstd (RFC 8878, any number of frames), bzip2 (any
// number of streams) or plain text, with or without a byte order mark. The text comes out as UTF-8 bytes,
// undecorated; bytes that are not UTF-8 pass through unchanged unless a mark declares UTF-16.
//
//	name -> open -> hash -> magic -> decompress -> byte order mark -> read-ahead -> Read
//
// Damage that leaves good data behind does not stop a read. A file cut short, or bytes after its last
// gzip member, give all the data before the damage, then io.EOF, and one Warning that says so.
package source
