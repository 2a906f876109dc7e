package synth_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reprise/sample/synth"
)

// tally counts what a scenario asks for.
type tally struct {
	n, lists, orders int
	products         map[int64]int // queries by product: details and orders
	users            map[int64]int
	last             int64
}

func count(t *testing.T, s synth.Scenario, seed uint64) tally {
	t.Helper()
	requests, err := s.Requests(seed)
	if err != nil {
		t.Fatal(err)
	}
	c := tally{products: make(map[int64]int), users: make(map[int64]int)}
	for r := range requests {
		if r.At < c.last {
			t.Fatalf("request %d at %d us after one at %d us", c.n, r.At, c.last)
		}
		c.n, c.last = c.n+1, r.At
		c.users[r.UserID]++
		c.add(t, r)
	}
	return c
}

// add checks the form of one request and counts its product.
func (c *tally) add(t *testing.T, r *synth.Request) {
	t.Helper()
	target := string(r.Target)
	if r.Method == "GET" && (r.Body != nil || r.Type != "" || r.Header != nil) {
		t.Fatalf("a GET has a body or a header: %+v", r)
	}
	switch r.Endpoint {
	case synth.EndpointProduct:
		id, err := strconv.ParseInt(strings.TrimPrefix(target, "/products/"), 10, 64)
		if err != nil || r.Method != "GET" {
			t.Fatalf("%s %s", r.Method, target)
		}
		c.products[id]++
	case synth.EndpointList:
		if page, err := strconv.Atoi(strings.TrimPrefix(target, "/products?page=")); err != nil || page < 1 || page > 50 || r.Method != "GET" {
			t.Fatalf("%s %s", r.Method, target)
		}
		c.lists++
	case synth.EndpointOrder:
		var body struct {
			Items []struct {
				Product  int64 `json:"product_id"`
				Quantity int   `json:"quantity"`
			} `json:"items"`
		}
		err := json.Unmarshal(r.Body, &body)
		if err != nil || len(body.Items) != 1 || body.Items[0].Quantity != 1 || r.Method != "POST" || r.Type != "application/json" || target != "/orders" ||
			string(r.Header) != fmt.Sprintf("X-User: %d\r\n", r.UserID) {
			t.Fatalf("order %+v, body %s, %v", r, r.Body, err)
		}
		c.products[body.Items[0].Product]++
		c.orders++
	default:
		t.Fatalf("endpoint %q", r.Endpoint)
	}
}

// within checks a count against the binomial law, five deviations wide.
func within(t *testing.T, what string, got, n int, p float64) {
	t.Helper()
	mean, dev := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	if math.Abs(float64(got)-mean) > 5*dev+1e-9 {
		t.Errorf("%s: %d of %d, want %.0f +- %.0f", what, got, n, mean, 5*dev)
	}
}

func TestP1(t *testing.T) {
	c := count(t, synth.P1(), 1)
	if c.n != 15_000 || c.last != 59_996_000 {
		t.Errorf("%d requests, the last at %d us", c.n, c.last)
	}
	within(t, "lists", c.lists, c.n, .08)
	within(t, "orders", c.orders, c.n, .02)
	if len(c.users) != 500 {
		t.Errorf("%d users", len(c.users))
	}
	for id := range c.users {
		if id < 1 || id > 500 {
			t.Errorf("user %d", id)
		}
	}
}

func TestP2SurgesAndRecovers(t *testing.T) {
	requests, err := synth.P2().Requests(1)
	if err != nil {
		t.Fatal(err)
	}
	surge, recovery, last := 0, 0, int64(0)
	for r := range requests {
		if last = r.At; r.At < 30_000_000 {
			surge++
		} else {
			recovery++
		}
	}
	if surge != 22_500 || recovery != 7_500 || last != 59_996_000 {
		t.Errorf("%d requests in the surge, %d after it, the last at %d us", surge, recovery, last)
	}
}

// hottest is the part of the queries that goes to the given number of most queried products.
func hottest(c tally, top int) (queries, total int) {
	counts := make([]int, 0, len(c.products))
	for id, n := range c.products {
		if id < 1 || id > 1000 {
			return -1, 1
		}
		counts = append(counts, n)
		total += n
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	for _, n := range counts[:min(top, len(counts))] {
		queries += n
	}
	return queries, total
}

func TestSkew(t *testing.T) {
	s := synth.P1()
	s.DurationSeconds = 1200 // 300,000 requests: the hot products stand out from chance
	queries, total := hottest(count(t, s, 1), 200)
	within(t, "20 % of the products", queries, total, .8)

	s.Skew = synth.Skew{SKUs: .01, Queries: .5}
	queries, total = hottest(count(t, s, 1), 10)
	within(t, "1 % of the products", queries, total, .5)

	s.DurationSeconds, s.Skew = 60, synth.Skew{SKUs: .2, Queries: 1}
	if c := count(t, s, 1); len(c.products) > 200 {
		t.Errorf("%d products are asked for, want 200 at most", len(c.products))
	}
	s.Skew = synth.Skew{SKUs: 1, Queries: .5}
	if queries, total = hottest(count(t, s, 1), 200); float64(queries) > .3*float64(total) {
		t.Errorf("without a cold block, 200 products have %d of %d queries", queries, total)
	}
	one := synth.P1()
	one.Products, one.Users = 1, 1
	if c := count(t, one, 1); len(c.products) != 1 || c.products[1] == 0 || len(c.users) != 1 {
		t.Errorf("a catalogue of one: %v", c)
	}
}

func TestHotProductsDependOnTheSeed(t *testing.T) {
	top := func(seed uint64) (ids []int64) {
		s := synth.P1()
		s.DurationSeconds = 240
		for id, n := range count(t, s, seed).products {
			if n > 100 { // 216 expected in the hot block, 13 outside
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return ids
	}
	a, b := top(1), top(2)
	if len(a) != 200 || len(b) != 200 || slices.Equal(a, b) || a[199] == 200 {
		t.Errorf("hot products: %d and %d, equal: %v", len(a), len(b), slices.Equal(a, b))
	}
}

// digest is over everything a request is.
func digest(t *testing.T, s synth.Scenario, seed uint64) string {
	t.Helper()
	requests, err := s.Requests(seed)
	if err != nil {
		t.Fatal(err)
	}
	h := sha256.New()
	for r := range requests {
		fmt.Fprintf(h, "%d %s %s %s %s %q %s %s\n", r.At, r.Method, r.Target, r.Endpoint, r.User, r.Header, r.Type, r.Body)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

func TestRequestsDependOnScenarioAndSeedAlone(t *testing.T) {
	// The digests are part of the promise that a seed means the same load everywhere.
	f := func(s synth.Scenario, want string) {
		t.Helper()
		for range 2 {
			if got := digest(t, s, 1); got != want {
				t.Errorf("%s, %s: digest %s, want %s", s.Name, s.Arrival, got, want)
			}
		}
		if digest(t, s, 2) == want {
			t.Errorf("%s, %s: the seed has no effect", s.Name, s.Arrival)
		}
	}
	poisson := synth.P1()
	poisson.Arrival = "poisson"
	f(synth.P1(), "6d52e99327c7bef1")
	f(synth.P2(), "1954b03f765eb0c3")
	f(poisson, "6d2a707f3054d2ca")
}

func TestContentIsThatOfTheRequests(t *testing.T) {
	s := synth.P1()
	s.Arrival = "poisson"
	requests, err := s.Requests(5)
	if err != nil {
		t.Fatal(err)
	}
	content, err := synth.P1().Content(5)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for r := range requests {
		want = append(want, fmt.Sprintf("%s %s %s", r.Method, r.Target, r.Body))
	}
	i := 0
	for r := range content {
		if i == len(want) {
			break
		}
		if got := fmt.Sprintf("%s %s %s", r.Method, r.Target, r.Body); got != want[i] || r.At != 0 {
			t.Fatalf("request %d is %q at %d, want %q", i, got, r.At, want[i])
		}
		i++
	}
}

func TestEveryNumberCanBeChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := synth.P2()
		s.Rate = rapid.Float64Range(1, 300).Draw(t, "rate")
		s.Surge = rapid.Float64Range(.1, 4).Draw(t, "surge")
		s.DurationSeconds = rapid.Float64Range(.01, 5).Draw(t, "duration")
		s.RecoveryWindowSeconds = rapid.SampledFrom([]float64{0, .5, 2}).Draw(t, "recovery")
		s.Products, s.Users = rapid.IntRange(1, 60).Draw(t, "products"), rapid.IntRange(1, 60).Draw(t, "users")
		requests, err := s.Requests(rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		want, n := s.PeakRate()*s.DurationSeconds+s.Rate*s.RecoveryWindowSeconds, 0
		for r := range requests {
			if n++; r.UserID > int64(s.Users) || r.At < 0 || float64(r.At) > 1e6*(s.DurationSeconds+s.RecoveryWindowSeconds) {
				t.Fatalf("request %+v", r)
			}
		}
		if math.Abs(float64(n)-want) > 2.01 {
			t.Fatalf("%d requests, want %.2f", n, want)
		}
	})
}

func TestDataSet(t *testing.T) {
	write := func(seed uint64) map[string]string {
		files, err := synth.P1().Data(seed)
		if err != nil {
			t.Fatal(err)
		}
		texts := make(map[string]string)
		for _, f := range files {
			var b bytes.Buffer
			if err := f.Write(&b); err != nil {
				t.Fatal(err)
			}
			texts[f.Name] = b.String()
		}
		return texts
	}
	a, again, other := write(1), write(1), write(2)
	for name, lines := range map[string]int{"products.jsonl": 1000, "users.jsonl": 500, "requests.jsonl": 15_000} {
		if n := strings.Count(a[name], "\n"); n != lines {
			t.Errorf("%s has %d lines, want %d", name, n, lines)
		}
		if a[name] != again[name] || a[name] == other[name] {
			t.Errorf("%s is not fixed by the seed", name)
		}
	}
	if len(a) != 3 {
		t.Errorf("%d files", len(a))
	}
}

func BenchmarkRequests(b *testing.B) {
	content, err := synth.P1().Content(1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for range content {
		if n++; n >= b.N {
			break
		}
	}
}

func TestRequestsDoNotAllocateEach(t *testing.T) {
	content, err := synth.P1().Content(1)
	if err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(3, func() {
		n := 0
		for range content {
			if n++; n == 10_000 {
				break
			}
		}
	})
	if allocs > 30 { // the catalogue and the buffers, for 10,000 requests
		t.Errorf("%v allocations for 10000 requests", allocs)
	}
}
