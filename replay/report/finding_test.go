package report_test

import (
	"bytes"
	"strings"
	"testing"

	"reprise/replay/compare"
	"reprise/replay/report"
	"reprise/replay/result"
)

func finding(t *testing.T, s *result.Summary, topic report.Topic) string {
	t.Helper()
	for _, f := range report.Findings(s) {
		if f.Topic == topic {
			return f.Text
		}
	}
	t.Fatalf("no finding about %s", topic)
	return ""
}

// answering is a run of 1,000 whole answers with the given statuses; known of them have a status in production.
func answering(statuses map[string]int64, same, known int64) *result.Summary {
	s := &result.Summary{Version: result.SummaryVersion, Mode: "open", Valid: true, Offered: 1000, Started: 1000, Completed: 1000, Status: statuses}
	s.LatencyMS = result.Percentiles{N: 1000, P50: 1, P95: 2, P99: 3, Max: 9}
	s.LagMS = result.Percentiles{N: 1000, P99: 0.1}
	s.StatusMatch = result.StatusMatchJSON{Same: same, Other: known - same, Unknown: 1000 - known}
	s.Rejected = statuses["503"]
	s.Completed -= s.Rejected
	return s
}

func TestStatusesAreTold(t *testing.T) {
	check := func(statuses map[string]int64, same, known int64, headline, token string, warned bool) {
		t.Helper()
		s := answering(statuses, same, known)
		if got := finding(t, s, report.Headline); !strings.Contains(got, headline) {
			t.Errorf("headline %q, want %q in it", got, headline)
		}
		if got := report.Line(s); !strings.HasSuffix(got, "valid=yes"+token) {
			t.Errorf("line %q, want %q at its end", got, token)
		}
		for kind, text := range map[string]string{
			"text": render(t, func(w *bytes.Buffer) error { return report.Text(w, s) }),
			"md":   render(t, func(w *bytes.Buffer) error { return report.Markdown(w, s) }),
			"html": page(t, s),
		} {
			if got := strings.Contains(text, "schedule --bind FILE"); got != warned {
				t.Errorf("%s of %v: warned of --bind %v, want %v", kind, statuses, got, warned)
			}
			for status := range statuses {
				if !strings.Contains(text, status) {
					t.Errorf("%s lacks the status %s", kind, status)
				}
			}
		}
	}
	check(map[string]int64{"200": 990, "404": 10}, 973, 1000, "all 1,000 requests, 97.3% as production did; one in 100", " status_same=97.3%", false)
	check(map[string]int64{"200": 1000}, 1000, 1000, "all as production did", " status_same=100.0%", false)
	check(map[string]int64{"200": 999, "404": 1}, 999, 1000, "99.90% as production did", " status_same=99.9%", false)
	check(map[string]int64{"200": 1000}, 0, 0, "answered all 1,000 requests; one in 100", "", false)
	check(map[string]int64{"404": 1000}, 0, 0, "all 1,000 requests, but every answer was an error (404); one", "", false)
	check(map[string]int64{"404": 900, "500": 100}, 20, 1000, "but every answer was an error (mostly 404), 2.0% as in production", " status_same=2.0%", true)
	check(map[string]int64{"200": 800, "404": 200}, 0, 0, "but 20.0% of the answers were errors (mostly 404)", "", false)
	check(map[string]int64{"200": 890, "404": 110}, 950, 1000, "95.0% as production did", " status_same=95.0%", false) // as it was in the log
	check(map[string]int64{"200": 600, "503": 400}, 600, 1000, "60.0% as production did", " status_same=60.0%", false) // rejected on purpose
	check(map[string]int64{"200": 900, "404": 100}, 0, 0, "all 1,000 requests; one", "", false)
}

// A run whose own warnings name the remedy is not warned twice.
func TestOneWarningAboutBinding(t *testing.T) {
	s := answering(map[string]int64{"404": 1000}, 0, 1000)
	s.Warnings = []string{"only 0 % had production's status: see reprise schedule --bind"}
	if text := render(t, func(w *bytes.Buffer) error { return report.Text(w, s) }); strings.Count(text, "--bind") != 1 {
		t.Errorf("warned more than once:\n%s", text)
	}
}

// A target that freezes behind a closed loop catches as many requests as there are workers: p99 never shows it.
func TestFrozenTargetStandsOut(t *testing.T) {
	s := frozen(t)
	if s.LatencyMS.P99 > 20 || s.Timeline.Started[3] != 0 {
		t.Fatalf("the fixture is not what it should be: p99 %g, started %v", s.LatencyMS.P99, s.Timeline.Started)
	}
	if got := finding(t, s, report.Rate); !strings.HasSuffix(got, "; none and no answer in second 3") {
		t.Errorf("rate: %q", got)
	}
	for _, topic := range []report.Topic{report.Headline, report.Latency, report.Clocks} {
		if got := finding(t, s, topic); !strings.Contains(got, "the slowest request took 15") || !strings.Contains(got, "nothing ended in second 3") {
			t.Errorf("%s: %q", topic, got)
		}
	}
	if html := page(t, s); strings.Contains(html, "kept its schedule") || !strings.Contains(html, "A closed loop has no schedule") {
		t.Error("the page speaks of the schedule of a closed loop")
	}
	// Until the end of the run nothing comes after the freeze, but requests are open.
	s.Timeline.Started, s.Timeline.InFlightMax = []int64{4000, 4000, 3000, 0, 0, 0}, []int64{8, 8, 8, 8, 8, 0}
	if got := finding(t, s, report.Rate); !strings.Contains(got, "none and no answer in 2 seconds, first in second 3") {
		t.Errorf("rate: %q", got)
	}
	// An open loop may have nothing due in a second.
	if got := finding(t, tiny(t), report.Headline); strings.Contains(got, "nothing ended") {
		t.Errorf("headline %q", got)
	}
}

func TestInvalidNamesItsCause(t *testing.T) {
	invalid := func(change func(*result.Summary)) *result.Summary {
		s := answering(map[string]int64{"200": 1000}, 0, 0)
		s.Valid, s.InvalidReasons = false, []string{"because"}
		change(s)
		return s
	}
	check := func(s *result.Summary, want string, not ...string) {
		t.Helper()
		text := render(t, func(w *bytes.Buffer) error { return report.Text(w, s) })
		html := page(t, s)
		if !strings.HasPrefix(text, "INVALID "+want) || !strings.Contains(finding(t, s, report.Headline), "does not count: "+want) {
			t.Errorf("want %q in %q and in\n%s", want, finding(t, s, report.Headline), text)
		}
		if !strings.Contains(text, "not a result") || strings.Count(html, "not a result") < 8 || !strings.Contains(html, `class="cards void"`) {
			t.Error("the numbers are not marked")
		}
		for _, other := range not {
			if strings.Contains(text, other) {
				t.Errorf("%q also says %q", want, other)
			}
		}
		if !strings.Contains(report.Line(s), " valid=no") {
			t.Error("the line does not say it")
		}
	}
	const pace = "the generator set the pace, not the target"
	check(invalid(func(s *result.Summary) {
		s.InvalidReasons = []string{"interrupted: the run was cut"}
		s.Unsent = 120
		s.Offered = 1120
	}),
		"the run was cut before its end, 120 of 1,120 requests were never sent", pace)
	check(invalid(func(s *result.Summary) { s.Offered, s.Started, s.Completed = 0, 0, 0 }), "nothing was offered", pace)
	check(invalid(func(s *result.Summary) {
		s.Completed = 290
		s.Errors = result.Errors{Total: 710, ByKind: map[string]int64{"tls": 710}}
	}),
		"71.0% of the requests got no whole answer (tls 710)", pace)
	check(invalid(func(s *result.Summary) { s.LagMS.P99 = 90 }), pace)
	check(invalid(func(s *result.Summary) { s.Started, s.Dropped = 900, 100 }), pace)
	check(invalid(func(s *result.Summary) {
		s.Errors = result.Errors{Total: 200, ByKind: map[string]int64{"client.ports": 200}}
	}), pace, "no whole answer")
	check(invalid(func(s *result.Summary) { s.Unsent, s.Offered, s.LagMS.P99 = 5, 1005, 90 }), "the run was cut before its end, 5 of 1,005 requests were never sent; "+pace)
}

func TestTooFewForAPercentile(t *testing.T) {
	s := answering(map[string]int64{"200": 367}, 0, 0)
	s.LatencyMS.N, s.ServiceMS.N, s.LagMS.N = 367, 368, 0
	s.ServiceMS.P99 = 2.5
	s.Endpoints = []result.Endpoint{{Method: "GET", Template: "/few", Offered: 367, LatencyMS: s.LatencyMS}}
	if got := report.Line(s); !strings.Contains(got, " p99=3ms ") || !strings.Contains(got, " p99_ms=n<368 p99_service_ms=2.5 lag_p99_ms=- ") {
		t.Errorf("line %q", got)
	}
	if strings.Contains(page(t, s), `class="f-range"`) {
		t.Error("a bar up to the p99 of 367 requests")
	}
	s.Endpoints[0].LatencyMS.N = 368
	if !strings.Contains(page(t, s), `class="f-range"`) {
		t.Error("no bar for 368 requests")
	}
}

// Seconds without an answer have no latency that could be usual.
func TestUsualLatencyIsOfSecondsThatHaveOne(t *testing.T) {
	s := answering(map[string]int64{"200": 1000}, 0, 0)
	s.Timeline = result.Timeline{BinSeconds: 1, P99: []float64{9, 10, 11, 0, 0, 0, 0, 0}}
	if got := finding(t, s, report.Latency); !strings.Contains(got, "usually 10.0 ms, at most 11.0 ms") {
		t.Errorf("%q", got)
	}
}

func TestAdviceIsNoLimit(t *testing.T) {
	s := answering(map[string]int64{"200": 1000}, 0, 0)
	s.Generator = result.Generator{CPU: 0.9, Cores: 2, GCPauseMaxMS: 3, SchedP99MS: 2}
	html := page(t, s)
	if strings.Contains(html, "over</strong>") || strings.Count(html, ">high<") != 3 {
		t.Error("what is only advice is shown as a limit")
	}
	if n := strings.Count(html, "max(5 ms, 5 % of p99)"); n != 1 {
		t.Errorf("the rule of the limit is told %d times, want once", n)
	}
}

// Runs whose rates are far apart are drawn on a scale each; no number has an exponent.
func TestRatesFarApart(t *testing.T) {
	check := func(factor int64, want string) {
		t.Helper()
		a, b := synthetic(t), frozen(t)
		for i := range a.Timeline.Started {
			a.Timeline.Planned[i] = 1700
		}
		for i := range b.Timeline.Started {
			b.Timeline.Started[i] = 1700 * factor
		}
		b.OfferedRPS, b.Arrivals.PeakSecond = 1700*float64(factor), 1700*factor
		c := compared(t, []*result.Summary{a}, []*result.Summary{b}, compare.Options{Force: true})
		html := render(t, func(w *bytes.Buffer) error { return report.CompareHTML(w, c) })
		text := render(t, func(w *bytes.Buffer) error { return report.CompareText(w, c) })
		if !strings.Contains(html, want) || strings.Contains(outline(html)+text, "e+") {
			t.Errorf("factor %d: no %q, or an exponent", factor, want)
		}
		if !strings.Contains(text, "note forced") || !strings.Contains(html, "prove nothing") {
			t.Error("the note is missing")
		}
	}
	check(11, "Each side has a scale of its own")
	check(9, "on the same scale as the other side")
}

// Reports are appended to files that other reports stand in.
func TestMarkdownBeginsWithAnEmptyLine(t *testing.T) {
	text := render(t, func(w *bytes.Buffer) error { return report.Markdown(w, foreign(t)) })
	if !strings.HasPrefix(text, "\n### ") {
		t.Errorf("begins with %.20q", text)
	}
	if strings.Count(text, "&#") > 0 {
		t.Errorf("needless entities in\n%s", text)
	}
}
