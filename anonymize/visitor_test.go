package anonymize_test

import (
	"strings"
	"testing"

	"reprise/anonymize"
	"reprise/anonymize/trace"
)

// Visitors that share one entry of the table never share anything else, and what comes again is what came before.
func TestVisitorsAreNotMixedUp(t *testing.T) {
	long := strings.Repeat("a", 512)
	clients := []string{"", "198.51.100.7", "198.51.100.8", "2001:db8:1:2:3:4:5:6", "dialup.example", strings.Repeat("label.", 12) + "example"}
	agents := []string{"", "-", "curl/8.1", "Mozilla/5.0 Firefox/115.0", long}
	a, err := anonymize.New(testKey(t, 1), shop(t), anonymize.Options{CacheEntries: 1})
	if err != nil {
		t.Fatal(err)
	}
	look := func(client, agent string) *trace.Record {
		in := get("/")
		in.Client, in.Agent = []byte(client), []byte(agent)
		return clean(t, a, in)
	}
	users := map[trace.Pseudonym]string{}
	for _, client := range clients {
		for _, agent := range agents {
			first, second := look(client, agent), look(client, agent)
			if string(first.Client) != string(second.Client) || first.User != second.User || first.Agent != second.Agent {
				t.Errorf("%q with %q is %v, then %v", client, agent, first, second)
			}
			if who, taken := users[first.User]; taken && agent != "-" {
				t.Errorf("%q with %q is the user of %s", client, agent, who)
			}
			users[first.User] = client + " with " + agent
			if (first.User == trace.Pseudonym{}) != (client == "" && (agent == "" || agent == "-")) {
				t.Errorf("%q with %q has the identity %q", client, agent, first.User)
			}
		}
	}
	if look(clients[1], long).User != look(clients[1], long+"b").User {
		t.Error("what is beyond the length that is looked at makes another user")
	}
}
