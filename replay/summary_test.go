package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay"
	"reprise/replay/latency"
	"reprise/replay/result"
)

// overloaded is the summary of a run in which most requests time out.
func overloaded(t *testing.T) *result.Summary {
	var s *result.Summary
	synctest.Test(t, func(t *testing.T) {
		totals, _ := run(t.Context(), t, at(every(4*time.Millisecond, 1500)...), newSlots(4, 25*time.Millisecond),
			replay.Options{Timeout: 500 * time.Millisecond})
		var err error
		s, err = replay.BuildSummary(totals, replay.Setup{
			Scenario: "browse", Seed: 7, Rate: 250, Duration: 6 * time.Second, ToolVersion: "test",
			Connections: result.Connections{Policy: "reuse"}, RejectStatus: "429,503", Arrivals: result.Arrivals{PlanSHA256: "aa"},
			Contract: map[string]string{"data_set": "d"},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	return s
}

func TestSummaryAddsUp(t *testing.T) {
	s := overloaded(t)
	if s.Version != 1 || s.Planned != 1500 || s.Offered != 1500 || s.Started != 1500 || s.Finished != 1500 || s.Completed+s.TimedOut != 1500 {
		t.Errorf("planned %d, offered %d, started %d, finished %d, completed %d, timed out %d", s.Planned, s.Offered, s.Started, s.Finished, s.Completed, s.TimedOut)
	}
	if s.OfferedRPS != 250 || math.Abs(s.RPSCompleted-float64(s.Completed)/s.WallSeconds) > .001 {
		t.Errorf("offered %g/s, completed %g/s", s.OfferedRPS, s.RPSCompleted)
	}
	if s.LatencyMS.P99 != 500 || s.LatencyMS.N != 1500 || s.Latency.P99CI95 != [2]float64{500, 500} {
		t.Errorf("latency %+v, %v", s.LatencyMS, s.Latency.P99CI95)
	}
	if share := float64(s.TimedOut) / 1500; math.Abs(s.Latency.Censored-share) > 1e-6 {
		t.Errorf("censored %g, want %g", s.Latency.Censored, share)
	}
	if s.TimedOutBy["first_byte"] != s.TimedOut || !s.Valid || s.LagMS.N != 1500 {
		t.Errorf("timed out by %v, valid %v, lag of %d", s.TimedOutBy, s.Valid, s.LagMS.N)
	}
	var planned, completed, timedOut int64
	for i := range s.Timeline.Planned {
		planned += s.Timeline.Planned[i]
		completed += s.Timeline.Completed[i]
		timedOut += s.Timeline.TimedOut[i]
	}
	if planned != 1500 || completed != s.Completed || timedOut != s.TimedOut || s.Timeline.InFlightMax[5] < 120 {
		t.Errorf("timeline %+v", s.Timeline)
	}
	if len(s.Endpoints) != 1 || s.Endpoints[0].Method != "GET" || s.Endpoints[0].LatencyMS.N != 1500 {
		t.Errorf("endpoints %+v", s.Endpoints)
	}
	h, err := latency.Decode(s.Latency.HDR)
	if err != nil || h.Count() != 1500 {
		t.Errorf("histogram of %v, %v", h, err)
	}
	for k, want := range map[string]string{"mode": "open", "timeout_ms": "500", "plan_sha256": "aa", "data_set": "d", "max_in_flight": "10000", "connections": "reuse max=0"} {
		if s.Contract[k] != want {
			t.Errorf("contract %s = %q, want %q", k, s.Contract[k], want)
		}
	}
}

// A real summary conforms to the published schema, and holds nothing that the schema does not name.
func TestSummaryConformsToItsSchema(t *testing.T) {
	b, err := json.Marshal(overloaded(t))
	if err != nil {
		t.Fatal(err)
	}
	var schema, document map[string]any
	if err := json.Unmarshal(result.Schema, &schema); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &document); err != nil {
		t.Fatal(err)
	}
	c := conformance{defs: schema["$defs"].(map[string]any)}
	c.check("summary", schema, document)
	for _, e := range c.errors {
		t.Error(e)
	}
	delete(document, "offered")
	document["mode"] = "half"
	document["extra"] = 1.0
	c.errors = nil
	c.check("summary", schema, document)
	if len(c.errors) != 3 {
		t.Errorf("three faults give %q", c.errors)
	}
}

// conformance checks the part of JSON Schema that the summary's schema uses.
type conformance struct {
	defs   map[string]any
	errors []string
}

func (c *conformance) fail(path, format string, args ...any) {
	c.errors = append(c.errors, path+": "+fmt.Sprintf(format, args...))
}

func (c *conformance) check(path string, schema map[string]any, v any) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = c.defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if want, ok := schema["const"]; ok && v != want {
		c.fail(path, "%v, want %v", v, want)
	}
	if enum, ok := schema["enum"].([]any); ok {
		found := false
		for _, e := range enum {
			found = found || e == v
		}
		if !found {
			c.fail(path, "%v is none of %v", v, enum)
		}
	}
	switch schema["type"] {
	case "object":
		o, ok := v.(map[string]any)
		if !ok {
			c.fail(path, "is no object")
			return
		}
		c.object(path, schema, o)
	case "array":
		l, ok := v.([]any)
		if !ok {
			c.fail(path, "is no array but %v", v)
		}
		for i, e := range l {
			c.check(fmt.Sprintf("%s[%d]", path, i), schema["items"].(map[string]any), e)
		}
	case "string":
		if _, ok := v.(string); !ok {
			c.fail(path, "is no string but %v", v)
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			c.fail(path, "is no boolean")
		}
	case "number", "integer":
		n, ok := v.(float64)
		if !ok || schema["type"] == "integer" && n != math.Trunc(n) {
			c.fail(path, "is no %v but %v", schema["type"], v)
		}
	default:
		c.fail(path, "has no type in the schema")
	}
}

func (c *conformance) object(path string, schema, o map[string]any) {
	props, _ := schema["properties"].(map[string]any)
	other, _ := schema["additionalProperties"].(map[string]any)
	for k, v := range o {
		switch p, ok := props[k].(map[string]any); {
		case ok:
			c.check(path+"."+k, p, v)
		case other != nil:
			c.check(path+"."+k, other, v)
		default:
			c.fail(path, "%s is not in the schema", k)
		}
	}
	required, _ := schema["required"].([]any)
	for _, k := range required {
		if _, ok := o[k.(string)]; !ok {
			c.fail(path, "%v is missing", k)
		}
	}
}

func TestSummaryOfAnInterruptedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(time.Second, cancel).Stop()
		totals, _ := run(ctx, t, at(every(300*time.Millisecond, 100)...), newSlots(1, time.Millisecond), replay.Options{})
		s, err := replay.BuildSummary(totals, replay.Setup{Duration: 30 * time.Second})
		if err != nil || s.Valid || s.Unsent != 96 || len(s.InvalidReasons) != 1 || !strings.HasPrefix(s.InvalidReasons[0], "interrupted: ") {
			t.Errorf("valid %v, unsent %d, %q, %v", s.Valid, s.Unsent, s.InvalidReasons, err)
		}
		// The plan offers 100 requests in 30 s, however much of it was sent.
		if s.OfferedRPS != 3.333 {
			t.Errorf("offered %g/s, want 3.333", s.OfferedRPS)
		}
		if s, err = replay.BuildSummary(totals, replay.Setup{}); err != nil || s.OfferedRPS != 3.333 {
			t.Errorf("without a duration: offered %g/s over the plan's 30 seconds, %v", s.OfferedRPS, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		// A closed loop offers what it starts: 4 x 10 in the second before the cut, whatever the drain takes.
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(999*time.Millisecond, cancel).Stop()
		totals, err := replay.RunClosed(ctx, at(0), newSlots(4, 100*time.Millisecond), nil, replay.ClosedOptions{Workers: 4, Duration: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		s, err := replay.BuildSummary(totals, replay.Setup{Duration: time.Minute})
		if err != nil || s.OfferedRPS != 40.04 || s.Offered != 40 || s.WallSeconds != 1 {
			t.Errorf("offered %d in %g s, %g/s, %v; want 40 in 0.999 s", s.Offered, s.WallSeconds, s.OfferedRPS, err)
		}
	})
}
