package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"reprise/replay/report"
	"reprise/replay/result"
)

func render(t *testing.T, f func(w *bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, fixture := range fixtures {
		s := fixture(t)
		golden(t, name+".txt", render(t, func(w *bytes.Buffer) error { return report.Text(w, s) })+report.Line(s)+"\n")
		golden(t, name+".md", render(t, func(w *bytes.Buffer) error { return report.Markdown(w, s) }))
		var findings strings.Builder
		for _, f := range report.Findings(s) {
			findings.WriteString(string(f.Topic) + ": " + f.Text + "\n")
		}
		golden(t, name+".findings", findings.String())
	}
}

// The frozen tokens, with the two examples of the published format.
func TestLineIsFrozen(t *testing.T) {
	check := func(s *result.Summary, want string) {
		t.Helper()
		if got := report.Line(s); !strings.HasPrefix(got, want+" ") {
			t.Errorf("got  %s\nwant %s ...", got, want)
		}
	}
	check(&result.Summary{Mode: "open", Planned: 1499, Started: 1499, Finished: 1499, Completed: 194, TimedOut: 1305, OfferedRPS: 230.71,
		MaxInFlight: 127, LatencyMS: result.Percentiles{N: 1499, P99: 503}},
		"open planned=1499 started=1499 finished=1499 completed=194 timed_out=1305 offered_rps=230.71 max_in_flight=127 p99=503ms")
	check(&result.Summary{Mode: "closed", Started: 876, Completed: 876, RPSCompleted: 144.89, MaxInFlight: 8, LatencyMS: result.Percentiles{N: 876, P99: 68.4}},
		"closed started=876 completed=876 timed_out=0 rps=144.89 max_in_flight=8 p99=68ms")
	check(&result.Summary{Mode: "open"}, "open planned=0 started=0 finished=0 completed=0 timed_out=0 offered_rps=0.00 max_in_flight=0 p99=-")
}

func TestTextPrintsWhatTheNumbersSupport(t *testing.T) {
	s := &result.Summary{Mode: "open", Valid: true, TimeoutMS: 500, TimedOut: 1305}
	s.LatencyMS = result.Percentiles{N: 1499, P50: 501, P95: 502, P99: 503, P999: 504, Max: 505}
	s.Latency.Censored = 0.8706
	s.LatencyCompletedMS = result.Percentiles{N: 194, P50: 214, P95: 461, P99: 480, P999: 490, Max: 499}
	s.LagMS = result.Percentiles{N: 3687, P50: 0.05, P95: 0.2, P99: 0.6, P999: 4, Max: 4.1}
	text := render(t, func(w *bytes.Buffer) error { return report.Text(w, s) })
	for _, want := range []string{
		" response (headline)  >=500  >=500  >=500  >=500  >=500    1499   with timeouts\n",
		" completed only         214    461  n<368      -    499     194\n",
		" dispatch lag         0.050  0.200  0.600 n<3688   4.10    3687   our own\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q in\n%s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestJSONIsTheSummary(t *testing.T) {
	s := replayed(t)
	text := render(t, func(w *bytes.Buffer) error { return report.JSON(w, s) })
	var back result.Summary
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if again := render(t, func(w *bytes.Buffer) error { return report.JSON(w, &back) }); again != text || back.Offered != s.Offered {
		t.Error("the summary does not come back from its JSON")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrorsAreReturned(t *testing.T) {
	s := tiny(t)
	for name, err := range map[string]error{
		"text": report.Text(broken{}, s), "json": report.JSON(broken{}, s), "markdown": report.Markdown(broken{}, s),
	} {
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
