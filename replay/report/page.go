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
	"time"

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
	Closed   bool
	Causes   string // why it is INVALID
	Headline string
	Reasons  []string
	Warnings []string
	About    []fact
	Cards    []card
	Statuses []fact
	Known    string // what production says about them
	Ledger   []string
	Lanes    []chart
	Hovers   []hover
	Plot     chart
	Rows     []latencyRow
	Calls    []call
	Finding  string // about the endpoints
	More     string
	Checks   []check
	Rule     string // of the limit on the lag
	Contract []fact
	Command  string
}

type card struct{ Label, Value, Note, Class string }

type latencyRow struct {
	Name, P50, P95, P99, P999, Max, N, Note string
}

// call is a line of the endpoint table. From and Width place p50 to p99 on the table's logarithmic scale.
type call struct {
	Name, Offered, Share, P50, P99      string
	From, Width                         string
	TimedOut, Rejected, Errors, Dropped string
}

// check is one of the generator's self-checks: against a limit, or only against what good runs have.
type check struct {
	Name, Value, Limit string
	OK, Advice         bool
}

// HTML writes one page that needs no network, no script and no other file. It is at most 1 MB.
func HTML(w io.Writer, r Run) error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	s := r.Summary
	p := runPage{
		Style: template.CSS(style), Policy: policy, Title: clean(s.Scenario), Valid: s.Valid, Closed: s.Mode == "closed", Headline: headline(s),
		Reasons: cleaned(s.InvalidReasons), Warnings: cleaned(warnings(s)), About: about(s), Cards: cards(s),
		Lanes: lanes(s), Plot: runPlot(r), Finding: find(s, Endpoints), Checks: checks(s),
		Contract: contractFacts(s), Command: command(r.Command),
	}
	p.explain(s)
	if len(p.Lanes) > 0 {
		p.Hovers = hovers(s)
	}
	var b strings.Builder
	ledger(&b, s)
	p.Ledger = strings.Split(strings.TrimSpace(strings.ReplaceAll(b.String(), "\n        ", " ")), "\n")
	for _, l := range latencyRows(s) {
		p.Rows = append(p.Rows, latencyRow{l.Name, l.cell("p50"), l.cell("p95"), l.cell("p99"), l.cell("p99.9"), l.most(), grouped(l.N), l.Note})
	}
	p.Calls, p.More = calls(s)
	return execute(w, "run", p)
}

// explain fills in what stands beside the numbers.
func (p *runPage) explain(s *result.Summary) {
	if !s.Valid {
		p.Causes = sentence(strings.Join(causes(s), "; "))
	}
	if s.Mode != "closed" {
		p.Rule = fmt.Sprintf("The run is judged by the dispatch lag's p99 over all of it. Its limit is %s, here %s ms; a single second may be above it.", lagRule(s), millis(lagLimit(s)))
	}
	const most = 12
	a := answered(s)
	for _, c := range a.counts[:min(most, len(a.counts))] {
		p.Statuses = append(p.Statuses, fact{Name: clean(c.status), Value: share(c.n, a.whole), Note: grouped(c.n)})
	}
	if n := len(a.counts) - most; n > 0 {
		p.Statuses = append(p.Statuses, fact{Name: "others", Value: fmt.Sprintf("%d more", n)})
	}
	if p.Known = "production's statuses are not known"; a.known > 0 {
		p.Known = a.production()
	}
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
		{Name: "rate", Value: rate(s.OfferedRPS) + "/s for " + clock(s.DurationSeconds)},
		{Name: "workers", Value: s.Contract["workers"]},
		{Name: "timeout", Value: millis(s.TimeoutMS) + " ms"},
		{Name: "target version", Value: s.TargetVersion},
		{Name: "started", Value: instant(s.StartedAt)},
	}
	for i := range facts {
		facts[i].Value = clean(facts[i].Value)
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return strings.TrimSpace(f.Value) == "" })
}

// instant is a time of RFC 3339 in UTC to the second; what is none stays as it is.
func instant(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return at.UTC().Format("2006-01-02 15:04:05 UTC")
}

func cards(s *result.Summary) []card {
	p := responses(s)
	last := card{Label: "dropped", Value: share(s.Dropped, s.Offered), Note: grouped(s.Dropped) + " by the generator"}
	if s.Mode == "closed" { // which drops nothing
		last = card{Label: "slowest", Value: p.most(), Note: cardNote(p.most(), "ms, of all requests")}
	}
	return []card{
		{Label: "offered", Value: grouped(s.Offered), Note: rate(s.OfferedRPS) + " a second"},
		{Label: "completed", Value: share(s.Completed, s.Offered), Note: grouped(s.Completed), Class: "good"},
		{Label: "p50", Value: p.cell("p50"), Note: cardNote(p.cell("p50"), "ms, half were faster")},
		{Label: "p99", Value: p.cell("p99"), Note: cardNote(p.cell("p99"), "ms, 1 in 100 was slower")},
		{Label: "timed out", Value: share(s.TimedOut, s.Offered), Note: grouped(s.TimedOut)},
		{Label: "rejected", Value: share(s.Rejected, s.Offered), Note: grouped(s.Rejected) + " by the target"},
		{Label: "errors", Value: share(s.Errors.Total, s.Offered), Note: grouped(s.Errors.Total) + ", no whole answer"},
		last,
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
		return digits(v, 6)
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
		if p := shown[i].LatencyMS; p.P50 > 0 && p.P99 >= p.P50 && p.N >= compare.Floor(0.99) {
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
		if p.P50 > 0 && p.P99 >= p.P50 && p.N >= compare.Floor(0.99) {
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
		{Name: "started / offered", Value: fmt.Sprintf("%s / %s", grouped(s.Started), grouped(s.Offered)), Limit: ">= " + digits(100*minStarted(s), 6) + "%", OK: float64(s.Started) >= minStarted(s)*float64(s.Offered)},
		{Name: "dispatch lag p99", Value: orDash(s.LagMS.N, s.LagMS.P99) + " ms", Limit: millis(limit) + " ms", OK: s.LagMS.P99 <= limit},
		{Name: "processor", Value: fmt.Sprintf("%.0f%% of %d cores", 100*g.CPU, g.Cores), Limit: "good: < 70%", OK: g.CPU <= 0.7, Advice: true},
		{Name: "longest collector pause", Value: millis(g.GCPauseMaxMS) + " ms", Limit: "good: < 1 ms", OK: g.GCPauseMaxMS <= 1, Advice: true},
		{Name: "wait for a processor p99", Value: millis(g.SchedP99MS) + " ms", Limit: "good: < 1 ms", OK: g.SchedP99MS <= 1, Advice: true},
		{Name: "open files", Value: grouped(g.FDsMax), OK: true},
	}
	if s.Mode == "closed" {
		out = out[2:]
	}
	for _, kind := range slices.Sorted(maps.Keys(s.Errors.ByKind)) {
		if n := s.Errors.ByKind[kind]; n > 0 && strings.HasPrefix(kind, "client.") {
			out = append(out, check{Name: "errors " + clean(kind), Value: grouped(n), Limit: "0"})
		}
	}
	return out
}
