package shop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"
)

// ListenOptions say where a server may listen. The zero value allows loopback only.
type ListenOptions struct {
	// AllowRemote permits addresses that other machines can reach. The shop has no passwords.
	AllowRemote bool
}

// Server is a handler that is being served.
type Server struct {
	// URL is the base URL, such as "http://127.0.0.1:34567".
	URL  string
	done chan struct{}
	stop context.CancelFunc
	err  error // valid once done is closed
}

// shutdownGrace is how long a stopping server waits for requests in service.
const shutdownGrace = 5 * time.Second

// Listen serves h over HTTP/1.1 on addr until ctx ends or Close is called. addr is HOST:PORT; empty means a free
// port on 127.0.0.1. Unless o allows it, an address that is not loopback is refused before anything
// listens.
func Listen(ctx context.Context, addr string, h http.Handler, o ListenOptions) (*Server, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	if !o.AllowRemote {
		var err error
		if addr, err = loopback(ctx, addr); err != nil {
			return nil, err
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	server := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		// Above the longest stall plus the longest latency.
		WriteTimeout: maxStall + maxLatency + time.Minute,
		// Long, so that the server does not close a connection that a client is about to use.
		IdleTimeout:    5 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       log.New(io.Discard, "", 0), // a library does not print
	}
	ctx, stop := context.WithCancel(ctx)
	s := &Server{URL: "http://" + listener.Addr().String(), done: make(chan struct{}), stop: stop}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	go func() {
		defer close(s.done)
		defer stop()
		select {
		case s.err = <-served:
			s.err = errors.Join(s.err, server.Close())
		case <-ctx.Done():
			s.err = shutdown(context.WithoutCancel(ctx), server)
			if err := <-served; !errors.Is(err, http.ErrServerClosed) {
				s.err = errors.Join(s.err, err)
			}
		}
	}()
	return s, nil
}

// shutdown waits for the requests in service for a while and then cuts them off.
func shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, shutdownGrace)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(err, server.Close())
	}
	return server.Close()
}

// Close stops listening, gives requests in service five seconds, and waits until all is over.
func (s *Server) Close() error {
	s.stop()
	return s.Wait()
}

// Wait waits until the server has stopped and returns why, or nil when it was told to.
func (s *Server) Wait() error {
	<-s.done
	if s.err != nil {
		return fmt.Errorf("shop: serving: %w", s.err)
	}
	return nil
}

// loopback resolves the host of addr and returns an address in numbers; every address of the host must
// be loopback.
func loopback(ctx context.Context, addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", fmt.Errorf("shop: %w", err)
	}
	if host == "" {
		return "", fmt.Errorf("shop: %s listens on every interface; give a loopback host such as 127.0.0.1 or allow remote access", addr)
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", fmt.Errorf("shop: %w", err)
	}
	for _, ip := range found {
		if !ip.Unmap().IsLoopback() {
			return "", fmt.Errorf("shop: %s is not a loopback address; other machines could reach the shop", addr)
		}
	}
	return net.JoinHostPort(found[0].Unmap().String(), port), nil
}
