package inspect

import "bytes"

// agentKind is what a user agent says of itself.
type agentKind uint8

const (
	agentBot    agentKind = 1 << iota // a crawler, a monitor, a library or a tool
	agentHealth                       // the health check of a load balancer, an orchestrator or a monitor
)

// botWords are what programs call themselves in a user agent, in lower case.
var botWords = wordList("bot crawl spider slurp curl/ wget/ python- monitor check feed scan http-client httpclient go-http")

// healthWords are the names of health checks, in lower case: those of Kubernetes, AWS (load balancer and Route 53), Google
// Cloud, HAProxy and Consul, of the Nagios family, and of monitoring services.
var healthWords = wordList("kube-probe elb-healthchecker route53-health-check googlehc haproxy consul check_http nagios zabbix icinga " +
	"uptimerobot uptime-kuma pingdom statuscake site24x7 betteruptime healthcheck health-check")

func wordList(words string) [][]byte { return bytes.Fields([]byte(words)) }

// maxAgent is how many bytes of a user agent are looked at.
const maxAgent = 512

// kindOf looks for the words of programs. It allocates nothing.
func kindOf(agent []byte) agentKind {
	var lower [maxAgent]byte
	n := copy(lower[:], agent)
	for i, c := range lower[:n] {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	kind := agentKind(0)
	if containsAny(lower[:n], healthWords) {
		kind |= agentHealth | agentBot
	}
	if containsAny(lower[:n], botWords) {
		kind |= agentBot
	}
	return kind
}

func containsAny(text []byte, words [][]byte) bool {
	for _, word := range words {
		if bytes.Contains(text, word) {
			return true
		}
	}
	return false
}

// maxHealthName is the length of the longest name in isHealthPath.
const maxHealthName = 13

// isHealthPath tells the paths that servers give to health checks by custom: by their last segment, or as a whole where
// the word is used for other things as well.
func isHealthPath(path []byte) bool {
	for len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	at := bytes.LastIndexByte(path, '/')
	name := path[at+1:]
	if at < 0 || len(name) < 4 || len(name) > maxHealthName {
		return false
	}
	var lower [maxHealthName]byte
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	switch string(lower[:len(name)]) {
	case "health", "healthz", "healthcheck", "health-check", "health_check", "health.php", "healthy", "livez", "readyz", "liveness", "readiness",
		"heartbeat", "_health", "__heartbeat__", "elb-status", "lb-status", "nginx_status", "stub_status", "server-status":
		return true
	case "ping", "live", "ready", "status", "alive", "up.php":
		return at == 0
	}
	return false
}

// isLoopback tells the addresses of the server itself.
func isLoopback(client []byte) bool {
	return bytes.HasPrefix(client, []byte("127.")) || string(client) == "::1" || string(client) == "localhost" ||
		bytes.HasPrefix(client, []byte("::ffff:127.")) || bytes.HasPrefix(client, []byte("unix:"))
}
