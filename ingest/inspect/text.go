package inspect

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// WriteText renders s for people, at most 80 columns wide but for what is to be pasted, with every byte that is not printable ASCII escaped.
func (s Summary) WriteText(w io.Writer) error {
	p := &printer{w: bufio.NewWriter(w)}
	s.writeFiles(p)
	s.writeTimes(p)
	s.writeContent(p)
	s.writeReplay(p)
	if len(s.Warnings) > 0 {
		p.line("")
	}
	for _, warning := range s.Warnings {
		p.wrapped("warning: ", warning)
	}
	return p.w.Flush()
}

// writeFiles names each file and what it was read as; files in a row that were read as the same thing share the words.
func (s Summary) writeFiles(p *printer) {
	for i, f := range s.Files {
		p.line("%s", f.Name)
		if i+1 < len(s.Files) && f.likeNext(s.Files[i+1]) {
			continue
		}
		p.wrapped("  ", f.describe())
		if f.Suggestion != "" {
			p.wrapped("  warning: ", "a column that is not read looks like the duration; if it is, give")
			fmt.Fprintf(p.w, "    --log-format '%s'\n", printable(f.Suggestion)) // in one piece, to be pasted
		}
		for _, warning := range f.Warnings {
			p.wrapped("  warning: ", warning)
		}
		if f.Failure != "" {
			p.wrapped("  not read to the end: ", f.Failure)
		}
	}
	p.line("")
	p.row("lines", "%d = %d records + %d no request + %d rejected + %d skipped", s.Lines, s.Records, s.NoRequest, s.Rejected, s.Skipped)
	if s.Rejected > 0 {
		p.row("rejected for", "%s", counts(s.Reasons, 6, s.Rejected))
	}
}

func (f File) likeNext(next File) bool {
	return f.describe() == next.describe() && f.Suggestion == next.Suggestion && f.Failure == "" && next.Failure == "" && len(f.Warnings)+len(next.Warnings) == 0
}

// describe says what the file was read as.
func (f File) describe() string {
	if f.Format == "" {
		return fmt.Sprintf("no lines (%s)", cmp.Or(f.Codec, "not opened"))
	}
	text := fmt.Sprintf("format %s (%s), time stamp = %s, resolution %s", f.Format, f.Codec, f.Stamp, f.Precision)
	if f.Why != "" {
		text += "; " + f.Why
	}
	if f.Title != "" && f.Title != f.Format {
		text = f.Title + ": " + text
	}
	return text
}

func (s Summary) writeTimes(p *printer) {
	if s.FirstStart == "" {
		return
	}
	p.row("from", "%s", s.FirstStart)
	p.row("to", "%s (%s)", s.LastStart, duration(s.span.Seconds()))
	p.row("busiest second", "%s, %s", plural(s.PeakSecond, "request"), s.PeakSecondAt)
	if r := s.PeakSliding; r.AtLeast == r.AtMost {
		p.row("any second", "%s at most, wherever it begins", plural(r.AtMost, "request"))
	} else {
		p.row("any second", "%d to %d requests at most, wherever it begins (the log tells no more)", r.AtLeast, r.AtMost)
	}
	part := min(100, 100*float64(s.BusySeconds)/(s.span.Seconds()+1))
	p.row("busy seconds", "%s%d, that is %.3g %% of the time", about(s.BinSeconds == 1), s.BusySeconds, part)
	if s.LongestGap.Seconds > 0 {
		p.row("longest gap", "%s after %s", duration(float64(s.LongestGap.Seconds)), s.LongestGap.After)
	}
	if s.Disorder.LateLines == 0 {
		p.row("disorder", "none: every line starts at or after the one before")
	} else {
		p.row("disorder", "%d lines late, by up to %s", s.Disorder.LateLines, duration(s.Disorder.MaxSeconds))
	}
	if s.span > unevenHour {
		rows := bars(s.HourOfDay[:])
		for i, label := range [barRows]string{"hour of day", "(UTC)"} {
			p.line("%s", strings.TrimRight(fmt.Sprintf("%-*s%s", labelWidth, label, rows[i]), " "))
		}
		p.line("%*s 0           6          12          18         23", labelWidth, "")
	}
	if _, part := s.busiestMinute(); part > 0.1 {
		p.row("minute of hour", "%s", digits(s.MinuteOfHour[:]))
		p.line("%*s:00       :10       :20       :30       :40       :50  (9 = the most)", labelWidth, "")
	}
}

// duration writes seconds as people say them.
func duration(seconds float64) string {
	const minute, hour, day = 60, 3600, 86400
	switch {
	case seconds >= 2*day:
		return fmt.Sprintf("%.1f days", seconds/day)
	case seconds >= 2*hour:
		return fmt.Sprintf("%.1f hours", seconds/hour)
	case seconds >= 2*minute:
		return fmt.Sprintf("%.1f minutes", seconds/minute)
	}
	return fmt.Sprintf("%.6g s", seconds)
}

func (s Summary) writeContent(p *printer) {
	if s.Records == 0 {
		return
	}
	p.line("")
	p.row("clients", "%s%d", about(s.ClientsExact), s.Clients)
	p.row("methods", "%s", counts(s.Methods, 6, s.Records))
	p.row("statuses", "%s", counts(s.Statuses, 6, s.Records))
	p.row("endpoints", "%s%d; those with the most answered requests:", about(s.EndpointsExact), s.Endpoints)
	for _, e := range s.TopEndpoints {
		p.line("%10d %5s %%  %s", e.Answered, percent(e.Answered, s.Records), e.Path)
	}
	if len(s.Repeats) > 0 {
		p.row("repeated", "%d requests are one client's same request, 100 times or more; the most frequent:", s.Shares.Repeated)
	}
	for _, r := range s.Repeats {
		often := "at no steady interval"
		if r.Steady {
			often = "every " + duration(r.IntervalSeconds)
		}
		p.share(r.Requests, s.Records, "%s %s -> %s, %s", r.Method, r.Path, r.Status, often)
	}
}

// about is what stands before an estimate.
func about(exact bool) string {
	if exact {
		return ""
	}
	return "about "
}

// writeReplay says what a replay can take from this log and what it cannot.
func (s Summary) writeReplay(p *printer) {
	if s.Records == 0 {
		return
	}
	n, all := s.Shares, s.Records
	p.line("")
	p.line("This log can replay")
	p.share(all-n.Mutating-n.Connect, all, "requests that only read: they can be sent as they are")
	p.share(n.Mutating, all, "requests that may change data: sent only with --allow-writes and a reset step")
	p.share(n.DerivedStart, all, "starts that are the logged end less the logged duration")
	p.share(n.AbsoluteURI, all, "absolute URIs: sent to the target given, nowhere else")
	if s.coarse {
		p.wrapped("    ", "Stamps are whole seconds: where in its second a request starts will be drawn.")
	}
	p.line("It cannot replay")
	p.share(n.BodyMissing, all, "bodies of POST, PUT and PATCH: no access log holds them; they are made up from templates")
	p.share(n.Connect, all, "CONNECT requests: tunnels are never replayed")
	p.share(n.Truncated, all, "targets of lines that the server cut: they may be incomplete")
	p.share(n.NoDuration, all, "response times: none are read from the log, so there is nothing to compare with")
	if s.NoRequest > 0 {
		p.wrapped(fmt.Sprintf("%10d          ", s.NoRequest), "connections without a request: in no trace and no peak")
	}
	p.wrapped("    ", "Headers and cookies are not in it, beside those that the format names.")
	if n.Bots+n.HealthChecks+n.Loopback+n.Repeated+n.ClientGone+n.NoStatus+n.Retried == 0 {
		return
	}
	p.line("Look twice before you size by")
	p.share(n.Bots, all, "programs that say so in their user agent")
	p.share(n.HealthChecks, all, "health checks, by their user agent or path")
	p.share(n.Loopback, all, "requests from the server's own address: checks, jobs or a proxy before it")
	p.share(n.Repeated-n.Polling, all, "one client's same request again and again, at no steady interval")
	p.share(n.Polling, all, "one client's same request at a steady interval: pollers")
	p.share(n.ClientGone, all, "clients that left before the response (499): they waited as long as they would")
	p.share(n.NoStatus, all, "requests without a status: no response was sent")
	p.share(n.Retried, all, "requests that the proxy tried on more than one server: a replay sends them once")
}
