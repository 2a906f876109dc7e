package bind_test

import (
	"strings"
	"testing"

	"reprise/replay/bind"
	"reprise/replay/plan"
)

func TestBody(t *testing.T) {
	rules := goodRules + `  - on: POST /orders
    type: text/plain
    body: 'u{user}p{product}o{order}{'
  - on: PUT /users/{user}/note
    body: ''
`
	b := binder(t, rules, bind.Catalogue{"products": {{ID: "5"}, {ID: "6"}}, "users": {{ID: "3"}}, "orders": {{ID: "8", Owner: "3"}}})
	got := bound(b, request(user(1), 201, "POST", "/cart/items?x"), request(user(1), 200, "GET", "/products/70"),
		request(user(1), 201, "POST", "/cart/items"), request(user(1), 404, "GET", "/products/71"),
		request(user(1), 201, "POST", "/orders"), request(user(1), 200, "PUT", "/users/9/note"),
		request(user(1), 405, "PUT", "/cart/items"), request(user(1), 201, "POST", "/cart/items/x"))
	seen := strings.TrimPrefix(string(got[1].Target), "/products/")
	f := func(i int, typ, body string) {
		t.Helper()
		if a := got[i]; a.Type != typ || string(a.Body) != body || a.Withheld != plan.Sent {
			t.Errorf("arrival %d: %s %q (withheld %q), want %s %q", i, a.Type, a.Body, a.Withheld, typ, body)
		}
	}
	f(2, "application/json", `{"product_id": `+seen+`, "quantity": 1}`)
	f(4, "text/plain", "u3p"+seen+"o8{") // not the product that is not there
	f(5, "application/json", "")
	f(6, "", "")
	f(7, "", "")
	if first := string(got[0].Body); first != `{"product_id": 5, "quantity": 1}` && first != `{"product_id": 6, "quantity": 1}` {
		t.Errorf("before the first touch the body is %s", first)
	}
}

// TestWithheldTouchesNothing has a request withheld for its body, after its target was bound.
func TestWithheldTouchesNothing(t *testing.T) {
	rules := strings.Replace(goodRules, "bodies:\n", "bodies:\n  - on: POST /products/{p}\n    body: 'p{product}o{order}'\n", 1)
	c := bind.Catalogue{"products": {{ID: "5"}, {ID: "6"}, {ID: "7"}}, "users": {{ID: "3"}}, "orders": nil}
	got := bound(binder(t, rules, c), request(user(1), 200, "GET", "/products/70"),
		request(user(1), 200, "POST", "/products/71"), request(user(1), 201, "POST", "/cart/items"),
		request(user(2), 200, "POST", "/products/71"), request(user(2), 201, "POST", "/cart/items"),
		request(user(3), 201, "POST", "/cart/items"),
		request(user(4), 200, "GET", "/products/70"), request(user(5), 200, "GET", "/products/70")) // the hottest, so bodies begin with it
	if got[1].Withheld != plan.Unbound || got[3].Withheld != plan.Unbound {
		t.Fatalf("%+v and %+v are to be withheld: there is no order", got[1], got[3])
	}
	seen := strings.TrimPrefix(string(got[0].Target), "/products/")
	if body := string(got[2].Body); body != `{"product_id": `+seen+`, "quantity": 1}` {
		t.Errorf("body %s after product %s was seen", body, seen)
	}
	if string(got[4].Body) != string(got[5].Body) {
		t.Errorf("body %s after a withheld request, %s after none", got[4].Body, got[5].Body)
	}
	c["orders"] = []bind.Item{{ID: "8", Owner: "3"}}
	sent := bound(binder(t, rules, c), request(user(1), 200, "GET", "/products/70"), request(user(1), 200, "POST", "/products/71"))[1]
	if want := "p" + strings.TrimPrefix(string(sent.Target), "/products/") + "o8"; string(sent.Body) != want {
		t.Errorf("body %s, want %s: it names the product of its own target", sent.Body, want)
	}
}
