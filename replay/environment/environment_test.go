package environment_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reprise/replay/environment"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// build returns the environment of a configuration in YAML.
func build(t testing.TB, o environment.Options, text string) *environment.Environment {
	t.Helper()
	c, err := environment.Parse([]byte(text), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, err := environment.New(*c, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// serve runs a handler on loopback for the length of the test and returns its URL.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// failure asserts that err is a StepError and returns it.
func failure(t testing.TB, err error) *environment.StepError {
	t.Helper()
	var failed *environment.StepError
	if !errors.As(err, &failed) {
		t.Fatalf("error %v (%T), want a *StepError", err, err)
	}
	return failed
}

func TestNothingToDo(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{"", "reset: [{exec: true}]", "reset: [{exec: ['true']}]\n"} {
		e := build(t, environment.Options{}, text)
		sum, err := e.Fingerprint(ctx)
		metrics, err2 := e.Metrics(ctx)
		if err := errors.Join(e.Reset(ctx), e.Ready(ctx), err, err2); err != nil || sum != "" || metrics != nil {
			t.Errorf("%q: fingerprint %q, metrics %q, error %v; want nothing", text, sum, metrics, err)
		}
		if got, want := e.Resets(), text != ""; got != want {
			t.Errorf("%q: Resets() = %v, want %v", text, got, want)
		}
	}
}

// TestStepsStopAtTheFirstFailure counts the requests of three steps.
func TestStepsStopAtTheFirstFailure(t *testing.T) {
	var log []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		log = append(log, r.Method+" "+r.URL.Path)
		if r.URL.Path == "/two" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	e := build(t, environment.Options{}, "reset: [{http: '"+url+"/one'}, {http: {url: '"+url+"/two?key=secret', method: PUT}}, {http: '"+url+"/three'}]")
	err := e.Reset(context.Background())
	failed := failure(t, err)
	if failed.Phase != "reset" || failed.Number != 2 || failed.Status != 500 {
		t.Errorf("%+v, want reset step 2 with status 500", failed)
	}
	if got, want := err.Error(), "reset step 2 (PUT "+url+"/two): status 500, want 200 to 299"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	if got, want := strings.Join(log, ", "), "POST /one, PUT /two"; got != want {
		t.Errorf("requests %s, want %s", got, want)
	}
}

func TestExpect(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/ok", http.StatusFound)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		}
	})
	f := func(path, expect string, want int) {
		t.Helper()
		e := build(t, environment.Options{}, "reset: [{http: {url: '"+url+path+"'"+expect+"}}]")
		err := e.Reset(context.Background())
		if want == 0 && err != nil {
			t.Errorf("%s%s: %v, want success", path, expect, err)
		}
		if want != 0 && failure(t, err).Status != want {
			t.Errorf("%s%s: %v, want status %d", path, expect, err, want)
		}
	}
	f("/ok", "", 0)
	f("/ok", ", expect: 200", 0)
	f("/ok", ", expect: 201", 200)
	f("/gone", "", 410)
	f("/gone", ", expect: 410", 0)
	f("/moved", "", 0) // the same host: followed
	f("/moved", ", expect: 302", 0)
	f("/moved", ", expect: 301", 302)
}

func TestRedirects(t *testing.T) {
	var elsewhere atomic.Int64
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other, http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusTemporaryRedirect)
		}
	})
	f := func(path, want string) {
		t.Helper()
		err := build(t, environment.Options{}, "reset: [{http: '"+url+path+"'}]").Reset(context.Background())
		if failed := failure(t, err); !strings.Contains(failed.Error(), want) {
			t.Errorf("%s: error %q, want it to say %q", path, failed, want)
		}
	}
	f("/away", "redirect to another host refused")
	f("/round", "more than 5 redirects")
	if n := elsewhere.Load(); n != 0 {
		t.Errorf("%d requests left the host, want 0", n)
	}
}

// TestProxyIsNotAsked sets what net/http would follow.
func TestProxyIsNotAsked(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	e := build(t, environment.Options{}, "targets: [shop.invalid]\nreset: [{http: 'http://shop.invalid/', timeout: 5s}]")
	// .invalid never resolves (RFC 6761); a proxy would have been dialled without a lookup.
	if err := e.Reset(context.Background()); err == nil || strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("error %v, want a failed lookup", err)
	}
}

func TestRefusedConnection(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	e := build(t, environment.Options{}, "reset: [{http: '"+server.URL+"/reset'}]")
	if failed := failure(t, e.Reset(context.Background())); failed.Status != 0 || !strings.Contains(failed.Error(), "refused") {
		t.Errorf("error %v, want a refused connection", failed)
	}
}

// TestHanging never gets an answer: the timeout and the cancel must each end it, by their own names.
func TestHanging(t *testing.T) {
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	e := build(t, environment.Options{}, "reset: [{http: '"+url+"', timeout: 50ms}]")
	failed := failure(t, e.Reset(context.Background()))
	if failed.Timeout != 50*time.Millisecond || !errors.Is(failed, context.DeadlineExceeded) {
		t.Errorf("%+v, want a timeout of 50ms", failed)
	}
	e = build(t, environment.Options{}, "reset: [{http: '"+url+"'}]")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	failed = failure(t, e.Reset(ctx))
	if failed.Timeout != 0 || !errors.Is(failed, context.Canceled) {
		t.Errorf("%+v, want a cancel", failed)
	}
}

func TestReady(t *testing.T) {
	var asked atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || asked.Add(1) < 4 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	if err := build(t, environment.Options{}, "ready: [{http: '"+url+"'}]").Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("%d attempts, want 4", n)
	}
	asked.Store(-1 << 40)
	failed := failure(t, build(t, environment.Options{}, "ready: [{http: '"+url+"', timeout: 1s}]").Ready(context.Background()))
	if failed.Phase != "ready" || failed.Status != 503 || failed.Timeout != time.Second || !errors.Is(failed, context.DeadlineExceeded) {
		t.Errorf("%+v, want the last status, 503, and the timeout", failed)
	}
}

// TestReadyTellsTheLastAnswer: one answer, then silence until the time is over. The answer is what helps.
func TestReadyTellsTheLastAnswer(t *testing.T) {
	var asked atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 1 {
			<-r.Context().Done()
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	failed := failure(t, build(t, environment.Options{}, "ready: [{http: '"+url+"', timeout: 1s}]").Ready(context.Background()))
	if failed.Status != http.StatusBadGateway {
		t.Errorf("%v, want the status of the only answer, 502", failed)
	}
}

func TestFingerprint(t *testing.T) {
	var answer atomic.Value
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(answer.Load().(string))) })
	e := build(t, environment.Options{}, "fingerprint: [{http: '"+url+"'}, {exec: [echo, tail]}]")
	take := func(text string) string {
		t.Helper()
		answer.Store(text)
		sum, err := e.Fingerprint(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if len(sum) != len("sha256:")+64 {
			t.Fatalf("fingerprint %q, want sha256: and 64 digits", sum)
		}
		return sum
	}
	f := func(a, b string, same bool) {
		t.Helper()
		if (take(a) == take(b)) != same {
			t.Errorf("%q and %q: same = %v, want %v", a, b, !same, same)
		}
	}
	f(`{"a":1,"b":[2,3]}`, "{ \"b\": [2, 3],\n \"a\": 1 }\n", true)
	f(`{"a":1}`, `{"a":2}`, false)
	f(`[1,2]`, `[2,1]`, false)
	f(`{"seq":9007199254740992}`, `{"seq":9007199254740993}`, false) // equal as float64
	f("x 1\r\ny 2  \r\n", "x 1\ny 2", true)
	f("x 1\ny 2", "y 2\nx 1", false)
	f(`{"a":1} {"b":2}`, `{"a":1} {"b":3}`, false) // two values are no JSON document
	f("", "x", false)
}

// TestFingerprintKeepsAnswersApart moves a byte from one answer to the next.
func TestFingerprintKeepsAnswersApart(t *testing.T) {
	take := func(text string) string {
		sum, err := build(t, environment.Options{}, text).Fingerprint(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	if a, b := take("fingerprint: [{exec: [echo, ab]}, {exec: [echo, c]}]"), take("fingerprint: [{exec: [echo, a]}, {exec: [echo, bc]}]"); a == b {
		t.Errorf("two different lists of answers share the fingerprint %s", a)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	chunk := make([]byte, 1<<20)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 17 {
			w.Write(chunk)
		}
	})
	e := build(t, environment.Options{}, "fingerprint: [{http: '"+url+"'}]\nmetrics: "+url)
	_, err := e.Fingerprint(context.Background())
	if failed := failure(t, err); !strings.Contains(failed.Error(), "longer than 16 MiB") {
		t.Errorf("fingerprint: %v", failed)
	}
	_, err = e.Metrics(context.Background())
	if failed := failure(t, err); !strings.Contains(failed.Error(), "longer than 16 MiB") || !strings.HasPrefix(failed.Error(), "metrics (GET ") {
		t.Errorf("metrics: %v", failed)
	}
	e = build(t, environment.Options{}, "fingerprint: [{exec: [sh, -c, 'yes | head -c 17000000']}]")
	_, err = e.Fingerprint(context.Background())
	if failed := failure(t, err); !strings.Contains(failed.Error(), "longer than 16 MiB") {
		t.Errorf("exec: %v", failed)
	}
}

func TestMetrics(t *testing.T) {
	const text = "shop_orders_total 7\n"
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(text)) })
	got, err := build(t, environment.Options{}, "metrics: "+url+"/metrics").Metrics(context.Background())
	if err != nil || string(got) != text {
		t.Errorf("metrics %q, error %v; want %q", got, err, text)
	}
}
