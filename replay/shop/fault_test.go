package shop_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reprise/replay/shop"
)

func TestFaultSpecJSON(t *testing.T) {
	const wire = `{"seed":9,"stall":{"after":"10s","for":"2s"},"slow":[{"endpoint":"GET /search","latency":"50ms"}],` +
		`"reject":{"share":0.1,"concurrency":4,"queue":8,"status":503},"errors":{"share":0.01},"reset":{"share":0.001}}`
	var got shop.FaultSpec
	if err := json.Unmarshal([]byte(wire), &got); err != nil {
		t.Fatal(err)
	}
	want := shop.FaultSpec{
		Seed:   9,
		Stall:  &shop.Stall{After: 10 * time.Second, For: 2 * time.Second},
		Slow:   []shop.Slow{{Endpoint: "GET /search", Latency: 50 * time.Millisecond}},
		Reject: &shop.Reject{Share: 0.1, Concurrency: 4, Queue: 8, Status: 503},
		Errors: &shop.Errors{Share: 0.01},
		Reset:  &shop.Break{Share: 0.001},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	back, err := json.Marshal(got)
	if err != nil || string(back) != wire {
		t.Errorf("wrote %s (error %v), want %s", back, err, wire)
	}
	if empty, _ := json.Marshal(shop.FaultSpec{}); string(empty) != "{}" {
		t.Errorf("no faults are written as %s, want {}", empty)
	}
}

// TestFaultSpecRoundTrip draws valid specs: writing and reading gives the same spec, and it can be set.
func TestFaultSpecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		share := rapid.Float64Range(0, 1)
		span := func(name string, most time.Duration) time.Duration {
			return time.Duration(rapid.Int64Range(1, int64(most)).Draw(t, name))
		}
		spec := shop.FaultSpec{Seed: rapid.Uint64().Draw(t, "seed")}
		if rapid.Bool().Draw(t, "stall") {
			spec.Stall = &shop.Stall{After: span("after", time.Hour), For: span("for", time.Minute)}
		}
		if rapid.Bool().Draw(t, "slow") {
			spec.Slow = []shop.Slow{{Endpoint: "/x", Latency: span("latency", 30*time.Second)}}
		}
		if rapid.Bool().Draw(t, "reject") {
			spec.Reject = &shop.Reject{Share: share.Draw(t, "share"), Concurrency: rapid.IntRange(1, 9).Draw(t, "k"), Queue: rapid.IntRange(0, 9).Draw(t, "n")}
		}
		if rapid.Bool().Draw(t, "errors") {
			spec.Errors = &shop.Errors{Share: share.Draw(t, "share"), Status: rapid.IntRange(500, 599).Draw(t, "status")}
		}
		wire, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		var back shop.FaultSpec
		if err := json.Unmarshal(wire, &back); err != nil || !reflect.DeepEqual(back, spec) {
			t.Fatalf("%s came back as %+v (error %v), want %+v", wire, back, err, spec)
		}
		if _, err := shop.NewFaults(spec); err != nil {
			t.Fatal(err)
		}
	})
}

func TestFaultSpecRefused(t *testing.T) {
	f := func(name string, spec shop.FaultSpec) {
		t.Helper()
		if _, err := shop.NewFaults(spec); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	f("a stall without length", shop.FaultSpec{Stall: &shop.Stall{}})
	f("a stall over a minute", shop.FaultSpec{Stall: &shop.Stall{For: 61 * time.Second}})
	f("a stall in the past", shop.FaultSpec{Stall: &shop.Stall{After: -1, For: 1}})
	f("no latency", shop.FaultSpec{Slow: []shop.Slow{{Endpoint: "/x"}}})
	f("a malformed pattern", shop.FaultSpec{Slow: []shop.Slow{{Endpoint: "GET {", Latency: 1}}})
	f("an empty pattern", shop.FaultSpec{Slow: []shop.Slow{{Latency: 1}}})
	f("one pattern twice", shop.FaultSpec{Slow: []shop.Slow{{Endpoint: "/x", Latency: 1}, {Endpoint: "/x", Latency: 2}}})
	f("a share over 1", shop.FaultSpec{Reject: &shop.Reject{Share: 1.01}})
	f("no number as a share", shop.FaultSpec{Errors: &shop.Errors{Share: math.NaN()}})
	f("a negative share", shop.FaultSpec{Reset: &shop.Break{Share: -0.1}})
	f("a queue to nothing", shop.FaultSpec{Reject: &shop.Reject{Queue: 3}})
	f("a rejection by 404", shop.FaultSpec{Reject: &shop.Reject{Share: 1, Status: 404}})
	f("an error of 200", shop.FaultSpec{Errors: &shop.Errors{Share: 1, Status: 200}})
	for _, wire := range []string{`{"stal":{}}`, `{"stall":{"for":"2s","at":"1s"}}`, `{"stall":{"for":2}}`, `{"stall":{"for":"2"}}`, `{"slow":[{"path":"/x"}]}`, `[]`} {
		var spec shop.FaultSpec
		if err := json.Unmarshal([]byte(wire), &spec); err == nil {
			t.Errorf("%s was read as %+v", wire, spec)
		}
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	s := open(t, small)
	h := s.Handler()
	const spec = `{"errors":{"share":1,"status":599}}`
	if w := ask(h, "POST", "/faults", "", spec); w.Code != 200 || !strings.Contains(w.Body.String(), `"faults":`+spec) {
		t.Fatalf("POST /faults: %d %s", w.Code, w.Body)
	}
	if code := ask(h, "GET", "/products/1", "", "").Code; code != 599 {
		t.Errorf("status %d with the fault on, want 599", code)
	}
	var status shop.FaultStatus
	if err := json.Unmarshal(ask(h, "GET", "/faults", "", "").Body.Bytes(), &status); err != nil || status.Requests != 1 {
		t.Errorf("GET /faults: %+v (error %v), want one request counted", status, err)
	}
	for _, path := range []string{"/metrics", "/fingerprint", "/catalogue"} {
		if code := ask(h, "GET", path, "", "").Code; code != 200 {
			t.Errorf("%s: status %d with every request failing, want 200", path, code)
		}
	}
	if code := ask(h, "POST", "/reset", "", "").Code; code != 200 {
		t.Errorf("/reset: status %d, want 200", code)
	}
	if n := s.Faults().Status().Requests; n != 0 {
		t.Errorf("%d requests counted after the reset, want 0", n)
	}
	for _, bad := range []string{"", "{", `{"errors":{"share":2}}`, `{"unknown":1}`} {
		if code := ask(h, "POST", "/faults", "", bad).Code; code != 400 {
			t.Errorf("POST /faults %q: status %d, want 400", bad, code)
		}
	}
	if code := ask(h, "GET", "/healthz", "", "").Code; code != 599 {
		t.Errorf("status %d after refused settings, want the fault still on", code)
	}
	ask(h, "POST", "/faults", "", "{}")
	if code := ask(h, "GET", "/healthz", "", "").Code; code != 200 {
		t.Errorf("status %d with the faults off, want 200", code)
	}
}
