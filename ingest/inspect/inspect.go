package inspect

import (
	"math"

	"github.com/cespare/xxhash/v2"

	"reprise/anonymize/endpoint"
	"reprise/ingest"
)

// Options bounds what an Inspection keeps. The zero value takes the defaults.
type Options struct {
	Clients int // counted exactly, by hash; 0 = 65,536
	Paths   int // distinct reduced paths from which endpoints are learned; 0 = 16,384
	Top     int // endpoints listed; 0 = 10
}

func (o Options) withDefaults() Options {
	if o.Clients <= 0 {
		o.Clients = 1 << 16
	}
	if o.Paths <= 0 {
		o.Paths = 1 << 14
	}
	if o.Top <= 0 {
		o.Top = 10
	}
	return o
}

const (
	// pathBytes bounds the bytes of a path that an Inspection may keep, on average.
	pathBytes = 96
	// knownClients and knownAgents are how many of the latest ones need no second look, powers of two.
	knownClients = 4096
	knownAgents  = 4096
)

// Inspection collects statistics over the records of one file, or of several by Merge. It takes a few megabytes,
// whatever the file holds. It is not safe for concurrent use.
type Inspection struct {
	options  Options
	spans    []span // of the files, the one at work last
	fine     bool   // a stamp was finer than a second
	window   window
	clients  *distinct
	paths    *endpoint.Learner
	repeats  *repeats
	methods  [len(methods)]int64
	statuses statuses
	shares   Shares
	known    [knownClients]knownClient
	agents   [knownAgents]knownAgent
}

// span is from the first to the last start of a file's records, in nanoseconds since the Unix epoch.
type span struct{ first, last int64 }

func (s span) empty() bool { return s.first > s.last }

var noSpan = span{math.MaxInt64, math.MinInt64}

// knownClient is a client by its hash, which is 0 in a free place.
type knownClient struct {
	hash      uint64
	household uint64 // endpoint.ClientHash
}

// knownAgent is a user agent by its hash, with its kind in the lowest bits. It is 0 in a free place.
type knownAgent uint64

// New returns an empty Inspection.
func New(o Options) *Inspection {
	o = o.withDefaults()
	return &Inspection{
		options: o, spans: []span{noSpan}, window: window{out: newSeries(seriesMemory)}, clients: newDistinct(o.Clients),
		paths: endpoint.NewBoundedLearner(o.Paths, o.Paths*pathBytes), repeats: newRepeats(),
	}
}

// Add counts one record, and keeps nothing of it.
func (i *Inspection) Add(r *ingest.Record) {
	now := &i.spans[len(i.spans)-1]
	now.first, now.last = min(now.first, r.Start), max(now.last, r.Start)
	i.fine = i.fine || r.Precision != ingest.PrecisionSecond
	i.window.add(r.Start)
	i.statuses.add(r.Status)
	client := i.client(r.Client)
	if isLoopback(r.Client) {
		i.shares.Loopback++
	}
	path := endpoint.Path(r.Target)
	i.paths.Add(path, client.household, r.Status)
	method := methodOf(r.Method)
	i.methods[method]++
	agent, kind := i.agent(r.Agent)
	i.shares.add(r, method, kind, isHealthPath(path))
	i.repeats.add(endpoint.Mix(endpoint.Mix(client.hash^uint64(method))^xxhash.Sum64(path))^agent, r, method, path)
}

// client counts a client, unless it is one of the latest.
func (i *Inspection) client(client []byte) *knownClient {
	hash := xxhash.Sum64(client)
	known := &i.known[hash%knownClients]
	if known.hash != hash || hash == 0 {
		i.clients.add(hash)
		*known = knownClient{hash: hash, household: endpoint.ClientHash(client)}
	}
	return known
}

// agent returns the hash of a user agent and its kind.
func (i *Inspection) agent(agent []byte) (hash uint64, kind agentKind) {
	const bits = uint64(agentKinds - 1)
	hash = xxhash.Sum64(agent)
	known := &i.agents[hash%knownAgents]
	if uint64(*known)&^bits != hash&^bits || *known == 0 {
		*known = knownAgent(hash&^bits | uint64(kindOf(agent)))
	}
	return hash, agentKind(uint64(*known) & bits)
}

// Merge adds what o counted of other files. Both must have the same Options. All of a Summary but two things is that of
// one Inspection that saw all records, and all of it is independent of the order of merging: the sliding peak is that of
// the busiest file at least, and a repeated request is one that comes often in one of the files. o is used up.
func (i *Inspection) Merge(o *Inspection) {
	i.end()
	o.end()
	i.spans = append(i.spans[:len(i.spans)-1], o.spans...)
	i.fine = i.fine || o.fine
	i.window.merge(&o.window)
	i.clients.merge(o.clients)
	i.paths.Merge(o.paths)
	i.repeats.merge(o.repeats)
	for m, n := range o.methods {
		i.methods[m] += n
	}
	i.statuses.merge(&o.statuses)
	i.shares.merge(&o.shares)
}

// end closes the file at work.
func (i *Inspection) end() {
	if !i.spans[len(i.spans)-1].empty() {
		i.spans = append(i.spans, noSpan)
	}
	i.window.end()
	i.repeats.end()
}
