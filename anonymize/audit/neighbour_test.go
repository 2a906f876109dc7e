package audit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"reprise/anonymize/audit"
	"reprise/anonymize/rules"
	"reprise/anonymize/trace"
	"reprise/ingest"
)

// Next to a small special block the prefix-preserving map keeps most of an address: that whole networks stay where they
// are is no finding.
func TestNeighboursOfSpecialBlocksAreNoFinding(t *testing.T) {
	var log strings.Builder
	for _, network := range []string{"203.0.114", "203.0.112", "198.51.101", "192.0.3", "192.167.5", "172.32.9", "11.0.0", "100.128.7", "8.8.8", "223.255.255"} {
		for host := 1; host < 255; host++ {
			fmt.Fprintf(&log, "%s.%d - - [12/Mar/2025:10:%02d:%02d +0000] \"GET /items HTTP/1.1\" 200 512 \"-\" \"curl/8.5\"\n", network, host, host/60, host%60)
		}
	}
	report := newSubject(t, t.TempDir(), log.String(), rules.Default()).audit(t, nil)
	if c := report.Check("survivors"); !report.Green || c.Status == audit.Red {
		t.Errorf("%s: %s\n%s", c.Status, c.Summary, strings.Join(c.Details, "\n"))
	}
}

// One client that stays may be chance, once in a thousand logs: it is told, and not called fine.
func TestOneClientThatStaysIsTold(t *testing.T) {
	s := shop(t)
	var client []byte
	s.each(t, func(r *ingest.Record) {
		if client == nil || bytes.HasPrefix(r.Client, []byte("24")) { // of the many
			client = append(client[:0], r.Client...)
		}
	})
	i := 0
	leaky := s.leak(func(r *trace.Record) {
		if i == 7 {
			r.Client = client
		}
		i++
	})
	c := leaky.audit(t, func(o *audit.Options) { o.Key = nil }).Check("survivors")
	if c.Status != audit.Note || !strings.Contains(c.Summary, "1 of IPv4 addresses") || len(c.Details) < 2 {
		t.Errorf("%s: %s\n%s", c.Status, c.Summary, strings.Join(c.Details, "\n"))
	}
}

// What rules let into a trace of referers, cookies and headers is counted on both sides, the rest on none.
func TestDriftComparesWhatIsOnBothSides(t *testing.T) {
	r, err := rules.Parse([]byte("anonymize:\n  referer: same-rules\n"))
	if err != nil {
		t.Fatal(err)
	}
	const log = `192.0.2.7 - - [12/Mar/2025:10:00:00 +0000] "GET /users/7123456 HTTP/1.1" 200 512 "https://www.shop-nord.de/users/7123456?page=3" "curl/8.5"` + "\n"
	c := newSubject(t, t.TempDir(), strings.Repeat(log, 3), r).audit(t, nil).Check("drift")
	found := false
	for _, d := range c.Details {
		if strings.HasPrefix(d, "path segment:") {
			found = strings.Contains(d, "0.0 % have another layout") && strings.HasSuffix(d, " values, 6 before")
		}
	}
	if !found {
		t.Errorf("%s\n%s", c.Summary, strings.Join(c.Details, "\n"))
	}
}
