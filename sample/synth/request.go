package synth

import (
	"encoding/binary"
	"iter"
	"math"
	"strconv"
	"time"

	"reprise/anonymize/trace"
	"reprise/arrival"
)

// Request is one request of a scenario, ready to send. One that a sequence yields is borrowed until the next.
type Request struct {
	At       int64 // intended instant, microseconds after t0
	Method   string
	Target   []byte
	Endpoint string          // path template
	UserID   int64           // 1..Users
	User     trace.Pseudonym // UserID in the last 8 bytes, big endian: a made-up user needs no key
	Header   []byte          // header lines "Name: value\r\n" beside Host and the body's; nil for none
	Type     string          // Content-Type; empty without a body
	Body     []byte
}

// PageSize is the number of products on a list page of the reference shop; pages run from 1 on.
const PageSize = 20

// Endpoints of the requests, as templates.
const (
	EndpointProduct = "/products/{int}"
	EndpointList    = "/products"
	EndpointOrder   = "/orders"
)

// Requests yields the requests of the scenario in intended order, by the seed. DurationSeconds at PeakRate
// come first, then RecoveryWindowSeconds at Rate. The sequence can be ranged over again.
func (s Scenario) Requests(seed uint64) (iter.Seq[*Request], error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	surge, err := s.schedule(s.PeakRate(), s.DurationSeconds)
	if err != nil {
		return nil, err
	}
	after := surge
	if s.RecoveryWindowSeconds > 0 {
		if after, err = s.schedule(s.Rate, s.RecoveryWindowSeconds); err != nil {
			return nil, err
		}
	}
	return func(yield func(*Request) bool) {
		d := newDrawer(&s, seed)
		for at := range surge.Offsets(arrival.Seed(seed, "synth/surge")) {
			if !yield(d.draw(at)) {
				return
			}
		}
		if s.RecoveryWindowSeconds == 0 {
			return
		}
		start := surge.Duration().Microseconds()
		for at := range after.Offsets(arrival.Seed(seed, "synth/recovery")) {
			if !yield(d.draw(start + at)) {
				return
			}
		}
	}, nil
}

// Content yields the same requests without an end and without instants (At is 0), for a closed loop.
func (s Scenario) Content(seed uint64) (iter.Seq[*Request], error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return func(yield func(*Request) bool) {
		for d := newDrawer(&s, seed); yield(d.draw(0)); {
		}
	}, nil
}

func (s *Scenario) schedule(rate, seconds float64) (*arrival.Schedule, error) {
	d := time.Duration(math.Round(seconds * float64(time.Second)))
	return arrival.New(s.Arrival, nil, arrival.Options{Rate: rate, Duration: d})
}

// drawer draws the content of one request after another.
type drawer struct {
	stream          *arrival.Stream
	catalogue       *catalogue
	users, pages    int
	product, listed float64 // cumulated parts of the mix
	request         Request
	target, header  []byte
	body            []byte
}

func newDrawer(s *Scenario, seed uint64) *drawer {
	total := s.Mix.Product + s.Mix.List + s.Mix.Order
	return &drawer{stream: arrival.NewStream(seed, "synth/requests"), catalogue: newCatalogue(seed, s.Products, s.Skew),
		users: s.Users, pages: (s.Products + PageSize - 1) / PageSize,
		product: s.Mix.Product / total, listed: (s.Mix.Product + s.Mix.List) / total}
}

// draw makes the next request; every kind takes its numbers from the stream in the same order.
func (d *drawer) draw(at int64) *Request {
	kind := d.stream.Float64()
	user := int64(d.stream.Below(d.users)) + 1
	r := &d.request
	*r = Request{At: at, Method: "GET", UserID: user}
	binary.BigEndian.PutUint64(r.User[8:], uint64(user))
	switch {
	case kind < d.product:
		r.Endpoint = EndpointProduct
		d.target = strconv.AppendInt(append(d.target[:0], "/products/"...), d.catalogue.draw(d.stream), 10)
	case kind < d.listed:
		r.Endpoint = EndpointList
		d.target = strconv.AppendInt(append(d.target[:0], "/products?page="...), int64(d.stream.Below(d.pages))+1, 10)
	default:
		d.order(r)
	}
	r.Target = d.target
	return r
}

// order makes r an order of one product.
func (d *drawer) order(r *Request) {
	r.Method, r.Endpoint, r.Type = "POST", EndpointOrder, "application/json"
	d.target = append(d.target[:0], EndpointOrder...)
	d.header = strconv.AppendInt(append(d.header[:0], "X-User: "...), r.UserID, 10)
	d.header = append(d.header, '\r', '\n')
	d.body = strconv.AppendInt(append(d.body[:0], `{"items":[{"product_id":`...), d.catalogue.draw(d.stream), 10)
	d.body = append(d.body, `,"quantity":1}]}`...)
	r.Header, r.Body = d.header, d.body
}
