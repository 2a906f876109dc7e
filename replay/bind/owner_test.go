package bind_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/replay/bind"
	"reprise/replay/plan"
	"reprise/replay/shop"
)

const shopRules = `entities:
  user: {ids: users, identity: true, header: X-User}
  profile: {ids: users, at: ["/users/{id}"], owner: user}
  product: {ids: products, at: ["/products/{id}"]}
  order: {ids: orders, at: ["/orders/{id}"], owner: user}
bodies:
  - {on: POST /cart/items, body: '{"product_id": {product}, "quantity": 1}'}
  - {on: POST /orders, body: '{"items": [{"product_id": {product}, "quantity": 2}]}'}
`

// ask sends the arrival to the handler as the engine would and returns the status.
func ask(h http.Handler, a *plan.Arrival) int {
	r := httptest.NewRequest(a.Method, string(a.Target), strings.NewReader(string(a.Body)))
	for line := range strings.SplitSeq(strings.TrimSuffix(string(a.Header), "\r\n"), "\r\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

func openShop(t testing.TB, o shop.Options) (*shop.Shop, bind.Catalogue) {
	t.Helper()
	s, err := shop.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	listed, err := s.Catalogue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(listed)
	if err != nil {
		t.Fatal(err)
	}
	c, err := bind.ReadCatalogue(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// TestStatusesAgainstTheShop makes a production of its own: users with orders and ids that the shop has
// never heard of. After binding the shop must answer what production answered.
func TestStatusesAgainstTheShop(t *testing.T) {
	s, c := openShop(t, shop.Options{Seed: 3, Products: 80, Users: 60, Orders: 200})
	rapid.Check(t, func(rt *rapid.T) {
		arrivals := production(rt)
		b, err := bind.New(parse(t, shopRules), c, rapid.Uint64().Draw(rt, "seed"))
		if err != nil {
			rt.Fatal(err)
		}
		for i, a := range bound(b, arrivals...) {
			if a.Withheld != plan.Sent {
				rt.Fatalf("arrival %d is withheld: %q", i, a.Withheld)
			}
			if got := ask(s.Handler(), &a); got != int(a.Status) {
				rt.Fatalf("arrival %d, %s %s with %q: status %d, production said %d", i, a.Method, a.Target, a.Header, got, a.Status)
			}
		}
	})
}

// production draws requests and answers them by the shop's rules: 25 users, of whom the first 15 own the
// orders whose number modulo 25 is theirs; products from 900 on are gone.
func production(rt *rapid.T) []plan.Arrival {
	var arrivals []plan.Arrival
	for range rapid.IntRange(1, 120).Draw(rt, "requests") {
		who := rapid.IntRange(0, 24).Draw(rt, "user")
		u := user(byte(who + 1))
		switch rapid.IntRange(0, 6).Draw(rt, "kind") {
		case 0:
			p, status := rapid.IntRange(860, 930).Draw(rt, "product"), uint16(200)
			if p >= 900 {
				status = 404
			}
			arrivals = append(arrivals, request(u, status, "GET", fmt.Sprintf("/products/7000%d", p)))
		case 1:
			n, status := rapid.IntRange(0, 60).Draw(rt, "order"), uint16(403)
			switch owner := n % 25; {
			case owner >= 15:
				status = 404 // nobody has such an order
			case owner == who:
				status = 200
			case rapid.Bool().Draw(rt, "logged out"):
				status = 401
			}
			arrivals = append(arrivals, request(u, status, "GET", fmt.Sprintf("/orders/800000%d", n)))
		case 2:
			arrivals = append(arrivals, request(u, 201, "POST", "/orders"))
		case 3:
			arrivals = append(arrivals, request(u, 201, "POST", "/cart/items"))
		case 4:
			arrivals = append(arrivals, request(u, 401, "POST", "/cart/items"))
		case 5:
			arrivals = append(arrivals, request(u, 200, "GET", "/cart"))
		case 6:
			arrivals = append(arrivals, request(u, 200, "GET", fmt.Sprintf("/users/600%d", who)))
		}
	}
	return arrivals
}

func TestOwnersKeepTheirOrders(t *testing.T) {
	c := fixture(5, 10)
	b := binder(t, shopRules, c)
	owner := make(map[string]string)
	for _, it := range c["orders"] {
		owner[it.ID] = it.Owner
	}
	who := func(a *plan.Arrival) string {
		return strings.TrimSuffix(strings.TrimPrefix(string(a.Header), "X-User: "), "\r\n")
	}
	got := bound(b, request(user(1), 200, "GET", "/orders/900000001"), request(user(1), 200, "GET", "/orders/900000002"),
		request(user(1), 200, "GET", "/orders/900000003"), request(user(2), 403, "GET", "/orders/900000001"),
		request(user(2), 403, "GET", "/orders/900000009"), request(user(1), 200, "GET", "/users/61"))
	for i := range 3 {
		if id := strings.TrimPrefix(string(got[i].Target), "/orders/"); owner[id] != who(&got[i]) {
			t.Errorf("arrival %d: order %s of user %s is asked for by %s", i, id, owner[id], who(&got[i]))
		}
	}
	if string(got[0].Target) == string(got[1].Target) {
		t.Error("two orders are bound to one although the user has two")
	}
	for i := 3; i < 5; i++ {
		if id := strings.TrimPrefix(string(got[i].Target), "/orders/"); owner[id] == who(&got[i]) || owner[id] == "" {
			t.Errorf("arrival %d: order %s of user %q is asked for by %s, want it refused", i, id, owner[id], who(&got[i]))
		}
	}
	if string(got[5].Target) != "/users/"+who(&got[5]) {
		t.Errorf("the own profile of user %s is %s", who(&got[5]), got[5].Target)
	}
	for _, e := range b.Report().Entities {
		if e.Name == "order" && (e.Folded != 1 || e.Unbound != 0) {
			t.Errorf("report %+v, want the third order of a user with two folded", e)
		}
	}
}

// TestOwnersMeetOwners: a fixture user without orders must not become an owner while others have some.
func TestOwnersMeetOwners(t *testing.T) {
	c := fixture(5, 50)
	c["orders"] = []bind.Item{{ID: "1", Owner: "17"}, {ID: "2", Owner: "31"}, {ID: "3", Owner: "31"}}
	b := binder(t, shopRules, c)
	var arrivals []plan.Arrival
	for n := range 30 {
		for range 10 {
			arrivals = append(arrivals, request(user(byte(n+1)), 200, "GET", "/cart"))
		}
	}
	arrivals = append(arrivals, request(user(200), 200, "GET", "/orders/91"), request(user(201), 200, "GET", "/orders/92"),
		request(user(201), 200, "GET", "/orders/93"))
	got := bound(b, arrivals...)
	f := func(i int, header string, targets ...string) {
		t.Helper()
		a := got[i]
		for _, target := range targets {
			if a.Withheld == plan.Sent && string(a.Header) == header && string(a.Target) == target {
				return
			}
		}
		t.Errorf("%s as %q (withheld %q), want %s as %q", a.Target, a.Header, a.Withheld, targets, header)
	}
	f(300, "X-User: 17\r\n", "/orders/1")
	f(301, "X-User: 31\r\n", "/orders/2", "/orders/3")
	f(302, "X-User: 31\r\n", "/orders/2", "/orders/3")
}

// FuzzTarget gives rules and targets of any shape: nothing may panic, and a target that could stand in a
// request line must still be able to.
func FuzzTarget(f *testing.F) {
	f.Add("/products/{id}", "/products/7?sku=8&sku=&=&&")
	f.Add("?sku", "/?sku=1?sku=2&sku=3")
	f.Add("/a/{x}//{id}/", "/a/b//c/")
	f.Add("/cart?sku", "/cart?sku=%0d%0a&sku=a%20b")
	f.Fuzz(func(t *testing.T, at, target string) {
		rules := &bind.Rules{Entities: map[string]bind.Entity{
			"a": {IDs: "products", At: []string{at}},
			"b": {IDs: "products", At: []string{"/products/{id}", "?sku"}},
		}}
		b, err := bind.New(rules, fixture(3, 3), 1)
		if err != nil {
			return
		}
		clean := !strings.ContainsAny(target, "\r\n ")
		a := bound(b, request(user(1), 200, "GET", target))[0]
		if clean && strings.ContainsAny(string(a.Target), "\r\n ") {
			t.Errorf("%q became %q", target, a.Target)
		}
		if a.Withheld != plan.Sent {
			t.Errorf("%q is withheld although the fixture has products", target)
		}
	})
}

// FuzzParse gives rule files of any shape; an error names the file.
func FuzzParse(f *testing.F) {
	f.Add(goodRules)
	f.Add("entities: &a {x: {ids: y, at: ['?z'], owner: *a}}")
	f.Add("bodies:\n- on: [\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := bind.Parse(strings.NewReader(text), "bind.yaml")
		if (r == nil) == (err == nil) || err != nil && !strings.HasPrefix(err.Error(), "bind.yaml:") {
			t.Errorf("rules %v, error %v", r, err)
		}
	})
}
