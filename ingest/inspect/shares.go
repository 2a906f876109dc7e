package inspect

import (
	"bytes"

	"reprise/ingest"
)

// Shares counts the records that a replay must treat apart. A record may be in several of them.
type Shares struct {
	Bots         int64 `json:"bots"`             // the user agent names itself a crawler, a monitor or a tool
	HealthChecks int64 `json:"health_checks"`    // by the user agent, or by the path as servers name it by custom
	Loopback     int64 `json:"loopback"`         // from an address of the server itself
	Repeated     int64 `json:"repeated"`         // one client's same request, 100 times or more (see Repeat)
	Polling      int64 `json:"polling"`          // of Repeated: at a steady interval
	Mutating     int64 `json:"mutating"`         // methods that may change the target's data
	BodyMissing  int64 `json:"body_missing"`     // POST, PUT and PATCH: no access log holds the body
	AbsoluteURI  int64 `json:"absolute_uri"`     // proxy requests; a replay connects to its target only
	Connect      int64 `json:"connect"`          // tunnels, never replayed
	ClientGone   int64 `json:"client_gone"`      // status 499: the client left before the response
	NoStatus     int64 `json:"no_status"`        // the log tells no status: no response was sent
	NoDuration   int64 `json:"no_duration"`      // the log does not tell how long the response took
	DerivedStart int64 `json:"derived_starts"`   // start = logged end - duration
	Retried      int64 `json:"upstream_retries"` // more than one upstream server was tried
	Truncated    int64 `json:"truncated"`        // the server cut the line; the target may be incomplete
}

// effect is what a method does to the target.
type effect uint8

const (
	mutates effect = 1 << iota
	hasBody
	tunnels
)

// effects by the places of methods.
var effects = func() (e [len(methods)]effect) {
	for i, name := range methods {
		switch name {
		case "GET", "HEAD", "OPTIONS", "TRACE":
		case "CONNECT":
			e[i] = tunnels
		case "POST", "PUT", "PATCH":
			e[i] = mutates | hasBody
		default:
			e[i] = mutates
		}
	}
	return e
}()

// add counts a record; health tells whether its path is that of a health check.
func (s *Shares) add(r *ingest.Record, method uint8, agent agentKind, health bool) {
	if agent&agentBot != 0 {
		s.Bots++
	}
	if health || agent&agentHealth != 0 {
		s.HealthChecks++
	}
	if e := effects[method]; e != 0 {
		s.Mutating += int64(e & mutates)
		s.BodyMissing += int64(e & hasBody / hasBody)
		s.Connect += int64(e & tunnels / tunnels)
	}
	if len(r.Target) > 0 && r.Target[0] != '/' && bytes.Contains(r.Target, []byte("://")) {
		s.AbsoluteURI++
	}
	switch {
	case r.Status == 499:
		s.ClientGone++
	case r.Status <= 0:
		s.NoStatus++
	}
	if r.Duration == ingest.Unknown {
		s.NoDuration++
	}
	if r.Origin == ingest.OriginDerived {
		s.DerivedStart++
	}
	if r.Flags&ingest.FlagTruncated != 0 {
		s.Truncated++
	}
	if len(r.Upstream) > 0 && bytes.ContainsAny(r.Upstream, ",:") {
		var times [2]int64
		if len(r.UpstreamTimes(times[:0])) > 1 {
			s.Retried++
		}
	}
}

func (s *Shares) merge(o *Shares) {
	for _, n := range []struct{ to, from *int64 }{
		{&s.Bots, &o.Bots}, {&s.HealthChecks, &o.HealthChecks}, {&s.Loopback, &o.Loopback}, {&s.Mutating, &o.Mutating},
		{&s.BodyMissing, &o.BodyMissing}, {&s.AbsoluteURI, &o.AbsoluteURI}, {&s.Connect, &o.Connect}, {&s.ClientGone, &o.ClientGone},
		{&s.NoStatus, &o.NoStatus}, {&s.NoDuration, &o.NoDuration}, {&s.DerivedStart, &o.DerivedStart}, {&s.Retried, &o.Retried},
		{&s.Truncated, &o.Truncated},
	} {
		*n.to += *n.from
	}
}
