package shop_test

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reprise/replay/shop"
)

// ok answers 200 after a working time of d.
func ok(d time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(d)
		io.WriteString(w, "ok")
	})
}

func faults(t testing.TB, spec shop.FaultSpec) *shop.Faults {
	t.Helper()
	f, err := shop.NewFaults(spec)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// took serves one request and returns how long it took and its status.
func took(h http.Handler, target string) (time.Duration, int) {
	start := time.Now()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
	return time.Since(start), w.Code
}

// TestStallTruth sends 500 requests a second for 20 s, open loop, through a stall of 2 s. Of 10,000
// requests 1,000 wait, for 2 s evenly down to 0, so the slowest 1 % begins at 1.8 s.
func TestStallTruth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Stall: &shop.Stall{After: 10 * time.Second, For: 2 * time.Second}}).Wrap(ok(time.Microsecond))
		const requests, gap = 10_000, 2 * time.Millisecond
		response := make([]time.Duration, requests)
		begin := time.Now()
		var all sync.WaitGroup
		for i := range requests {
			all.Go(func() {
				// Half a gap off the stall's edges: two events at one virtual instant have no order.
				time.Sleep(gap/2 + time.Duration(i)*gap)
				response[i], _ = took(h, "/")
				arrived := gap/2 + time.Duration(i)*gap
				if done := time.Since(begin); arrived < 12*time.Second && done > 10*time.Second && done < 12*time.Second {
					t.Errorf("request %d completed %v into the run, inside the stall", i, done)
				}
			})
		}
		all.Wait()
		slices.Sort(response)
		rank := int(math.Ceil(0.99*requests)) - 1
		if p99, want := response[rank], 1800*time.Millisecond; (p99 - want).Abs() > 2*gap {
			t.Errorf("p99 %v, want %v +- %v", p99, want, 2*gap)
		}
		if p90 := response[requests*9/10-1]; p90 > time.Millisecond {
			t.Errorf("p90 %v, want the requests outside the stall untouched", p90)
		}
	})
}

// TestStallHoldsRequestsInService: begun before the stall, done in the middle of it.
func TestStallHoldsRequestsInService(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Stall: &shop.Stall{After: time.Second, For: 3 * time.Second}}).Wrap(ok(2 * time.Second))
		if d, code := took(h, "/"); d != 4*time.Second || code != 200 {
			t.Errorf("%v and status %d, want 4s and 200", d, code)
		}
		if d, _ := took(h, "/"); d != 2*time.Second {
			t.Errorf("%v after the stall, want 2s", d)
		}
	})
}

// instants notes when each piece of a response goes out.
type instants struct {
	*httptest.ResponseRecorder
	begin time.Time
	at    []time.Duration
}

func (w *instants) Write(b []byte) (int, error) {
	w.at = append(w.at, time.Since(w.begin))
	return w.ResponseRecorder.Write(b)
}

// TestStallHoldsEveryPiece: a response larger than the server's buffer goes out while its handler runs.
// What was written before the stall may be gone; the next piece, and the end, may not.
func TestStallHoldsEveryPiece(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Stall: &shop.Stall{After: time.Second, For: 3 * time.Second}}).Wrap(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for range 3 {
					time.Sleep(700 * time.Millisecond)
					io.WriteString(w, "piece")
				}
			}))
		w := &instants{ResponseRecorder: httptest.NewRecorder(), begin: time.Now()}
		h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if want := []time.Duration{700 * time.Millisecond, 4 * time.Second, 4700 * time.Millisecond}; !slices.Equal(w.at, want) {
			t.Errorf("pieces went out at %v, want %v", w.at, want)
		}
	})
}

// TestStallHoldsTheEnd: all is written before the stall, but the handler ends inside it.
func TestStallHoldsTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Stall: &shop.Stall{After: time.Second, For: 3 * time.Second}}).Wrap(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				io.WriteString(w, "all")
				time.Sleep(2 * time.Second)
			}))
		if d, _ := took(h, "/"); d != 4*time.Second {
			t.Errorf("completed after %v, want 4s", d)
		}
	})
}

// TestStallSetLater: the request was in service before anybody asked for a stall.
func TestStallSetLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f shop.Faults
		h := f.Wrap(ok(2 * time.Second))
		go func() {
			time.Sleep(time.Second)
			if err := f.Set(shop.FaultSpec{Stall: &shop.Stall{For: 5 * time.Second}}); err != nil {
				t.Error(err)
			}
			if !f.Status().Stalled {
				t.Error("the status does not tell of the stall")
			}
		}()
		if d, _ := took(h, "/"); d != 6*time.Second {
			t.Errorf("%v, want 6s: one before the stall and five in it", d)
		}
	})
}

// TestStallLifted: a new setting lets go what the old one held.
func TestStallLifted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faults(t, shop.FaultSpec{Stall: &shop.Stall{For: time.Minute}})
		time.AfterFunc(time.Second, func() {
			if err := f.Set(shop.FaultSpec{}); err != nil {
				t.Error(err)
			}
		})
		if d, code := took(f.Wrap(ok(0)), "/"); d != time.Second || code != 200 {
			t.Errorf("%v and status %d, want 1s and 200", d, code)
		}
	})
}

// TestClientGivesUp: the handler must not run for a client that left during the stall.
func TestClientGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		served := false
		h := faults(t, shop.FaultSpec{Stall: &shop.Stall{For: time.Minute}}).Wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true }))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		start := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))
		if d := time.Since(start); d != time.Second || served {
			t.Errorf("%v, served %v; want 1s and nothing served", d, served)
		}
	})
}

func TestSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Slow: []shop.Slow{
			{Endpoint: "GET /products/{id}", Latency: 70 * time.Millisecond},
			{Endpoint: "GET /products/7", Latency: 90 * time.Millisecond},
			{Endpoint: "POST /cart", Latency: time.Second},
		}}).Wrap(ok(time.Millisecond))
		f := func(target string, want time.Duration) {
			t.Helper()
			if d, _ := took(h, target); d != want {
				t.Errorf("%s: %v, want %v", target, d, want)
			}
		}
		f("/products/3", 71*time.Millisecond)
		f("/products/7", 91*time.Millisecond)
		f("/products", time.Millisecond)
		f("/cart", time.Millisecond)
	})
}

// TestConcurrencyLimit sends ten requests at once to two slots and a queue of three.
func TestConcurrencyLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := faults(t, shop.FaultSpec{Reject: &shop.Reject{Concurrency: 2, Queue: 3}}).Wrap(ok(100 * time.Millisecond))
		var lock sync.Mutex
		ends := map[time.Duration]int{}
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				d, code := took(h, "/")
				lock.Lock()
				defer lock.Unlock()
				if (code == http.StatusTooManyRequests) != (d == 0) {
					t.Errorf("status %d after %v: a rejection must be immediate, an answer not", code, d)
				}
				ends[d]++
			})
		}
		all.Wait()
		want := map[time.Duration]int{0: 5, 100 * time.Millisecond: 2, 200 * time.Millisecond: 2, 300 * time.Millisecond: 1}
		for d, n := range want {
			if ends[d] != n {
				t.Errorf("%d requests took %v, want %d (all: %v)", ends[d], d, n, ends)
			}
		}
	})
}

// fates serves n requests and returns their statuses, 0 for an aborted one.
func fates(h http.Handler, n int) []int {
	codes := make([]int, n)
	for i := range codes {
		func() {
			defer func() {
				if recover() != nil {
					codes[i] = 0
				}
			}()
			_, codes[i] = took(h, "/")
		}()
	}
	return codes
}

// TestSharesAreExactAndRepeatable: the same seed gives the same fates, another seed others, and the
// shares are met within four standard deviations (the seeds are fixed, so this cannot flicker).
func TestSharesAreExactAndRepeatable(t *testing.T) {
	spec := shop.FaultSpec{Seed: 3, Reject: &shop.Reject{Share: 0.2}, Errors: &shop.Errors{Share: 0.1}, Reset: &shop.Break{Share: 0.05}}
	const n = 20_000
	f := faults(t, spec)
	h := f.Wrap(ok(0))
	first := fates(h, n)
	if f.Restart(); !slices.Equal(fates(h, n), first) {
		t.Error("after Restart the same requests met other fates")
	}
	if !slices.Equal(fates(faults(t, spec).Wrap(ok(0)), n), first) {
		t.Error("two equal settings gave different fates")
	}
	spec.Seed = 4
	if slices.Equal(fates(faults(t, spec).Wrap(ok(0)), n), first) {
		t.Error("another seed gave the same fates")
	}
	count := map[int]float64{}
	for _, code := range first {
		count[code]++
	}
	// A request meets the faults in this order, so each share is of what the earlier ones left.
	for _, c := range []struct {
		code  int
		share float64
	}{{0, 0.05}, {429, 0.95 * 0.2}, {500, 0.95 * 0.8 * 0.1}, {200, 0.95 * 0.8 * 0.9}} {
		sigma := math.Sqrt(n * c.share * (1 - c.share))
		if off := count[c.code] - n*c.share; math.Abs(off) > 4*sigma {
			t.Errorf("status %d: %v of %d requests, want %v +- %.0f", c.code, count[c.code], n, n*c.share, 4*sigma)
		}
	}
}

// TestResetConnection sees the broken connection from the client's end.
func TestResetConnection(t *testing.T) {
	server := httptest.NewServer(faults(t, shop.FaultSpec{Reset: &shop.Break{Share: 1}}).Wrap(ok(0)))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Post(server.URL, "text/plain", nil) // net/http repeats a GET by itself, a POST never
	if err == nil {
		resp.Body.Close()
		t.Fatalf("status %d, want a broken connection", resp.StatusCode)
	}
}
