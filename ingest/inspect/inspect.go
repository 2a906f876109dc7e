package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"reprise/anonymize/endpoint"
	"reprise/ingest"
)

// Options bounds what an Inspection keeps. The zero value takes the defaults.
type Options struct {
	Clients int // counted exactly, by hash; 0 = 262,144 (about 10 MB)
	Top     int // endpoints listed; 0 = 10
}

func (o Options) withDefaults() Options {
	if o.Clients <= 0 {
		o.Clients = 1 << 18
	}
	if o.Top <= 0 {
		o.Top = 10
	}
	return o
}

// Limits of what is remembered.
const (
	maxStatuses = 32      // unusual status codes counted one by one
	maxAgents   = 1 << 16 // user agents whose kind is known
)

// methods are those counted by name: HTTP and WebDAV. Any other word of the log could say something about someone.
var methods = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE",
	"LOCK", "UNLOCK", "REPORT", "SEARCH", "PURGE", "QUERY", "PRI"}

// otherMethod is the name under which all others are counted.
const otherMethod = "other"

// Inspection collects statistics over records. It is not safe for concurrent use.
type Inspection struct {
	options  Options
	first    int64 // nanoseconds since the Unix epoch
	last     int64
	seconds  *seconds
	sliding  sliding
	fine     bool // a stamp was finer than a second
	clients  *distinct
	paths    *endpoint.Learner
	methods  *tally
	statuses statuses
	shares   Shares
	agents   map[uint64]bool // by hash: is it a bot
}

// New returns an empty Inspection.
func New(o Options) *Inspection {
	o = o.withDefaults()
	return &Inspection{
		options: o, first: math.MaxInt64, last: math.MinInt64,
		seconds: newSeconds(), clients: newDistinct(o.Clients), paths: endpoint.NewLearner(),
		methods: newTally(len(methods) + 1), statuses: statuses{rare: newTally(maxStatuses)},
		agents: make(map[uint64]bool),
	}
}

// Add counts one record, and keeps nothing of it.
func (i *Inspection) Add(r *ingest.Record) {
	i.first, i.last = min(i.first, r.Start), max(i.last, r.Start)
	i.seconds.add(r.Start)
	i.sliding.add(r.Start)
	i.fine = i.fine || r.Precision != ingest.PrecisionSecond
	i.clients.add(r.Client)
	i.paths.Add(endpoint.Path(r.Target), endpoint.ClientHash(r.Client), r.Status)
	i.addMethod(r.Method)
	i.statuses.add(r.Status)
	i.addShares(r)
}

func (i *Inspection) addMethod(method []byte) {
	for _, known := range methods {
		if string(method) == known {
			i.methods.add(method)
			return
		}
	}
	i.methods.add([]byte(otherMethod))
}

func (i *Inspection) addShares(r *ingest.Record) {
	s := &i.shares
	if i.isBot(r.Agent) {
		s.Bots++
	}
	switch string(r.Method) {
	case "GET", "HEAD", "OPTIONS", "TRACE":
	case "CONNECT":
		s.Connect++
	case "POST", "PUT", "PATCH":
		s.BodyMissing++
		s.Mutating++
	default:
		s.Mutating++
	}
	if len(r.Target) > 0 && r.Target[0] != '/' && bytes.Contains(r.Target, []byte("://")) {
		s.AbsoluteURI++
	}
	if r.Status == 499 {
		s.ClientGone++
	}
	if r.Duration == ingest.Unknown {
		s.NoDuration++
	}
	if r.Origin == ingest.OriginDerived {
		s.DerivedStart++
	}
}

// botWords are what programs call themselves in a user agent, in lower case.
var botWords = [][]byte{
	[]byte("bot"), []byte("crawl"), []byte("spider"), []byte("slurp"), []byte("curl/"), []byte("wget/"), []byte("python-"),
	[]byte("monitor"), []byte("check"), []byte("feed"), []byte("scan"), []byte("http-client"), []byte("httpclient"), []byte("go-http"),
}

func (i *Inspection) isBot(agent []byte) bool {
	if len(agent) == 0 {
		return false
	}
	h := xxhash.Sum64(agent)
	if bot, known := i.agents[h]; known {
		return bot
	}
	lower, bot := bytes.ToLower(agent), false
	for _, word := range botWords {
		bot = bot || bytes.Contains(lower, word)
	}
	if len(i.agents) < maxAgents {
		i.agents[h] = bot
	}
	return bot
}

// Finish joins the statistics with the reader's account of the lines.
func (i *Inspection) Finish(report ingest.Report) Summary {
	total := report.Total()
	s := Summary{
		Lines: total.Lines, Records: total.Records, NoRequest: total.NoRequest, Rejected: total.Rejected, Skipped: total.Skipped,
		Reasons:  total.Reasons,
		Disorder: Disorder{LateLines: total.Late, MaxSeconds: total.MaxLate},
		Methods:  i.methods.result(), Statuses: i.statuses.result(), Shares: i.shares,
		MinuteOfHour: i.seconds.minutes, Warnings: []string{},
	}
	for _, f := range report.Files {
		s.Files = append(s.Files, File{
			Name: f.Name, Format: f.Format, Stamp: f.Stamp, Precision: f.Precision.String(), Codec: f.Codec,
			Lines: f.Lines, Records: f.Records, NoRequest: f.NoRequest, Rejected: f.Rejected, Skipped: f.Skipped,
			Reasons: f.Reasons, SHA256: f.SHA256, Warnings: f.Warnings,
		})
	}
	s.Clients, s.ClientsExact = i.clients.count()
	s.Endpoints, s.TopEndpoints = i.endpoints()
	i.times(&s)
	s.Warnings = append(s.Warnings, i.warnings(&s)...)
	return s
}

// endpoints returns the number of path templates and the most frequent of them, ties by pattern.
func (i *Inspection) endpoints() (n int64, top []Endpoint) {
	for _, t := range i.paths.Set().Templates() {
		n++
		top = append(top, Endpoint{Path: t.Pattern, Answered: t.Count})
	}
	slices.SortStableFunc(top, func(a, b Endpoint) int { return cmp.Compare(b.Answered, a.Answered) })
	return n, top[:min(len(top), i.options.Top)]
}

// times fills in what the starts of the records tell.
func (i *Inspection) times(s *Summary) {
	if i.first > i.last {
		return
	}
	shape := i.seconds.shape()
	s.FirstStart, s.LastStart = stamp(i.first), stamp(i.last)
	s.PeakSecond, s.PeakSecondAt = shape.peak, stamp(shape.peakAt*1e9)
	s.PeakSliding = Range{AtLeast: max(shape.peak, i.sliding.peak), AtMost: shape.pair}
	if i.fine && s.Disorder.LateLines == 0 {
		s.PeakSliding.AtMost = s.PeakSliding.AtLeast // every window was seen
	}
	s.BusySeconds = shape.busy
	s.LongestGap.Seconds = shape.gap
	if shape.gap > 0 {
		s.LongestGap.After = stamp(shape.gapAfter * 1e9)
	}
}

// warnings names what makes the statistics, or a replay, less than they seem.
func (i *Inspection) warnings(s *Summary) []string {
	var w []string
	all := int64(0)
	for _, n := range i.seconds.minutes {
		all += n
	}
	for minute, n := range i.seconds.minutes {
		if 2*n > all && i.last-i.first > int64(2*time.Hour) {
			w = append(w, fmt.Sprintf("%d %% of the requests stand in minute :%02d of the hour: the time stamps look rewritten", 100*n/all, minute))
		}
	}
	if s.Lines > 0 && s.Rejected*100 > s.Lines {
		w = append(w, fmt.Sprintf("%.1f %% of the lines were rejected", 100*float64(s.Rejected)/float64(s.Lines)))
	}
	if !s.ClientsExact {
		w = append(w, fmt.Sprintf("more than %d clients: the number is an estimate", i.options.Clients))
	}
	if n := i.seconds.dropped; n > 0 {
		w = append(w, fmt.Sprintf("%d requests lie in hours beyond the memory bound and are in no peak and no gap", n))
	}
	return w
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
