package ingest_test

import (
	"strings"
	"testing"

	"reprise/ingest"
)

// What servers and their containers say of themselves, as `docker logs` and `kubectl logs` mix it in.
var serverMessages = []string{
	`2025/03/12 09:14:03 [notice] 1#1: using the "epoll" event method`,
	`2025/03/12 09:14:03 [error] 31#31: *1 open() "/srv/favicon.ico" failed (2: No such file or directory), client: 203.0.113.7, request: "GET /favicon.ico HTTP/1.1"`,
	`[Wed Mar 12 09:14:03.123456 2025] [core:notice] [pid 1:tid 1] AH00094: Command line: 'httpd -D FOREGROUND'`,
	`AH00558: httpd: Could not reliably determine the server's fully qualified domain name`,
	`I0312 09:14:03.123456       7 controller.go:190] "Configuration changes detected, backend reload required"`,
	`/docker-entrypoint.sh: Configuration complete; ready for start up`,
	`10-listen-on-ipv6-by-default.sh: info: Enabled listen on IPv6 in /etc/nginx/conf.d/default.conf`,
}

func TestTrap21ServerMessagesAreSkipped(t *testing.T) {
	for _, message := range serverMessages {
		for _, name := range []string{"common", "combined", "main", "vhost_common", "vhost_combined", "ingress", "docker+combined"} {
			l := message
			if name == "docker+combined" {
				l = inDocker(message+"\n", "stderr")
			}
			wantVerdict(t, name, l, ingest.Skip)
		}
		for n := range len(message) { // torn ones break nothing
			parse(t, "combined", message[:n])
			parse(t, "ingress", message[:n])
		}
	}
	for _, l := range []string{
		`203.0.113.7 - - [12/Mar/2025:09:14:03] "GET / HTTP/1.1"`, `2025/03/12 09:14:03 error`, `[12/Mar/2025:09:14:03 +0100] [x] "GET / HTTP/1.1" 200 1`,
		`Igor 09:14:03.123456 said so`, `AH0055 is no number`, `10-things.sh`, `/docker-entrypoint`,
	} {
		if _, v := parse(t, "combined", l); !v.Rejected() {
			t.Errorf("%s: %v", l, v.Reason)
		}
	}
}

// An error log beside the access logs of a folder is read as what it is.
func TestErrorLogHoldsNoRequests(t *testing.T) {
	_, rep := readText(t, strings.Repeat(serverMessages[1]+"\n", 20), ingest.Options{})
	equal(t, "skipped", rep.Skipped, 20)
	equal(t, "rejected", rep.Rejected, 0)
	equal(t, "title", strings.HasPrefix(rep.Title, "no access lines"), true)
	_, rep = readText(t, strings.Join(serverMessages, "\n")+"\n"+line("/")+"\n"+line("/"), ingest.Options{})
	equal(t, "format", rep.Format, "combined")
	equal(t, "records", rep.Records, 2)
}
