package ingest

// FileReport is the account of one file. Lines = Records + NoRequest + Rejected + Skipped.
type FileReport struct {
	Name   string // as given
	Format string // name of the format that most of the sampled lines have, "" for a file without lines
	Title  string // of the formats, as people call them
	// Formats lists what the file was read as. More than one make a mixed file.
	Formats []FormatUse
	// Stamp is "start" or "end", the moment of a request that the time is; "unknown" where the format
	// leaves it open and nothing in the file tells. Why says how that is known.
	Stamp string
	Why   string
	// Suggestion is a format string for NewFormat that also reads the duration which seems to stand behind the
	// columns of the format found; "" when none does, or where the format was given.
	Suggestion string
	// Sampled lines were judged by the detection, and Fitted of them are in the formats found; both are 0
	// where the format was given.
	Sampled, Fitted int
	Precision       Precision // of the last record
	Codec           string    // "plain", "gzip", "zstd", "bzip2" or "xz"
	SHA256          string    // of the raw bytes, lower-case hex; "" before the end and with Options.SkipHash

	Lines     int64
	Records   int64
	NoRequest int64
	Rejected  int64
	Skipped   int64            // empty lines, "#" directives, messages of the server, fragments of a line
	Reasons   map[string]int64 // of Rejected, by Reason.String

	// Late counts the dated lines whose start is before the latest start of the lines above them;
	// MaxLate is the greatest such distance in seconds.
	Late    int64
	MaxLate float64

	Warnings []string // what was met and did no harm to the account
	// Failure says why the file was not read to its end, or not at all; the account covers what was read.
	// It is "" for a file that was read whole.
	Failure string
}

// FormatUse is a format of a file.
type FormatUse struct {
	Format string // its name
	Line   int64  // from which on it is tried; 1 is the first
}

// Merged is the account of the order in which Records yielded.
type Merged struct {
	// Late counts the records that were yielded after one with a later start, because they stood further
	// from their place than the window is wide. MaxLate is the greatest such distance in seconds.
	Late    int64
	MaxLate float64
}

// Report is the account of all files, in the order of their first time stamps; files that could not be opened
// come last.
type Report struct {
	Files  []FileReport
	Merged Merged
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

// Failed returns the files that were not read to their end.
func (r Report) Failed() []FileReport {
	var failed []FileReport
	for _, f := range r.Files {
		if f.Failure != "" {
			failed = append(failed, f)
		}
	}
	return failed
}

// account is a FileReport in the making.
type account struct {
	FileReport
	reasons [reasons]int64
	latest  int64
	maxLate int64  // nanoseconds
	head    Reason // why the first line is rejected unless it is half of a line; Accepted = it is not such a line
}

// report completes the account of a file.
func (f *file) report() FileReport {
	f.mu.Lock()
	defer f.mu.Unlock()
	a := f.account
	rep := a.FileReport
	rep.MaxLate = float64(a.maxLate) / 1e9
	if a.head != Accepted && f.joined {
		rep.Skipped++
	} else if a.head != Accepted {
		a.reasons[a.head]++
	}
	rep.Reasons = map[string]int64{}
	for r := Skip + 1; r < reasons; r++ {
		if n := a.reasons[r]; n > 0 {
			rep.Reasons[r.String()] = n
			rep.Rejected += n
		}
	}
	return rep
}
