// Package source turns the name of an input into its bytes.
//
// A name is a path or "-" for the standard input. What it holds is told by its first bytes and never by
// its name: gzip (RFC 1952), zstd (RFC 8878), bzip2 and xz, each of any number of members, frames or streams, or
// plain text, with or without a byte order mark. The text comes out as UTF-8 bytes, undecorated; bytes that are not
// UTF-8 pass through unchanged unless a mark declares UTF-16.
//
//	name -> open -> hash -> magic -> decompress -> byte order mark -> read-ahead -> Read
//
// Damage that leaves good data before it does not stop a read. A file that is cut short or damaged, or that has
// bytes after its last member, gives all the data before that point, then io.EOF, and one Warning that says
// which. Memory is bounded whatever the data are: a frame that asks for a window over 128 MiB is refused.
package source
