package shop_test

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"reprise/replay/shop"
)

// sum adds up the samples of a metric whose labels contain each of the given texts.
func sum(t testing.TB, text, name string, labels ...string) (total float64) {
	t.Helper()
next:
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, name)
		if !ok || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		for _, label := range labels {
			if !strings.Contains(rest, label) {
				continue next
			}
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(rest[strings.LastIndexByte(rest, ' '):]), 64)
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		total += v
	}
	return total
}

func TestMetrics(t *testing.T) {
	h := open(t, small).Handler()
	for range 3 {
		ask(h, "GET", "/products/1", "", "")
	}
	ask(h, "GET", "/products/999", "", "")
	ask(h, "POST", "/products/1", "", "")
	ask(h, "GET", "/nowhere", "", "")
	ask(h, "POST", "/orders", "1", `{"items":[{"product_id":1,"quantity":1}]}`)
	ask(h, "POST", "/reset", "", "")
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	ask(h, "POST", "/faults", "", `{"stall":{"for":"1m"}}`)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/healthz", nil).WithContext(gone))
	ask(h, "POST", "/faults", "", `{"reject":{"share":1}}`)
	ask(h, "GET", "/users/1", "", "") // answered by a fault, yet counted at its endpoint
	text := ask(h, "GET", "/metrics", "", "").Body.String()

	f := func(want float64, name string, labels ...string) {
		t.Helper()
		if got := sum(t, text, name, labels...); got != want {
			t.Errorf("%s %v is %v, want %v", name, labels, got, want)
		}
	}
	f(9, "shop_requests_received_total", `plane="shop"`)
	f(4, "shop_requests_received_total", `plane="control"`)
	f(1, "shop_requests_aborted_total", `plane="shop"`)
	f(1, "shop_requests_in_flight", `plane="control"`) // the one that asks
	f(0, "shop_requests_in_flight", `plane="shop"`)
	f(3, "shop_requests_total", `endpoint="GET /products/{id}"`, `status="200"`)
	f(1, "shop_requests_total", `endpoint="GET /products/{id}"`, `status="404"`)
	f(1, "shop_requests_total", `endpoint="other"`, `status="405"`)
	f(1, "shop_requests_total", `endpoint="other"`, `status="404"`)
	f(1, "shop_requests_total", `endpoint="GET /users/{id}"`, `status="429"`)
	f(1, "shop_orders_total")
	f(1, "shop_resets_total")
	f(4, "shop_request_duration_seconds_count", `endpoint="GET /products/{id}"`)
	f(4, "shop_request_duration_seconds_bucket", `endpoint="GET /products/{id}"`, `le="+Inf"`)
	// Whatever was received is answered or aborted or in flight.
	if in, out := sum(t, text, "shop_requests_received_total"), sum(t, text, "shop_requests_total")+sum(t, text, "shop_requests_aborted_total")+sum(t, text, "shop_requests_in_flight"); in != out {
		t.Errorf("%v received, %v accounted for", in, out)
	}
}

// TestResetsByFaultsAreCounted: a connection that the shop breaks is received and aborted.
func TestResetsByFaultsAreCounted(t *testing.T) {
	o := small
	o.Faults = shop.FaultSpec{Reset: &shop.Break{Share: 1}}
	h := open(t, o).Handler()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the response was not aborted")
			}
		}()
		ask(h, "GET", "/healthz", "", "") // a recorder cannot be hijacked, so the handler aborts by panic
	}()
	text := ask(h, "GET", "/metrics", "", "").Body.String()
	if sum(t, text, "shop_requests_aborted_total", `plane="shop"`) != 1 || sum(t, text, "shop_requests_total", `endpoint="GET /healthz"`) != 0 {
		t.Errorf("the broken request is not counted as aborted alone:\n%s", text)
	}
}
