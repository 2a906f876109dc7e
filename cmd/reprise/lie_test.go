package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"reprise/anonymize/recordfile"
	"reprise/arrival"
	"reprise/replay/plan"
)

// A plan whose header says that it sends no writes is not believed, and one whose header makes no sense is
// bad input and no bug.
func TestPlanHeaderIsNotBelieved(t *testing.T) {
	var seen atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer target.Close()
	dir := t.TempDir()
	f := func(name, method string, terms plan.Terms, at int64, code int) {
		t.Helper()
		options, err := terms.Options()
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		w, err := plan.NewWriter(file, recordfile.Header{Tool: "test", Options: options})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(&plan.Arrival{At: at, Method: method, Target: []byte("/a"), Endpoint: "/a"}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(recordfile.Trailer{}); err != nil {
			t.Fatal(err)
		}
		reprise(t, dir, []string{"replay", name, "--target", target.URL, "-o", name + "-runs"}, code)
	}
	second := arrival.Terms{DurationSeconds: 1}
	f("delete", "DELETE", plan.Terms{Terms: second}, 0, exitUsage)
	f("post", "POST", plan.Terms{Terms: second}, 0, exitUsage)
	f("lower", "get", plan.Terms{Terms: second}, 0, exitUsage)
	f("timeout", "GET", plan.Terms{Terms: second, TimeoutMS: -5}, 0, exitInput)
	f("forever", "GET", plan.Terms{Terms: arrival.Terms{DurationSeconds: 1e300}}, 0, exitInput)
	f("nothing", "GET", plan.Terms{}, 0, exitInput)
	f("late", "GET", plan.Terms{Terms: second}, 400*86400*1e6, exitInput)
	f("rate", "GET", plan.Terms{Terms: second, OfferedRPS: 1e300, WarmupSeconds: 1}, 0, exitInput)
	if n := seen.Load(); n != 0 {
		t.Errorf("the target got %d requests", n)
	}
}
