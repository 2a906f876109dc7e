package shop_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"reprise/replay/shop"
)

// small keeps seeding below 20 ms.
var small = shop.Options{Seed: 7, Products: 60, Users: 20, Orders: 40}

func open(t testing.TB, o shop.Options) *shop.Shop {
	t.Helper()
	s, err := shop.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing the shop: %v", err)
		}
	})
	return s
}

// ask sends one request to h in process. user "" sends none.
func ask(h http.Handler, method, target, user, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if user != "" {
		r.Header.Set("X-User", user)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestStatuses(t *testing.T) {
	h := open(t, small).Handler()
	f := func(want int, method, target, user, body string) {
		t.Helper()
		if got := ask(h, method, target, user, body).Code; got != want {
			t.Errorf("%s %s as %q with %q: status %d, want %d", method, target, user, body, got, want)
		}
	}
	f(200, "GET", "/", "", "")
	f(404, "GET", "/nothing/here", "", "")
	f(200, "GET", "/healthz", "", "")
	f(200, "HEAD", "/healthz", "", "")
	f(405, "POST", "/healthz", "", "")

	f(200, "GET", "/products", "", "")
	f(200, "GET", "/products?page=2&cat=lamps", "", "")
	f(200, "GET", "/products?page=1000000", "", "")
	f(400, "GET", "/products?page=0", "", "")
	f(400, "GET", "/products?page=x", "", "")
	f(400, "GET", "/products?cat="+strings.Repeat("x", 201), "", "")
	f(200, "GET", "/products/60", "", "")
	f(404, "GET", "/products/61", "", "")
	f(404, "GET", "/products/0", "", "")
	f(404, "GET", "/products/-1", "", "")
	f(404, "GET", "/products/abc", "", "")
	f(404, "GET", "/products/99999999999999999999", "", "")
	f(405, "DELETE", "/products/1", "", "")
	f(200, "GET", "/search?q=amber", "", "")
	f(200, "GET", "/search", "", "")
	f(400, "GET", "/search?q="+strings.Repeat("x", 201), "", "")
	f(200, "GET", "/users/20", "", "")
	f(404, "GET", "/users/21", "", "")

	f(401, "GET", "/cart", "", "")
	f(401, "GET", "/cart", "x", "")
	f(401, "GET", "/cart", "21", "")
	f(200, "GET", "/cart", "1", "")
	f(405, "PUT", "/cart", "1", "")
	f(201, "POST", "/cart/items", "1", `{"product_id":3,"quantity":2}`)
	f(401, "POST", "/cart/items", "", `{"product_id":3,"quantity":2}`)
	f(404, "POST", "/cart/items", "1", `{"product_id":61,"quantity":2}`)
	f(400, "POST", "/cart/items", "1", `{"product_id":3,"quantity":0}`)
	f(400, "POST", "/cart/items", "1", `{"product_id":3,"quantity":100}`)
	f(400, "POST", "/cart/items", "1", `{"product_id":"3"}`)
	f(400, "POST", "/cart/items", "1", `{`)
	f(400, "POST", "/cart/items", "1", ``)
	f(413, "POST", "/cart/items", "1", strings.Repeat(" ", 1<<17))

	f(201, "POST", "/orders", "2", `{"items":[{"product_id":1,"quantity":1}]}`)
	f(201, "POST", "/orders", "1", "") // from the cart filled above
	f(409, "POST", "/orders", "1", "") // which is empty now
	f(409, "POST", "/orders", "1", `{"items":[]}`)
	f(400, "POST", "/orders", "1", `[1]`)
	f(400, "POST", "/orders", "1", `{"items":[{"product_id":1,"quantity":-1}]}`)
	f(400, "POST", "/orders", "1", `{"items":[`+strings.Repeat(`{"product_id":1,"quantity":1},`, 100)+`{"product_id":1,"quantity":1}]}`)
	f(404, "POST", "/orders", "1", `{"items":[{"product_id":61,"quantity":1}]}`)
	f(401, "POST", "/orders", "99", `{"items":[{"product_id":1,"quantity":1}]}`)
	f(200, "GET", "/orders/41", "2", "")
	f(403, "GET", "/orders/41", "1", "")
	f(401, "GET", "/orders/41", "", "")
	f(404, "GET", "/orders/43", "1", "")
	f(405, "GET", "/orders", "1", "")
}

func TestUserFromCookie(t *testing.T) {
	h := open(t, small).Handler()
	r := httptest.NewRequest("GET", "/cart", nil)
	r.AddCookie(&http.Cookie{Name: "user", Value: "5"})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var cart struct{ User int64 }
	if err := json.Unmarshal(w.Body.Bytes(), &cart); err != nil || cart.User != 5 {
		t.Fatalf("cart of user %d, want 5 (error %v)", cart.User, err)
	}
}

func TestOrderFromCart(t *testing.T) {
	h := open(t, small).Handler()
	ask(h, "POST", "/cart/items", "4", `{"product_id":9,"quantity":60}`)
	ask(h, "POST", "/cart/items", "4", `{"product_id":9,"quantity":60}`) // stops at 99
	ask(h, "POST", "/cart/items", "4", `{"product_id":2,"quantity":1}`)
	var prices [2]struct {
		PriceCents int64 `json:"price_cents"`
	}
	for i, path := range []string{"/products/9", "/products/2"} {
		if err := json.Unmarshal(ask(h, "GET", path, "", "").Body.Bytes(), &prices[i]); err != nil {
			t.Fatal(err)
		}
	}
	want := 99*prices[0].PriceCents + prices[1].PriceCents
	var placed struct {
		ID         int64 `json:"id"`
		TotalCents int64 `json:"total_cents"`
	}
	if err := json.Unmarshal(ask(h, "POST", "/orders", "4", "").Body.Bytes(), &placed); err != nil {
		t.Fatal(err)
	}
	if placed.ID != 41 || placed.TotalCents != want {
		t.Errorf("order %d of %d cents, want order 41 of %d", placed.ID, placed.TotalCents, want)
	}
	if body := ask(h, "GET", "/cart", "4", "").Body.String(); !strings.Contains(body, `"items":[]`) {
		t.Errorf("the cart is not empty after the order: %s", body)
	}
}

func TestCatalogue(t *testing.T) {
	h := open(t, small).Handler()
	var c shop.Catalogue
	if err := json.Unmarshal(ask(h, "GET", "/catalogue", "", "").Body.Bytes(), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Products) != 60 || len(c.Users) != 20 || len(c.Orders) != 40 {
		t.Fatalf("catalogue of %d products, %d users, %d orders; want 60, 20, 40", len(c.Products), len(c.Users), len(c.Orders))
	}
	for _, o := range c.Orders {
		if code := ask(h, "GET", "/orders/"+itoa(o.ID), itoa(o.User), "").Code; code != 200 {
			t.Errorf("order %d of user %d: status %d, want 200", o.ID, o.User, code)
		}
	}
}
