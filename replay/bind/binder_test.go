package bind_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"reprise/anonymize/trace"
	"reprise/replay/bind"
	"reprise/replay/plan"
)

// fixture has products 1..products, users 1..users, and for every user two orders.
func fixture(products, users int) bind.Catalogue {
	c := bind.Catalogue{"products": nil, "users": nil, "orders": nil}
	for i := range products {
		c["products"] = append(c["products"], bind.Item{ID: fmt.Sprint(i + 1)})
	}
	for i := range users {
		c["users"] = append(c["users"], bind.Item{ID: fmt.Sprint(i + 1)})
		for k := range 2 {
			c["orders"] = append(c["orders"], bind.Item{ID: fmt.Sprint(100 + 2*i + k), Owner: fmt.Sprint(i + 1)})
		}
	}
	return c
}

func binder(t testing.TB, rules string, c bind.Catalogue) *bind.Binder {
	t.Helper()
	b, err := bind.New(parse(t, rules), c, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func user(n byte) trace.Pseudonym { return trace.Pseudonym{0: 0xaa, 15: n} }

func request(u trace.Pseudonym, status uint16, method, target string) plan.Arrival {
	return plan.Arrival{Method: method, Target: []byte(target), User: u, Status: status}
}

// bound runs the arrivals through b and returns them.
func bound(b *bind.Binder, arrivals ...plan.Arrival) []plan.Arrival {
	for i := range arrivals {
		b.Learn(&arrivals[i])
	}
	b.Settle()
	for i := range arrivals {
		b.Apply(&arrivals[i])
	}
	return arrivals
}

func TestNewRefuses(t *testing.T) {
	f := func(want string, c bind.Catalogue, rules *bind.Rules) {
		t.Helper()
		if _, err := bind.New(rules, c, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	good := parse(t, goodRules)
	without := func(list string) bind.Catalogue {
		c := fixture(3, 3)
		delete(c, list)
		return c
	}
	f(`no list "products"`, without("products"), good)
	f(`no list "orders"`, without("orders"), good)
	f("is empty", bind.Catalogue{"products": nil, "orders": nil, "users": nil}, good)
	c := fixture(3, 3)
	c["orders"][2].Owner = ""
	f("does not name the owner", c, good)
	f("entities: none", fixture(1, 1), &bind.Rules{})
	f("entities.a.owner", fixture(1, 1), &bind.Rules{Entities: map[string]bind.Entity{"a": {IDs: "users", At: []string{"?a"}, Owner: "b"}}})
	f("entities.a.at[0]", fixture(1, 1), &bind.Rules{Entities: map[string]bind.Entity{"a": {IDs: "users", At: []string{"a"}}}})
}

// TestPlaces binds the id 777 of the log to the only product 5, so that a 5 shows what was found.
func TestPlaces(t *testing.T) {
	c := bind.Catalogue{"products": {{ID: "5"}}}
	f := func(at, target, want string) {
		t.Helper()
		b, err := bind.New(&bind.Rules{Entities: map[string]bind.Entity{"p": {IDs: "products", At: []string{at}}}}, c, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := bound(b, request(user(1), 200, "GET", target))[0]
		if string(got.Target) != want || got.Withheld != plan.Sent {
			t.Errorf("%s in %s gives %s (withheld %q), want %s", at, target, got.Target, got.Withheld, want)
		}
	}
	same := func(at, target string) { t.Helper(); f(at, target, target) }
	f("/products/{id}", "/products/777", "/products/5")
	f("/products/{id}", "/products/777?page=777", "/products/5?page=777")
	f("/products/{id}", "/products/777?", "/products/5?")
	f("/products/{id}", "/products/a%20b", "/products/5")
	same("/products/{id}", "/products/777/")
	same("/products/{id}", "/products/")
	same("/products/{id}", "/products")
	same("/products/{id}", "/products/777/reviews")
	same("/products/{id}", "/productsx/777")
	same("/products/{id}", "/product/777")
	same("/products/{id}", "/shop/products/777")
	same("/products/{id}", "//products/777")
	same("/products/{id}", "/products//777")
	same("/products/{id}", "/?x=/products/777")
	same("/products/{id}", "*")
	same("/products/{id}", "http://h/products/777")
	f("/products/{id}/", "/products/777/", "/products/5/")
	same("/products/{id}/", "/products/777")
	f("/{id}", "/777", "/5")
	same("/{id}", "/")
	f("/users/{user}/items/{id}", "/users/3/items/777", "/users/3/items/5")
	f("/items/{id}/of/{user}", "/items/777/of/3", "/items/5/of/3")
	same("/users/{user}/items/{id}", "/users//items/777")

	f("?sku", "/a/b?sku=777", "/a/b?sku=5")
	f("?sku", "/?a=1&sku=777&b=2", "/?a=1&sku=5&b=2")
	f("?sku", "/?sku=777&sku=777", "/?sku=5&sku=5")
	f("?sku", "?sku=777", "?sku=5")
	same("?sku", "/?xsku=777&skux=777&SKU=777")
	same("?sku", "/?sku&sku=&a=sku=777")
	same("?sku", "/sku=777")
	f("?sku", "/?a&&sku=777", "/?a&&sku=5")
	f("/cart?sku", "/cart?sku=777", "/cart?sku=5")
	same("/cart?sku", "/cart/?sku=777")
	same("/cart?sku", "/carts?sku=777")
	f("/u/{name}/cart?sku", "/u/x/cart?sku=777", "/u/x/cart?sku=5")
}

func TestTwoEntitiesInOneTarget(t *testing.T) {
	b := binder(t, `entities:
  a: {ids: users, at: ["/u/{id}", "?u"]}
  b: {ids: products, at: ["?p", "/x?u"]}
`, bind.Catalogue{"users": {{ID: "1000001"}}, "products": {{ID: "2"}}})
	got := bound(b, request(user(1), 200, "GET", "/u/7?p=88888&u=9&p=1"), request(user(1), 200, "GET", "/x?u=7"))
	if s := string(got[0].Target); s != "/u/1000001?p=2&u=1000001&p=2" {
		t.Errorf("target %s", s)
	}
	if s := string(got[1].Target); s != "/x?u=1000001" {
		t.Errorf("the entity first in name order has the place: target %s", s)
	}
}

// TestRankKeepsSkew wants as many hits on the k-th hottest id after binding as before.
func TestRankKeepsSkew(t *testing.T) {
	var arrivals []plan.Arrival
	want := []int{}
	for p := range 40 {
		n := 400 / (p + 1)
		want = append(want, n)
		for range n {
			arrivals = append(arrivals, request(user(1), 200, "GET", fmt.Sprintf("/products/%d", 7_000_000+p*p)))
		}
	}
	b := binder(t, goodRules, fixture(1000, 3))
	hits := make(map[string]int)
	for _, a := range bound(b, arrivals...) {
		hits[string(a.Target)]++
	}
	var got []int
	for _, n := range hits {
		got = append(got, n)
	}
	slices.Sort(got)
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("hits by rank %v, want %v", got, want)
	}
	if r := b.Report().Entities[1]; r.Name != "product" || r.Distinct != 40 || r.IDs != 1000 || r.Folded != 0 || r.Unbound != 0 {
		t.Errorf("report %+v", r)
	}
}

// TestHotIDsAreNoNeighbours: the slots are permuted, and by the seed.
func TestHotIDsAreNoNeighbours(t *testing.T) {
	targets := func(seed uint64) (all []string) {
		b, err := bind.New(parse(t, goodRules), fixture(1000, 3), seed)
		if err != nil {
			t.Fatal(err)
		}
		var arrivals []plan.Arrival
		for p := range 20 {
			for range 20 - p {
				arrivals = append(arrivals, request(user(1), 200, "GET", fmt.Sprintf("/products/9%06d", p)))
			}
		}
		for _, a := range bound(b, arrivals...) {
			if n := len(all); n == 0 || all[n-1] != string(a.Target) {
				all = append(all, string(a.Target))
			}
		}
		return all
	}
	one, two := targets(1), targets(2)
	if len(one) != 20 || slices.Equal(one, two) {
		t.Errorf("seeds 1 and 2 give %v and %v", one, two)
	}
	if slices.IsSorted(one) {
		t.Errorf("the hottest ids are in order: %v", one)
	}
}

func TestMissingStaysMissing(t *testing.T) {
	b := binder(t, goodRules, fixture(5, 3))
	got := bound(b, request(user(1), 404, "GET", "/products/71"), request(user(1), 404, "GET", "/products/72"),
		request(user(1), 404, "GET", "/products/71"), request(user(1), 200, "GET", "/products/73"),
		request(user(1), 404, "GET", "/products/73"))
	// Far above 1..5, where a run that makes new rows will not come.
	for i, want := range []string{"/products/2147483647", "/products/2147483646", "/products/2147483647"} {
		if string(got[i].Target) != want {
			t.Errorf("arrival %d: target %s, want %s", i, got[i].Target, want)
		}
	}
	if a, b := string(got[3].Target), string(got[4].Target); a != b || len(a) != len("/products/5") || a > "/products/5" {
		t.Errorf("a product that was found once is bound to %s and %s, want one that exists", a, b)
	}
	if r := b.Report().Entities[1]; r.Missing != 2 {
		t.Errorf("report %+v, want 2 missing", r)
	}
	c := bind.Catalogue{"products": {{ID: "2147483000"}, {ID: "x"}}, "users": {{ID: "1"}}, "orders": nil}
	if got := bound(binder(t, goodRules, c), request(user(1), 404, "GET", "/products/71"))[0]; string(got.Target) != "/products/9223372036854775807" {
		t.Errorf("target %s, want one above those of the fixture", got.Target)
	}
}

func TestFolding(t *testing.T) {
	var arrivals []plan.Arrival
	for p := range 30 {
		for range 31 - p {
			arrivals = append(arrivals, request(user(1), 200, "GET", fmt.Sprintf("/products/8%06d", p)))
		}
	}
	b := binder(t, goodRules, fixture(10, 3))
	ids := make(map[string]map[string]bool)
	logged := make([]string, len(arrivals))
	for i := range arrivals {
		logged[i] = string(arrivals[i].Target)
	}
	for i, a := range bound(b, arrivals...) {
		if a.Withheld != plan.Sent {
			t.Fatalf("withheld %q", a.Withheld)
		}
		s := string(a.Target)
		if ids[s] == nil {
			ids[s] = make(map[string]bool)
		}
		ids[s][logged[i]] = true
	}
	if len(ids) > 10 {
		t.Errorf("bound to %d ids of 10", len(ids))
	}
	single := 0
	for p := range 5 { // the first half of the slots
		for _, from := range ids {
			if from[fmt.Sprintf("/products/8%06d", p)] && len(from) == 1 {
				single++
			}
		}
	}
	if single != 5 {
		t.Errorf("%d of the 5 hottest have an id of their own", single)
	}
	if r := b.Report().Entities[1]; r.Folded != 20 || r.Unbound != 0 {
		t.Errorf("report %+v, want 20 folded", r)
	}
}

func TestUnboundIsWithheld(t *testing.T) {
	b := binder(t, goodRules, fixture(0, 3))
	before := request(user(1), 200, "GET", "/products/7?sku=8")
	got := bound(b, before, request(user(1), 201, "POST", "/cart/items"), request(user(1), 200, "GET", "/"))
	if got[0].Withheld != plan.Unbound || string(got[0].Target) != "/products/7?sku=8" || got[0].Header != nil {
		t.Errorf("%+v, want it withheld and as it was", got[0])
	}
	if got[1].Withheld != plan.Unbound || got[1].Body != nil {
		t.Errorf("%+v, want it withheld: there is no product for its body", got[1])
	}
	if got[2].Withheld != plan.Sent {
		t.Errorf("%+v, want it sent", got[2])
	}
	if r := b.Report(); r.Unbound != 2 || r.Entities[1].Unbound != 2 {
		t.Errorf("report %+v", r)
	}
}

func TestWithheldIsLeftAlone(t *testing.T) {
	b := binder(t, goodRules, fixture(5, 3))
	a := request(user(1), 200, "GET", "/products/7")
	a.Withheld = plan.Write
	got := bound(b, a)[0]
	if got.Withheld != plan.Write || string(got.Target) != "/products/7" || got.Header != nil {
		t.Errorf("%+v", got)
	}
	if r := b.Report(); r.Entities[1].Distinct != 0 || r.Entities[2].Distinct != 0 || r.Unbound != 0 {
		t.Errorf("report %+v, want it not counted", r)
	}
}

func TestHeader(t *testing.T) {
	f := func(u trace.Pseudonym, status uint16, had, want string) {
		t.Helper()
		a := request(u, status, "GET", "/cart")
		a.Header = []byte(had)
		b := binder(t, goodRules, bind.Catalogue{"users": {{ID: "9"}}, "products": nil, "orders": nil})
		if got := string(bound(b, a)[0].Header); got != want {
			t.Errorf("user %v, status %d: header %q, want %q", u, status, got, want)
		}
	}
	f(user(1), 200, "", "X-User: 9\r\n")
	f(user(1), 0, "", "X-User: 9\r\n")
	f(user(1), 200, "Accept: */*\r\n", "Accept: */*\r\nX-User: 9\r\n")
	f(user(1), 401, "", "")
	f(user(1), 401, "Accept: */*\r\n", "Accept: */*\r\n")
	f(user(1), 401, "x-user: 77\r\nAccept: */*\r\n", "Accept: */*\r\n") // the log's own, of no user of the fixture
	f(trace.Pseudonym{}, 200, "", "")

	b := binder(t, strings.Replace(goodRules, "    header: X-User\n", "", 1), fixture(1, 1))
	if got := bound(b, request(user(1), 200, "GET", "/"))[0]; got.Header != nil {
		t.Errorf("header %q without a rule for one", got.Header)
	}
}

// TestOrderOfLearnDoesNotMatter shuffles what Learn sees.
func TestOrderOfLearnDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var arrivals []plan.Arrival
	for range 600 {
		u := user(byte(rng.IntN(40)))
		a := request(u, []uint16{200, 200, 200, 404, 403, 401}[rng.IntN(6)], "GET", "")
		a.Target = fmt.Appendf(nil, []string{"/products/%d", "/orders/%d", "/x?sku=%d"}[rng.IntN(3)], 1000+rng.IntN(30))
		arrivals = append(arrivals, a)
	}
	run := func() ([]plan.Arrival, bind.Report) {
		b := binder(t, goodRules, fixture(20, 15))
		for _, i := range rng.Perm(len(arrivals)) {
			b.Learn(&arrivals[i])
		}
		out := slices.Clone(arrivals)
		for i := range out {
			b.Apply(&out[i]) // settles by itself
		}
		return out, b.Report()
	}
	first, report := run()
	for range 5 {
		again, report2 := run()
		if !reflect.DeepEqual(first, again) || !reflect.DeepEqual(report, report2) {
			t.Fatalf("another order of Learn gives another binding: %+v, %+v", report, report2)
		}
	}
}

// TestApplyDoesNotTouchWhatItWasLent: the arrival may be borrowed from a reader.
func TestApplyDoesNotTouchWhatItWasLent(t *testing.T) {
	b := binder(t, goodRules, fixture(5, 3))
	a := request(user(1), 200, "GET", "/products/7777777")
	a.Header = append(make([]byte, 0, 100), "A: b\r\n"...)
	lent, room := a.Target, a.Header[:100]
	bound(b, a)
	if string(lent) != "/products/7777777" || string(room) != "A: b\r\n"+strings.Repeat("\x00", 94) {
		t.Errorf("lent slices are now %q and %q", lent, room)
	}
}

func BenchmarkApply(b *testing.B) {
	binder := binder(b, goodRules, fixture(1000, 500))
	arrivals := make([]plan.Arrival, 1024)
	for i := range arrivals {
		arrivals[i] = request(user(byte(i)), 200, "GET", fmt.Sprintf("/products/7%06d?sku=8%06d&page=1", i%300, i%200))
		binder.Learn(&arrivals[i])
	}
	binder.Settle()
	b.SetBytes(int64(len(arrivals[0].Target)))
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		a := arrivals[i%len(arrivals)]
		binder.Apply(&a)
		i++
	}
}

func BenchmarkLearn(b *testing.B) {
	binder := binder(b, goodRules, fixture(1000, 500))
	a := request(user(1), 200, "GET", "/products/7000000?sku=8000000&page=1")
	b.SetBytes(int64(len(a.Target)))
	b.ReportAllocs()
	for b.Loop() {
		binder.Learn(&a)
	}
}

func TestLearnDoesNotAllocate(t *testing.T) {
	b := binder(t, goodRules, fixture(1000, 500))
	a := request(user(1), 200, "GET", "/products/7000000?sku=8000000&page=1")
	b.Learn(&a)
	if n := testing.AllocsPerRun(100, func() { b.Learn(&a) }); n != 0 {
		t.Errorf("%v allocations for ids that were seen before", n)
	}
}
