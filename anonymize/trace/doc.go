// Package trace holds the clean record of a request and the trace file, format version 1 (FORMAT.md).
//
// Nothing in a Record is as the access log had it unless the policy of package anonymize proved it
// harmless: the type is the wall between raw and clean, and everything after it only imports trace.
package trace
