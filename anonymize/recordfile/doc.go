// Package recordfile is the container that every record file of reprise shares: JSON Lines in
// multi-frame zstd, a header record first and a trailer record last.
//
// The container knows lines, not what they mean. Traces, samples, plans and timelines bring their own
// record codecs, built from the Append functions and the Object scanner of this package so that there is
// one way to write and to read a flat JSON record. FORMAT.md describes the bytes.
package recordfile
