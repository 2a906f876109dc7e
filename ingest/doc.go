// Package ingest turns the lines of access logs into Records.
//
// Raw records are personal data. They exist in memory only, between a Reader and package anonymize; no
// error, report or reject of this package holds text of a line, only positions and names of reasons.
//
//	names -> source.Open -> lines -> Format.Parse -> *Record (borrowed)
//	                                      |-> no request   counted
//	                                      |-> reject       counted by Reason, told to Options.Reject
//	                          empty, '#' -> skipped        counted
//
// Every line ends in exactly one of the four, so lines = records + no_request + rejected + skipped.
//
// The combined family of Apache and nginx is read by one hand-written scanner. Any other text format is
// read by a column program, compiled from the server's own nginx log_format or Apache LogFormat string.
// Where no format is given, each file's is detected from its first lines.
package ingest
