package audit

import (
	"bytes"
	"regexp"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/rules"
)

// field is a place of a request.
type field uint8

const (
	inClient field = iota
	inUser
	inHost
	inMethod
	inAgent
	inPath
	inName
	inQuery
	inSecret
	inFragment
	inReferer
	inCookie
	inHeader
	fields
)

var fieldWords = [fields]string{"client", "user", "host", "method", "user agent", "path segment", "parameter name", "query value", "secret value", "fragment",
	"referer", "cookie", "header"}

func (f field) String() string { return fieldWords[f] }

// walker goes over the parts of a request at which nothing of a log may stay, and leaves out those that the templates
// and the rules let stay.
type walker struct {
	set      *endpoint.Set
	rules    *rules.Rules
	named    map[string]bool // query keys that the rules name, in lower case; true for places of an entity
	learned  rules.Learned
	patterns map[string][]part
	visit    func(f field, raw []byte)
	kept     func(rule int, shape *rules.Shape, key, text []byte) // is told what a rule lets stay; nil = nobody is
}

// part is one segment of a pattern.
type part struct {
	literal string // "" for a variable one
	prefix  string // before its number
}

func newWalker(set *endpoint.Set, r *rules.Rules) *walker {
	w := &walker{set: set, rules: r, patterns: make(map[string][]part)}
	w.learned, _ = any(set).(rules.Learned)
	w.names()
	return w
}

// maxPatterns bounds the patterns that are remembered.
const maxPatterns = 1 << 16

// pattern splits the pattern of an endpoint.
func (w *walker) pattern(text string) []part {
	if parts, ok := w.patterns[text]; ok {
		return parts
	}
	var parts []part
	if text[0] == '/' {
		for s := range strings.SplitSeq(text, "/") {
			before, _, variable := strings.Cut(s, "{")
			switch {
			case s == "":
			case variable:
				parts = append(parts, part{prefix: before})
			default:
				parts = append(parts, part{literal: s})
			}
		}
	}
	if len(w.patterns) < maxPatterns {
		w.patterns[strings.Clone(text)] = parts
	}
	return parts
}

// publicPorts say nothing but the protocol, and 0 stands for all others.
var publicPorts = regexp.MustCompile(`:(80|443|8080|8443|0)?$`)

// target goes over a request target of an endpoint.
func (w *walker) target(method, pattern string, target []byte) {
	rest := target
	if rest[0] != '/' {
		if scheme, after, ok := bytes.Cut(rest, []byte("://")); ok && len(scheme) <= 8 {
			if s := strings.ToLower(string(scheme)); s != "http" && s != "https" {
				w.visit(inPath, scheme)
			}
			end := bytes.IndexAny(after, "/?#")
			if end < 0 {
				end = len(after)
			}
			w.authority(after[:end])
			rest = after[end:]
		} else if hostPort.Match(rest) {
			w.authority(rest)
			rest = nil
		}
	}
	rest, fragment, _ := bytes.Cut(rest, []byte{'#'})
	path, query, _ := bytes.Cut(rest, []byte{'?'})
	w.path(method, pattern, path)
	if len(query) > 0 {
		w.pairs(method, pattern, query, '&')
	}
	if len(fragment) > 0 {
		w.visit(inFragment, fragment)
	}
}

var hostPort = regexp.MustCompile(`^[A-Za-z0-9._\-\[\]:]+:[0-9]{1,5}$`)

// authority is [userinfo@]host[:port].
func (w *walker) authority(s []byte) {
	if i := bytes.LastIndexByte(s, '@'); i >= 0 {
		w.visit(inSecret, s[:i])
		s = s[i+1:]
	}
	w.host(publicPorts.ReplaceAll(s, nil))
}

func (w *walker) path(method, pattern string, path []byte) {
	parts := w.pattern(pattern)
	index := 0
	for whole := range bytes.SplitSeq(path, []byte{'/'}) {
		segment, params, more := bytes.Cut(whole, []byte{';'})
		if len(segment) > 0 {
			var p part
			if index < len(parts) {
				p = parts[index]
			}
			w.segment(segment, p)
			index++
		}
		if more {
			w.pairs(method, pattern, params, ';')
		}
	}
}

func (w *walker) segment(segment []byte, p part) {
	text := unpercent(segment)
	if p.literal != "" && string(text) == p.literal {
		return
	}
	stem, _ := endpoint.SplitExtension(text)
	if number, ok := bytes.CutPrefix(stem, []byte(p.prefix)); ok && onlyDigits(number) {
		stem = number
	}
	w.visit(inPath, stem)
}

// bareNames are words that may stand in a query alone, without a value.
var bareNames = words(`wsdl rss rss2 atom rdf json xml debug print nocache raw all none true false`)

func words(text string) map[string]bool {
	m := make(map[string]bool)
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}

// pairs goes over key=value pairs, in which a key or a value that rules or templates know may stay.
func (w *walker) pairs(method, pattern string, query []byte, separator byte) {
	for pair := range bytes.SplitSeq(query, []byte{separator}) {
		name, value, named := bytes.Cut(pair, []byte{'='})
		key := bytes.ReplaceAll(unpercent(name), []byte{'+'}, []byte{' '})
		if !w.keepsKey(key) && (named || !bareNames[string(key)]) {
			w.visit(inName, name)
		}
		if !named || len(value) == 0 {
			continue
		}
		if w.isSecret(key) {
			w.visit(inSecret, value)
			continue
		}
		text := unpercent(value)
		if separator == '&' {
			text = bytes.ReplaceAll(text, []byte{'+'}, []byte{' '})
		}
		if w.named[strings.ToLower(string(key))] {
			w.visit(inQuery, value)
			continue
		}
		shape, rule := w.keeps(method, pattern, key, text)
		switch {
		case shape == nil:
			w.visit(inQuery, value)
		case w.kept != nil:
			w.kept(rule, shape, key, text)
		}
	}
}

// serviceLabels say what a host is for, and nothing about whose it is.
var serviceLabels = words(`www www1 www2 api app apps static assets cdn img image images media m mobile admin blog shop store mail smtp imap
	ftp docs help support status dev test staging beta auth login sso ws files download downloads search news forum wiki git`)

// fakeHost is the form of a host's pseudonym.
var fakeHost = regexp.MustCompile(`^((?:[a-z0-9_-]+\.)*)([a-z2-7]{10,16})\.example$`)

// host goes over a host of a trace or a log. Of a pseudonym the labels that name a service and the end stay.
func (w *walker) host(host []byte) {
	if len(host) == 0 || strings.EqualFold(string(host), "localhost") {
		return
	}
	m := fakeHost.FindSubmatch(host)
	if m == nil {
		w.visit(inHost, host)
		return
	}
	w.visit(inHost, m[2])
	for label := range bytes.SplitSeq(m[1], []byte{'.'}) {
		if len(label) > 0 && !serviceLabels[string(label)] {
			w.visit(inHost, label)
		}
	}
}

// families are names of user agents that a trace may hold, with a major version.
var families = words(`googlebot bingbot yandexbot baiduspider duckduckbot ahrefsbot semrushbot mj12bot applebot slurp facebook twitterbot uptimerobot
	wordpress feedburner feedfetcher bot curl wget python-requests python go okhttp apache-httpclient java perl postman dalvik cfnetwork edge opera
	samsung ucbrowser yabrowser chrome firefox chrome-headless chromium ie safari webkit mozilla other`)

// agent goes over a user agent of a trace.
func (w *walker) agent(agent string) {
	name, version, _ := strings.Cut(agent, "/")
	if agent != "" && (!families[name] || len(version) > 3 || version != "" && !onlyDigits([]byte(version))) {
		w.visit(inAgent, []byte(agent))
	}
}
