package anonymize

import (
	"bytes"
	"strings"

	"reprise/anonymize/endpoint"
	"reprise/anonymize/internal/pseudonym"
	"reprise/anonymize/trace"
)

// agentLimit is the number of user agents that a worker remembers.
const agentLimit = 8192

// family is one kind of user agent: the mark that tells it and the mark before its version.
type family struct {
	mark, name, version string
}

// families in the order in which they must be tried: browsers name those that they want to be taken for.
var families = []family{
	{"googlebot", "googlebot", "googlebot/"}, {"bingbot", "bingbot", "bingbot/"}, {"yandexbot", "yandexbot", "yandexbot/"},
	{"baiduspider", "baiduspider", ""}, {"duckduckbot", "duckduckbot", ""}, {"ahrefsbot", "ahrefsbot", ""},
	{"semrushbot", "semrushbot", ""}, {"mj12bot", "mj12bot", ""}, {"applebot", "applebot", ""}, {"yahoo! slurp", "slurp", ""},
	{"facebookexternalhit", "facebook", ""}, {"twitterbot", "twitterbot", ""}, {"uptimerobot", "uptimerobot", ""},
	{"wordpress/", "wordpress", "wordpress/"}, {"feedburner", "feedburner", ""}, {"feedfetcher", "feedfetcher", ""},
	{"bot", "bot", ""}, {"crawler", "bot", ""}, {"spider", "bot", ""},
	{"curl/", "curl", "curl/"}, {"wget/", "wget", "wget/"}, {"python-requests/", "python-requests", "python-requests/"},
	{"python", "python", ""}, {"go-http-client/", "go", "go-http-client/"}, {"okhttp/", "okhttp", "okhttp/"},
	{"apache-httpclient/", "apache-httpclient", "apache-httpclient/"}, {"java/", "java", "java/"}, {"libwww-perl", "perl", ""},
	{"postmanruntime/", "postman", "postmanruntime/"}, {"dalvik/", "dalvik", "dalvik/"}, {"cfnetwork/", "cfnetwork", ""},
	{"edge/", "edge", "edge/"}, {"edg/", "edge", "edg/"}, {"opr/", "opera", "opr/"}, {"opera", "opera", "version/"},
	{"samsungbrowser/", "samsung", "samsungbrowser/"}, {"ucbrowser/", "ucbrowser", "ucbrowser/"}, {"yabrowser/", "yabrowser", "yabrowser/"},
	{"crios/", "chrome", "crios/"}, {"fxios/", "firefox", "fxios/"}, {"headlesschrome/", "chrome-headless", "headlesschrome/"},
	{"chromium/", "chromium", "chromium/"}, {"chrome/", "chrome", "chrome/"}, {"firefox/", "firefox", "firefox/"},
	{"msie ", "ie", "msie "}, {"trident/", "ie", "rv:"}, {"safari/", "safari", "version/"}, {"applewebkit/", "webkit", ""},
	{"mozilla/", "mozilla", ""},
}

// maxAgent is how much of a user agent is looked at, in bytes.
const maxAgent = 512

// agentEntry is what is remembered of a user agent.
type agentEntry struct {
	family string
	digest [16]byte // keyed; stands for the user agent in identities
}

// agent returns family and major version, such as "chrome/86" or "other", and the digest of the user agent, of which the
// caller has cut off what is beyond maxAgent. No user agent has neither.
func (a *Anonymizer) agent(agent []byte) agentEntry {
	if len(agent) == 0 || string(agent) == "-" {
		return agentEntry{}
	}
	if e, ok := a.agents[string(agent)]; ok {
		return e
	}
	if len(a.agents) >= agentLimit {
		clear(a.agents)
	}
	e := agentEntry{family: familyOf(strings.ToLower(string(agent)))}
	copy(e.digest[:], a.mapper.Sum(labelAgent, agent)[:])
	a.agents[string(agent)] = e
	return e
}

func familyOf(agent string) string {
	for _, f := range families {
		if !strings.Contains(agent, f.mark) {
			continue
		}
		if f.version == "" {
			return f.name
		}
		_, after, found := strings.Cut(agent, f.version)
		n := 0
		for n < len(after) && after[n] >= '0' && after[n] <= '9' {
			n++
		}
		if !found || n == 0 || n > 3 {
			return f.name
		}
		return f.name + "/" + after[:n]
	}
	return "other"
}

// identity is the user's pseudonym: of the user field, else of the first place of the user that had a value, else that of
// the visitor.
func (a *Anonymizer) identity(user []byte, visitor trace.Pseudonym) trace.Pseudonym {
	switch {
	case len(user) > 0 && string(user) != "-":
		a.layers.decode(user, false)
		return a.person(a.layers.text)
	case a.userRank != noUser:
		return a.person(a.userText)
	}
	return visitor
}

// person is the identity of a user that is known by a name or number, decoded. The case counts but in mail addresses
// and UUIDs, and a phone number is one with +, with 00 and with separators.
func (a *Anonymizer) person(user []byte) (id trace.Pseudonym) {
	if a.key = a.key[:0]; pseudonym.IsPhone(user) {
		a.key = pseudonym.AppendE164(a.key, user)
	} else {
		a.key = append(a.key, user...)
	}
	if bytes.IndexByte(user, '@') >= 0 || endpoint.Classify(user) == endpoint.UUID {
		for i, c := range a.key {
			if c >= 'A' && c <= 'Z' {
				a.key[i] = c | 0x20
			}
		}
	}
	out, _, ok := a.cache.get(a.out[:0], useUser, a.key)
	if !ok {
		out = append(out, a.mapper.Sum(labelUser, a.key)[:len(id)]...)
		a.cache.put(useUser, a.key, out, kindNone)
	}
	a.out = out
	copy(id[:], out)
	return id
}
