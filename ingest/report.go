package ingest

// FileReport is the account of one file. Lines = Records + NoRequest + Rejected + Skipped.
type FileReport struct {
	Name   string // as given
	Format string // name of the format, "" for a file without lines
	// Stamp is "start" or "end", the moment of a request that the time is; "unknown" where the format
	// leaves it open and nothing in the file tells.
	Stamp     string
	Precision Precision // of the last record
	Codec     string    // "plain", "gzip", "zstd" or "bzip2"
	SHA256    string    // of the raw bytes, lower-case hex; "" before the end and with Options.SkipHash

	Lines     int64
	Records   int64
	NoRequest int64
	Rejected  int64
	Skipped   int64            // empty lines and "#" directives
	Reasons   map[string]int64 // of Rejected, by Reason.String

	// Late counts the dated lines whose start is before the latest start of the lines above them;
	// MaxLate is the greatest such distance in seconds.
	Late    int64
	MaxLate float64

	Warnings []string // damage that did not stop the read
}

// Report is the account of all files, in the order they were read.
type Report struct {
	Files []FileReport
}

// Total returns the sums over all files. MaxLate is the greatest; names and digests are empty.
func (r Report) Total() FileReport {
	t := FileReport{Reasons: map[string]int64{}}
	for _, f := range r.Files {
		t.Lines += f.Lines
		t.Records += f.Records
		t.NoRequest += f.NoRequest
		t.Rejected += f.Rejected
		t.Skipped += f.Skipped
		t.Late += f.Late
		t.MaxLate = max(t.MaxLate, f.MaxLate)
		for reason, n := range f.Reasons {
			t.Reasons[reason] += n
		}
	}
	return t
}
