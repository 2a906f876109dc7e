package result_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reprise/anonymize/recordfile"
	"reprise/replay/result"
)

var day = time.Date(2026, 11, 27, 23, 30, 0, 0, time.FixedZone("", -3600))

func create(t *testing.T, runs, scenario string) *result.Archive {
	t.Helper()
	a, err := result.Create(runs, scenario, "open", day)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestArchiveAppearsWhole(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	a := create(t, runs, "shop")
	if err := a.Write(result.NotesFile, func(w io.Writer) error { _, err := io.WriteString(w, result.Notes); return err }); err != nil {
		t.Fatal(err)
	}
	if err := a.WriteJSON(result.SummaryFile, result.Summary{Version: 1, Mode: "open", Offered: 7}); err != nil {
		t.Fatal(err)
	}
	if r, err := result.Load(a.Dir()); err != nil || !r.Partial || r.Summary.Offered != 7 {
		t.Errorf("before the commit: %+v, %v", r, err)
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(runs, "2026-11-28-shop-open"); a.Dir() != want || a.Final() != want {
		t.Errorf("the archive is %s, want %s", a.Dir(), want)
	}
	r, err := result.Load(a.Dir())
	if err != nil || r.Partial || r.Summary.Offered != 7 || !strings.Contains(r.Notes, "Hypothesis") {
		t.Errorf("run %+v, %v", r, err)
	}
	// A report can be added later, and a summary can be read by itself.
	if err := a.Write(result.ReportFile, func(io.Writer) error { return nil }); err != nil {
		t.Error(err)
	}
	if r, err := result.Load(filepath.Join(a.Dir(), result.SummaryFile)); err != nil || r.Summary.Offered != 7 {
		t.Errorf("the summary by itself: %+v, %v", r, err)
	}
}

func TestNamesAreNeverUsedTwice(t *testing.T) {
	runs := t.TempDir()
	first := create(t, runs, "shop")
	second := create(t, runs, "shop") // the first is still being made
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	third := create(t, runs, "shop")
	for i, a := range []*result.Archive{first, second, third} {
		if want := []string{"2026-11-28-shop-open", "2026-11-28-shop-open-2", "2026-11-28-shop-open-3"}[i]; filepath.Base(a.Final()) != want {
			t.Errorf("archive %d is %s, want %s", i, filepath.Base(a.Final()), want)
		}
	}
	for _, hostile := range []string{"../../etc", "a/b", "", "..", "x\x00y", strings.Repeat("n", 300), "ü€"} {
		a := create(t, runs, hostile)
		if filepath.Dir(a.Dir()) != runs {
			t.Errorf("%q leads to %s", hostile, a.Dir())
		}
	}
}

// What kill -9 leaves behind can be read, and says that it is not whole.
func TestKilledRun(t *testing.T) {
	a := create(t, t.TempDir(), "shop")
	if err := a.Write(result.CommandFile, func(w io.Writer) error { _, err := io.WriteString(w, "command: x\n"); return err }); err != nil {
		t.Fatal(err)
	}
	m, err := a.Open(result.RequestsFile)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(m, "half")
	_ = m.Close()
	r, err := result.Load(a.Dir())
	if !errors.Is(err, result.ErrPartial) || r == nil || !r.Partial || r.Command != "command: x\n" {
		t.Errorf("run %+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(a.Dir(), result.RequestsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a half member has its name: %v", err)
	}
}

func TestFailedMemberHasNoName(t *testing.T) {
	a := create(t, t.TempDir(), "shop")
	full := errors.New("no space left on device")
	if err := a.Write(result.SummaryFile, func(w io.Writer) error { _, _ = io.WriteString(w, "{"); return full }); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(a.Dir()); len(left) != 0 {
		t.Errorf("it leaves %v", left)
	}
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := result.Create(filepath.Join(file, "runs"), "shop", "open", day); err == nil {
		t.Error("an archive below a file is made")
	}
}

func TestLoadRefuses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "summary.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := result.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	f("{}", "version or mode is missing")
	f(`{"version":2,"mode":"open"}`, "version 2; this tool reads version 1")
	f("\xff\xd8\xff", "not a summary")
	f(`{"version":"x"}`, "not a summary")
	if _, err := result.Load(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing run: %v", err)
	}
	if _, err := result.Load(t.TempDir()); err == nil {
		t.Error("an empty folder is a run")
	}
}

func TestCommandHoldsNoSecret(t *testing.T) {
	var b strings.Builder
	_, err := result.Command{
		Args: []string{"reprise", "replay", "p.zst", "--target", "http://user:hunter2@host:81/", "--header", "Authorization: hunter2", "--token=hunter2",
			"--key-file", "k.key", "--host-header", "logged", "--url=http://u:hunter2@h/", "--db", "x\x1b[31my", "it's", ""},
		Env: []string{"REPRISE_TOKEN=hunter2", "REPRISE_LOGS=x", "HOME=/hunter2"}, Tool: "0.1.0", Started: day,
	}.WriteTo(&b)
	text := b.String()
	if err != nil || strings.Contains(text, "hunter2") || strings.ContainsAny(text, "\x1b") {
		t.Errorf("%v\n%s", err, text)
	}
	for _, want := range []string{
		`command: reprise replay p.zst --target 'http://[removed]@host:81/' --header '[removed]' '--token=[removed]' --key-file k.key --host-header logged`,
		`'it'\''s' ''`, "environment: REPRISE_LOGS REPRISE_TOKEN\n", "tool: 0.1.0\n", "commit: unknown\n", "started_at: 2026-11-28T00:30:00Z\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestMetrics(t *testing.T) {
	var b strings.Builder
	if err := result.WriteMetrics(&b, []byte("a 1\n"), nil); err != nil {
		t.Fatal(err)
	}
	if want := "# === before the run ===\na 1\n# === after the run ===\n# not available\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

func TestRecordFiles(t *testing.T) {
	var b bytes.Buffer
	w, err := result.NewRequestWriter(&b, recordfile.Header{Tool: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []result.Outcome{
		{Seq: 1, Endpoint: 2, Kind: result.TimedOut, Cause: result.CauseBody, Written: true, Reused: true, Intended: 5, Dispatched: 6, SentAt: 7, FirstByte: 8, Done: 9, BytesIn: 10, Logged: 200},
		{Seq: 2, Kind: result.Unsent, Intended: 5, Dispatched: result.Unset, SentAt: result.Unset, FirstByte: result.Unset, Done: result.Unset},
	} {
		if err := w.Observe(&o); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close([]string{"GET /x"}); err != nil {
		t.Fatal(err)
	}
	lines(t, &b, result.RequestsKind,
		`{"seq":1,"endpoint":2,"kind":"timed_out","cause":"body","logged":200,"intended":5,"dispatched":6,"sent":7,"first_byte":8,"done":9,"bytes_in":10,"written":true,"reused":true}`,
		`{"seq":2,"endpoint":0,"kind":"unsent","intended":5}`)
	b.Reset()
	one, ms := []int64{3}, []float64{1.5}
	if err := result.WriteTimeline(&b, recordfile.Header{}, &result.Timeline{Planned: one, Started: one, Completed: one, TimedOut: one,
		Rejected: one, Errors: one, Dropped: one, Ended: one, InFlightMax: one, P50: ms, P99: ms, LagP99: ms}); err != nil {
		t.Fatal(err)
	}
	lines(t, &b, result.TimelineKind,
		`{"second":0,"planned":3,"started":3,"completed":3,"timed_out":3,"rejected":3,"errors":3,"dropped":3,"ended":3,"in_flight_max":3,"p50_ms":1.5,"p99_ms":1.5,"lag_p99_ms":1.5}`)
}

// lines reads a record file and compares its records.
func lines(t *testing.T, src io.Reader, kind string, want ...string) {
	t.Helper()
	r, err := recordfile.NewReader(src, kind)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	for _, w := range want {
		if got, err := r.Next(); err != nil || string(got) != w {
			t.Errorf("record %s, %v\nwant %s", got, err, w)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("after the last record: %v", err)
	}
}
