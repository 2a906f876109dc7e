package anonymize

import (
	"errors"
	"fmt"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

const (
	labelUser   = pseudonym.LabelUser
	labelClient = pseudonym.LabelClient
	labelAgent  = pseudonym.LabelAgent
)

// DefaultCache is the number of finished pseudonyms that each worker keeps.
const DefaultCache = 1 << 15

// Options say how records are made clean. The zero value is usable.
type Options struct {
	// CacheEntries is the number of finished pseudonyms of values that a worker keeps, and that of visitors, 128 bytes
	// each; 0 = DefaultCache.
	CacheEntries int
	// Refuse is told by Stream of every record that has no clean form, in input order. Its error stops the
	// stream and is passed on. nil = such records are counted only.
	Refuse func(ingest.Pos, Refusal) error
	// Rules say what stays and what belongs together; nil = rules.Default().
	Rules *rules.Rules
	// Observe is told every replaced value but secrets and degrees, decoded, and its pseudonym before it is encoded, with
	// the entity of both. The slices are borrowed. It is called by the worker that has the record, so only one worker may
	// run; nil = nobody is.
	Observe func(entity string, value, pseudonym []byte)
}

func (o *Options) validate() error {
	if o.CacheEntries < 0 || o.CacheEntries > 1<<24 {
		return fmt.Errorf("cache entries: %d is not from 0 to %d", o.CacheEntries, 1<<24)
	}
	if o.CacheEntries == 0 {
		o.CacheEntries = DefaultCache
	}
	if o.Rules == nil {
		o.Rules = rules.Default()
	}
	return nil
}

// Anonymizer makes raw records clean. It is one worker, not safe for concurrent use; Fork makes another one that
// shares keys and tables. Stream runs several.
type Anonymizer struct {
	options Options
	set     *endpoint.Set
	mapper  *pseudonym.Mapper // of id
	id      *entity           // of values that have no other
	named   []*entity         // of the rules, in their order
	places  *places
	policy  *policy
	headers headerPolicy
	shift   int64 // added to all instants, in microseconds
	ipKey   []byte

	addresses addressMap
	cache     *cache
	visitors  *visitors
	counts    counts
	request
	layers  layers
	out     []byte // a pseudonym before it is encoded
	key     []byte // a decoded query key
	scratch []byte // a stack of values that are taken apart or mapped again
	depth   int    // of layers of JSON, base64 and tokens that are open
	text    []byte // an encoded value
	cookies []byte // the pairs of the record's cookies
	hostBuf []byte
	hosts   map[string]string
	methods map[string]string
	usual   string // the last method that stayed; most requests have the same
	agents  map[string]agentEntry
}

// request is what is known of the record at hand.
type request struct {
	method   string
	template *endpoint.Template
	placed   []*pathPlace // that fit the path
	reading  bool         // the user is read from places
	userRank int          // of the place of userText; noUser for none
	userText []byte
	claimed  int // claims at places of the user that were seen so far, of all records
}

// noUser is beyond the rank of any place.
const noUser = 1 << 30

// New returns an Anonymizer for a key and the path templates of the service. With nil for set, no path has a template and
// every segment is replaced.
func New(key *Key, set *endpoint.Set, o Options) (*Anonymizer, error) {
	if key == nil {
		return nil, errors.New("anonymize needs a key")
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if set == nil {
		set = endpoint.NewLearner().Set()
	}
	named, err := newEntities(key.secret[:], o.Rules)
	if err != nil {
		return nil, err
	}
	p := newPlaces(o.Rules, set)
	a := &Anonymizer{options: o, set: set, named: named, places: p, policy: newPolicy(o.Rules, p, set), headers: newHeaderPolicy(o.Rules, p),
		shift: shiftOf(key.secret[:], o.Rules.Shift), ipKey: addressKey(key.secret[:], o.Rules.IP.Mode),
		id: &entity{name: defaultEntity, mapper: pseudonym.NewMapper(key.secret[:], defaultEntity), use: useValue}}
	return a, a.init()
}

// init makes what one worker has for itself.
func (a *Anonymizer) init() (err error) {
	a.mapper = a.id.mapper
	a.addresses, err = newAddressMap(a.ipKey, a.options.Rules.IP.Mode)
	a.counts = newCounts(len(a.policy.slots))
	a.cache, a.visitors = newCache(a.options.CacheEntries), newVisitors(a.options.CacheEntries)
	a.hosts, a.methods, a.agents = make(map[string]string), make(map[string]string), make(map[string]agentEntry)
	return err
}

// Fork returns an Anonymizer for another worker, with empty statistics. It may be used at the same time as a.
func (a *Anonymizer) Fork() *Anonymizer {
	f := &Anonymizer{options: a.options, set: a.set, places: a.places, policy: a.policy, headers: a.headers, shift: a.shift,
		id: a.id.fork(), ipKey: a.ipKey}
	for _, e := range a.named {
		f.named = append(f.named, e.fork())
	}
	if err := f.init(); err != nil {
		panic("anonymize: " + err.Error()) // New has made one from the same key
	}
	return f
}

// Stats says what became of the records so far, those of Stream included once it has ended.
func (a *Anonymizer) Stats() Stats { return a.counts.stats(a.policy.slots) }

// Record makes in clean. The slices of out are reused; its strings may be kept. The error is a Refusal, and out
// means nothing then. In the steady state a record costs no allocation.
func (a *Anonymizer) Record(in *ingest.Record, out *trace.Record) error {
	if r := a.clean(in, out); r != 0 {
		return r
	}
	return nil
}

// clean is Record with 0 for success.
func (a *Anonymizer) clean(in *ingest.Record, out *trace.Record) Refusal {
	if r := a.fill(in, out); r != 0 {
		a.counts.refused[r]++
		return r
	}
	a.counts.records++
	if out.Endpoint[0] == '{' {
		a.counts.unmatched++
	}
	return 0
}

func (a *Anonymizer) fill(in *ingest.Record, out *trace.Record) Refusal {
	method, refused := a.methodOf(in.Method)
	switch {
	case refused != 0:
		return refused
	case len(in.Target) == 0 || len(in.Target) > MaxTarget:
		return RefusedTarget
	case in.Status < 0 || in.Status > 999:
		return RefusedStatus
	}
	a.method, a.reading, a.userRank = method, true, noUser
	out.Start = floor(in.Start, 1000) + a.shift
	out.Coarse = coarse(in.Precision)
	out.Duration, out.Bytes = trace.Unknown, trace.Unknown
	if in.Duration >= 0 {
		out.Duration = in.Duration / 1000
	}
	if in.Bytes >= 0 {
		out.Bytes = in.Bytes
	}
	out.Status = uint16(in.Status)
	out.Method = method
	client, agent, visitor := a.visitor(out.Client[:0], in.Client, in.Agent)
	out.Client, out.Agent = client, agent
	target, template := a.target(out.Target[:0], in.Target)
	out.Target, out.Endpoint = target, template.Pattern
	host, _, _ := splitPort(in.Host)
	out.Host = a.host(host)
	out.Header = a.header(out.Header[:0], in)
	out.User = a.identity(in.User, visitor)
	return 0
}

// floor divides and rounds down, also below zero.
func floor(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// coarse is the resolution of a log's time as a power of ten in microseconds.
func coarse(p ingest.Precision) uint8 {
	switch p {
	case ingest.PrecisionSecond:
		return 6
	case ingest.PrecisionMillisecond:
		return 3
	}
	return 0
}
