package environment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// statusError is an answer of another status than the expected one.
type statusError struct{ got, want int }

func (e *statusError) Error() string {
	if e.want == 0 {
		return fmt.Sprintf("status %d, want 200 to 299", e.got)
	}
	return fmt.Sprintf("status %d, want %d", e.got, e.want)
}

var (
	errElsewhere = errors.New("redirect to another host refused")
	errCircle    = errors.New("more than 5 redirects")
	errTooLong   = errors.New("the answer is longer than 16 MiB")
)

// newClient returns a client that reaches loopback and targets only. It keeps no connection, since a
// reset may restart what is at the other end, and asks no proxy.
func newClient(targets []string) *http.Client {
	guard := &net.Dialer{Timeout: 10 * time.Second, Control: loopbackOnly}
	free := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: 64 << 10,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if host, _, err := net.SplitHostPort(addr); err == nil && listed(host, targets) {
					return free.DialContext(ctx, network, addr)
				}
				return guard.DialContext(ctx, network, addr)
			},
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			first := via[0]
			switch {
			case r.URL.Host != first.URL.Host || r.URL.Scheme != first.URL.Scheme:
				return errElsewhere
			case len(via) > 5:
				return errCircle
			case first.Context().Value(stay{}) != nil:
				return http.ErrUseLastResponse
			}
			return nil
		},
	}
}

// stay marks the context of a request that expects a redirect as its answer.
type stay struct{}

// loopbackOnly runs after name resolution, when the address is what will be dialled: "localhost" in a
// foreign hosts file leads nowhere.
func loopbackOnly(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return errors.New("the host does not resolve to loopback and is not in targets")
	}
	return nil
}

// request sends r and returns up to j.limit bytes of the answer.
func (e *Environment) request(ctx context.Context, r *Request, j job) ([]byte, error) {
	if r.Expect >= 300 && r.Expect < 400 {
		ctx = context.WithValue(ctx, stay{}, true)
	}
	req, err := http.NewRequestWithContext(ctx, r.method(j.method), r.URL, nil)
	if err != nil {
		return nil, errors.New("malformed request")
	}
	req.Header.Set("Reprise-Now", j.now)
	resp, err := e.client.Do(req)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which may hold a secret
		}
		return nil, err
	}
	defer resp.Body.Close()
	ok := resp.StatusCode == r.Expect || r.Expect == 0 && resp.StatusCode >= 200 && resp.StatusCode < 300
	if !ok {
		return nil, &statusError{resp.StatusCode, r.Expect}
	}
	if j.limit == 0 {
		// A reset is over when its answer is.
		_, err := io.Copy(io.Discard, resp.Body)
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, int64(j.limit)+1))
	if err != nil {
		return nil, err
	}
	if len(answer) > j.limit {
		return nil, errTooLong
	}
	return answer, nil
}
