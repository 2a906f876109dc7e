package synth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"reprise/replay/shop"
	"reprise/sample/synth"
)

// TestReferenceShopHoldsTheDataSet keeps the data set and the shop's own seeding in step, and proves that the
// shop answers every kind of request.
func TestReferenceShopHoldsTheDataSet(t *testing.T) {
	const seed, products, users = 11, 60, 20
	s, err := shop.Open(context.Background(), shop.Options{Path: t.TempDir() + "/shop.db", Seed: seed, Products: products, Users: users, Orders: 5})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	get := func(path string, into any) {
		t.Helper()
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, w.Code, err)
		}
	}
	for want := range synth.DataProducts(seed, products) {
		var got synth.Product
		if get(fmt.Sprintf("/products/%d", want.ID), &got); got != want {
			t.Errorf("the shop has %+v, the data set %+v", got, want)
		}
	}
	for want := range synth.DataUsers(seed, users) {
		var got synth.User
		if get(fmt.Sprintf("/users/%d", want.ID), &got); got != want {
			t.Errorf("the shop has %+v, the data set %+v", got, want)
		}
	}
	scenario := synth.P1()
	scenario.Products, scenario.Users, scenario.DurationSeconds = products, users, 1
	scenario.Mix = synth.Mix{Product: 1, List: 1, Order: 1}
	answers(t, s.Handler(), scenario)
}

// answers sends the scenario's requests to the shop in turn.
func answers(t *testing.T, s http.Handler, scenario synth.Scenario) {
	t.Helper()
	requests, err := scenario.Requests(1)
	if err != nil {
		t.Fatal(err)
	}
	for r := range requests {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, wire(t, r))
		want := http.StatusOK
		if r.Method == http.MethodPost {
			want = http.StatusCreated
		}
		if w.Code != want {
			t.Fatalf("%s %s %s: status %d, want %d", r.Method, r.Target, r.Body, w.Code, want)
		}
	}
}
