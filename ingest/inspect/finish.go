package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"reprise/ingest"
)

// Finish joins the statistics with the reader's account of the lines.
func (i *Inspection) Finish(report ingest.Report) Summary {
	i.end()
	total := report.Total()
	s := Summary{
		Lines: total.Lines, Records: total.Records, NoRequest: total.NoRequest, Rejected: total.Rejected, Skipped: total.Skipped,
		Reasons:  total.Reasons,
		Disorder: Disorder{LateLines: total.Late, MaxSeconds: total.MaxLate},
		Methods:  map[string]int64{}, Statuses: i.statuses.result(), Shares: i.shares,
		MinuteOfHour: i.window.minutes, HourOfDay: i.window.hours, Repeats: []Repeat{}, Warnings: []string{},
	}
	for _, f := range report.Files {
		s.Files = append(s.Files, fileOf(f))
	}
	for m, n := range i.methods {
		if n > 0 {
			s.Methods[methods[m]] = n
		}
	}
	s.Clients, s.ClientsExact = i.clients.count()
	i.endpoints(&s)
	list, repeated, polling := i.repeats.result()
	s.Repeats, s.Shares.Repeated, s.Shares.Polling = append(s.Repeats, list...), repeated, polling
	i.times(&s)
	s.Warnings = append(s.Warnings, i.warnings(&s)...)
	return s
}

func fileOf(f ingest.FileReport) File {
	file := File{
		Name: f.Name, Format: f.Format, Title: f.Title, Stamp: f.Stamp, Why: f.Why, Sampled: f.Sampled, Fitted: f.Fitted,
		Precision: f.Precision.String(), Codec: f.Codec,
		Lines: f.Lines, Records: f.Records, NoRequest: f.NoRequest, Rejected: f.Rejected, Skipped: f.Skipped,
		Reasons: f.Reasons, SHA256: f.SHA256, Suggestion: f.Suggestion, Warnings: f.Warnings, Failure: f.Failure,
	}
	if len(f.Formats) > 1 {
		for _, use := range f.Formats {
			file.Formats = append(file.Formats, Format{use.Format, use.Line})
		}
	}
	return file
}

// endpoints fills in the path templates and the most frequent of them.
func (i *Inspection) endpoints(s *Summary) {
	traffic := i.paths.Traffic()
	s.Endpoints, s.EndpointsExact = int64(len(traffic)), i.paths.Kept() == 1
	for _, t := range traffic[:min(len(traffic), i.options.Top)] {
		s.TopEndpoints = append(s.TopEndpoints, Endpoint{Path: t.Pattern, Answered: t.Requests})
	}
}

// times fills in what the starts of the records tell.
func (i *Inspection) times(s *Summary) {
	files := slices.SortedFunc(slices.Values(i.spans[:len(i.spans)-1]), func(a, b span) int {
		return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last))
	})
	if len(files) == 0 {
		return
	}
	last := files[0].last
	for _, f := range files {
		last = max(last, f.last)
	}
	s.FirstStart, s.LastStart, s.span = stamp(files[0].first), stamp(last), time.Duration(last-files[0].first)
	s.coarse = !i.fine
	counts := i.window.out
	shape := counts.shape()
	s.BinSeconds, s.BusySeconds = counts.width(), shape.busy*counts.width()
	s.PeakSecond, s.PeakSecondAt = shape.peak, stamp(shape.peakAt*1e9)
	s.PeakSliding = Range{AtLeast: max(shape.peak, i.window.atLeast), AtMost: i.slidingBound(shape, files)}
	if counts.width() > 1 {
		s.PeakSecond, s.PeakSecondAt = i.window.busiest, stamp(i.window.busiestAt*1e9)
		s.PeakSliding.AtLeast = max(i.window.atLeast, s.PeakSecond)
	}
	s.LongestGap.Seconds = shape.gap
	if shape.gap > 0 {
		s.LongestGap.After = stamp(shape.gapAfter * 1e9)
	}
}

// slidingBound is what no second that begins anywhere can exceed. files are in the order of their first starts.
func (i *Inspection) slidingBound(all shape, files []span) int64 {
	counts := i.window.out
	if i.window.late > 0 || counts.width() > 1 && len(files) > 1 {
		return all.pair
	}
	bound := i.window.atMost
	for k := range files[1:] {
		before, after := files[k], files[k+1]
		if after.first < before.last {
			return all.pair // files of the same time
		}
		if after.first-before.last >= 1e9 {
			continue
		}
		for second := floorDiv(after.first, 1e9) - 1; second <= floorDiv(before.last, 1e9); second++ {
			bound = max(bound, counts.at(second)+counts.at(second+1))
		}
	}
	return min(bound, all.pair)
}

// warnings names what makes the statistics, or a replay, less than they seem.
func (i *Inspection) warnings(s *Summary) []string {
	var w []string
	f := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	if minute, part := s.busiestMinute(); part > 0.5 && s.busiestHour() < part/2 { // in many hours: no single burst
		f("%.0f %% of the requests stand in minute :%02d of the hour: the time stamps look rewritten", 100*part, minute)
	}
	if s.Lines > 0 && s.Rejected*100 > s.Lines {
		f("%.1f %% of the lines were rejected", 100*float64(s.Rejected)/float64(s.Lines))
	}
	if !s.ClientsExact {
		f("more than %d clients: the number is an estimate", i.options.Clients)
	}
	if !s.EndpointsExact {
		f("too many different paths: words of the service were looked for in %.2g %% of them; the others count under {word}", 100*i.paths.Kept())
	}
	if s.BinSeconds > 1 {
		f("a long log: gaps and busy seconds are told to %d s, and the busiest second is that of the busiest file", s.BinSeconds)
	}
	return w
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
