package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// PartialSuffix marks the folder of a run that has not ended, or was killed.
const PartialSuffix = ".partial"

// Names of the members of an archive.
const (
	CommandFile  = "command.txt"
	SummaryFile  = "summary.json"
	MetricsFile  = "metrics.txt"
	NotesFile    = "notes.md"
	HostFile     = "host.json"
	LogFile      = "latency.hlog"
	HistFile     = "latency.hgrm"
	TimelineFile = "timeline.jsonl.zst"
	RequestsFile = "requests.jsonl.zst"
	ReportFile   = "report.html"
)

// ErrPartial says that a run never came to its end: there is no summary to read.
var ErrPartial = errors.New("the run was cut before its archive was whole")

// runLimit bounds the runs of one name and day.
const runLimit = 100_000

// Archive is the folder of one run while it is made. Until Commit its name ends in PartialSuffix, so that a
// process killed at any moment leaves a readable folder that says what it is.
type Archive struct {
	final   string
	partial string
	done    bool
}

// Create makes the folder <runs>/<date>-<scenario>-<mode>, with -2, -3 ... where a run of that name
// exists; nothing is ever overwritten. Characters of the scenario that do not belong into a file name
// become "-". The date is that of at, in UTC.
func Create(runs, scenario, mode string, at time.Time) (*Archive, error) {
	if err := os.MkdirAll(runs, 0o777); err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	base := filepath.Join(runs, at.UTC().Format(time.DateOnly)+"-"+fileName(scenario)+"-"+fileName(mode))
	for n := 1; n < runLimit; n++ {
		final := base
		if n > 1 {
			final = fmt.Sprintf("%s-%d", base, n)
		}
		if _, err := os.Lstat(final); err == nil {
			continue
		}
		// The folder itself is the lock against another run of the same name.
		switch err := os.Mkdir(final+PartialSuffix, 0o777); {
		case err == nil:
			return &Archive{final: final, partial: final + PartialSuffix}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("archive: %w", err)
		}
	}
	return nil, fmt.Errorf("archive: %d runs named %s exist already", runLimit, filepath.Base(base))
}

// fileName keeps letters, digits, dots and dashes, and at most 80 of them.
func fileName(s string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_':
			return r
		}
		return '-'
	}, s)
	name = strings.Trim(name[:min(len(name), 80)], ".-")
	if name == "" {
		return "run"
	}
	return name
}

// Dir is where the members are now.
func (a *Archive) Dir() string {
	if a.done {
		return a.final
	}
	return a.partial
}

// Final is the folder's name after Commit.
func (a *Archive) Final() string { return a.final }

// Write adds a member that write fills. It appears under its name only when it is whole and on the disk.
func (a *Archive) Write(name string, write func(io.Writer) error) error {
	f, err := a.Open(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return errors.Join(fmt.Errorf("archive: %s: %w", name, err), f.Abandon())
	}
	return f.Commit()
}

// WriteJSON adds a member with v as indented JSON.
func (a *Archive) WriteJSON(name string, v any) error {
	return a.Write(name, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

// Member is a file of the archive that is being written.
type Member struct {
	*os.File
	name string
}

// Open starts a member that is written during the run. Commit gives it its name.
func (a *Archive) Open(name string) (*Member, error) {
	path := filepath.Join(a.Dir(), name)
	f, err := os.OpenFile(path+PartialSuffix, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o666)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	return &Member{f, path}, nil
}

// Commit brings the member to the disk and gives it its name.
func (m *Member) Commit() error {
	if err := m.Sync(); err != nil {
		return errors.Join(fmt.Errorf("archive: %w", err), m.Abandon())
	}
	if err := m.Close(); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	if err := os.Rename(m.name+PartialSuffix, m.name); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	return nil
}

// Abandon removes the member.
func (m *Member) Abandon() error {
	return errors.Join(m.Close(), os.Remove(m.name+PartialSuffix))
}

// Commit gives the folder its final name. The archive can still be written to, as a report is.
func (a *Archive) Commit() error {
	if a.done {
		return nil
	}
	if err := os.Rename(a.partial, a.final); err != nil {
		return fmt.Errorf("archive: %w", err)
	}
	a.done = true
	return nil
}

// Run is an archive that was read.
type Run struct {
	Dir     string
	Partial bool
	Summary *Summary
	Command string // command.txt
	Notes   string // notes.md
	Metrics string // metrics.txt
}

// Load reads an archive: its folder, or a summary.json by itself. A folder without a summary gives what is
// there, with Partial set, and ErrPartial.
func Load(path string) (*Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if !info.IsDir() {
		s, err := loadSummary(path)
		if err != nil {
			return nil, err
		}
		return &Run{Dir: filepath.Dir(path), Summary: s}, nil
	}
	r := &Run{Dir: path, Partial: strings.HasSuffix(filepath.Clean(path), PartialSuffix)}
	for name, to := range map[string]*string{CommandFile: &r.Command, NotesFile: &r.Notes, MetricsFile: &r.Metrics} {
		b, err := os.ReadFile(filepath.Join(path, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("run: %w", err)
		}
		*to = string(b)
	}
	r.Summary, err = loadSummary(filepath.Join(path, SummaryFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && (r.Partial || r.Command != ""):
		r.Partial = true
		return r, fmt.Errorf("%s: %w", filepath.Base(path), ErrPartial)
	case err != nil:
		return nil, err
	}
	return r, nil
}

func loadSummary(path string) (*Summary, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("summary: %w", err)
	}
	s := new(Summary)
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("%s: not a summary: %w", filepath.Base(path), err)
	}
	switch {
	case s.Version == 0 || s.Mode == "":
		return nil, fmt.Errorf("%s: not a summary of a run: version or mode is missing", filepath.Base(path))
	case s.Version != SummaryVersion:
		return nil, fmt.Errorf("%s: summary version %d; this tool reads version %d", filepath.Base(path), s.Version, SummaryVersion)
	}
	return s, nil
}
