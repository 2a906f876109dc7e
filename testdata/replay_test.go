package testdata_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"reprise/replay/bind"
	"reprise/replay/plan"
	"reprise/replay/shop"
	"reprise/testdata"
)

// arrivals makes requests of log lines, with users as package anonymize tells them apart: by the user
// column, or else by address and agent.
func arrivals(entries []entry) []plan.Arrival {
	all := make([]plan.Arrival, 0, len(entries))
	for _, e := range entries {
		if e.method == "CONNECT" || !strings.HasPrefix(e.target, "/") {
			continue
		}
		who := e.user
		if who == "-" {
			who = e.client + " " + e.agent
		}
		a := plan.Arrival{Method: e.method, Target: []byte(e.target), Status: uint16(e.status)}
		sum := sha256.Sum256([]byte(who))
		copy(a.User[:], sum[:])
		all = append(all, a)
	}
	return all
}

// replay binds the arrivals to the shop's fixture and returns the share of those that it answers as the log says.
func replay(t *testing.T, all []plan.Arrival) (share float64, report bind.Report) {
	t.Helper()
	ctx := context.Background()
	s, err := shop.Open(ctx, shop.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	listed, err := s.Catalogue(ctx)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := bind.ReadCatalogue(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := bind.Parse(bytes.NewReader(testdata.ShopBind), "shop-bind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	b, err := bind.New(rules, catalogue, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		b.Learn(&all[i])
	}
	same := 0
	wrong := make(map[string]int)
	for i := range all {
		a := &all[i]
		b.Apply(a)
		r := httptest.NewRequest(a.Method, string(a.Target), bytes.NewReader(a.Body))
		if name, value, ok := strings.Cut(strings.TrimSpace(string(a.Header)), ": "); ok {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if w.Code == int(a.Status) && a.Withheld == plan.Sent {
			same++
			continue
		}
		path, _, _ := strings.Cut(string(a.Target), "?")
		wrong[a.Method+" "+path[:min(len(path), 12)]+" "+string(a.Withheld)]++
	}
	if len(wrong) > 0 {
		t.Logf("answered otherwise: %v", wrong)
	}
	return float64(same) / float64(len(all)), b.Report()
}

// TestStatusesOfThePeak is what the log is made for: the shop answers the demo's window as production did.
func TestStatusesOfThePeak(t *testing.T) {
	all, _ := entries(t)
	share, report := replay(t, arrivals(inPeak(all)))
	t.Logf("share %.4f, %+v", share, report)
	within(t, "share of statuses", share, .999, 1)
}

// TestStatusesOfTheDay binds the whole day, in which more people come than the fixture has users.
func TestStatusesOfTheDay(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole day takes some ten seconds")
	}
	all, _ := entries(t)
	share, report := replay(t, arrivals(all))
	t.Logf("share %.4f, %+v", share, report)
	within(t, "share of statuses", share, .99, 1)
}
