package shop_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"reprise/replay/shop"
)

// An order changes the fingerprint, and a reset brings it back.
func Example() {
	ctx := context.Background()
	s, err := shop.Open(ctx, shop.Options{Products: 10, Users: 2, Orders: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	before, _ := s.Fingerprint(ctx)

	order := httptest.NewRequest("POST", "/orders", strings.NewReader(`{"items":[{"product_id":7,"quantity":2}]}`))
	order.Header.Set("X-User", "1")
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, order)
	soiled, _ := s.Fingerprint(ctx)
	fmt.Println(answer.Code, "orders:", soiled.Tables["orders"].Rows, "same:", soiled.Sum == before.Sum)

	if err := s.Reset(ctx); err != nil {
		fmt.Println(err)
	}
	after, _ := s.Fingerprint(ctx)
	fmt.Println("orders:", after.Tables["orders"].Rows, "same:", after.Sum == before.Sum)
	// Output:
	// 201 orders: 4 same: false
	// orders: 3 same: true
}
