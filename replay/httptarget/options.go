package httptarget

import (
	"errors"
	"fmt"
	"net/url"
)

// Policy says when a connection is used again.
type Policy string

// The policies.
const (
	PolicyReuse Policy = "reuse"    // any idle connection, the most recently used first
	PolicyNew   Policy = "new"      // one connection per request
	PolicyUser  Policy = "per-user" // connections belong to a user and are not shared between users
)

// HostHeader says what the Host header of a request is.
type HostHeader string

// The choices.
const (
	HostTarget HostHeader = "target" // the target's own name
	HostLogged HostHeader = "logged" // the arrival's, where it has one
)

// Options of a Target.
type Options struct {
	// URL is the target: http:// or https://, host and optional port, no path.
	URL string
	// Guard decides which hosts may be dialled.
	Guard Guard
	// Agent is the User-Agent of requests that have none of their own. Empty means "reprise".
	Agent string
	// HostHeader chooses the Host header. Empty means HostTarget.
	HostHeader HostHeader
	// Policy chooses connections. Empty means PolicyReuse. PolicyUser is not available for https; without MaxConns
	// it keeps 1,024 idle connections, those used last.
	Policy Policy
	// MaxConns limits the connections; shots beyond it queue. 0 means no limit.
	MaxConns int
	// RejectStatus lists the statuses that count as a rejection. Nil means 429 and 503.
	RejectStatus []int
	// MaxHeaderBytes and MaxBodyBytes limit a response. 0 means 64 KiB and 1 GiB.
	MaxHeaderBytes int
	MaxBodyBytes   int64
	// Insecure accepts any certificate. CA is a PEM bundle to trust instead of the system's.
	Insecure bool
	CA       []byte
}

const (
	defaultHeaderBytes = 64 << 10
	defaultBodyBytes   = 1 << 30
)

// validate fills in the defaults and parses the URL.
func (o Options) validate() (Options, *url.URL, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return o, nil, errors.New("target: not a URL") // the parser's error quotes the text
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return o, nil, errors.New("target: the URL must start with http:// or https://")
	case u.Hostname() == "":
		return o, nil, errors.New("target: the URL has no host")
	case u.User != nil:
		return o, nil, errors.New("target: the URL must not hold a user or password")
	case u.Path != "" && u.Path != "/", u.RawQuery != "", u.Fragment != "":
		return o, nil, errors.New("target: the URL must end after host and port; paths come from the plan")
	case o.MaxConns < 0 || o.MaxHeaderBytes < 0 || o.MaxBodyBytes < 0:
		return o, nil, errors.New("target: limits must not be negative")
	case len(o.CA) > 0 && u.Scheme != "https":
		return o, nil, errors.New("target: a CA bundle is for https only")
	}
	o.Policy, o.HostHeader = orDefault(o.Policy, PolicyReuse), orDefault(o.HostHeader, HostTarget)
	switch o.Policy {
	case PolicyReuse, PolicyNew:
	case PolicyUser:
		if u.Scheme == "https" {
			return o, nil, errors.New("target: connections per user are not available for https")
		}
	default:
		return o, nil, fmt.Errorf("target: connection policy %q is none of reuse, new, per-user", o.Policy)
	}
	if o.HostHeader != HostTarget && o.HostHeader != HostLogged {
		return o, nil, fmt.Errorf("target: host header %q is none of target, logged", o.HostHeader)
	}
	if o.RejectStatus == nil {
		o.RejectStatus = []int{429, 503}
	}
	for _, s := range o.RejectStatus {
		if s < 200 || s > 999 {
			return o, nil, fmt.Errorf("target: reject status %d is outside 200..999", s)
		}
	}
	o.Agent = orDefault(o.Agent, "reprise")
	if !cleanValue(o.Agent) {
		return o, nil, errors.New("target: the user agent holds control characters")
	}
	o.MaxHeaderBytes = orDefault(o.MaxHeaderBytes, defaultHeaderBytes)
	o.MaxBodyBytes = orDefault(o.MaxBodyBytes, defaultBodyBytes)
	return o, u, nil
}

func orDefault[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}
