package bind_test

import (
	"strings"
	"testing"

	"reprise/replay/bind"
)

const goodRules = `catalogue: http://127.0.0.1:8080/catalogue
entities:
  user:
    ids: users
    identity: true
    header: X-User
  product:
    ids: products
    at: ["/products/{id}", "?sku"]
  order:
    ids: orders
    at: ["/orders/{id}", "/users/{user}/orders/{id}"]
    owner: user
bodies:
  - on: POST /cart/items
    body: '{"product_id": {product}, "quantity": 1}'
`

func parse(t testing.TB, text string) *bind.Rules {
	t.Helper()
	r, err := bind.Parse(strings.NewReader(text), "bind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	r := parse(t, goodRules)
	if r.Catalogue != "http://127.0.0.1:8080/catalogue" || len(r.Entities) != 3 || len(r.Bodies) != 1 {
		t.Errorf("parsed %+v", r)
	}
	if e := r.Entities["order"]; e.IDs != "orders" || e.Owner != "user" || len(e.At) != 2 {
		t.Errorf("order is %+v", e)
	}
}

// TestParseErrors wants the position of the fault, and in words what is wrong.
func TestParseErrors(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		_, err := bind.Parse(strings.NewReader(text), "bind.yaml")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want it to begin with %q", err, want)
		}
	}
	swap := func(old, new string) string {
		t.Helper()
		if !strings.Contains(goodRules, old) {
			t.Fatalf("%q is not in the good rules", old)
		}
		return strings.Replace(goodRules, old, new, 1)
	}
	f("", "bind.yaml:1:1: ")
	f("entities: [", "bind.yaml:1:")
	f("entities: {}\n", "bind.yaml:1:11: entities: none are given")
	f("- 1\n", "bind.yaml:1:")
	f(swap("    header:", "    headr:"), `bind.yaml:6:5: unknown field "headr"`)
	f(swap("  product:", "  user:"), "bind.yaml:7:3: ")
	f(swap("identity: true", "identity: maybe"), "bind.yaml:5:15: ")
	f(swap("    ids: users\n", ""), "bind.yaml:4:5: entities.user.ids: names no list")
	f(swap(`"?sku"`, `"sku"`), "bind.yaml:9:28: entities.product.at[1]: must begin with a slash")
	f(swap(`"?sku"`, `"?"`), "bind.yaml:9:28: entities.product.at[1]: must have one query key")
	f(swap(`"?sku"`, `"/products"`), "bind.yaml:9:28: entities.product.at[1]: has no {id}")
	f(swap(`"?sku"`, `"/a/{id}/{id}"`), "bind.yaml:9:28: entities.product.at[1]: has two {id}")
	f(swap(`"?sku"`, `"/p-{id}"`), "bind.yaml:9:28: entities.product.at[1]: braces must")
	f(swap(`"?sku"`, `"/orders/{id}"`), "bind.yaml:9:28: entities.product.at[1]: is a place of order already")
	f(swap(`    at: ["/products/{id}", "?sku"]`, "    at: []"), "bind.yaml:9:9: entities.product.at: no place")
	f(swap("X-User", `"X User"`), "bind.yaml:6:13: entities.user.header: ")
	f(swap("X-User", `"X-User: 1\r\nHost"`), "bind.yaml:6:13: entities.user.header: ")
	f(swap("X-User", "Content-Length"), "bind.yaml:6:13: entities.user.header: ")
	f(swap("    owner: user", "    header: X-Order"), "bind.yaml:13:13: entities.order.header: only goes with")
	f(swap("owner: user", "owner: product"), "bind.yaml:13:12: entities.order.owner: must name")
	f(swap("owner: user", "owner: user\n    identity: true"), "bind.yaml:5:15: entities.user.identity: entity order is")
	f(swap("header: X-User", "owner: user"), "bind.yaml:6:12: entities.user.owner: must name another")
	f(swap("on: POST /cart/items", "on: /cart/items"), "bind.yaml:15:9: bodies[0].on: ")
	f(swap("on: POST /cart/items", "on: POST /cart?x"), "bind.yaml:15:9: bodies[0].on: ")
	f(swap("on: POST /cart/items", "on: POST /c{x"), "bind.yaml:15:9: bodies[0].on: ")
	f(swap("{product}", "{prodcut}"), "bind.yaml:16:11: bodies[0].body: {prodcut} is no entity")
	f(swap("    body:", "    type: \"a\\r\\nb\"\n    body:"), "bind.yaml:16:11: bodies[0].type: ")
	f(goodRules+"---\nentities: {}\n", "bind.yaml: holds more than one YAML document")
	f(strings.Repeat("#\n", 1<<20), "bind.yaml: is larger than")
}

func TestCatalogue(t *testing.T) {
	c, err := bind.ReadCatalogue(strings.NewReader(`{"a":[1,"x-2",18446744073709551615],"o":[{"id":7,"user":3},{"user":"u","id":"8"}],"n":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := c["a"]; len(got) != 3 || got[0].ID != "1" || got[1].ID != "x-2" || got[2].ID != "18446744073709551615" {
		t.Errorf("list a is %+v", got)
	}
	if got := c["o"]; len(got) != 2 || got[0] != (bind.Item{ID: "7", Owner: "3"}) || got[1] != (bind.Item{ID: "8", Owner: "u"}) {
		t.Errorf("list o is %+v", got)
	}
	f := func(text string) {
		t.Helper()
		if c, err := bind.ReadCatalogue(strings.NewReader(text)); err == nil {
			t.Errorf("%s was read as %+v", text, c)
		}
	}
	f(``)
	f(`[]`)
	f(`{"a":[1]`)
	f(`{"a":[1]} x`)
	f(`{"a":[null]}`)
	f(`{"a":[true]}`)
	f(`{"a":[[1]]}`)
	f(`{"a":[1.5]}`)
	f(`{"a":[1e3]}`)
	f(`{"a":[""]}`)
	f(`{"a":[".."]}`)
	f(`{"a":[1,1]}`)
	f(`{"a":[1,"1"]}`)
	f(`{"a":[{"id":1,"user":2,"total":3}]}`)
	f(`{"a":[{"user":2}]}`)
	f(`{"a":[{"id":null}]}`)
	for _, bad := range []string{"a b", "a/b", "a?b", "a#b", "a&b", "a=b", "a%b", `a\"b`, `a\\b`, `a\nb`, "a;b", "a+b", "é", `a\u0000`, `a\u007f`} {
		f(`{"a":["` + bad + `"]}`)
	}
}
