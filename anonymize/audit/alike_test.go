package audit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"reprise/anonymize/audit"
	"reprise/anonymize/rules"
)

// Forms of one address are one value, not values that were merged.
func TestFormsOfAnAddressAreOneValue(t *testing.T) {
	var log strings.Builder
	for _, ip := range []string{"203.0.113.77", "::ffff:203.0.113.77", "203.0.113.77:80", "203.0.113.77:81", "[::ffff:203.0.113.77]:443", "2001:db8::7", "2001:db8:0::7"} {
		fmt.Fprintf(&log, "192.0.2.1 - - [10/Oct/2025:13:55:01 +0000] \"GET /x?ip=%s HTTP/1.1\" 200 5 \"-\" \"M\"\n", ip)
	}
	c := newSubject(t, t.TempDir(), log.String(), rules.Default()).audit(t, nil).Check("collisions")
	if c.Status != audit.OK {
		t.Errorf("collisions is %q: %s", c.Status, c.Summary)
	}
}

// A list that repeats one id can meet another such list as often as one id meets another.
func TestRepeatedIdsMeetByChance(t *testing.T) {
	var log strings.Builder
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		id := 1_000_000 + r.IntN(9_000_000)
		fmt.Fprintf(&log, "192.0.2.1 - - [10/Oct/2025:13:55:01 +0000] \"GET /x?ids=%[1]d,%[1]d,%[1]d HTTP/1.1\" 200 5 \"-\" \"M\"\n", id)
	}
	c := newSubject(t, t.TempDir(), log.String(), rules.Default()).audit(t, nil).Check("survivors")
	if c.Status != audit.OK || c.Numbers["hits"] == 0 {
		t.Errorf("survivors is %q: %s %v", c.Status, c.Summary, c.Numbers)
	}
}

// Pseudonyms of numbers that are no cards can lie beside the ranges of the issuers, where nobody has a card.
func TestNumbersBesideTheRangesOfIssuersAreNoCards(t *testing.T) {
	s := shop(t)
	for number, want := range map[string]audit.Status{"2720990000000007": audit.Red, "2721000000000004": audit.OK, "2205000000000009": audit.OK,
		"6764000000000003": audit.OK, "3528000000000007": audit.Red, "3527000000000008": audit.OK} {
		c := s.leakOne(query("q="+number)).audit(t, func(o *audit.Options) { o.Logs, o.Endpoints, o.Key = nil, nil, nil }).Check("residual")
		if c.Status != want {
			t.Errorf("%s: residual is %q, want %q", number, c.Status, want)
		}
	}
}

// What pseudonyms let stay in a value, and a form that they keep, is no finding; the same with nothing changed is one.
func TestWhatStaysInAValueIsNoFinding(t *testing.T) {
	for _, value := range []string{"%7B%22ip%22%3A%22127.10.20.30%22%7D", "x%3D127.10.20.30%26y%3D7", "https%3A%2F%2Fbob%3Asecretpw@h.test%2F", "+@bob.smith", "hello,+@bob.smith"} {
		log := "192.0.2.1 - - [10/Oct/2025:13:55:01 +0000] \"GET /x?v=" + value + " HTTP/1.1\" 200 5 \"-\" \"M\"\n"
		s := newSubject(t, t.TempDir(), log, rules.Default())
		for _, c := range s.audit(t, nil).Checks {
			if c.Status == audit.Red {
				t.Errorf("%s: %s is red: %s", value, c.Name, c.Summary)
			}
		}
	}
}
