package synth

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"reprise/arrival"
)

// Product is a row of the data set. The reference shop seeds itself with these rows.
type Product struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Category    string `json:"category"`
	Description string `json:"description"`
	PriceCents  int64  `json:"price_cents"`
}

// User is a row of the data set, as in the reference shop.
type User struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"` // in example.com, which RFC 2606 reserves: no mail can arrive
	City  string `json:"city"`
}

var (
	categories = strings.Fields("books garden kitchen lamps music office outdoor tools toys travel")
	qualities  = strings.Fields("amber brisk cedar dainty early folded gentle hollow ivory jolly keen linen mellow narrow olive plain")
	things     = strings.Fields("basket chair drum easel flask globe hammer kettle lantern mirror notebook ladle pillow ruler satchel tripod")
	cities     = strings.Fields("Aster Birch Clover Dahlia Elm Fern Gorse Hazel")
)

// Categories lists the categories of the products.
func Categories() []string { return slices.Clone(categories) }

// DataProducts yields the products of the data set, ids 1 to n.
func DataProducts(seed uint64, n int) iter.Seq[Product] {
	return func(yield func(Product) bool) {
		s := arrival.NewStream(seed, "products")
		for id := 1; id <= n; id++ {
			quality, thing := qualities[s.Below(len(qualities))], things[s.Below(len(things))]
			category := categories[s.Below(len(categories))]
			text := strings.Repeat(fmt.Sprintf("A %s %s for %s. ", quality, thing, category), 3+s.Below(6))
			p := Product{int64(id), fmt.Sprintf("%s %s %d", quality, thing, id), category, text, 99 + int64(s.Below(50_000))}
			if !yield(p) {
				return
			}
		}
	}
}

// DataUsers yields the users of the data set, ids 1 to n.
func DataUsers(seed uint64, n int) iter.Seq[User] {
	return func(yield func(User) bool) {
		s := arrival.NewStream(seed, "users")
		for id := 1; id <= n; id++ {
			u := User{int64(id), fmt.Sprintf("Customer %d", id), fmt.Sprintf("customer%d@example.com", id), cities[s.Below(len(cities))]}
			if !yield(u) {
				return
			}
		}
	}
}

// request is a line of requests.jsonl.
type request struct {
	At       int64  `json:"at"` // microseconds after t0
	Method   string `json:"method"`
	Target   string `json:"target"`
	Endpoint string `json:"endpoint"`
	User     int64  `json:"user"`
	Type     string `json:"type,omitempty"`
	Body     string `json:"body,omitempty"`
}

// File is one file of the data set.
type File struct {
	Name  string
	Write func(w io.Writer) error // does not close w
}

// Data gives the files of the data set, JSON Lines: products.jsonl, users.jsonl, and requests.jsonl with the
// requests of the scenario in intended order. Equal scenarios and seeds give equal bytes.
func (s Scenario) Data(seed uint64) ([]File, error) {
	requests, err := s.Requests(seed)
	if err != nil {
		return nil, err
	}
	return []File{
		{"products.jsonl", func(w io.Writer) error { return lines(w, DataProducts(seed, s.Products)) }},
		{"users.jsonl", func(w io.Writer) error { return lines(w, DataUsers(seed, s.Users)) }},
		{"requests.jsonl", func(w io.Writer) error {
			return lines(w, func(yield func(request) bool) {
				for r := range requests {
					if !yield(request{r.At, r.Method, string(r.Target), r.Endpoint, r.UserID, r.Type, string(r.Body)}) {
						return
					}
				}
			})
		}},
	}, nil
}

// lines writes rows as JSON Lines.
func lines[T any](w io.Writer, rows iter.Seq[T]) error {
	b := bufio.NewWriterSize(w, 64<<10)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for row := range rows {
		if err := e.Encode(row); err != nil {
			return err
		}
	}
	return b.Flush()
}
