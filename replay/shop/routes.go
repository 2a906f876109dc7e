package shop

import (
	"net/http"
)

// routes builds the handler: metrics around everything, faults around the shop's plane.
func (s *Shop) routes() {
	shop, control := http.NewServeMux(), http.NewServeMux()
	var endpoints []string
	handle := func(mux *http.ServeMux, pattern string, h http.HandlerFunc) {
		mux.Handle(pattern, h)
		endpoints = append(endpoints, pattern)
	}
	handle(shop, "GET /{$}", answering(s.getHome))
	handle(shop, "GET /products", answering(s.getProducts))
	handle(shop, "GET /products/{id}", answering(s.getProduct))
	handle(shop, "GET /search", answering(s.getSearch))
	handle(shop, "GET /cart", answering(s.getCart))
	handle(shop, "POST /cart/items", answering(s.postCartItem))
	handle(shop, "POST /orders", answering(s.postOrder))
	handle(shop, "GET /orders/{id}", answering(s.getOrder))
	handle(shop, "GET /users/{id}", answering(s.getUser))
	handle(shop, "GET /healthz", getHealth)
	handle(control, "GET /fingerprint", answering(s.getFingerprint))
	handle(control, "GET /catalogue", answering(s.getCatalogue))
	handle(control, "GET /metrics", s.getMetrics)
	handle(control, "POST /reset", answering(s.postReset))
	handle(control, "GET /faults", answering(s.getFaults))
	handle(control, "POST /faults", answering(s.postFaults))
	s.metrics = newMetrics(endpoints)

	faulty := s.faults.Wrap(shop)
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/fingerprint", "/catalogue", "/metrics", "/reset", "/faults":
			s.metrics.observe(planeControl, control, control, w, r)
		default:
			s.metrics.observe(planeShop, shop, faulty, w, r)
		}
	})
}

var (
	healthBody   = []byte("ok\n")
	healthLength = []string{"3"}
	textType     = []string{"text/plain; charset=utf-8"}
)

// getHealth is the cheapest endpoint, the one to measure a generator against: no data, no allocation
// of its own.
func getHealth(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header["Content-Type"] = textType
	header["Content-Length"] = healthLength
	w.Write(healthBody)
}

func (s *Shop) getFingerprint(r *http.Request) (reply, error) {
	f, err := s.Fingerprint(r.Context())
	return reply{http.StatusOK, f}, err
}

func (s *Shop) getCatalogue(r *http.Request) (reply, error) {
	c, err := s.Catalogue(r.Context())
	return reply{http.StatusOK, c}, err
}

func (s *Shop) postReset(r *http.Request) (reply, error) {
	err := s.Reset(r.Context())
	return reply{http.StatusOK, struct {
		Reset bool `json:"reset"`
	}{true}}, err
}

func (s *Shop) getFaults(*http.Request) (reply, error) {
	return reply{http.StatusOK, s.faults.Status()}, nil
}

func (s *Shop) postFaults(r *http.Request) (reply, error) {
	var spec FaultSpec
	if err := decode(r, &spec); err != nil {
		return reply{}, err
	}
	if err := s.faults.Set(spec); err != nil {
		return reply{}, refuse(http.StatusBadRequest, err.Error())
	}
	return reply{http.StatusOK, s.faults.Status()}, nil
}

func (s *Shop) getMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Write(s.metrics.text())
}
