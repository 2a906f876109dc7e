// Package ingest turns the lines of access logs into Records.
//
// Raw records are personal data. They exist in memory only, between a Reader and package anonymize; no
// error, report or reject of this package holds text of a line, only positions, names of reasons and the types
// of words.
//
//	names -> source.Open -> lines -> Format.Parse -> *Record (borrowed)
//	                                      |-> no request   counted
//	                                      |-> reject       counted by Reason, told to Options.Reject
//	          empty, '#', server messages -> skipped       counted
//
// Every line ends in exactly one of the four, so lines = records + no_request + rejected + skipped.
//
// Each file has its own formats. Where none is given, the first lines tell: the most specific known format that nine
// tenths of them fit, behind the frame that they share if they do (see NewFormat). A file may have several formats:
// a long row of rejected lines is held back and read again when it fits another format. The two halves of a line that
// a rotation tore are joined.
//
// Reader.Each reads the files at the same time, each for a visitor of its own. Reader.Records merges them into
// the order of time:
//
//	file -> order (window) \
//	file -> order (window) -> earliest start first -> *Record
//	file -> order (window) /
//
// The combined family of Apache and nginx is read by one hand-written scanner, JSON lines by one mapper, the formats
// of proxies and clouds by scanners of their own, and any other text format by a column program, compiled from the
// server's own nginx log_format or Apache LogFormat string.
package ingest
