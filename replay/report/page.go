package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the templates and the style sheet
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"reprise/replay/compare"
	"reprise/replay/result"
)

//go:embed style.css
var style string

//go:embed parts.tmpl
var partsText string

//go:embed run.tmpl
var runText string

//go:embed compare.tmpl
var compareText string

var pages = template.Must(template.New("parts").Parse(partsText + runText + compareText))

// policy forbids scripts, networks and every style but ours.
var policy = "default-src 'none'; style-src 'sha256-" + styleHash() + "'; base-uri 'none'; form-action 'none'"

func styleHash() string {
	h := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(h[:])
}

// topEndpoints is how many endpoints a page shows; the rest is summed up.
const topEndpoints = 50

// Run is a run to render.
type Run struct {
	Summary *result.Summary
	// Command is the text of command.txt, shown as how to reproduce the run. Empty leaves the section out.
	Command string
}

func (r *Run) validate() error {
	if r.Summary == nil {
		return errors.New("run has no summary")
	}
	return nil
}

// fact is a name and a value, with a remark.
type fact struct{ Name, Value, Note string }

// runPage is what the template "run" shows.
type runPage struct {
	Style    template.CSS
	Policy   string
	Title    string
	Valid    bool
	Headline string
	Reasons  []string
	Warnings []string
	About    []fact
	Cards    []card
	Ledger   []string
	Lanes    []chart
	Hovers   []hover
	Plot     chart
	Rows     []latencyRow
	Calls    []call
	Finding  string // about the endpoints
	More     string
	Checks   []check
	Contract []fact
	Command  string
}

type card struct{ Label, Value, Note, Class string }

type latencyRow struct {
	Name, P50, P95, P99, P999, N, Note string
}

// call is a line of the endpoint table. From and Width place p50 to p99 on the table's logarithmic scale.
type call struct {
	Name, Offered, Share, P50, P99      string
	From, Width                         string
	TimedOut, Rejected, Errors, Dropped string
}

// check is one of the generator's self-checks.
type check struct {
	Name, Value, Limit string
	OK                 bool
}

// HTML writes one page that needs no network, no script and no other file. It is at most 1 MB.
func HTML(w io.Writer, r Run) error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	s := r.Summary
	p := runPage{
		Style: template.CSS(style), Policy: policy, Title: clean(s.Scenario), Valid: s.Valid, Headline: headline(s),
		Reasons: cleaned(s.InvalidReasons), Warnings: cleaned(s.Warnings), About: about(s), Cards: cards(s),
		Lanes: lanes(s), Plot: runPlot(r), Finding: find(s, Endpoints), Checks: checks(s),
		Contract: contractFacts(s), Command: command(r.Command),
	}
	if len(p.Lanes) > 0 {
		p.Hovers = hovers(s)
	}
	var b strings.Builder
	ledger(&b, s)
	p.Ledger = strings.Split(strings.TrimSpace(strings.ReplaceAll(b.String(), "\n        ", " ")), "\n")
	for _, l := range latencyRows(s) {
		p.Rows = append(p.Rows, latencyRow{l.Name, l.cell("p50"), l.cell("p95"), l.cell("p99"), l.cell("p99.9"), grouped(l.N), l.Note})
	}
	p.Calls, p.More = calls(s)
	return execute(w, "run", p)
}

// execute renders in memory first, so that a fault leaves no half page behind.
func execute(w io.Writer, name string, data any) error {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return write(w, b.String())
}

func cleaned(list []string) []string {
	const most = 30
	var out []string
	for _, s := range list[:min(most, len(list))] {
		out = append(out, escapeLong(s))
	}
	if n := len(list) - most; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return out
}

// command keeps the lines of command.txt and bounds their number.
func command(text string) string {
	const most = 120
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	for i, l := range lines {
		lines[i] = escapeLong(strings.TrimRight(l, "\r"))
	}
	return strings.Join(lines, "\n")
}

func about(s *result.Summary) []fact {
	facts := []fact{
		{Name: "scenario", Value: s.Scenario},
		{Name: "mode", Value: s.Mode + " loop"},
		{Name: "traffic", Value: strings.TrimSpace(s.Arrivals.Source + " " + s.Arrivals.Model)},
		{Name: "rate", Value: fmt.Sprintf("%.4g/s for %s", s.OfferedRPS, clock(s.DurationSeconds))},
		{Name: "timeout", Value: millis(s.TimeoutMS) + " ms"},
		{Name: "target", Value: s.TargetVersion},
		{Name: "started", Value: s.StartedAt},
	}
	for i := range facts {
		facts[i].Value = clean(facts[i].Value)
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return strings.TrimSpace(f.Value) == "" })
}

func cards(s *result.Summary) []card {
	p := responses(s)
	return []card{
		{Label: "offered", Value: grouped(s.Offered), Note: fmt.Sprintf("%.4g a second", s.OfferedRPS)},
		{Label: "completed", Value: share(s.Completed, s.Offered), Note: grouped(s.Completed), Class: "good"},
		{Label: "p50", Value: p.cell("p50"), Note: cardNote(p.cell("p50"), "ms, half were faster")},
		{Label: "p99", Value: p.cell("p99"), Note: cardNote(p.cell("p99"), "ms, 1 in 100 was slower")},
		{Label: "timed out", Value: share(s.TimedOut, s.Offered), Note: grouped(s.TimedOut)},
		{Label: "rejected", Value: share(s.Rejected, s.Offered), Note: grouped(s.Rejected) + " by the target"},
		{Label: "errors", Value: share(s.Errors.Total, s.Offered), Note: grouped(s.Errors.Total) + ", no whole answer"},
		{Label: "dropped", Value: share(s.Dropped, s.Offered), Note: grouped(s.Dropped) + " by the generator"},
	}
}

// cardNote explains a percentile that is a bound or missing.
func cardNote(cell, exact string) string {
	switch {
	case strings.HasPrefix(cell, ">="):
		return "ms, cut by the timeout"
	case strings.HasPrefix(cell, "n<"):
		return "too few requests"
	case cell == "-":
		return "no latency"
	}
	return exact
}

func runPlot(r Run) chart {
	s := r.Summary
	timeout := 0.0
	if s.TimedOut > 0 {
		timeout = s.TimeoutMS
	}
	return percentilePlot(find(s, Clocks), "Read upwards from 99 %: one request in a hundred took longer than that. Where both lines are one, nothing queued before it was sent.",
		timeout, responseCurve(s, "response", "response, from the intended instant"),
		histogramCurve(s.ServiceHDR, s.ServiceMS, "service", "service, from the send"))
}

func contractFacts(s *result.Summary) []fact {
	var out []fact
	for _, f := range compare.Contract(s) {
		out = append(out, fact{Name: clean(f.Name), Value: factorValue(f.Name, f.A)})
	}
	return out
}

// factorValue shortens the one number that may come from a division.
func factorValue(name, value string) string {
	if v, err := strconv.ParseFloat(value, 64); name == "rate" && err == nil {
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return clean(value)
}

// calls are the endpoints by offered requests, the first topEndpoints of them.
func calls(s *result.Summary) ([]call, string) {
	all := slices.Clone(s.Endpoints)
	slices.SortStableFunc(all, func(a, b result.Endpoint) int {
		return int(max(-1, min(1, b.Offered-a.Offered)))
	})
	low, high := math.Inf(1), 0.0
	shown := all[:min(len(all), topEndpoints)]
	for i := range shown {
		if p := shown[i].LatencyMS; p.P50 > 0 && p.P99 >= p.P50 {
			low, high = math.Min(low, p.P50), math.Max(high, p.P99)
		}
	}
	x := logarithmic(low, high, 1)
	var out []call
	for i := range shown {
		e := &shown[i]
		p := endpointPopulation(s, e)
		c := call{Name: name(e.Method, e.Template), Offered: grouped(e.Offered), Share: share(e.Offered, s.Offered), P50: p.cell("p50"), P99: p.cell("p99"),
			TimedOut: grouped(e.TimedOut), Rejected: grouped(e.Rejected), Errors: grouped(e.Errors), Dropped: grouped(e.Dropped)}
		if p.P50 > 0 && p.P99 >= p.P50 && p.N >= compare.Floor(0.5) {
			from, to := 1-x.y(p.P50), 1-x.y(p.P99)
			c.From, c.Width = percent(from), percent(math.Max(0.01, to-from))
		}
		out = append(out, c)
	}
	if n := len(all) - len(shown); n > 0 {
		var rest int64
		for _, e := range all[len(shown):] {
			rest += e.Offered
		}
		return out, fmt.Sprintf("%d more endpoints with %s requests are in summary.json.", n, grouped(rest))
	}
	return out, ""
}

func checks(s *result.Summary) []check {
	g, limit := &s.Generator, lagLimit(s)
	out := []check{
		{"started / offered", fmt.Sprintf("%s / %s", grouped(s.Started), grouped(s.Offered)), fmt.Sprintf(">= %.4g%%", 100*minStarted(s)), float64(s.Started) >= minStarted(s)*float64(s.Offered)},
		{"dispatch lag p99", orDash(s.LagMS.N, s.LagMS.P99) + " ms", millis(limit) + " ms", s.LagMS.P99 <= limit},
		{"processor", fmt.Sprintf("%.0f%% of %d cores", 100*g.CPU, g.Cores), "70%", g.CPU <= 0.7},
		{"longest collector pause", millis(g.GCPauseMaxMS) + " ms", "1 ms", g.GCPauseMaxMS <= 1},
		{"wait for a processor p99", millis(g.SchedP99MS) + " ms", "1 ms", g.SchedP99MS <= 1},
		{"open files", grouped(g.FDsMax), "", true},
	}
	if s.Mode == "closed" {
		out = out[2:]
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Errors.ByKind)) {
		if n := s.Errors.ByKind[kind]; n > 0 && strings.HasPrefix(kind, "client.") {
			out = append(out, check{"errors " + clean(kind), grouped(n), "0", false})
		}
	}
	return out
}
