package inspect

import (
	"bytes"
	"math/bits"
	"strings"
)

// agentKind is what a user agent says of itself.
type agentKind uint8

const (
	agentBot    agentKind = 1 << iota // a crawler, a monitor, a library or a tool
	agentHealth                       // the health check of a load balancer, an orchestrator or a monitor
	agentKinds                        // all are below
)

// botWords are what programs call themselves in a user agent, in lower case.
const botWords = "bot crawl spider slurp curl/ wget/ python- monitor check feed scan http-client httpclient go-http"

// healthWords are the names of health checks, in lower case: those of Kubernetes, AWS (load balancer and Route 53), Google
// Cloud, HAProxy and Consul, of the Nagios family, and of monitoring services.
const healthWords = "kube-probe elb-healthchecker route53-health-check googlehc haproxy consul check_http nagios zabbix icinga " +
	"uptimerobot uptime-kuma pingdom statuscake site24x7 betteruptime healthcheck health-check"

// agentWord is a word of programs and what it tells of them.
type agentWord struct {
	text string
	kind agentKind
}

// agentWords are at most 64, of three bytes at least. agentStarts has for each of their first three places, and each byte
// in either case, a bit for every word that has it there: what is no beginning of a word is passed with three loads.
var agentWords, agentStarts = func() (words []agentWord, starts [3][256]uint64) {
	add := func(list string, kind agentKind) {
		for word := range strings.FieldsSeq(list) {
			for place := range starts {
				c := word[place]
				starts[place][c] |= 1 << len(words)
				if c >= 'a' && c <= 'z' {
					starts[place][c&^0x20] |= 1 << len(words)
				}
			}
			words = append(words, agentWord{word, kind})
		}
	}
	add(botWords, agentBot)
	add(healthWords, agentHealth|agentBot)
	return words, starts
}()

// maxAgent is how many bytes of a user agent are looked at.
const maxAgent = 512

// kindOf looks for the words of programs. It allocates nothing.
func kindOf(agent []byte) (kind agentKind) {
	agent = agent[:min(len(agent), maxAgent)]
	starts := &agentStarts
	for i := 2; i < len(agent); i++ {
		found := starts[0][agent[i-2]] & starts[1][agent[i-1]] & starts[2][agent[i]]
		for ; found != 0; found &= found - 1 {
			if w := &agentWords[bits.TrailingZeros64(found)]; hasFold(agent[i-2:], w.text) {
				kind |= w.kind
			}
		}
	}
	return kind
}

// hasFold tells whether text begins with a word in lower case, in either case of its own.
func hasFold(text []byte, word string) bool {
	if len(text) < len(word) {
		return false
	}
	for i, c := range text[:len(word)] {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// healthNames are the names that servers give to the paths of health checks by custom, in lower case, and whether a name is
// one only as the whole path, being used for other things as well.
var healthNames = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq("health healthz healthcheck health-check health_check health.php healthy livez readyz liveness " +
		"readiness heartbeat _health __heartbeat__ elb-status lb-status nginx_status stub_status server-status") {
		names[name] = false
	}
	for name := range strings.FieldsSeq("ping live ready status alive up.php") {
		names[name] = true
	}
	return names
}()

// maxHealthName is the length of the longest of healthNames.
const maxHealthName = 13

// endsHealthName holds the last bytes of healthNames, in either case.
var endsHealthName = func() (ends [256]bool) {
	for name := range healthNames {
		last := name[len(name)-1]
		ends[last] = true
		if last >= 'a' && last <= 'z' {
			ends[last&^0x20] = true
		}
	}
	return ends
}()

// isHealthPath looks for healthNames at the end of a path.
func isHealthPath(path []byte) bool {
	end := len(path)
	for end > 1 && path[end-1] == '/' {
		end--
	}
	if end == 0 || !endsHealthName[path[end-1]] { // most paths
		return false
	}
	at := end - 1
	for at > 0 && path[at] != '/' && end-at <= maxHealthName {
		at--
	}
	if path[at] != '/' {
		return false
	}
	var lower [maxHealthName]byte
	n := copy(lower[:], path[at+1:end])
	for i, c := range lower[:n] {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	whole, known := healthNames[string(lower[:n])]
	return known && (!whole || at == 0)
}

// isLoopback tells the addresses of the server itself.
func isLoopback(client []byte) bool {
	if len(client) == 0 {
		return false
	}
	switch client[0] {
	case '1':
		return bytes.HasPrefix(client, []byte("127."))
	case ':':
		return string(client) == "::1" || bytes.HasPrefix(client, []byte("::ffff:127."))
	case 'l':
		return string(client) == "localhost"
	case 'u':
		return bytes.HasPrefix(client, []byte("unix:"))
	}
	return false
}
