package shop

import (
	"bufio"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The planes of the shop: what a run measures, and what the run's operator asks.
const (
	planeShop = iota
	planeControl
	planes
)

// otherEndpoint stands for every request that no route takes: 404 and 405.
const otherEndpoint = "other"

// bounds are the upper limits of the latency buckets, in nanoseconds, from 0.5 ms to 10 s.
var bounds = [...]int64{500e3, 1e6, 2500e3, 5e6, 10e6, 25e6, 50e6, 100e6, 250e6, 500e6, 1e9, 2500e6, 5e9, 10e9}

// metrics counts requests without a lock. Every received request ends as answered, with a status, or as
// aborted, without one: received = answered + aborted + in flight.
type metrics struct {
	received  [planes]atomic.Uint64
	inFlight  [planes]atomic.Int64
	aborted   [planes]atomic.Uint64
	orders    atomic.Uint64
	resets    atomic.Uint64
	endpoints []*endpointMetrics // the last one is otherEndpoint
	index     map[string]int     // by route pattern; read only after newMetrics
	writers   sync.Pool          // *statusWriter
}

type endpointMetrics struct {
	name    string
	status  [500]atomic.Uint64 // by status - 100
	buckets [len(bounds) + 1]atomic.Uint64
	nanos   atomic.Uint64
}

func newMetrics(patterns []string) *metrics {
	m := &metrics{index: map[string]int{}}
	m.writers.New = func() any { return new(statusWriter) }
	for i, pattern := range append(slices.Clone(patterns), otherEndpoint) {
		m.endpoints = append(m.endpoints, &endpointMetrics{name: pattern})
		m.index[pattern] = i
	}
	return m
}

// observe serves r by h and counts it. The route comes from mux: by the pattern that mux left in r, or
// by asking it when a fault answered before mux saw the request.
func (m *metrics) observe(plane int, mux *http.ServeMux, h http.Handler, w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	m.received[plane].Add(1)
	m.inFlight[plane].Add(1)
	sw := m.writers.Get().(*statusWriter)
	*sw = statusWriter{ResponseWriter: w}
	whole := false
	defer func() { // a panic that aborts the connection must be counted too
		m.inFlight[plane].Add(-1)
		pattern := r.Pattern
		if pattern == "" {
			_, pattern = mux.Handler(r)
		}
		i, ok := m.index[pattern]
		if !ok {
			i = len(m.endpoints) - 1
		}
		if status := sw.final(r, whole); status == 0 {
			m.aborted[plane].Add(1)
		} else {
			m.endpoints[i].add(status, time.Since(start))
		}
		*sw = statusWriter{}
		m.writers.Put(sw)
	}()
	h.ServeHTTP(sw, r)
	whole = true
}

func (e *endpointMetrics) add(status int, took time.Duration) {
	e.status[min(max(status-100, 0), len(e.status)-1)].Add(1)
	i, _ := slices.BinarySearch(bounds[:], int64(took)) // a bucket includes its bound, as Prometheus defines le
	e.buckets[i].Add(1)
	e.nanos.Add(uint64(took))
}

// statusWriter remembers the status that a handler answered.
type statusWriter struct {
	http.ResponseWriter
	status   int
	hijacked bool
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// Hijack takes the connection over, where the server can give it away.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.ResponseWriter).Hijack()
	w.hijacked = err == nil
	return conn, buffered, err
}

// Unwrap lets http.ResponseController reach the server's own writer.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// final returns the status of the response, or 0 when there was no whole response: the handler
// panicked, the connection was taken over, or the client gave up before a first byte.
func (w *statusWriter) final(r *http.Request, whole bool) int {
	switch {
	case !whole || w.hijacked:
		return 0
	case w.status != 0:
		return w.status
	case r.Context().Err() != nil:
		return 0
	}
	return http.StatusOK
}

// text renders the metrics in the Prometheus text format, version 0.0.4, in a fixed order.
func (m *metrics) text() []byte {
	b := make([]byte, 0, 16<<10)
	byPlane := func(name, kind, help string, value func(int) uint64) {
		b = append(b, "# HELP "+name+" "+help+"\n# TYPE "+name+" "+kind+"\n"...)
		for plane, label := range [planes]string{"shop", "control"} {
			b = appendSample(b, name, `{plane="`+label+`"}`, value(plane))
		}
	}
	byPlane("shop_requests_received_total", "counter", "Requests whose header was read.", func(p int) uint64 { return m.received[p].Load() })
	byPlane("shop_requests_aborted_total", "counter", "Requests that ended without a whole response.", func(p int) uint64 { return m.aborted[p].Load() })
	byPlane("shop_requests_in_flight", "gauge", "Requests in service.", func(p int) uint64 { return uint64(max(0, m.inFlight[p].Load())) })
	b = append(b, "# HELP shop_requests_total Requests answered.\n# TYPE shop_requests_total counter\n"...)
	for _, e := range m.endpoints {
		for i := range e.status {
			if n := e.status[i].Load(); n > 0 {
				b = appendSample(b, "shop_requests_total", `{endpoint="`+e.name+`",status="`+strconv.Itoa(i+100)+`"}`, n)
			}
		}
	}
	b = append(b, "# HELP shop_request_duration_seconds From reading the header to the end of the handler.\n# TYPE shop_request_duration_seconds histogram\n"...)
	for _, e := range m.endpoints {
		b = e.appendHistogram(b)
	}
	b = append(b, "# HELP shop_orders_total Orders placed.\n# TYPE shop_orders_total counter\n"...)
	b = appendSample(b, "shop_orders_total", "", m.orders.Load())
	b = append(b, "# HELP shop_resets_total Resets done.\n# TYPE shop_resets_total counter\n"...)
	return appendSample(b, "shop_resets_total", "", m.resets.Load())
}

// appendHistogram renders the buckets of e, which Prometheus wants cumulative; an endpoint never asked
// for is left out.
func (e *endpointMetrics) appendHistogram(b []byte) []byte {
	const name = "shop_request_duration_seconds"
	var counts [len(bounds) + 1]uint64
	total := uint64(0)
	for i := range counts {
		total += e.buckets[i].Load()
		counts[i] = total
	}
	if total == 0 {
		return b
	}
	for i, n := range counts {
		le := "+Inf"
		if i < len(bounds) {
			le = strconv.FormatFloat(float64(bounds[i])/1e9, 'g', -1, 64)
		}
		b = appendSample(b, name+"_bucket", `{endpoint="`+e.name+`",le="`+le+`"}`, n)
	}
	b = append(b, name+`_sum{endpoint="`+e.name+`"} `...)
	b = strconv.AppendFloat(b, float64(e.nanos.Load())/1e9, 'g', -1, 64)
	return appendSample(append(b, '\n'), name+"_count", `{endpoint="`+e.name+`"}`, total)
}

func appendSample(b []byte, name, labels string, value uint64) []byte {
	b = append(append(append(b, name...), labels...), ' ')
	return append(strconv.AppendUint(b, value, 10), '\n')
}
