package audit

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
)

// detector finds what looks personal or secret in a decoded text, whatever the log was.
type detector struct {
	name string
	form *regexp.Regexp
	// real tells whether a match is the thing: checks that no expression can make. nil = every match is.
	real func(match []byte) bool
	// odds is the probability that a pseudonym of the layout of a match is one by chance; nil = that is never so.
	odds func(match []byte) float64
}

// mails are looked for in values, all others in whole texts. What has nothing but signs before the @ is the name of somebody
// after a space.
var mails = detector{"mail addresses", mailForm, func(m []byte) bool {
	local := m[:bytes.IndexAny(m, "@＠")]
	return len(bytes.TrimLeft(local, "+._%'-")) > 0 && !bytes.HasSuffix(m, []byte("@"+reserved)) && !bytes.HasSuffix(m, []byte(".example"))
}, nil}

var detectors = []detector{
	{"payment cards", regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){12,18}\b`), func(m []byte) bool {
		digits := keepDigits(m)
		return isCard(digits) && !isTestCard(digits)
	}, cardOdds},
	{"Chinese resident ids", regexp.MustCompile(`\b[1-8][0-9]{16}[0-9Xx]\b`), func(m []byte) bool {
		return isPerson(m) && !bytes.HasPrefix(m, []byte("999999")) && regions[string(m[:2])]
	}, func([]byte) float64 { return personOdds }},
	{"credentials", regexp.MustCompile(`(?i)\b(?:bearer|basic) +[a-z0-9+/._=-]{8,}`), nil, nil},
	{"access keys of clouds", regexp.MustCompile(`\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|gh[pousr]_[0-9A-Za-z]{36,}|xox[abprs]-[0-9A-Za-z-]{10,}|sk_live_[0-9A-Za-z]{16,})\b`), nil, nil},
	{"private keys", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----`), nil, nil},
	{"user and password of an address", regexp.MustCompile(`(?i)\b(?:` + schemes + `)://[^/?#@\s]{1,128}:[^/?#@\s]{1,128}@`), nil, nil},
}

// schemes are those of addresses with a user and a password; the pseudonym of an address has another one, but not another form.
const schemes = `https?|s?ftp|ftps|ssh|git|svn|wss?|rtsp|socks5?|ldaps?|smtps?|imaps?|rediss?|amqps?|mqtts?|mysql|mariadb|postgres|postgresql|mongodb|mongodb\+srv|nats|kafka`

// personOdds is the probability that 18 digits hold a region, a date within 250 years and a check digit.
const personOdds = 35. / 80 * 250 * 365 / 1e8 / 11

// cardOdds is the probability that a number begins like cards of its length, and has their check digit.
func cardOdds(m []byte) (p float64) {
	for _, prefix := range cardPrefixes[len(keepDigits(m))] {
		share := 1. / 9 // of the first digit, which is no zero
		for range len(prefix) - 1 {
			share /= 10
		}
		p += share / 10
	}
	return p
}

// tokenForm is that of JSON Web Tokens, which pseudonyms keep.
var tokenForm = regexp.MustCompile(`\beyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{4,}\.[0-9A-Za-z_-]{16,}`)

// regions are the first two digits of Chinese resident ids (GB/T 2260).
var regions = words(`11 12 13 14 15 21 22 23 31 32 33 34 35 36 37 41 42 43 44 45 46 50 51 52 53 54 61 62 63 64 65 71 81 82 83`)

func keepDigits(s []byte) (digits []byte) {
	for _, c := range s {
		if c >= '0' && c <= '9' {
			digits = append(digits, c)
		}
	}
	return digits
}

// residual is the scan of the trace alone.
type residual struct {
	found   map[string]int64
	chance  map[string]float64 // findings that chance explains
	sure    map[string]int64   // findings that are a whole value, whose pseudonym is never another one's form
	loose   bool               // the rules have numbers that can take any form
	details []string
	quads   int64 // public IPv4 addresses outside of the client
	tokens  int64 // JSON Web Tokens
	values  int64
	seen    *recent
}

func newResidual(r *rules.Rules) residual {
	s := residual{found: make(map[string]int64), chance: make(map[string]float64), sure: make(map[string]int64), seen: newRecent()}
	for _, e := range r.Entities {
		s.loose = s.loose || e.Format == rules.Int
	}
	return s
}

// whole tells whether a part of a text is a value by itself, or an element of a list.
func whole(text []byte, at []int) bool {
	const around = "=&/?,;| \n"
	return (at[0] == 0 || strings.IndexByte(around, text[at[0]-1]) >= 0) && (at[1] == len(text) || strings.IndexByte(around, text[at[1]]) >= 0)
}

// look scans a text of a record, and what stands in base64 in it.
func (s *residual) look(record int64, name string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	s.values++
	if s.seen.saw(0, raw) {
		return
	}
	text := unjson(unpercent(raw))
	s.scan(record, name, text)
	hidden(text, func(inner []byte) { s.scan(record, name+" in base64 or hex", unpercent(inner)) })
}

func (s *residual) scan(record int64, name string, text []byte) {
	s.tokens += int64(len(tokenForm.FindAll(text, -1)))
	for _, d := range detectors {
		s.detect(record, name, text, &d)
	}
}

// mail looks for addresses in a value.
func (s *residual) mail(record int64, f field, raw []byte) {
	if s.seen.saw(2, raw) {
		return
	}
	text := unjson(unpercent(raw))
	s.detect(record, f.String(), text, &mails)
	hidden(text, func(inner []byte) { s.detect(record, f.String()+" in base64 or hex", unpercent(inner), &mails) })
}

func (s *residual) detect(record int64, name string, text []byte, d *detector) {
	for _, at := range d.form.FindAllIndex(text, -1) {
		m := text[at[0]:at[1]]
		if d.odds != nil {
			if at[0] > 0 && (text[at[0]-1] == '.' || text[at[0]-1] == '+' && len(keepDigits(m)) <= 15) {
				continue // the digits of a fraction, or of a phone number
			}
		}
		exact := d.odds == nil || !s.loose && whole(text, at)
		if !exact {
			s.chance[d.name] += d.odds(m)
		}
		if d.real != nil && !d.real(m) {
			continue
		}
		if exact {
			s.sure[d.name]++
		}
		if s.found[d.name]++; s.found[d.name] <= 3 && len(s.details) < maxDetails {
			s.details = append(s.details, fmt.Sprintf("record %d, %s: %s, %d bytes", record, name, d.name, len(m)))
		}
	}
}

// record scans a record of the trace.
func (s *residual) record(n int64, r *trace.Record) {
	s.look(n, "target", r.Target)
	s.look(n, "host", []byte(r.Host))
	s.look(n, "user agent", []byte(r.Agent))
	s.look(n, "header", r.Header)
	if _, ok := addressIn(r.Client); !ok {
		s.look(n, "client", r.Client)
	}
	if s.seen.saw(1, r.Target) && len(r.Header) == 0 {
		return
	}
	for _, m := range quadForm.FindAll(unpercent(append(append([]byte(r.Host+" "), r.Target...), r.Header...)), -1) {
		if a, ok := addressIn(m); ok && isPublic4(a) {
			s.quads++
		}
	}
}

var quadForm = regexp.MustCompile(`\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b`)

func (s *residual) check(against bool) Check {
	c := Check{Name: "residual", Status: OK, Summary: fmt.Sprintf("no mail address, card, resident id, key or token in %d texts", s.values)}
	var names []string
	for _, d := range append([]detector{mails}, detectors...) {
		n := s.found[d.name]
		c.number(strings.ReplaceAll(d.name, " ", "_"), n)
		switch expected := s.chance[d.name]; {
		case s.sure[d.name] > 0, n > 0 && tail(n, expected) < chance:
			names = append(names, fmt.Sprintf("%d %s", n, d.name))
		case n > 0:
			c.detail("%d numbers look like %s, %.1f are chance", n, d.name, expected)
		}
	}
	if names != nil {
		c.red("do not hand the trace on; find what lets the value stay", "the trace holds what looks real: %s", strings.Join(names, ", "))
		c.Details = append(c.Details, s.details...)
	}
	c.number("public_ipv4", s.quads)
	if s.quads > 0 {
		c.detail("%d different places hold public IPv4 addresses that are no clients, as pseudonyms of addresses do", s.quads)
	}
	c.number("json_web_tokens", s.tokens)
	if s.tokens > 0 {
		c.detail("%d texts hold JSON Web Tokens, as pseudonyms of tokens are; whether one is of the log tells --against LOG", s.tokens)
	}
	if !against {
		c.detail("whether a phone number, an address or an account is a pseudonym tells only --against LOG")
	}
	return c
}
