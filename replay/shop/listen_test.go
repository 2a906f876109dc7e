package shop_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"reprise/replay/shop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestListen(t *testing.T) {
	s := open(t, small)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	server, err := shop.Listen(ctx, "", s.Handler(), shop.ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(server.URL, "http://127.0.0.1:") {
		t.Errorf("serving at %s, want 127.0.0.1", server.URL)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(server.URL + "/products/1")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || resp.StatusCode != 200 || resp.ContentLength != int64(len(body)) {
		t.Errorf("status %d, length %d of %d (error %v)", resp.StatusCode, resp.ContentLength, len(body), err)
	}
	if _, err := shop.Listen(ctx, strings.TrimPrefix(server.URL, "http://"), s.Handler(), shop.ListenOptions{}); err == nil {
		t.Error("two servers on one port")
	}
	cancel()
	if err := server.Wait(); err != nil {
		t.Errorf("stopped by its context: %v", err)
	}
	if err := server.Close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
	if _, err := client.Get(server.URL); err == nil {
		t.Error("still serving after the end")
	}
}

func TestListenRefusesOtherInterfaces(t *testing.T) {
	f := func(addr string) {
		t.Helper()
		server, err := shop.Listen(context.Background(), addr, http.NotFoundHandler(), shop.ListenOptions{})
		if err == nil {
			server.Close()
			t.Errorf("%q was accepted", addr)
		}
	}
	f(":0")
	f("0.0.0.0:0")
	f("[::]:0")
	f("192.0.2.1:0")
	f("127.0.0.1")
	server, err := shop.Listen(context.Background(), "localhost:0", http.NotFoundHandler(), shop.ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	server, err = shop.Listen(context.Background(), ":0", http.NotFoundHandler(), shop.ListenOptions{AllowRemote: true})
	if err != nil {
		t.Fatalf("refused although allowed: %v", err)
	}
	server.Close()
}
